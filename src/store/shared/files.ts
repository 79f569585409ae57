/** The files that people would edit, as rows: the same names and the same rules, replaced whole. */
import { CairnError } from '../../errors.ts';
import { sha256 } from '../hash.ts';
import { requireShelfName } from '../name.ts';
import type { Row, Rows } from '../rows.ts';
import type { FileDesk, FileShelf, FileStamp, Shelf } from '../store.ts';

export function shelfIn(rows: Rows): FileShelf {
  return {
    async stamp(shelf, name) {
      requireShelfName(name);
      const sql = 'SELECT name, size, modified_ms FROM file WHERE shelf = ? AND name = ?';
      const row = await rows.get(sql, shelf, name);
      return row && toStamp(row);
    },
    async list(shelf) {
      const sql = 'SELECT name, size, modified_ms FROM file WHERE shelf = ? ORDER BY name';
      return (await rows.all(sql, shelf)).map(toStamp);
    },
    async read(shelf, name) {
      requireShelfName(name);
      const row = await rows.get('SELECT bytes FROM file WHERE shelf = ? AND name = ?', shelf, name);
      return row && textOf(row);
    },
    async start(shelf, name, limit) {
      requireShelfName(name);
      const sql = 'SELECT substring(bytes FOR ?::int) AS bytes FROM file WHERE shelf = ? AND name = ?';
      const row = await rows.get(sql, limit, shelf, name);
      return row && (row.bytes as Uint8Array);
    },
  };
}

/** What a transaction did to the files, for the versions and for those who listen. */
export interface FileChange {
  readonly shelf: Shelf;
  readonly name: string;
  readonly text: string | undefined;
}

export class FileRows implements FileDesk {
  readonly #rows: Rows;
  readonly #shelf: FileShelf;
  readonly #changes = new Map<string, FileChange>();

  constructor(rows: Rows) {
    this.#rows = rows;
    this.#shelf = shelfIn(rows);
  }

  get changes(): readonly FileChange[] {
    return [...this.#changes.values()];
  }

  stamp(shelf: Shelf, name: string): Promise<FileStamp | undefined> {
    return this.#shelf.stamp(shelf, name);
  }

  list(shelf: Shelf): Promise<FileStamp[]> {
    return this.#shelf.list(shelf);
  }

  read(shelf: Shelf, name: string): Promise<string | undefined> {
    return this.#shelf.read(shelf, name);
  }

  start(shelf: Shelf, name: string, limit: number): Promise<Uint8Array | undefined> {
    return this.#shelf.start(shelf, name, limit);
  }

  async put(shelf: Shelf, name: string, text: string, expect?: string | null): Promise<void> {
    requireShelfName(name);
    if (expect !== undefined) await this.#check(shelf, name, expect);
    const bytes = Buffer.from(text);
    // Never the time of the version before it, whatever the clocks of two machines say: a stamp names one version.
    const sql = `INSERT INTO file VALUES (?, ?, ?, ?, ?) ON CONFLICT (shelf, name) DO UPDATE SET bytes = excluded.bytes,
      size = excluded.size, modified_ms = greatest(excluded.modified_ms, file.modified_ms + 1)`;
    await this.#rows.run(sql, shelf, name, bytes, bytes.length, Date.now());
    this.#changes.set(`${shelf}/${name}`, { shelf, name, text });
  }

  async remove(shelf: Shelf, name: string): Promise<boolean> {
    requireShelfName(name);
    if ((await this.#rows.run('DELETE FROM file WHERE shelf = ? AND name = ?', shelf, name)) === 0) return false;
    this.#changes.set(`${shelf}/${name}`, { shelf, name, text: undefined });
    return true;
  }

  async #check(shelf: Shelf, name: string, expect: string | null): Promise<void> {
    const present = await this.read(shelf, name);
    const hash = present === undefined ? null : sha256(present);
    if (hash === expect) return;
    throw new CairnError('conflict', `${shelf}/${name} is not what was expected: somebody changed it`, {
      expected: expect,
      actual: hash,
    });
  }
}

function toStamp(row: Row): FileStamp {
  return { name: String(row.name), size: Number(row.size), modifiedMs: Number(row.modified_ms) };
}

export function textOf(row: Row): string {
  return Buffer.from(row.bytes as Uint8Array).toString();
}
