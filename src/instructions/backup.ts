/** A backup: all entries of the catalog, to the letter, in one JSON file of the home's backups folder. */
import { CairnError } from '../errors.ts';
import type { FileDesk, FileShelf } from '../store/store.ts';
import { type Entry, fileOf, idOfFile, isId } from './entry.ts';
import { readEntry } from './file.ts';

const FORMAT = 'cairn-instructions-1';

export interface Backup {
  readonly createdAt: string;
  readonly reason: string;
  /** The text of each file, also of those that are no valid entry: a backup judges nothing. */
  readonly files: Readonly<Record<string, string>>;
}

/** Inside the transaction whose changes it guards against: it is there exactly when they are. */
export async function writeBackup(
  files: FileDesk,
  reason: string,
  now: string,
): Promise<{ name: string; entries: number }> {
  const kept: Record<string, string> = {};
  for (const { name } of await files.list('instructions')) {
    const text = idOfFile(name) === undefined ? undefined : await files.read('instructions', name);
    if (text !== undefined) kept[name] = text;
  }
  const name = `instructions-${now.replace(/[:.]/g, '-')}.json`;
  await files.put('backups', name, `${JSON.stringify({ format: FORMAT, createdAt: now, reason, files: kept })}\n`);
  return { name, entries: Object.keys(kept).length };
}

export async function readBackup(files: Pick<FileShelf, 'read' | 'list'>, name: string): Promise<Backup> {
  const text = await files.read('backups', name);
  if (text === undefined) {
    const names = (await files.list('backups')).map((stamp) => stamp.name);
    throw new CairnError('not_found', `There is no backup called ${name}`, { backups: names.slice(-20) });
  }
  try {
    const { format, createdAt, reason, files: kept } = JSON.parse(text) as Record<string, unknown>;
    if (format === FORMAT && isTexts(kept))
      return { createdAt: String(createdAt), reason: String(reason), files: kept };
  } catch {
    // Falls through: what cannot be read is no backup.
  }
  throw new CairnError('integrity_error', `${name} is not a whole backup`, {
    suggestion: 'Choose another one: cairn backup list.',
  });
}

function isTexts(value: unknown): value is Record<string, string> {
  return typeof value === 'object' && value !== null && Object.values(value).every((text) => typeof text === 'string');
}

/** The entries of a backup that can be put back; the others by name. */
export function entriesOf({ files }: Backup): { entries: Map<string, Entry>; unreadable: string[] } {
  const entries = new Map<string, Entry>();
  const unreadable: string[] = [];
  for (const [name, text] of Object.entries(files)) {
    const id = idOfFile(name);
    const reading = id === undefined || !isId(id) ? undefined : readEntry(id, text);
    if (id === undefined || reading === undefined || 'problem' in reading) unreadable.push(name);
    else entries.set(fileOf(id), reading.entry);
  }
  return { entries, unreadable };
}
