/**
 * Links made by `cairn signin`, for a server that runs in another process. They meet in the folder `run` of the home, which
 * only its owner can look into: there a server says where it listens, and the command leaves the digest of a token, as the
 * name of a file. Who can remove that file may sign in; it can be removed once.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CairnError } from '../../errors.ts';
import { digestOf } from '../../service/key.ts';

const LINK_MS = 15 * 60 * 1000;

const folderOf = (home: string) => join(home, 'run');
const tokenFile = (home: string, token: string) => join(folderOf(home), `signin-${digestOf(token)}`);

async function openFolder(home: string): Promise<void> {
  await mkdir(folderOf(home), { recursive: true, mode: 0o700 });
  // What is in it is of this machine and this hour; git leaves it out by this file, which it leaves out too.
  await writeFile(join(folderOf(home), '.gitignore'), '*\n', { mode: 0o600 });
}

/** Says where a server listens, as long as it does. A home is not made for it; false where there is none yet. */
export async function announceServer(home: string, url: string): Promise<boolean> {
  if (!existsSync(home)) return false;
  await openFolder(home);
  await writeFile(serverFile(home, process.pid), url, { mode: 0o600 });
  return true;
}

export async function withdrawServer(home: string): Promise<void> {
  await rm(serverFile(home, process.pid), { force: true });
}

function serverFile(home: string, pid: number): string {
  return join(folderOf(home), `server-${pid}`);
}

/** A link for the server of this home that began last. */
export async function makeSignInLink(home: string): Promise<string> {
  const url = await newestServer(home);
  if (url === undefined) {
    throw new CairnError('not_found', `No server of ${home} is running with the dashboard`, {
      suggestion: 'Start one: cairn serve --http 8787. It shows a link itself.',
    });
  }
  const token = randomBytes(32).toString('base64url');
  await writeFile(tokenFile(home, token), '', { mode: 0o600 });
  return `${url}/signin#${token}`;
}

async function newestServer(home: string): Promise<string | undefined> {
  const names = await readdir(folderOf(home)).catch(() => []);
  const servers: { url: string; since: number }[] = [];
  for (const name of names.filter((each) => each.startsWith('server-'))) {
    const path = join(folderOf(home), name);
    if (isRunning(Number(name.slice('server-'.length)))) {
      servers.push({ url: await readFile(path, 'utf8'), since: (await stat(path)).mtimeMs });
    } else await rm(path, { force: true });
  }
  return servers.sort((a, b) => b.since - a.since)[0]?.url;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Whether the token was made by the command, and a moment ago. It is spent by asking. */
export async function redeemLeft(home: string, token: string, now = Date.now()): Promise<boolean> {
  const path = tokenFile(home, token);
  try {
    const { mtimeMs } = await stat(path);
    await unlink(path);
    // One from the future was made under another clock, which says nothing of its age.
    return Math.abs(now - mtimeMs) < LINK_MS;
  } catch {
    return false;
  }
}
