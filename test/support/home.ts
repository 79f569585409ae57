/** Temporary folders that vanish with the test that asked for them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A path at which nothing exists yet: a home is made by the first write. */
export async function freshHome(): Promise<string> {
  return join(await freshFolder(), 'home');
}

export async function freshFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
