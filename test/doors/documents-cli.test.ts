/** The verbs of the documents, typed as people type them: in a pipe, and on a terminal. */
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cairn, type Message, type Outcome, program } from '../support/cairn.ts';
import { hasTerminals, onTerminal, type TerminalOptions } from '../support/terminal.ts';

interface Project {
  readonly folder: string;
  put(path: string, content: string | Uint8Array): Promise<void>;
  run(...args: string[]): Promise<Outcome>;
  /** What a command answers as JSON; it must succeed. */
  json(...args: string[]): Promise<Message>;
  /** The text for people, in a pipe. */
  text(...args: string[]): Promise<string>;
  terminal(args: string[], options?: Omit<TerminalOptions, 'cwd'>): ReturnType<typeof onTerminal>;
}

async function openProject(files: Record<string, string | Uint8Array> = {}): Promise<Project> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'cairn-verbs-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  await mkdir(join(folder, '.cairn'));
  const run: Project['run'] = (...args) => cairn(args, { cwd: folder });
  const project: Project = {
    folder,
    run,
    async put(path, content) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    },
    async json(...args) {
      const { code, stdout, stderr } = await run(...args);
      expect([args, code, stderr]).toEqual([args, 0, '']);
      return JSON.parse(stdout);
    },
    async text(...args) {
      const { stdout, stderr, code } = await run(...args, '--text');
      expect([args, code, stderr]).toEqual([args, 0, '']);
      return stdout;
    },
    terminal: (args, options = {}) => onTerminal(args, { ...options, cwd: folder }),
  };
  for (const [path, content] of Object.entries(files)) await project.put(path, content);
  return project;
}

const sample = {
  'docs/design.md': '# Design\n\nOne store for everything.\nTODO say why\n',
  'docs/notes/later.md': 'sessions expire after an hour\n',
  'src/a.ts': 'export const a = 1;\n// TODO one\n',
  'src/deep/b.ts': '// nothing here\n',
  'src/deep/skip.log': 'left out\n',
  '.gitignore': '*.log\n',
};

async function paths(project: Project, ...args: string[]): Promise<string[]> {
  return (await project.json('ls', '--paths-only', '--limit', '1000', ...args)).paths;
}

describe('cairn add', () => {
  it('takes several paths, as a shell expands patterns', async () => {
    const project = await openProject(sample);
    expect(
      await project.json('add', 'docs', 'src/a.ts', '--collection', 'code', '--tag', 'x', '--tag', 'y'),
    ).toMatchObject({
      collection: 'code',
      added: 3,
      failed: 0,
    });
    const { documents } = await project.json('ls', '--collection', 'code', '--tag', 'y');
    expect(documents).toMatchObject([{ path: 'docs/design.md', tags: ['x', 'y'] }, {}, { path: 'src/a.ts' }]);
  });

  it('expands quoted patterns below the working folder, past what .gitignore leaves out', async () => {
    const project = await openProject(sample);
    await project.json('add', 'src/**/*.{ts,log}', 'docs/*.md', '--label', 'by pattern');
    expect(await paths(project)).toEqual(['docs/design.md', 'src/a.ts', 'src/deep/b.ts']);
    const none = await project.run('add', 'src/**/*.log');
    expect([none.code, none.stdout]).toEqual([1, '']);
    expect(none.stderr).toContain('No file fits "src/**/*.log"');
  });

  it('means paths of the working folder, not of the project', async () => {
    const project = await openProject(sample);
    const { code } = await cairn(['add', 'notes'], { cwd: join(project.folder, 'docs') });
    expect([code, await paths(project)]).toEqual([0, ['docs/notes/later.md']]);
  });

  it('takes odd names for what they are, and names those that cannot be documents', async () => {
    const names = ['with space.md', '-dash.md', 'ünïcode 日本 🙂.md', '[id].md', "quo'te.md"];
    const project = await openProject(Object.fromEntries(names.map((name) => [name, `text of ${name}\n`])));
    await project.json('add', '--', ...names);
    expect((await paths(project)).sort()).toEqual([...names].sort());
    for (const name of names) expect((await project.run('cat', '--', name)).stdout).toBe(`text of ${name}\n`);
    await project.json('rm', '--', '-dash.md', '[id].md');
    expect(await paths(project)).toHaveLength(3);

    await project.put('new\nline\x1b[2J.md', 'x');
    const refused = await project.run('add', 'new\nline\x1b[2J.md', 'with space.md', '--text');
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain('1 file not taken');
    expect(refused.stdout).toContain('new\\nline\\x1b[2J.md');
    expect(refused.stdout).not.toContain('\x1b');
  });

  it('exits with 1 when a file could not be taken, having taken the others', async () => {
    const project = await openProject(sample);
    const { code, stdout } = await project.run('add', 'docs', 'nowhere');
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { added: 2, failed: 1 }]);
    expect((await project.run('add', 'nowhere')).code).toBe(1);
    expect((await project.run('add')).code).toBe(2);
  });
});

describe('cairn ls', () => {
  it('lists folders, names and patterns as a table', async () => {
    const project = await openProject(sample);
    await project.json('add', '.', '--tag', 'all');
    expect(await paths(project, 'docs')).toEqual(['docs/design.md', 'docs/notes/later.md']);
    expect(await paths(project, '*.ts', 'docs/design.md')).toEqual(['docs/design.md', 'src/a.ts', 'src/deep/b.ts']);
    expect(await project.json('ls', 'src', '--limit', '1')).toMatchObject({
      total: 2,
      documents: [{ path: 'src/a.ts' }],
    });
    const lines = (await project.text('ls', 'src', '--sort', 'size', '-r')).split('\n');
    expect(lines[0]).toMatch(/^SIZE +MODIFIED +PATH +TAGS$/);
    expect(lines[1]).toMatch(/^32 B {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}src\/a\.ts +all$/);
    expect(lines[2]).toMatch(/^16 B .* src\/deep\/b\.ts/);
    expect(lines[3]).toBe('2 documents, 48 B');
    expect((await project.text('ls', '-l', 'src/a.ts')).split('\n')[1]).toMatch(/^[0-9a-f]{12} .* default /);
    expect(await project.text('ls', '-n', '1')).toContain('go on with --offset 1');
    expect(await project.text('list', 'nowhere')).toContain('No documents here');
  });
});

describe('cairn cat', () => {
  function bytes(project: Project, ...args: string[]): Buffer {
    const options = { cwd: project.folder, maxBuffer: 64 * 1024 * 1024 };
    const { stdout, status, stderr } = spawnSync(process.execPath, [program, 'cat', ...args], options);
    expect([status, String(stderr)]).toEqual([0, '']);
    return stdout;
  }

  it('writes binary and large documents byte for byte, by name and by hash', async () => {
    const binary = Buffer.from(Array.from({ length: 70_000 }, (_, at) => (at * 7919) % 256));
    const large = Buffer.from('Zeile mit Ümlaut und 日本 🙂\n'.repeat(600_000));
    expect(large.length).toBeGreaterThan(20_000_000);
    const project = await openProject({ 'data.bin': binary, 'large.txt': large, 'empty.txt': '' });
    await project.json('add', '.');
    expect(bytes(project, 'data.bin').equals(binary)).toBe(true);
    expect(bytes(project, 'large.txt').equals(large)).toBe(true);
    expect(bytes(project, 'empty.txt')).toHaveLength(0);
    const { documents } = await project.json('ls', 'data.bin');
    const hash = String((documents as { hash: string }[])[0]?.hash);
    expect(bytes(project, hash.slice(0, 12), 'data.bin').equals(Buffer.concat([binary, binary]))).toBe(true);
  });

  it('ends quietly when whoever reads has read enough', async () => {
    const project = await openProject({ 'large.txt': 'a line\n'.repeat(1_000_000) });
    await project.json('add', '.');
    const command = `'${process.execPath}' '${program}' cat large.txt | head -n 2`;
    const { stdout, stderr } = spawnSync('sh', ['-c', command], { cwd: project.folder, encoding: 'utf8' });
    expect([stdout, stderr]).toEqual(['a line\na line\n', '']);
  });

  it('gives the readable text with --text, the facts with --json, and exits with 1 for what is not there', async () => {
    const project = await openProject({
      'page.html': '<html><body><h1>Title</h1><p>Words.</p></body></html>',
      cafebabe: 'a name like a hash\n',
    });
    await project.json('add', '.');
    expect(String(bytes(project, '--text', 'page.html'))).toContain('# Title');
    expect(String(bytes(project, 'cafebabe'))).toBe('a name like a hash\n');
    expect(await project.json('cat', 'page.html', '--json')).toMatchObject({ path: 'page.html', type: 'text' });
    const missing = await project.run('cat', 'nowhere.md');
    expect([missing.code, missing.stdout]).toEqual([1, '']);
    expect((await project.run('cat')).code).toBe(2);
  });

  it('says which documents a name could mean', async () => {
    const project = await openProject({ 'a/same.md': 'one', 'b/same.md': 'two' });
    await project.json('add', '.');
    const { code, stderr } = await project.run('cat', 'same.md');
    expect(code).toBe(1);
    expect(stderr).toContain('default/a/same.md\n');
    expect(stderr).toContain('default/b/same.md\n');
  });
});

describe('cairn search', () => {
  it('takes words without quotes and says what was found, where, and what was searched', async () => {
    const project = await openProject(sample);
    await project.json('add', '.');
    expect(await project.json('search', 'sessions', 'expire')).toMatchObject({
      total: 1,
      results: [{ path: 'docs/notes/later.md' }],
    });
    const text = await project.text('search', 'sesions', 'expire');
    expect(text).toContain('"sesions" was not found; searched for sessions');
    expect(text).toContain(' 1  docs/notes/later.md:1');
    expect(text).toContain('    sessions expire after an hour');
    expect(text).toMatch(/1 of 1 document \(\d+ ms; searched text, titles and paths/);
    expect(await project.text('search', 'zzzqqq')).toContain('Nothing found');
  });

  it('owns its word: what follows is searched for, also where an operation has such a name', async () => {
    const project = await openProject({ 'a.md': 'decisions were made\n' });
    await project.json('add', '.');
    expect(await project.json('search', 'decisions')).toMatchObject({ results: [{ path: 'a.md' }] });
    const refused = await project.run('search', 'decisions', '--query', 'x');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('cairn search_decisions')]);
    expect((await project.run('search')).code).toBe(2);
  });
});

describe('cairn grep', () => {
  it('writes path, line and text, with context, counts and names as grep does', async () => {
    const project = await openProject(sample);
    await project.json('add', '.');
    expect(await project.text('grep', 'TODO')).toBe('docs/design.md:4:TODO say why\nsrc/a.ts:2:// TODO one\n');
    expect(await project.text('grep', '-i', 'todo', 'src')).toBe('src/a.ts:2:// TODO one\n');
    expect(await project.text('grep', '-c', 'TODO')).toBe('docs/design.md:1\nsrc/a.ts:1\n');
    expect(await project.text('grep', '-l', 'TODO', '*.ts')).toBe('src/a.ts\n');
    expect(await project.text('grep', '-C1', 'TODO')).toBe(
      'docs/design.md-3-One store for everything.\ndocs/design.md:4:TODO say why\n--\n' +
        'src/a.ts-1-export const a = 1;\nsrc/a.ts:2:// TODO one\n',
    );
    expect(await project.json('grep', 'TODO')).toMatchObject({ total: 2, matches: [{ path: 'docs/design.md' }, {}] });
  });

  it('shows the lines around matches that are near each other once', async () => {
    const project = await openProject({ 'a.txt': 'x1\nhit\nx3\nhit\nx5\nx6\nx7\nx8\nhit\n' });
    await project.json('add', '.');
    expect(await project.text('grep', '-C', '1', 'hit')).toBe(
      'a.txt-1-x1\na.txt:2:hit\na.txt-3-x3\na.txt:4:hit\na.txt-5-x5\n--\na.txt-8-x8\na.txt:9:hit\n',
    );
    expect(await project.text('grep', '-m', '2', 'hit')).toBe('a.txt:2:hit\na.txt:4:hit\n');
  });

  it('exits with 1 when nothing matched and with 2 on a pattern that is none', async () => {
    const project = await openProject(sample);
    await project.json('add', '.');
    const none = await project.run('grep', 'nothing like this');
    expect([none.code, JSON.parse(none.stdout)]).toMatchObject([1, { total: 0, matches: [] }]);
    for (const args of [['((('], [], ['-x', 'TODO'], ['-C', 'many', 'TODO'], ['-C']])
      expect([args, (await project.run('grep', ...args)).code]).toEqual([args, 2]);
    expect((await project.run('grep', '(((')).stderr).toContain('no regular expression');
  });

  it('gives all matches, however many pages they take', async () => {
    const lines = Array.from({ length: 12_500 }, (_, at) => `match ${at}`);
    const project = await openProject({ 'a.txt': `${lines.join('\n')}\n`, 'b.txt': 'match b\n' });
    await project.json('add', '.');
    expect((await project.text('grep', 'match')).trim().split('\n')).toEqual([
      ...lines.map((line, at) => `a.txt:${at + 1}:${line}`),
      'b.txt:1:match b',
    ]);
    const whole = await project.json('grep', 'match');
    expect(whole).toMatchObject({ total: 12_501, files_matched: 2 });
    expect(whole).not.toHaveProperty('next_cursor');
    expect((await project.text('grep', '-C', '1', 'match')).trim().split('\n')).toHaveLength(12_502);
    const page = await project.json('grep', 'match', '--limit', '10');
    expect(page.matches).toHaveLength(10);
    expect(page).toHaveProperty('next_cursor');
  });
});

describe('a document of 300,000 lines that match', () => {
  it('is shown to its end, and to whoever wants only the beginning of it', async () => {
    const project = await openProject({ 'big.txt': 'line\n'.repeat(300_000) });
    await project.json('add', '.');
    expect(await project.text('grep', '-c', 'line')).toBe('big.txt:300000\n');
    const command = `'${process.execPath}' '${program}' grep line --text | head -n 1`;
    const { stdout, stderr } = spawnSync('sh', ['-c', command], { cwd: project.folder, encoding: 'utf8' });
    expect([stdout, stderr]).toEqual(['big.txt:1:line\n', '']);
  });
});

describe('cairn rm', () => {
  it('removes names and patterns, shows them in a dry run, and says what is not there', async () => {
    const project = await openProject(sample);
    await project.json('add', '.');
    expect(await project.json('rm', '*.ts', '--dry-run')).toMatchObject({ deleted: 2, dry_run: true });
    expect(await paths(project)).toHaveLength(5);
    expect(await project.text('rm', '*.ts', '--dry-run')).toBe(
      '2 documents would be removed:\n  default/src/a.ts\n  default/src/deep/b.ts\n',
    );
    const partly = await project.run('rm', 'src/a.ts', 'nowhere.md');
    expect([partly.code, JSON.parse(partly.stdout)]).toMatchObject([1, { deleted: 1, not_found: ['nowhere.md'] }]);
    expect((await project.run('rm', 'nowhere.md')).code).toBe(1);
    expect((await project.run('rm')).code).toBe(2);
    expect(await paths(project, 'src')).toEqual(['src/deep/b.ts']);
  });

  it('without a terminal needs --yes for more than ten documents', async () => {
    const files = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`f${at}.tmp`, `${at}`]));
    const project = await openProject(files);
    await project.json('add', '.');
    const refused = await project.run('rm', '*.tmp');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('would remove 12 documents')]);
    expect(await paths(project)).toHaveLength(12);
    expect(await project.json('rm', '*.tmp', '-y')).toMatchObject({ deleted: 12 });
  });
});

describe('cairn snapshot, snapshots, diff and restore', () => {
  it('keeps, compares and brings back, by id, beginning, label or as the latest', async () => {
    const project = await openProject({ 'docs/a.md': 'a\n', 'docs/b.md': 'b\n' });
    await project.json('add', 'docs/a.md', 'docs/b.md');
    const { id } = await project.json('snapshot', 'before', 'the', 'change');
    await project.put('docs/a.md', 'changed\n');
    await project.put('docs/c.md', 'new\n');
    await project.json('add', 'docs/a.md', 'docs/c.md');
    await project.json('rm', 'docs/b.md');

    for (const name of [String(id), String(id).slice(0, -1), 'before the change', 'latest'])
      expect(await project.text('diff', name)).toBe(
        '~ docs/a.md\n- docs/b.md\n+ docs/c.md\n1 added, 1 changed, 1 removed, 0 the same\n',
      );
    await project.json('snapshot', 'after');
    expect(await project.json('diff', 'before the change', 'latest')).toMatchObject({
      added: ['docs/c.md'],
      changed: ['docs/a.md'],
      removed: ['docs/b.md'],
    });
    const listed = await project.text('snapshots');
    expect(listed).toMatch(/^ID +TAKEN +COLLECTION +FILES +SIZE +LABEL\n/);
    expect(listed).toMatch(/ 2 +4 B +before the change\n/);

    const text = await project.text('restore', 'before the change', 'back');
    expect(text).toBe(`2 files written to ${join(project.folder, 'back')}: 4 B\n`);
    expect(await readFile(join(project.folder, 'back/docs/a.md'), 'utf8')).toBe('a\n');
    expect(await project.text('restore', 'back', '--overwrite')).toContain('2 files written');
    expect(await readFile(join(project.folder, 'back/docs/a.md'), 'utf8')).toBe('changed\n');
    expect(await project.text('restore', 'latest', 'back')).toContain('2 files there already');
    expect(await project.json('restore', 'other', '--dry-run', '--include', 'docs/c.md')).toMatchObject({
      restored: 1,
      dry_run: true,
      paths: ['docs/c.md'],
    });
  });

  it('refuses what names no snapshot or several', async () => {
    const project = await openProject({ 'a.md': 'a' });
    await project.json('add', 'a.md');
    await project.json('snapshot', 'twice');
    await project.json('snapshot', 'twice');
    const several = await project.run('diff', 'twice');
    expect([several.code, several.stderr]).toEqual([2, expect.stringContaining('"twice" means 2 snapshots')]);
    expect((await project.run('diff', 'nowhere')).code).toBe(1);
    expect((await project.run('diff')).code).toBe(2);
    expect((await project.run('restore')).code).toBe(2);
    const nowhere = await project.run('restore', 'latest');
    expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining('latest is a snapshot')]);
  });
});

describe('cairn collections, status, gc, verify and session', () => {
  it('says in figures what there is, and whether it is in order', async () => {
    const project = await openProject({ 'a.txt': 'x'.repeat(5000), 'b.txt': 'x'.repeat(5000) });
    await project.json('add', 'a.txt', 'b.txt', '--collection', 'twins');
    expect(await project.text('collections')).toBe('COLLECTION  DOCUMENTS     SIZE\ntwins               2  10.0 kB\n');
    const status = await project.text('status', '--file-types');
    expect(status).toMatch(/^documents +2\n/);
    expect(status).toMatch(/saved by sharing +\d/);
    expect(status).toMatch(/\.txt +text +2 +10\.0 kB/);
    expect(await project.text('gc')).toContain('Nothing to free');
    expect(await project.text('verify')).toMatch(
      /✓ instruction files.*\n✓ stored contents: \d+ checked\n✓ audit trail/,
    );
    expect(await project.json('verify')).toMatchObject({ ok: true, contents: { ok: true }, audit: { intact: true } });
    expect((await project.run('gc', 'extra')).code).toBe(2);
  });

  it('begins, fills, pins, lists and ends a session that is named by its id', async () => {
    const project = await openProject(sample);
    const { session_id } = await project.json('session', 'start', '--label', 'review');
    const id = String(session_id);
    await project.json('add', 'docs', '--session', id);
    await project.json('add', 'src');
    expect(await paths(project, '--session', id)).toEqual(['docs/design.md', 'docs/notes/later.md']);
    expect(await project.text('session', 'pin', 'src/a.ts', '--session', id)).toBe(
      '1 document pinned; the session has 1 pin\n',
    );
    expect(await project.text('session', 'list')).toMatch(new RegExp(`${id} .* running +\\S+ +2 +1 +review\n`));
    expect(await project.text('session', 'watch', 'docs', '--session', id)).toContain('A command ends here');
    expect(await project.json('session', 'unpin', 'src/a.ts', '--session-id', id)).toMatchObject({ unpinned: 1 });
    expect(await project.text('session', 'stop', id)).toContain('stopped: 2 documents');
  });
});

describe('help', () => {
  it('teaches each verb: what it does, its flags, and examples', async () => {
    const general = (await cairn(['help'])).stdout;
    expect(general).toContain('\nDocuments\n');
    const verbs = [...general.matchAll(/^ {2}((?:session )?[a-z]+)(?: .*)? {2,}\S/gm)].map(([, name]) => String(name));
    const documented = ['add', 'ls', 'cat', 'search', 'grep', 'rm', 'restore', 'snapshot', 'diff', 'gc', 'verify'];
    expect(verbs).toEqual(expect.arrayContaining(documented));
    for (const verb of [...documented, 'snapshots', 'collections', 'status', 'download', 'session pin']) {
      const { stdout, code } = await cairn([...verb.split(' '), '--help']);
      expect([verb, code]).toEqual([verb, 0]);
      expect(stdout).toMatch(new RegExp(`^cairn ${verb}\\b`));
      expect(stdout).toContain('\nFlags\n');
      expect(stdout).toContain(`\nExamples\n  cairn ${verb}`);
    }
    expect((await cairn(['help', 'session'])).stdout).toContain('cairn session watch');
    expect((await cairn(['help', 'grep'])).stdout).toContain('-C, --context');
  });

  it('says which words session takes', async () => {
    for (const args of [['session'], ['session', 'strat']]) {
      const { code, stderr } = await cairn(args);
      expect([args, code, stderr]).toEqual([args, 2, expect.stringContaining('start, stop, pin, unpin, watch, list')]);
    }
  });

  it('leaves operations of other families their names', async () => {
    const project = await openProject();
    expect(await project.json('list', 'proposals')).toMatchObject({ status: 'success' });
    expect(await project.json('list', 'snapshots')).toMatchObject({ snapshots: [] });
    expect((await cairn(['list', 'proposals', '--help'])).stdout).toMatch(/^cairn list proposals/);
  });
});

describe.skipIf(!hasTerminals)('on a terminal', () => {
  it('draws tables that fit, in colour, unless NO_COLOR is set', async () => {
    const name = `a/rather/long/folder/with/many/parts/${'x'.repeat(40)}/file.md`;
    const project = await openProject({ [name]: 'text\n' });
    await project.json('add', '.');
    const { screen, code } = await project.terminal(['ls'], { columns: 60 });
    expect(code).toBe(0);
    expect(screen).toContain('\x1b[35m…');
    const plain = await project.terminal(['ls'], { columns: 60, env: { NO_COLOR: '1' } });
    expect(plain.screen).not.toContain('\x1b');
    expect(plain.screen).toContain('xxx/file.md');
    for (const line of plain.screen.split('\n')) expect(line.length).toBeLessThanOrEqual(60);
    expect(JSON.parse((await project.terminal(['ls', '--json'])).screen)).toMatchObject({ total: 1 });
  });

  it('shows the words that were found', async () => {
    const project = await openProject(sample);
    await project.json('add', '.');
    const { screen } = await project.terminal(['search', 'session']);
    expect(screen).toContain('\x1b[1;31msessions\x1b[0m expire');
    expect((await project.terminal(['grep', 'TODO', 'src'])).screen).toContain('// \x1b[1;31mTODO\x1b[0m one');
  });

  it('asks before it removes, and takes nothing but yes for an answer', async () => {
    const project = await openProject(sample);
    await project.json('add', '.');
    const typing = (keys: string) => ({ typing: { after: 'Remove? [y/N]', keys } });
    const kept = await project.terminal(['rm', '*.ts'], typing('\n'));
    expect([kept.code, kept.screen]).toEqual([1, expect.stringContaining('default/src/a.ts')]);
    expect(kept.screen).toContain('Nothing was removed');
    expect((await project.terminal(['rm', '*.ts'], typing('\x04'))).code).toBe(1);
    expect((await project.terminal(['rm', '*.ts'], typing('\x03'))).code).not.toBe(0);
    expect(await paths(project, 'src')).toHaveLength(2);
    const gone = await project.terminal(['rm', '*.ts'], typing('y\n'));
    expect([gone.code, gone.screen]).toEqual([0, expect.stringContaining('2 documents removed')]);
    expect((await project.terminal(['rm', 'docs/design.md', '--yes'])).screen).not.toContain('Remove?');
    expect(await paths(project, 'docs')).toEqual(['docs/notes/later.md']);
  });

  it('lets no stored text act on it', async () => {
    const evil = 'word \x1b]0;renamed\x07 \x1b[2J \x9b1A end\n';
    const project = await openProject({ 'evil.md': evil, 'data.bin': Buffer.from([0, 1, 2, 27, 91, 50, 74]) });
    await project.json('add', '.', '--label', 'lab\x1b[2Jel', '--tag', 'ta\x1b[2Jg');
    const env = { NO_COLOR: '1' };
    const shown: string[] = [];
    for (const args of [
      ['cat', 'evil.md'],
      ['grep', 'word'],
      ['search', 'word'],
      ['ls'],
      ['snapshots'],
      ['ls', 'no\x1b[2Jne'],
    ])
      shown.push((await project.terminal(args, { env })).screen);
    for (const screen of shown) expect(screen.replaceAll('\n', '').replaceAll('\t', '')).not.toMatch(/\p{Cc}/u);
    expect(shown[0]).toContain('word');
    expect(shown[3]).toContain('ta\\x1b[2Jg');
    const refused = await project.terminal(['cat', 'data.bin'], { env });
    expect([refused.code, refused.screen]).toEqual([1, expect.stringContaining('is no text, and this is a terminal')]);
    expect((await project.terminal(['cat', '--force', 'evil.md'], { env })).screen).toContain('\x1b]0;renamed\x07');
    const missing = await project.terminal(['cat', 'no\x1b[2Jne'], { env });
    expect([missing.code, missing.screen.includes('\x1b')]).toEqual([1, false]);
  });

  it('shows progress in one line that fits', async () => {
    const deep = 'a-folder-with-a-long-name/'.repeat(5);
    const files = Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`${deep}${at}.txt`, `text ${at}\n`]));
    const project = await openProject(files);
    const { screen } = await project.terminal(['add', '.'], { columns: 50 });
    const drawn = screen.split('\r\x1b[K').slice(1, -1);
    expect(drawn.length).toBeGreaterThan(0);
    for (const line of drawn) expect(line.length).toBeLessThan(50);
    expect(screen).toContain('600 added, 0 changed, 0 as before');
    expect((await project.run('add', '.')).stderr).toBe('');
  });
});
