/**
 * Copies of texts for grep: letters.db knows where each lies in a file of bytes beside it, which is read with no more ado.
 * Whatever is wrong with them, it is as if they were not there. Bytes come before the rows that name them, and a place in
 * the file is never used twice: whoever reads meanwhile reads what he was told of, or zeros where a text was dropped.
 */
import {
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { FreshPart, KeptTexts, TextCache, TextPart } from '../texts.ts';
import { Database, isBusy } from './database.ts';

const SCHEMA = 1;
const MOST = 512 * 1024 * 1024;
/** The disk has better uses for its last gigabyte. */
const SPARE = 1024 * 1024 * 1024;
const BUSY_MS = 2000;
const MOST_KNOWN = 50_000;

/** `file` names the file of bytes, `ends` is how far it is used, `live` what of that is not dropped. */
const TABLES = `
  CREATE TABLE part (
    hash TEXT NOT NULL, part INTEGER NOT NULL, begins INTEGER NOT NULL, ends INTEGER NOT NULL,
    line INTEGER NOT NULL, inside_key INTEGER NOT NULL, PRIMARY KEY (hash, part)) WITHOUT ROWID;
  CREATE TABLE bytes (file TEXT NOT NULL, ends INTEGER NOT NULL, live INTEGER NOT NULL);
  PRAGMA user_version = ${SCHEMA}`;

/** Synchronous: for a thread of its own, which may wait for another's lock. */
export class EmbeddedTextCache implements TextCache {
  readonly #home: string;
  readonly #path: string;
  #database: Database | undefined;
  /** Where texts lie, until anybody changes that. */
  readonly #known = new Map<string, TextPart[]>();
  #version = 0;
  #open: { readonly name: string; readonly file: number } | undefined;

  constructor(home: string) {
    this.#home = home;
    this.#path = join(home, 'letters.db');
  }

  find(wanted: readonly string[]): KeptTexts {
    // Many paths may have one content.
    const hashes = [...new Set(wanted)];
    const found = this.#attempt('read', (database) => {
      const file = this.#refresh(database);
      this.#learn(
        database,
        hashes.filter((hash) => !this.#known.has(hash)),
      );
      return { file, parts: hashes.flatMap((hash) => this.#known.get(hash) ?? []) };
    });
    const { file = '', parts = [] } = found ?? {};
    return {
      parts: parts.sort((one, other) => one.from - other.from),
      read: (from, to, memory) => this.#attempt('read', () => readAt(this.#fileOf(file), from, to, memory)),
    };
  }

  keep(texts: ReadonlyMap<string, readonly FreshPart[]>): void {
    if (texts.size === 0 || !existsSync(this.#home)) return;
    const size = [...texts.values()].flat().reduce((sum, part) => sum + part.bytes.length, 0);
    this.#known.clear();
    this.#attempt('write', (database) => {
      const { bavail, bsize } = statfsSync(this.#home);
      if (bavail * bsize < SPARE + size) return;
      transact(database, () => {
        if (stateOf(database).ends + size > MOST) this.#startAnew(database);
        const { file, ends } = stateOf(database);
        if (ends + size <= MOST) insert(database, this.#fileOf(file), ends, texts);
      });
    });
  }

  hashes(): string[] {
    const rows = this.#attempt('read', (database) => database.all('SELECT DISTINCT hash FROM part')) ?? [];
    return rows.map(({ hash }) => String(hash));
  }

  drop(hashes: readonly string[]): void {
    if (hashes.length === 0) return;
    const gone = JSON.stringify(hashes);
    this.#known.clear();
    this.#attempt('write', (database) => {
      transact(database, () => {
        const file = this.#fileOf(stateOf(database).file);
        const which = 'hash IN (SELECT value FROM json_each(?))';
        for (const { begins, ends } of database.all(`SELECT begins, ends FROM part WHERE ${which}`, gone)) {
          // It was deleted for a reason.
          writeSync(file, Buffer.alloc(Number(ends) - Number(begins)), 0, undefined, Number(begins));
          database.run('UPDATE bytes SET live = live - ?', Number(ends) - Number(begins));
        }
        fdatasyncSync(file);
        database.run(`DELETE FROM part WHERE ${which}`, gone);
      });
    });
  }

  /** Forgets what may have changed. The name of the file that is true now. */
  #refresh(database: Database): string {
    const version = Number(database.get('PRAGMA data_version')?.data_version);
    if (version !== this.#version || this.#known.size > MOST_KNOWN) this.#known.clear();
    this.#version = version;
    return stateOf(database).file;
  }

  #learn(database: Database, hashes: readonly string[]): void {
    if (hashes.length === 0) return;
    // As one text: a row for each takes twice as long.
    const sql = `SELECT json_group_array(json_array(hash, part, begins, ends, line, inside_key)) AS listed FROM part
      WHERE hash IN (SELECT value FROM json_each(?))`;
    const row = database.get(sql, JSON.stringify(hashes));
    for (const each of JSON.parse(String(row?.listed)) as Listed[]) {
      const part = partOf(each);
      const others = this.#known.get(part.hash);
      if (others === undefined) this.#known.set(part.hash, [part]);
      else others.push(part);
    }
  }

  close(): void {
    this.#known.clear();
    this.#database?.close();
    this.#database = undefined;
    if (this.#open !== undefined) closeSync(this.#open.file);
    this.#open = undefined;
  }

  /** Where most of it was dropped. The old file stays readable for whoever has it open. */
  #startAnew(database: Database): void {
    const { live, ends, file } = stateOf(database);
    if (live > ends / 2) return;
    database.run('DELETE FROM part');
    database.run('UPDATE bytes SET file = ?, ends = 0, live = 0', newName());
    remove(join(this.#home, file));
  }

  #fileOf(name: string): number {
    if (this.#open?.name === name) return this.#open.file;
    if (this.#open !== undefined) closeSync(this.#open.file);
    this.#open = undefined;
    // Without truncating it: another thread may have made it.
    const file = openSync(join(this.#home, name), constants.O_RDWR | constants.O_CREAT, 0o600);
    this.#open = { name, file };
    return file;
  }

  #attempt<T>(purpose: 'read' | 'write', work: (database: Database) => T): T | undefined {
    try {
      const database = this.#connection(purpose);
      return database === undefined ? undefined : work(database);
    } catch (thrown) {
      if (isBusy(thrown)) return undefined;
      this.close();
      // What cannot be read is not worth mending. A home that may not be written has none.
      if (isDamaged(thrown)) for (const suffix of ['', '-wal', '-shm']) remove(`${this.#path}${suffix}`);
      return undefined;
    }
  }

  #connection(purpose: 'read' | 'write'): Database | undefined {
    if (this.#database === undefined && (purpose === 'write' || existsSync(this.#path))) {
      const database = new Database(this.#path);
      try {
        prepare(database, this.#home);
      } catch (thrown) {
        database.close();
        throw thrown;
      }
      this.#database = database;
    }
    return this.#database;
  }
}

type Listed = [hash: string, part: number, from: number, to: number, firstLine: number, insideKey: number];

function partOf([hash, part, from, to, firstLine, insideKey]: Listed): TextPart {
  return { hash, part, from, to, firstLine, insideKey: insideKey === 1 };
}

class Unusable extends Error {}

const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

function isDamaged(thrown: unknown): boolean {
  const code = Number((thrown as { errcode?: unknown } | undefined)?.errcode ?? 0) & 0xff;
  return thrown instanceof Unusable || code === SQLITE_CORRUPT || code === SQLITE_NOTADB;
}

const NAMED = /^letters-[0-9a-z]+\.db$/;

/** With the end that keeps it out of repositories, like all that is kept beside the files. */
function newName(): string {
  return `letters-${Date.now().toString(36)}.db`;
}

function prepare(database: Database, home: string): void {
  database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
  const schema = () => Number(database.get('PRAGMA user_version')?.user_version ?? 0);
  if (schema() === 0) {
    database.exec('PRAGMA journal_mode = WAL');
    transact(database, () => {
      if (schema() !== 0) return;
      database.exec(TABLES);
      // Those of a letters.db that is gone.
      for (const name of readdirSync(home)) if (NAMED.test(name)) remove(join(home, name));
      database.run('INSERT INTO bytes VALUES (?, 0, 0)', newName());
    });
  }
  if (schema() !== SCHEMA) throw new Unusable(`letters.db has schema ${schema()}`);
  database.exec('PRAGMA synchronous = NORMAL');
}

function transact(database: Database, work: () => void): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    work();
    database.exec('COMMIT');
  } catch (thrown) {
    if (database.inTransaction) database.exec('ROLLBACK');
    throw thrown;
  }
}

function stateOf(database: Database): { file: string; ends: number; live: number } {
  const row = database.get('SELECT file, ends, live FROM bytes');
  const file = String(row?.file);
  if (!NAMED.test(file)) throw new Unusable('letters.db names no file');
  return { file, ends: Number(row?.ends), live: Number(row?.live) };
}

function insert(
  database: Database,
  file: number,
  start: number,
  texts: ReadonlyMap<string, readonly FreshPart[]>,
): void {
  let at = start;
  for (const [hash, parts] of texts) {
    if (database.get('SELECT 1 FROM part WHERE hash = ? LIMIT 1', hash) !== undefined) continue;
    for (const [part, { bytes, firstLine, insideKey }] of parts.entries()) {
      for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, at + done);
      const values = [hash, part, at, at + bytes.length, firstLine, insideKey ? 1 : 0];
      database.run('INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)', ...values);
      at += bytes.length;
    }
  }
  fdatasyncSync(file);
  database.run('UPDATE bytes SET ends = ?, live = live + ?', at, at - start);
}

function readAt(file: number, from: number, to: number, memory?: Buffer): Buffer {
  const size = to - from;
  const bytes = memory !== undefined && memory.length >= size ? memory.subarray(0, size) : Buffer.allocUnsafeSlow(size);
  for (let done = 0; done < size; ) {
    const read = readSync(file, bytes, done, size - done, from + done);
    if (read === 0) throw new Unusable('The file of texts is shorter than it was');
    done += read;
  }
  return bytes;
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Somebody has it open, or it is not ours to remove: it is of no use, and no harm.
  }
}
