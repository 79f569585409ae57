/** The history of Cairn's files, on real repositories: what it keeps, what it forgets, and what a stranger planted in it. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runGit } from '../../src/store/git.ts';
import { GitHistory, type HistoryEntry } from '../../src/store/history.ts';
import { freshFolder } from '../support/home.ts';

const hasGit = spawnSync('git', ['--version']).status === 0;
const suite = hasGit ? describe : describe.skip;
if (!hasGit) describe.skip('the history of files (git is not installed, so nothing of it is tested)', () => {});

const bundle = resolve('node_modules/.cache', `cairn-history-writer-${process.pid}.mjs`);
const writerSource = `
  import { GitHistory } from './src/store/history.ts';
  const [folder, name, from, to, size] = process.argv.slice(2);
  const history = new GitHistory(folder);
  const entry = (seq) => ({
    seq, time: new Date(1.7e12 + seq * 1000).toISOString(), author: name, message: 'write ' + seq,
    files: [{ path: 'decisions/' + (seq % 100) + '.md', text: 'text ' + seq + '\\n' }],
  });
  for (let seq = Number(from); seq <= Number(to); seq += Number(size)) {
    const entries = Array.from({ length: Number(size) }, (_, n) => entry(seq + n));
    process.stdout.write(await history.commit(entries) + '\\n');
  }
`;

beforeAll(async () => {
  const stdin = { contents: writerSource, resolveDir: resolve('.'), loader: 'ts' as const };
  await build({ stdin, outfile: bundle, bundle: true, platform: 'node', format: 'esm', target: 'node20' });
});
afterAll(() => rm(bundle, { force: true }));

function entry(seq: number, files: Record<string, string | null>, more: Partial<HistoryEntry> = {}): HistoryEntry {
  const changes = Object.entries(files).map(([path, text]) => ({ path, text }));
  const time = new Date(Date.UTC(2024, 0, 1) + seq * 1000).toISOString();
  return { seq, time, author: 'Ann', message: `Write ${seq}`, files: changes, ...more };
}

async function fresh(): Promise<{ folder: string; history: GitHistory }> {
  const folder = join(await freshFolder(), 'home', 'history.git');
  return { folder, history: new GitHistory(folder) };
}

/** Plain git, as a person would run it. */
function git(folder: string, ...args: string[]): string {
  return execFileSync('git', [`--git-dir=${folder}`, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function has(folder: string, object: string): boolean {
  return spawnSync('git', [`--git-dir=${folder}`, 'cat-file', '-e', object]).status === 0;
}

function seqs(folder: string): number[] {
  const printed = git(folder, 'log', '--reverse', '--format=%(trailers:key=Cairn-Seq,valueonly,separator=)', 'main');
  return printed.trim().split('\n').map(Number);
}

suite('the history of files', () => {
  it('keeps every version of a file, newest first', async () => {
    const { folder, history } = await fresh();
    expect(await history.versions('decisions/a.md', 10)).toEqual([]);
    expect(await history.commit([])).toBe(0);
    expect(existsSync(folder)).toBe(false);

    expect(
      await history.commit([entry(1, { 'decisions/a.md': 'one' }, { author: 'Bo', message: 'Begin\n\nWhy' })]),
    ).toBe(1);
    expect(await history.commit([entry(2, { 'decisions/b.md': 'other' }), entry(3, { 'decisions/a.md': 'two' })])).toBe(
      3,
    );
    expect(await history.commit([entry(4, { 'decisions/a.md': null, 'never/there.md': null })])).toBe(4);

    const versions = await history.versions('decisions/a.md', 10);
    expect(versions).toMatchObject([
      { removed: true, message: 'Write 4', author: 'Ann' },
      { removed: false, message: 'Write 3', time: '2024-01-01T00:00:03.000Z' },
      { removed: false, message: 'Begin\n\nWhy', author: 'Bo', time: '2024-01-01T00:00:01.000Z' },
    ]);
    expect(await history.versions('decisions/a.md', 1)).toHaveLength(1);
    expect(await history.versions('decisions', 10)).toEqual([]);
    const texts = await Promise.all(versions.map(({ commit }) => history.text('decisions/a.md', commit.slice(0, 12))));
    expect(texts).toEqual([undefined, 'two', 'one']);
    expect(await history.status()).toMatchObject({ git: expect.stringMatching(/^\d/), healthy: true, commits: 4 });
    expect(git(folder, 'fsck', '--strict')).toBe('');
  });

  it.each([
    ['CRLF and no newline at the end', 'a.md', 'a\r\nb\r\nc'],
    ['nothing at all', 'empty.md', ''],
    ['emoji and other scripts', 'décisions/日本 🪨.md', '🪨 ünï\u0000code\n'],
    ['commands of fast-import', 'x.md', 'data 3\nabc\ndone\ncommit refs/heads/main\nfrom 0\n'],
    ['a path with blanks and quotes', 'a b/"c" \\d\'.md', 'x\n'],
    ['a path like an option', '-rf/--all', 'x\n\n\n'],
    ['a path with signs of pathspecs', ':(top)*?[a].md', 'x'],
    ['a path with a blank at its ends', ' a ', 'x'],
  ])('returns byte for byte: %s', async (_, path, text) => {
    const { history } = await fresh();
    await history.commit([entry(1, { [path]: text }), entry(2, { 'other.md': 'x' })]);
    const [version] = await history.versions(path, 5);
    expect(await history.text(path, version?.commit ?? '')).toBe(text);
  });

  it.each(['../x', '/etc/x', 'a/../b', 'a//b', './a', '', 'a\nb', 'a\0b', 'a/.git/config', 'a/.GIT'])(
    'refuses the path %j before anything is written',
    async (path) => {
      const { folder, history } = await fresh();
      await expect(history.commit([entry(1, { [path]: 'x' })])).rejects.toMatchObject({ kind: 'validation_failed' });
      await expect(history.versions(path, 1)).rejects.toMatchObject({ kind: 'validation_failed' });
      expect(existsSync(folder)).toBe(false);
    },
  );

  it.each(['main', 'HEAD', '--help', 'abc', 'abcd^', `${'a'.repeat(41)}`, 'refs/heads/main', 'abcd:x'])(
    'refuses %j as a commit',
    async (commit) => {
      const { history } = await fresh();
      await history.commit([entry(1, { a: 'x' })]);
      await expect(history.text('a', commit)).rejects.toMatchObject({ kind: 'validation_failed' });
    },
  );

  it('says undefined for a commit or a file that does not exist, and asks for more digits when several begin alike', async () => {
    const { folder, history } = await fresh();
    await history.commit(Array.from({ length: 1500 }, (_, n) => entry(n + 1, { a: `${n}` })));
    expect(await history.text('a', 'f'.repeat(40))).toBeUndefined();
    const [version] = await history.versions('a', 1);
    expect(await history.text('b blob 0', version?.commit ?? '')).toBeUndefined();
    const counts = new Map<string, number>();
    for (const sha of git(folder, 'rev-list', 'main').trim().split('\n')) {
      counts.set(sha.slice(0, 4), (counts.get(sha.slice(0, 4)) ?? 0) + 1);
    }
    const shared = [...counts].find(([, count]) => count > 1)?.[0] ?? '';
    await expect(history.text('a', shared)).rejects.toThrow(/More than one commit/);
  });

  it('takes any author, message and time', async () => {
    const { folder, history } = await fresh();
    await history.commit([
      entry(1, { a: '1' }, { author: 'Eve <e@x>\nauthor Mallory <m> 0 +0000', message: 'a\0b' }),
      entry(2, { a: '2' }, { author: ' \n ', message: ' \n\n ', time: '1066-10-14T00:00:00Z' }),
      entry(3, { a: '3' }, { author: '日本', message: 'Quote\n\nCairn-Seq: 999', time: '+012345-01-01T00:00:00Z' }),
      entry(4, { a: '4' }, { time: 'yesterday' }),
    ]);
    expect(await history.versions('a', 9)).toMatchObject([
      { time: '1970-01-01T00:00:00.000Z' },
      { author: '日本', message: 'Quote\n\nCairn-Seq: 999', time: '2099-12-31T23:59:59.000Z' },
      { author: 'unknown', message: 'no message', time: '1970-01-01T00:00:00.000Z' },
      { author: 'Eve e@x author Mallory m 0 +0000', message: 'ab' },
    ]);
    expect(await new GitHistory(folder).commit([entry(4, { a: 'again' })])).toBe(4);
    expect(git(folder, 'fsck', '--strict')).toBe('');
  });

  it('takes five thousand entries at once, and one more at the price of one', async () => {
    const { folder, history } = await fresh();
    const many = Array.from({ length: 5000 }, (_, n) => entry(n + 1, { [`d/${n % 100}.md`]: `text ${n}` }));
    expect(await history.commit(many)).toBe(5000);
    expect(await history.commit([entry(5001, { 'd/0.md': 'last' })])).toBe(5001);
    expect(await history.status()).toMatchObject({ commits: 5001, healthy: true });
    expect(await history.versions('d/0.md', 100)).toHaveLength(51);
    await history.tidy();
    expect((await readdir(folder)).sort()).toEqual(['HEAD', 'config', 'objects', 'refs']);
  });
});

suite('a history after crashes and among processes', () => {
  it('skips what it holds already', async () => {
    const { folder, history } = await fresh();
    const entries = [1, 2, 3].map((seq) => entry(seq, { a: `${seq}` }));
    await history.commit(entries.slice(0, 2));
    expect(await new GitHistory(folder).commit(entries)).toBe(3);
    expect(await history.commit([...entries, ...entries])).toBe(3);
    expect(seqs(folder)).toEqual([1, 2, 3]);
  });

  it('holds whole entries, each once, through kills in the midst of a batch', async () => {
    const { folder, history } = await fresh();
    for (let round = 0; round < 6; round++) {
      const writer = spawn(process.execPath, [bundle, folder, 'W', '1', '2000', '200'], {
        stdio: ['ignore', 'pipe', 2],
      });
      await delay(120 + round * 25);
      const gone = once(writer, 'exit');
      writer.kill('SIGKILL');
      await gone;
    }
    // A git process that was fed by a dead one needs a moment to notice.
    await delay(300);
    const all = Array.from({ length: 2000 }, (_, n) =>
      entry(n + 1, { [`decisions/${(n + 1) % 100}.md`]: `text ${n + 1}\n` }),
    );
    expect(await history.commit(all)).toBe(2000);
    expect(seqs(folder)).toEqual(all.map(({ seq }) => seq));
    for (const file of [0, 1, 99]) expect(await history.versions(`decisions/${file}.md`, 100)).toHaveLength(20);
    expect(git(folder, 'fsck', '--connectivity-only', '--no-dangling')).toBe('');
  });

  it('drops a stream that breaks off between the commands of one commit', async () => {
    const { folder, history } = await fresh();
    await history.commit([entry(1, { a: '1' })]);
    const [tip] = await history.versions('a', 1);
    const broken = `commit refs/heads/main\ncommitter x <> 1 +0000\ndata 0\nfrom ${tip?.commit}\nD a\n`;
    const options = { gitDir: folder, input: broken };
    await expect(runGit(['fast-import', '--quiet', '--done'], options)).rejects.toThrow(/fast-import failed/);
    expect(await new GitHistory(folder).commit([entry(2, { a: '2' })])).toBe(2);
    expect(seqs(folder)).toEqual([1, 2]);
    await history.tidy();
    expect((await readdir(folder)).filter((name) => name.includes('crash'))).toEqual([]);
  });

  it('lets two processes commit the same entries at once', async () => {
    const { folder, history } = await fresh();
    const start = (name: string) =>
      spawn(process.execPath, [bundle, folder, name, '1', '20', '1'], { stdio: ['ignore', 'pipe', 2] });
    const exits = await Promise.all(['A', 'B'].map((name) => once(start(name), 'exit')));
    expect(exits).toEqual([
      [0, null],
      [0, null],
    ]);
    expect(seqs(folder)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
    expect(await history.versions('decisions/20.md', 9)).toHaveLength(1);
    expect(git(folder, 'fsck', '--connectivity-only', '--no-dangling')).toBe('');
  });

  it('names the lock that somebody left, and leaves it alone', async () => {
    const { folder, history } = await fresh();
    await history.commit([entry(1, { a: '1' })]);
    const lock = join(folder, 'refs/heads/main.lock');
    await writeFile(lock, '');
    await expect(history.commit([entry(2, { a: '2' })])).rejects.toThrow(lock);
    expect(await history.status()).toMatchObject({ healthy: false, problem: expect.stringContaining('main.lock') });
    expect(await history.versions('a', 5)).toHaveLength(1);
    await rm(lock);
    expect(await history.commit([entry(2, { a: '2' })])).toBe(2);
  });

  it('finds its place behind a commit that a person made, and after gc by hand', async () => {
    const { folder, history } = await fresh();
    await history.commit([entry(1, { a: '1' }), entry(2, { a: '2' })]);
    const env = {
      ...process.env,
      GIT_AUTHOR_NAME: 'P',
      GIT_AUTHOR_EMAIL: 'p',
      GIT_COMMITTER_NAME: 'P',
      GIT_COMMITTER_EMAIL: 'p',
    };
    const args = [`--git-dir=${folder}`, 'commit-tree', '-p', 'main', '-m', 'by hand', 'main^{tree}'];
    git(folder, 'update-ref', 'refs/heads/main', execFileSync('git', args, { env, encoding: 'utf8' }).trim());
    git(folder, 'gc', '--quiet');
    const again = new GitHistory(folder);
    expect(await again.commit([entry(2, { a: 'no' }), entry(3, { a: '3' })])).toBe(3);
    expect(await again.versions('a', 9)).toHaveLength(3);
    // Git's own housekeeping is nothing foreign.
    expect(await readdir(join(folder, '..'))).toEqual(['history.git']);
  });

  it('tells when a history is ahead of its store, and can be set aside', async () => {
    const { folder, history } = await fresh();
    await history.commit([entry(900, { a: 'theirs' })]);
    const store = new GitHistory(folder);
    expect(await store.commit([entry(1, { a: 'mine' })])).toBe(900);
    const aside = (await store.setAside()) ?? '';
    expect(existsSync(join(aside, 'refs/heads/main'))).toBe(true);
    expect(await store.commit([entry(1, { a: 'mine' })])).toBe(1);
  });

  it('says plainly that git is not installed', async () => {
    const { history } = await fresh();
    vi.stubEnv('PATH', await freshFolder());
    try {
      await expect(history.commit([entry(1, { a: '1' })])).rejects.toThrow('git is not installed');
      expect(await history.status()).toMatchObject({ git: undefined, healthy: false, problem: 'git is not installed' });
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

suite('forgetting', () => {
  it('removes the bytes, the messages and nothing else', async () => {
    const { folder, history } = await fresh();
    await history.commit([
      entry(1, { 'd/keep.md': 'keep 1' }),
      entry(2, { 'd/secret.md': 'the secret' }, { message: 'Add secret' }),
      entry(3, { 'd/keep.md': 'keep 2', 'd/secret.md': 'the secret 2' }, { message: 'Both: password in the title' }),
      entry(4, { 'd/keep.md': 'keep 3' }, { message: 'See d/secret.md' }),
      entry(5, { 'd/keep.md': 'keep 4' }, { message: 'secretive is another word' }),
    ]);
    const [first] = (await history.versions('d/keep.md', 9)).slice(-1);
    const blobs = ['main~3:d/secret.md', 'main~2:d/secret.md'].map((name) => git(folder, 'rev-parse', name).trim());
    const oldTip = git(folder, 'rev-parse', 'main').trim();
    git(folder, 'tag', 'by-hand', 'main');
    git(folder, 'gc', '--quiet');
    expect(await history.forget(['d/secret.md'])).toEqual({ commits: 3 });

    for (const object of [...blobs, oldTip]) expect(has(folder, object)).toBe(false);
    expect(await history.versions('d/secret.md', 9)).toEqual([]);
    const kept = await history.versions('d/keep.md', 9);
    expect(kept.map(({ message }) => message)).toEqual([
      'secretive is another word',
      'This message named something that was forgotten',
      'This message named something that was forgotten',
      'Write 1',
    ]);
    expect(kept.at(-1)).toEqual(first);
    const texts = await Promise.all(kept.map(({ commit }) => history.text('d/keep.md', commit)));
    expect(texts).toEqual(['keep 4', 'keep 3', 'keep 2', 'keep 1']);
    expect(seqs(folder)).toEqual([1, 3, 4, 5]);
    expect(git(folder, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main\n');
    expect(git(folder, 'fsck', '--strict')).toBe('');
    expect(await history.commit([entry(5, { 'd/x': 'no' }), entry(6, { 'd/x': 'yes' })])).toBe(6);
  });

  it('replays nothing when the tip vanished, nor when everything did', async () => {
    const { folder, history } = await fresh();
    await history.commit([entry(1, { a: '1' }), entry(2, { b: '2' }), entry(3, { b: null })]);
    await history.forget(['b']);
    const old = [entry(2, { b: '2' }), entry(3, { b: null })];
    expect(await new GitHistory(folder).commit(old)).toBe(3);
    await history.forget(['a']);
    expect(await new GitHistory(folder).commit([...old, entry(4, { c: '4' }, { message: 'Other' })])).toBe(4);
    expect(await history.versions('b', 9)).toEqual([]);
    expect(await history.versions('c', 9)).toHaveLength(1);
    expect(seqs(folder).at(-1)).toBe(4);
    // Names that need care in a pattern, or that our own trailer contains.
    expect(await history.forget(['d/0007-a+(b).md', 'd/4.md', 'seq'])).toEqual({ commits: 0 });
    expect(seqs(folder).at(-1)).toBe(4);
    expect(await (await fresh()).history.forget(['a'])).toEqual({ commits: 0 });
  });

  it('drops what a crashed import left without a ref', async () => {
    const { folder, history } = await fresh();
    await history.commit([entry(1, { a: '1' })]);
    const options = { gitDir: folder, input: 'the secret, unreferenced' };
    const blob = (await runGit(['hash-object', '-w', '--stdin'], options)).toString().trim();
    expect(has(folder, blob)).toBe(true);
    await history.forget(['secret.md']);
    expect(has(folder, blob)).toBe(false);
  });

  it('keeps a write that another process makes meanwhile', async () => {
    const { folder, history } = await fresh();
    await history.commit([entry(1, { a: '1', b: 'secret' })]);
    const other = new GitHistory(folder);
    const forgetting = history.forget(['b']);
    for (let seq = 2; seq <= 12; seq++) await other.commit([entry(seq, { a: `${seq}` })]);
    expect(await forgetting).toEqual({ commits: 1 });
    expect(seqs(folder)).toEqual(Array.from({ length: 12 }, (_, n) => n + 1));
    expect(await history.versions('b', 9)).toEqual([]);
    expect(git(folder, 'fsck', '--connectivity-only', '--no-dangling')).toBe('');
  });
});

suite('a history that a stranger planted', () => {
  /** A repository with one commit and a program that leaves a marker when anything starts it. */
  async function planted() {
    const { folder, history } = await fresh();
    await history.commit([entry(1, { a: 'theirs' })]);
    const home = join(folder, '..');
    const [marker, program] = [join(home, 'marker'), join(home, 'program')];
    await writeFile(program, `#!/bin/sh\ntouch '${marker}'\ncat\n`);
    await chmod(program, 0o755);
    const use = async ({ forgets = true } = {}) => {
      const store = new GitHistory(folder);
      await store.versions('a', 5);
      await store.commit([entry(2, { a: 'mine' })]);
      if (forgets) await store.forget(['nothing']);
      await store.tidy();
      expect(existsSync(marker)).toBe(false);
      expect(await store.status()).toMatchObject({ healthy: true });
      return store;
    };
    const aside = async () => (await readdir(home)).filter((name) => name.startsWith('history.git.untrusted-'));
    return { folder, home, program, marker, use, aside };
  }

  it('runs nothing that its config or hooks name, and keeps both aside', async () => {
    const { folder, home, program, use, aside } = await planted();
    const hook = `fsmonitor = ${program}\n\thooksPath = ${home}/hooks\n\tpager = ${program}\n\tsshCommand = ${program}`;
    const rest = `[gc]\n\tauto = 1\n\trecentObjectsHook = ${program}\n[include]\n\tpath = ${home}/more\n[gpg]\n\tprogram = ${program}\n`;
    await writeFile(join(folder, 'config'), `[core]\n\tbare = false\n\tworktree = ${home}\n\t${hook}\n${rest}`);
    await writeFile(join(home, 'more'), `[core]\n\talternateRefsCommand = ${program}\n`);
    for (const hooks of [join(folder, 'hooks'), join(home, 'hooks')]) {
      await mkdir(hooks);
      for (const name of ['reference-transaction', 'pre-auto-gc', 'post-update', 'post-index-change']) {
        await writeFile(join(hooks, name), await readFile(program), { mode: 0o755 });
      }
    }
    const store = await use();
    expect(await store.versions('a', 5)).toHaveLength(2);
    const [name = ''] = await aside();
    expect((await readdir(join(home, name))).sort()).toEqual(['config', 'hooks']);
  });

  it('follows neither commondir, nor alternates, nor a config of a work tree', async () => {
    const { folder, home, use, aside } = await planted();
    const elsewhere = join(home, 'elsewhere');
    execFileSync('git', ['init', '-q', '--bare', elsewhere]);
    const before = await readdir(elsewhere, { recursive: true });
    await writeFile(join(folder, 'commondir'), `${elsewhere}\n`);
    await writeFile(join(folder, 'gitdir'), `${elsewhere}\n`);
    await writeFile(join(folder, 'config.worktree'), '[core]\n\tfsmonitor = false\n');
    await mkdir(join(folder, 'objects/info'), { recursive: true });
    await writeFile(join(folder, 'objects/info/alternates'), `${elsewhere}/objects\n`);
    await mkdir(join(folder, 'info'));
    await writeFile(join(folder, 'info/grafts'), '');
    const store = await use();
    expect(await store.versions('a', 5)).toHaveLength(2);
    expect(await readdir(elsewhere, { recursive: true })).toEqual(before);
    const [name = ''] = await aside();
    const moved = (await readdir(join(home, name))).sort();
    expect(moved).toEqual(['commondir', 'config.worktree', 'gitdir', 'info', 'objects']);
  });

  it.each(['objects', 'refs', 'objects/pack', 'refs/heads/main'])('starts anew where %s is a link', async (part) => {
    const { folder, home, use, aside } = await planted();
    const victim = join(home, 'victim');
    if (part === 'refs/heads/main') await writeFile(victim, await readFile(join(folder, part)));
    else {
      await mkdir(victim);
      await writeFile(join(victim, 'tmp_pack_precious'), 'precious');
    }
    await rm(join(folder, part), { recursive: true, force: true });
    await symlink(victim, join(folder, part));
    const store = await use({ forgets: part === 'objects' });
    expect(await store.versions('a', 5)).toHaveLength(1);
    expect(await aside()).toHaveLength(1);
    if (part !== 'refs/heads/main') expect(await readdir(victim)).toEqual(['tmp_pack_precious']);
  });

  it.each(['a link', 'a file that leads elsewhere'])('refuses a folder that is %s', async (kind) => {
    const { folder, home } = await planted();
    const elsewhere = join(home, 'elsewhere');
    execFileSync('git', ['init', '-q', '--bare', elsewhere]);
    await rm(folder, { recursive: true });
    if (kind === 'a link') await symlink(elsewhere, folder);
    else await writeFile(folder, `gitdir: ${elsewhere}\n`);
    const store = new GitHistory(folder);
    await expect(store.commit([entry(1, { a: '1' })])).rejects.toMatchObject({ kind: 'permission_denied' });
    await expect(store.versions('a', 1)).rejects.toMatchObject({ kind: 'permission_denied' });
    expect(await store.status()).toMatchObject({ healthy: false });
    expect(git(elsewhere, 'for-each-ref')).toBe('');
  });

  it('notices a config that changes while Cairn runs', async () => {
    const { folder, program, marker } = await planted();
    const store = new GitHistory(folder);
    await store.commit([entry(2, { a: '2' })]);
    await writeFile(join(folder, 'config'), `[core]\n\tbare = true\n\tfsmonitor = ${program}\n`);
    await store.commit([entry(3, { a: '3' })]);
    expect(existsSync(marker)).toBe(false);
    expect(await readFile(join(folder, 'config'), 'utf8')).not.toContain('fsmonitor');
  });

  it('lets no variable of the caller reach git', async () => {
    const { folder, home, program, marker } = await planted();
    const elsewhere = join(home, 'elsewhere.git');
    execFileSync('git', ['init', '-q', '--bare', elsewhere]);
    vi.stubEnv('GIT_DIR', elsewhere);
    vi.stubEnv('GIT_OBJECT_DIRECTORY', join(elsewhere, 'objects'));
    vi.stubEnv('GIT_EXTERNAL_DIFF', program);
    vi.stubEnv('GIT_CONFIG_COUNT', '1');
    vi.stubEnv('GIT_CONFIG_KEY_0', 'core.hooksPath');
    vi.stubEnv('GIT_CONFIG_VALUE_0', home);
    try {
      expect(await new GitHistory(folder).commit([entry(2, { a: '2' })])).toBe(2);
    } finally {
      vi.unstubAllEnvs();
    }
    expect(existsSync(marker)).toBe(false);
    expect(seqs(folder)).toEqual([1, 2]);
  });
});

suite('running git', () => {
  it('ends a process that takes too long, prints too much, or is no longer wanted', async () => {
    const { folder, history } = await fresh();
    await history.commit([entry(1, { a: 'x'.repeat(5000) })]);
    async function* endless(): AsyncGenerator<Buffer> {
      for (;;) {
        await delay(5);
        yield Buffer.from('# nothing yet\n');
      }
    }
    const waiting = { gitDir: folder, input: endless() };
    await expect(runGit(['fast-import', '--quiet'], { ...waiting, timeoutMs: 100 })).rejects.toMatchObject({
      kind: 'limit_exceeded',
    });
    const signal = AbortSignal.timeout(100);
    const aborted = runGit(['fast-import', '--quiet'], { gitDir: folder, input: endless(), signal });
    await expect(aborted).rejects.toMatchObject({ name: 'TimeoutError' });
    const loud = runGit(['cat-file', 'blob', 'main:a'], { gitDir: folder, maxOutput: 100 });
    await expect(loud).rejects.toMatchObject({ kind: 'limit_exceeded' });
  });

  it('does not wait for a process that ignores its input, and passes on what breaks the input', async () => {
    const input = Buffer.alloc(8 * 1_048_576, 'x');
    expect((await runGit(['version'], { input })).toString()).toMatch(/^git version/);
    async function* broken(): AsyncGenerator<Buffer> {
      yield Buffer.from('blob\n');
      throw new Error('the source broke');
    }
    const { folder, history } = await fresh();
    await history.commit([entry(1, { a: '1' })]);
    await expect(runGit(['fast-import'], { gitDir: folder, input: broken() })).rejects.toThrow('the source broke');
    await expect(runGit(['rev-parse', '--verify', 'nothing'], { gitDir: folder })).rejects.toThrow(/Needed a single/);
  });
});
