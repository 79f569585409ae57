/**
 * What install remembers so that uninstall can undo it: for each file the bytes from before, what we made in it, and the
 * hash of what we left. It lies in the user's state folder, not in `~/.cairn`: a folder of that name is a home, and
 * making one would change which home every project below it finds.
 */
import { join, resolve } from 'node:path';
import { readIfPresent, removeIfPresent, writeFileAtomically } from '../../../store/file.ts';
import { sha256 } from '../../../store/hash.ts';
import type { Place } from './clients.ts';
import type { Memory } from './edit.ts';

export interface FileRecord extends Memory {
  readonly path: string;
  /** The bytes from before in base64; `null` where there was no file. */
  readonly before: string | null;
  /** The hash of what install left. */
  readonly after: string;
  /** Folders that were made for it, outermost first. */
  readonly folders: readonly string[];
}

export interface InstallRecord {
  readonly version: 1;
  readonly client: string;
  readonly scope: string;
  readonly files: readonly FileRecord[];
}

export function stateFolder({ home, env }: Pick<Place, 'home' | 'env'>): string {
  return join(env.XDG_STATE_HOME || join(home, '.local', 'state'), 'cairn');
}

export function recordPath(place: Place): string {
  const where = place.scope === 'project' ? resolve(place.project) : place.home;
  return join(stateFolder(place), 'installed', `${place.client}-${place.scope}-${sha256(where).slice(0, 12)}.json`);
}

export async function readRecord(path: string): Promise<InstallRecord | undefined> {
  const text = await readIfPresent(path);
  if (text === undefined) return undefined;
  try {
    const record = JSON.parse(text) as InstallRecord;
    // One that a newer Cairn wrote, or that is damaged, is as none: what is ours is then found by what it says.
    return record.version === 1 && Array.isArray(record.files) ? record : undefined;
  } catch {
    return undefined;
  }
}

/** Readable for nobody else: the bytes from before may hold keys. */
export async function writeRecord(path: string, record: InstallRecord): Promise<void> {
  await writeFileAtomically(path, `${JSON.stringify(record, null, 2)}\n`, 0o600);
}

export async function dropRecord(path: string): Promise<void> {
  await removeIfPresent(path);
}
