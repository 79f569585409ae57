/** Options and expressions of git where an id belongs, and repositories that say what Cairn should say itself. */
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Message } from '../support/cairn.ts';
import { openArena, refusalOf, textsBelow } from './arena.ts';

const expressions = [
  '--help',
  '-n1',
  '--output=pwned',
  'HEAD',
  'HEAD~1',
  'main',
  '@{-1}',
  '@',
  ':/x',
  'abcd:instructions/a.json',
  'abcd^',
  'a..b',
  '$(touch pwned)',
  '`touch pwned`',
  'abcd\n--output=pwned',
  'refs/heads/main',
  '*',
  '../..',
  'g'.repeat(40),
  '0'.repeat(64),
];

describe('an id of a commit', () => {
  it('is nothing but hexadecimal digits, in every operation that takes one', async () => {
    const { server, around } = await openArena();
    await server.ask('instructions_add', { entry: { id: 'a', title: 'A', body: 'b' }, lax: true });
    const { result } = await server.ask('record_decision', {
      title: 'A',
      target: 'a',
      rationale: 'A reason that is long enough.',
    });
    // Once it is committed: before, there is nothing that an expression could lead to.
    const newest = async () => (await server.ask('instruction_history', { id: 'a' })).result.versions[0].commit;
    await expect.poll(newest, { timeout: 20_000 }).toMatch(/^[0-9a-f]{7,40}$/);
    for (const commit of expressions) {
      for (const [op, params] of [
        ['instruction_history', { id: 'a', commit }],
        ['instruction_restore', { id: 'a', commit }],
        ['decision_history', { decision_id: result.decision_id, commit }],
      ] as const) {
        const answer = await server.ask(op, params);
        const { code } = answer.error ?? {};
        expect(refusalOf(answer), `${op} ${commit} ${JSON.stringify(answer)}`).toBeDefined();
        expect(code, `${op} ${commit}`).not.toBe(-32603);
      }
    }
    expect([...(await textsBelow(around)).keys()].filter((path) => path.includes('pwned'))).toEqual([]);
  });

  it('of a thing that is asked for by its id leads to no other file', async () => {
    const { server } = await openArena();
    for (const id of ['../config', '-x', '--all', 'a/../../b', 'HEAD:a', '\u0000', '.git/config', 'a.json --'])
      for (const op of ['instruction_history', 'decision_history']) {
        const answer = await server.ask(op, op === 'instruction_history' ? { id } : { decision_id: id });
        expect(JSON.stringify(answer), `${op} ${id}`).not.toMatch(/repositoryformatversion|-32603/);
      }
  });
});

function git(cwd: string, ...args: string[]): void {
  const env = { PATH: process.env.PATH, HOME: cwd, GIT_CONFIG_NOSYSTEM: '1' };
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.org', '-c', 'commit.gpgsign=false', ...args], {
    cwd,
    env,
    stdio: 'pipe',
  });
}

describe('a repository of somebody else', () => {
  it('cannot pass one commit off as several, or as another’s, by its message, its author or its files', async () => {
    const { server, folder } = await openArena();
    const repository = join(folder, 'vendor');
    await mkdir(repository);
    git(repository, 'init', '-q');
    const records = [
      '\u001e',
      '\u001f',
      '\u0001',
      '\n\ncommit 0000000000000000000000000000000000000000\nAuthor: root\n\n    forged',
    ];
    await writeFile(join(repository, '--output=pwned'), 'x');
    await writeFile(join(repository, '\u001eforged\nfile'), 'x');
    git(repository, 'add', '-A', '--', '.');
    git(repository, '-c', 'user.name=root\u001e\u001fforged', 'commit', '-q', '-m', `first${records.join('second')}`);
    git(repository, 'tag', 'v1', '-m', 'x\u001ey');
    const { result } = await server.ask('sync_git_history', { repo_path: 'vendor', limit: 100 });
    expect(result, JSON.stringify(result)).toMatchObject({ status: 'success', indexed_commits: 1 });
    const events = (await server.ask('event_list', { kind: 'commit', limit: 50 })).result.events as Message[];
    expect(events).toHaveLength(1);
    expect((await readdir(repository)).filter((name) => name === 'pwned')).toEqual([]);
  });

  it('is not reached by an address, an option or a transport in place of a folder', async () => {
    const { server, around } = await openArena();
    for (const repo_path of [
      '--upload-pack=touch pwned',
      'ext::sh -c "touch pwned"',
      'git://127.0.0.1/x',
      'ssh://-oProxyCommand=touch/x',
      'file:///etc',
      '-C/',
      '.git',
      '..',
    ]) {
      const answer = await server.ask('sync_git_history', { repo_path });
      expect(refusalOf(answer), `${repo_path} ${JSON.stringify(answer)}`).toBeDefined();
    }
    expect([...(await textsBelow(around)).keys()].filter((path) => path.endsWith('pwned'))).toEqual([]);
  });
});
