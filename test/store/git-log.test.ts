/** The commits of a project's repository, as Cairn reads them: whole, in order, and without running anything it names. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { appendFile, chmod, chown, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CommitPage, commitsOf } from '../../src/store/git-log.ts';
import { freshFolder } from '../support/home.ts';

const hasGit = spawnSync('git', ['--version']).status === 0;
const suite = hasGit ? describe : describe.skip;
if (!hasGit) describe.skip('the commits of a project (git is not installed, so nothing of it is tested)', () => {});

const person = {
  GIT_AUTHOR_NAME: 'Ann',
  GIT_AUTHOR_EMAIL: 'ann@example.org',
  GIT_COMMITTER_NAME: 'Ann',
  GIT_COMMITTER_EMAIL: 'ann@example.org',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
};

class Project {
  readonly folder: string;
  #clock = 1_700_000_000;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async create(): Promise<Project> {
    const project = new Project(realpathSync(await freshFolder()));
    project.git('init', '-q', '-b', 'main');
    return project;
  }

  git(...args: string[]): string {
    const date = `${this.#clock++} +0000`;
    const env = { ...process.env, ...person, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
    return execFileSync('git', args, {
      cwd: this.folder,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  }

  async commit(subject: string, files: Record<string, string> = { [subject]: subject }): Promise<string> {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(join(this.folder, name, '..'), { recursive: true });
      await writeFile(join(this.folder, name), text);
    }
    this.git('add', '-A');
    this.git('commit', '-q', '--allow-empty', '-m', subject);
    return this.git('rev-parse', 'HEAD');
  }

  page(limit: number, after?: string): Promise<CommitPage> {
    return commitsOf(this.folder, { limit, ...(after !== undefined && { after }) });
  }

  /** Every page from `after` on. */
  async rest(limit: number, after: string | undefined): Promise<string[]> {
    const found: string[] = [];
    for (let more = true, next = after, pages = 0; more; pages++) {
      expect(pages).toBeLessThan(100);
      const page = await this.page(limit, next);
      found.push(...subjects(page));
      [more, next] = [page.more, page.next];
    }
    return found;
  }
}

function subjects({ commits }: CommitPage): string[] {
  return commits.map(({ subject }) => subject);
}

suite('the commits of a project', () => {
  it('begin with the recent ones, oldest first, and go on where they ended', async () => {
    const project = await Project.create();
    const root = await project.commit('1');
    for (const subject of ['2', '3', '4']) await project.commit(subject);
    const first = await project.page(2);
    expect(first).toMatchObject({ repository: project.folder, id: root, more: false, rewritten: false });
    expect(first.head).toBe(project.git('rev-parse', 'HEAD'));
    expect(subjects(first)).toEqual(['3', '4']);
    expect(await project.page(2, first.next)).toMatchObject({ commits: [], more: false, next: first.next });

    for (const subject of ['5', '6', '7']) await project.commit(subject);
    const second = await project.page(2, first.next);
    expect(subjects(second)).toEqual(['5', '6']);
    expect(second).toMatchObject({ more: true, rewritten: false });
    // What comes while we read in parts is not lost either.
    await project.commit('8');
    expect(await project.rest(2, second.next)).toEqual(['7', '8']);
    expect(await project.rest(1, first.head)).toEqual(['5', '6', '7', '8']);
  });

  it('tell author, time, message and files', async () => {
    const project = await Project.create();
    const odd = ['a b', 'tab\t"quote"', 'neu\nline', 'ünï 🪨', '-dash', 'f'.repeat(40)];
    await project.commit('Subject\n\nBody one\n\nBody two\n', Object.fromEntries(odd.map((name) => [name, 'x'])));
    project.git('mv', 'a b', 'moved');
    await project.commit('Move', {});
    await project.commit('Nothing', {});
    const { commits } = await project.page(10);
    expect(commits[0]).toMatchObject({ author: 'Ann', subject: 'Subject', body: 'Body one\n\nBody two' });
    expect(commits[0]?.time).toMatch(/^2023-11-14T22:\d\d:\d\d\.000Z$/);
    expect([...(commits[0]?.files ?? [])].sort()).toEqual([...odd].sort());
    expect(commits[1]?.files).toEqual(['a b', 'moved']);
    expect(commits[2]).toMatchObject({ subject: 'Nothing', body: '', files: [] });
  });

  it('name at most 200 files each', async () => {
    const project = await Project.create();
    await project.commit('many', Object.fromEntries(Array.from({ length: 250 }, (_, n) => [`d/${n}`, 'x'])));
    await project.commit('few', { one: '1' });
    expect((await project.page(5)).commits.map(({ files }) => files.length)).toEqual([200, 1]);
  });

  it('come each exactly once from parallel branches, whatever the size of a page', async () => {
    const project = await Project.create();
    const start = await project.commit('start');
    for (const branch of ['left', 'right']) {
      project.git('checkout', '-q', '-b', branch, start);
      for (let n = 1; n <= 6; n++) await project.commit(`${branch}${n}`);
    }
    project.git('checkout', '-q', 'main');
    project.git('merge', '-q', '--no-ff', '-m', 'merge left', 'left');
    project.git('merge', '-q', '--no-ff', '-m', 'merge right', 'right');
    for (const limit of [2, 5, 100]) {
      const found = await project.rest(limit, start);
      expect(found).toHaveLength(14);
      expect(new Set(found).size).toBe(14);
      expect(found.filter((subject) => subject.startsWith('left'))).toEqual([1, 2, 3, 4, 5, 6].map((n) => `left${n}`));
    }
    const merge = (await project.page(1)).commits[0];
    expect(merge?.files).toEqual([1, 2, 3, 4, 5, 6].map((n) => `right${n}`));
  });

  it('say when the history was rewritten, and go on from what is shared', async () => {
    const project = await Project.create();
    const one = await project.commit('1');
    for (const subject of ['2', '3', '4']) await project.commit(subject);
    const { next } = await project.page(10);
    const inParts = (await project.page(1, one)).next;
    project.git('reset', '-q', '--hard', one);
    for (const subject of ['2b', '3b']) await project.commit(subject);
    const page = await project.page(10, next);
    expect(page).toMatchObject({ rewritten: true, more: false });
    expect(subjects(page)).toEqual(['2b', '3b']);
    expect(subjects(await project.page(10, inParts))).toEqual(['2b', '3b']);
    expect((await project.page(10, page.next)).rewritten).toBe(false);

    project.git('reflog', 'expire', '--expire=now', '--all');
    project.git('gc', '--quiet', '--prune=now');
    const again = await project.page(10, next);
    expect(again.rewritten).toBe(true);
    expect(subjects(again)).toEqual(['1', '2b', '3b']);
  });

  it('are read from messages that are not UTF-8', async () => {
    const project = await Project.create();
    await project.commit('first');
    const tree = project.git('rev-parse', 'HEAD^{tree}');
    const raw = (encoding: string) =>
      Buffer.concat([
        Buffer.from(`tree ${tree}\nauthor J`),
        Buffer.from([0xf6]),
        Buffer.from(`rg <j@x> 1700000000 +0000\ncommitter J <j@x> 99999999999999 +0000\n${encoding}\nGr`),
        Buffer.from([0xfc]),
        Buffer.from('n\n'),
      ]);
    const made = ['', 'encoding ISO-8859-1\n'].map((encoding) =>
      execFileSync('git', ['hash-object', '-t', 'commit', '-w', '--stdin'], {
        cwd: project.folder,
        input: raw(encoding),
      })
        .toString()
        .trim(),
    );
    const read: (string | undefined)[] = [];
    for (const sha of made) {
      project.git('reset', '-q', '--hard', sha);
      read.push((await project.page(1)).commits[0]?.subject);
    }
    expect(read).toEqual(['Gr\ufffdn', 'Grün']);
  });

  it('are none before the first one, also on a branch that is not born yet', async () => {
    const project = await Project.create();
    const none = { repository: project.folder, id: project.folder, commits: [], more: false, rewritten: false };
    expect(await project.page(5)).toEqual(none);
    const root = await project.commit('1');
    project.git('checkout', '-q', '--orphan', 'unborn');
    expect(await project.page(5)).toEqual(none);
    project.git('checkout', '-q', '-f', root);
    expect(subjects(await project.page(5))).toEqual(['1']);
  });

  it('are the same in a work tree, a bare clone and a folder below; a shallow clone goes by its path', async () => {
    const project = await Project.create();
    const root = await project.commit('1', { 'deep/er/file': 'x' });
    await project.commit('2');
    const beside = realpathSync(await freshFolder());
    project.git('worktree', 'add', '-q', '--detach', join(beside, 'tree'));
    project.git('clone', '-q', '--bare', '.', join(beside, 'bare'));
    project.git('clone', '-q', '--depth=1', `file://${project.folder}`, join(beside, 'shallow'));
    await writeFile(join(project.folder, '.git/index.lock'), '');
    const read = (folder: string) => commitsOf(folder, { limit: 5 });
    const deep = await read(join(project.folder, 'deep/er'));
    expect(deep).toMatchObject({ repository: project.folder, id: root });
    expect(subjects(deep)).toEqual(['1', '2']);
    for (const name of ['tree', 'bare']) {
      const page = await read(join(beside, name));
      expect(page).toMatchObject({ repository: join(beside, name), id: root });
      expect(subjects(page)).toEqual(['1', '2']);
    }
    const shallow = await read(join(beside, 'shallow'));
    expect(shallow).toMatchObject({ id: join(beside, 'shallow'), commits: [{ subject: '2' }] });
    expect(await read(join(project.folder, '.git'))).toMatchObject({
      repository: join(project.folder, '.git'),
      id: root,
    });
  });

  it('are refused clearly where there is no repository, no folder, or no such position', async () => {
    const folder = await freshFolder();
    await expect(commitsOf(folder, { limit: 1 })).rejects.toMatchObject({ kind: 'validation_failed' });
    await expect(commitsOf(folder, { limit: 1 })).rejects.toThrow(/is not in a git repository/);
    await expect(commitsOf(join(folder, 'none'), { limit: 1 })).rejects.toMatchObject({ kind: 'not_found' });
    const project = await Project.create();
    await project.commit('1');
    for (const after of ['HEAD', '--all', 'abcd', `${'a'.repeat(40)}..HEAD+0`]) {
      await expect(project.page(1, after)).rejects.toMatchObject({ kind: 'validation_failed' });
    }
  });

  it.runIf(process.getuid?.() === 0)('are not read from a folder of another user', async () => {
    const project = await Project.create();
    await project.commit('1');
    await chown(project.folder, 12_345, 12_345);
    await chown(join(project.folder, '.git'), 12_345, 12_345);
    await expect(project.page(1)).rejects.toMatchObject({ kind: 'permission_denied' });
  });
});

suite('a project of a stranger', () => {
  async function hostile() {
    const project = await Project.create();
    await project.commit('1', { 'a.txt': 'one', '.gitattributes': '* diff=evil filter=evil\n' });
    await project.commit('2', { 'a.txt': 'two' });
    const beside = await freshFolder();
    const [marker, program] = [join(beside, 'marker'), join(beside, 'program')];
    await writeFile(program, `#!/bin/sh\ntouch '${marker}'\n`);
    await chmod(program, 0o755);
    return { project, beside, marker, program };
  }

  it('starts no program that its config names', async () => {
    const { project, beside, marker, program } = await hostile();
    const tree = project.git('rev-parse', 'HEAD^{tree}');
    const parent = project.git('rev-parse', 'HEAD');
    const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----';
    const who = 'A <a> 1700000100 +0000';
    const input = `tree ${tree}\nparent ${parent}\nauthor ${who}\ncommitter ${who}\n${signature}\n\nsigned\n`;
    const stored = { cwd: project.folder, input, encoding: 'utf8' } as const;
    const signed = execFileSync('git', ['hash-object', '-t', 'commit', '-w', '--stdin'], stored);
    project.git('reset', '-q', '--hard', signed.trim());
    const hooks = join(project.folder, '.git/hooks');
    for (const name of await readdir(hooks)) await rm(join(hooks, name));
    await writeFile(join(hooks, 'post-index-change'), `#!/bin/sh\ntouch '${marker}'\n`, { mode: 0o755 });
    await writeFile(join(beside, 'included'), `[core]\n\tfsmonitor = ${program}\n`);
    await appendFile(
      join(project.folder, '.git/config'),
      `[core]
	fsmonitor = ${program}
	pager = ${program}
	sshCommand = ${program}
	alternateRefsCommand = ${program}
[pager]
	log = ${program}
	rev-list = ${program}
[log]
	showSignature = true
	showRoot = false
	diffMerges = separate
[format]
	pretty = %G?%GG
[gpg]
	program = ${program}
[gpg "ssh"]
	program = ${program}
[diff]
	external = ${program}
	relative = true
	renames = copies
[diff "evil"]
	command = ${program}
	textconv = ${program}
[filter "evil"]
	clean = ${program}
	smudge = ${program}
[color]
	ui = always
[alias]
	log = !${program}
[include]
	path = ${join(beside, 'included')}
`,
    );
    // The trap works for who walks into it.
    project.git('log', '-p', '--ext-diff');
    expect(existsSync(marker)).toBe(true);
    await rm(marker);

    const first = await project.page(10);
    expect(first.commits.map(({ subject, files }) => [subject, files])).toEqual([
      ['1', ['.gitattributes', 'a.txt']],
      ['2', ['a.txt']],
      ['signed', []],
    ]);
    await project.page(1, first.commits[0]?.sha);
    expect(existsSync(marker)).toBe(false);
  });

  it('fetches nothing, by whatever transport its config allows', async () => {
    const { project, marker, program } = await hostile();
    const tree = project.git('rev-parse', 'HEAD^{tree}');
    for (const [name, value] of Object.entries({
      'core.repositoryFormatVersion': '1',
      'extensions.partialClone': 'origin',
      'remote.origin.promisor': 'true',
      'remote.origin.url': `ext::${program}`,
      'remote.origin.uploadpack': program,
      'protocol.allow': 'always',
      'protocol.ext.allow': 'always',
      'protocol.file.allow': 'always',
    })) {
      project.git('config', name, value);
    }
    await rm(join(project.folder, '.git/objects', tree.slice(0, 2), tree.slice(2)), { force: true });
    expect(() => project.git('log', '--raw')).toThrow();
    expect(existsSync(marker)).toBe(true);
    await rm(marker);
    await expect(project.page(10)).rejects.toMatchObject({ kind: 'store_unavailable' });
    expect(existsSync(marker)).toBe(false);
  });

  it('cannot pass off another folder as its own', async () => {
    const { project, beside } = await hostile();
    project.git('config', 'core.worktree', beside);
    expect((await project.page(1)).repository).not.toBe(beside);
    expect((await project.page(1)).commits).toHaveLength(1);
  });
});
