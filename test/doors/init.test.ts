/** `cairn init` in projects as people have them. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cairn } from '../support/cairn.ts';
import { freshFolder } from '../support/home.ts';
import { hasTerminals, onTerminal } from '../support/terminal.ts';

const quick = { CAIRN_EMBEDDINGS: 'none', CAIRN_HOME: '' };
const may = { ...quick, MCP_ENABLE_MUTATION: '1' };

const rules = {
  'AGENTS.md': '# Style\n\nTabs, not blanks.\n\n# Tests\n\nFirst.\n',
  'packages/api/AGENTS.md': '# Names\n\nPlural for lists.\n',
  'GEMINI.md': 'Short answers.\n',
  '.github/copilot-instructions.md': 'Prefer the standard library.\n',
  '.github/instructions/ts.instructions.md': '---\napplyTo: "**/*.ts"\n---\nStrict types.\n',
  '.cursor/rules/api.mdc': '---\ndescription: API\nglobs: src/api/**\n---\nAnswer with JSON.\n',
  '.windsurfrules': 'Small commits.\n',
  '.clinerules/deploy.md': '# Deploy\n\nFrom main alone.\n',
} as const;

const others = {
  'README.md': '# A project\n',
  'docs/page.md': '---\ntitle: A page\n---\nNot a rule.\n',
  'content/page.mdc': 'Not a rule of Cursor.\n',
  'package.json': '{"name":"x"}\n',
  '.gitignore': 'vendor/\n',
  'vendor/AGENTS.md': 'Rules of somebody else.\n',
  'node_modules/x/AGENTS.md': 'Rules of a package.\n',
};

async function project(files: Readonly<Record<string, string>> = { ...rules, ...others }): Promise<string> {
  const folder = join(await freshFolder(), 'project');
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

async function init(cwd: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = quick) {
  const { code, stdout, stderr } = await cairn(['init', ...args], { cwd, env });
  return { code, stderr, result: stdout === '' ? undefined : JSON.parse(stdout) };
}

describe('cairn init', () => {
  it('makes a home whose derived and private files git leaves out, and takes nothing unasked', async () => {
    const folder = await project();
    const { code, result } = await init(folder);
    expect(code).toBe(0);
    expect(result).toMatchObject({ home: join(folder, '.cairn'), created: true });
    expect(result.found.files.map(({ path }: { path: string }) => path).sort()).toEqual(Object.keys(rules).sort());
    expect(result.rules.left).toContain('cairn init --import');
    expect(result.source.left).toContain('cairn init --index');
    expect(result.next.join(' ')).toMatch(/serve.*install.*search/);
    expect(existsSync(join(folder, '.cairn/state.db'))).toBe(false);
  });

  it('imports and indexes with --yes, and a second time changes nothing', async () => {
    const folder = await project();
    spawnSync('git', ['init', '-q'], { cwd: folder });
    const first = await init(folder, ['--yes'], may);
    expect(first.code, first.stderr).toBe(0);
    expect(first.result.rules.done).toMatchObject({ imported: 9, skipped: 0, errors: [] });
    expect(first.result.source.done).toMatchObject({ failed: 0 });
    expect(first.result.source.done.added).toBeGreaterThan(10);
    const written = await readFile(join(folder, '.cairn/instructions/packages-api-agents-names.json'), 'utf8');
    expect(JSON.parse(written)).toMatchObject({
      appliesTo: ['packages/api/**'],
      body: expect.stringContaining('Plural'),
    });
    const again = await init(folder, ['--yes'], may);
    expect(again.code).toBe(0);
    expect(again.result).toMatchObject({ created: false, rules: { left: expect.stringContaining('already') } });
    expect(again.result.source.done).toMatchObject({ added: 0, updated: 0 });
    const seen = spawnSync('git', ['status', '--short', '-uall', '.cairn'], { cwd: folder, encoding: 'utf8' }).stdout;
    expect(seen).toContain('.cairn/instructions/');
    expect(seen).not.toMatch(/\.db|history\.git|logs/);
  }, 30_000);

  it('does what single flags say', async () => {
    const folder = await project();
    const { result } = await init(folder, ['--import', '--no-index'], may);
    expect(result).toMatchObject({ rules: { done: { imported: 9 } }, source: { left: 'Not indexed' } });
    const other = await init(await project(), ['--no-import', '--index'], may);
    expect(other.result).toMatchObject({ rules: { left: 'Not imported' }, source: { done: { failed: 0 } } });
  });

  it('says why the catalog may not be changed, indexes all the same, and fails', async () => {
    const { code, result } = await init(await project(), ['--yes']);
    expect(code).toBe(1);
    expect(result.rules.failed).toContain('MCP_ENABLE_MUTATION');
    expect(result.source.done.added).toBeGreaterThan(10);
  });

  it('is the home of the whole repository, and in a folder of its own where that is named', async () => {
    const folder = await project();
    spawnSync('git', ['init', '-q'], { cwd: folder });
    const below = join(folder, 'packages/api');
    expect((await init(below)).result.home).toBe(join(folder, '.cairn'));
    expect((await init(below)).result).toMatchObject({ home: join(folder, '.cairn'), created: false });
    expect((await init(below, ['.'])).result).toMatchObject({ home: join(below, '.cairn'), created: true });
    expect((await init(below, ['nowhere'])).code).toBe(2);
    expect((await init(below, ['a', 'b'])).code).toBe(2);
  });

  it('adds to a .gitignore of somebody else’s what it lacks, and keeps its lines', async () => {
    const folder = await project({ '.cairn/.gitignore': '# ours\n*.db' });
    const { result } = await init(folder);
    expect(result.ignored).toContain('history.git/');
    expect(await readFile(join(folder, '.cairn/.gitignore'), 'utf8')).toMatch(/^# ours\n\*\.db\nhistory\.git\/\n/);
    expect((await init(folder)).result.ignored).toEqual([]);
  });

  it('follows no link out of the project, and refuses secrets in rules', async () => {
    const folder = await project({ 'AGENTS.md': '# Keys\n\nUse ghp_16C7e42F292c6912E7710c838347Ae178B4a always.\n' });
    const outside = join(await freshFolder(), 'CLAUDE.md');
    await writeFile(outside, 'Not ours.\n');
    await symlink(outside, join(folder, 'CLAUDE.md'));
    const { code, result } = await init(folder, ['--import', '--no-index'], may);
    expect(code).toBe(1);
    expect(result.found.files).toEqual([{ path: 'AGENTS.md', entries: 1 }]);
    expect(result.rules.done).toMatchObject({ imported: 0, errors: [{ error: expect.stringContaining('secret') }] });
  });

  it.skipIf(!hasTerminals)('asks on a terminal, and takes no for an answer', async () => {
    const folder = await project();
    const yes = await onTerminal(['init', '--no-index'], {
      cwd: folder,
      env: quick,
      typing: { after: '[Y/n]', keys: 'y\n' },
    });
    expect(yes.screen).toMatch(/Import 9 instructions from .*\?/);
    expect(yes.screen).toContain('9 imported, 0 here already');
    expect(yes.code).toBe(0);
    const no = await onTerminal(['init'], { cwd: folder, env: quick, typing: { after: '[Y/n]', keys: 'n\n' } });
    expect(no.screen).toContain('Documents: Not indexed');
  });
});
