import { existsSync, statSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshFolder } from '../../../test/support/home.ts';
import { announceServer, makeSignInLink, redeemLeft, withdrawServer } from './run-folder.ts';

const url = 'http://127.0.0.1:8787';

describe('links for a server of another process', () => {
  it('work once, and only for a quarter of an hour', async () => {
    const home = await freshFolder();
    expect(await announceServer(home, url)).toBe(true);
    const link = await makeSignInLink(home);
    expect(link.startsWith(`${url}/signin#`)).toBe(true);
    const token = link.split('#')[1] ?? '';
    expect(await redeemLeft(home, `${token}x`)).toBe(false);
    expect(await redeemLeft(home, token)).toBe(true);
    expect(await redeemLeft(home, token)).toBe(false);
    const late = (await makeSignInLink(home)).split('#')[1] ?? '';
    expect(await redeemLeft(home, late, Date.now() + 16 * 60 * 1000)).toBe(false);
    expect(await redeemLeft(home, late)).toBe(false);
  });

  it('lie where only the owner looks, and not in clear', async () => {
    const home = await freshFolder();
    await announceServer(home, url);
    const token = (await makeSignInLink(home)).split('#')[1] ?? '-';
    const names = await readdir(join(home, 'run'));
    expect(names.join()).not.toContain(token);
    expect(statSync(join(home, 'run')).mode & 0o077).toBe(0);
    for (const name of names) expect(statSync(join(home, 'run', name)).mode & 0o077).toBe(0);
  });

  it('need a server that runs, and make no home', async () => {
    const home = join(await freshFolder(), 'none');
    expect(await announceServer(home, url)).toBe(false);
    expect(existsSync(home)).toBe(false);
    await expect(makeSignInLink(home)).rejects.toThrow('No server');
    await mkdir(join(home, 'run'), { recursive: true });
    // The number of a process that cannot be.
    await writeFile(join(home, 'run', 'server-4194999'), url);
    await expect(makeSignInLink(home)).rejects.toThrow('No server');
    await announceServer(home, url);
    await withdrawServer(home);
    await expect(makeSignInLink(home)).rejects.toThrow('No server');
  });
});
