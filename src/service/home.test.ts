import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findHome } from './home.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'cairn-home-')));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function folder(...parts: string[]): string {
  const path = join(root, ...parts);
  mkdirSync(path, { recursive: true });
  return path;
}

const user = folder('user');

describe('the home is', () => {
  it('the folder that --home names, against the working folder', () => {
    const here = folder('flag', 'deep');
    folder('flag', '.cairn');
    const env = { CAIRN_HOME: '/from/env' };
    expect(findHome('../elsewhere', env, here, user)).toEqual({ path: join(root, 'flag/elsewhere'), source: '--home' });
    expect(findHome('/absolute', env, here, user).path).toBe('/absolute');
  });

  it('else the one that CAIRN_HOME names, against the working folder', () => {
    const here = folder('env');
    folder('env', '.cairn');
    expect(findHome(undefined, { CAIRN_HOME: 'kept' }, here, user)).toEqual({
      path: join(here, 'kept'),
      source: 'CAIRN_HOME',
    });
  });

  it('else the nearest .cairn upwards, even below the root of a repository', () => {
    folder('nested', '.git');
    folder('nested', '.cairn');
    const inner = folder('nested', 'a', '.cairn');
    const here = folder('nested', 'a', 'b', 'c');
    expect(findHome(undefined, {}, here, user)).toEqual({
      path: inner,
      source: `nearest .cairn, in ${join(root, 'nested/a')}`,
    });
  });

  it('else .cairn at the root of the innermost repository, before it exists', () => {
    folder('outer', '.git');
    folder('outer', 'inner', '.git');
    const here = folder('outer', 'inner', 'src');
    expect(findHome(undefined, {}, here, user)).toEqual({
      path: join(root, 'outer/inner/.cairn'),
      source: `root of the repository ${join(root, 'outer/inner')}`,
    });
  });

  it('else .cairn in the folder of the user', () => {
    expect(findHome(undefined, {}, folder('plain', 'deep'), user)).toEqual({
      path: join(user, '.cairn'),
      source: 'the user’s folder',
    });
  });
});

describe('what misleads', () => {
  it('a file called .cairn is not a home', () => {
    folder('file', '.git');
    const here = folder('file', 'sub');
    writeFileSync(join(here, '.cairn'), 'a note');
    expect(findHome(undefined, {}, here, user).path).toBe(join(root, 'file/.cairn'));
  });

  it('.git as a file, as worktrees and submodules have it, marks a repository', () => {
    const here = folder('worktree');
    writeFileSync(join(here, '.git'), 'gitdir: /elsewhere');
    expect(findHome(undefined, {}, here, user).path).toBe(join(here, '.cairn'));
  });

  it('an empty CAIRN_HOME counts as not set', () => {
    expect(findHome(undefined, { CAIRN_HOME: '' }, folder('empty'), user).source).toBe('the user’s folder');
  });

  it('an empty --home is refused rather than taken for the working folder', () => {
    expect(() => findHome('', {}, folder('empty'), user)).toThrow('--home is ""');
  });

  it('a working folder that was removed still resolves', () => {
    expect(findHome(undefined, {}, join(root, 'gone', 'away'), user).source).toBe('the user’s folder');
  });
});
