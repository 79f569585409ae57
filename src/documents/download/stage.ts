/** A file of its own for what is not known to be right yet. It is gone when the work with it is done, however that ended. */
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CairnError } from '../../errors.ts';

export interface Stage {
  readonly path: string;
  write(bytes: Uint8Array): Promise<void>;
}

export async function onStage<T>(work: (stage: Stage) => Promise<T>): Promise<T> {
  // A folder that only its owner may enter, so that nobody can put another file in its place.
  const folder = await mkdtemp(join(tmpdir(), 'cairn-download-')).catch(noRoom);
  const path = join(folder, 'content');
  try {
    const file = await open(path, 'wx', 0o600).catch(noRoom);
    try {
      return await work({ path, write: (bytes) => file.appendFile(bytes).catch(noRoom) });
    } finally {
      await file.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function noRoom(thrown: unknown): never {
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  throw new CairnError(
    'store_unavailable',
    `The temporary folder does not take the download: ${reason}`,
    { suggestion: 'Make room there, or name another folder with TMPDIR.' },
    { cause: thrown },
  );
}
