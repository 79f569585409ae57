/** Prompts that people write, as files and as instructions: live, in the order of precedence, whatever lies in the folder. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type StdioServer, serveStdio } from '../support/cairn.ts';
import { freshFolder, freshHome } from '../support/home.ts';

interface Place {
  readonly server: StdioServer;
  readonly folder: string;
}

/** A server, and its folder of prompts with these files in it. */
async function serverWith(files: Readonly<Record<string, string | Uint8Array>>, ...flags: string[]): Promise<Place> {
  const home = await freshHome();
  const folder = join(home, 'prompts');
  await mkdir(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  const server = serveStdio(['--home', home, ...flags]);
  await server.initialize();
  return { server, folder };
}

/** Name and description of every prompt. */
async function listed({ server }: Pick<Place, 'server'>): Promise<Map<string, string>> {
  const { result } = await server.ask('prompts/list');
  const prompts = result.prompts as { name: string; description: string }[];
  expect(new Set(prompts.map(({ name }) => name)).size).toBe(prompts.length);
  return new Map(prompts.map(({ name, description }) => [name, description]));
}

async function textOf({ server }: Pick<Place, 'server'>, name: string): Promise<string> {
  const { result, error } = await server.ask('prompts/get', { name });
  expect(error).toBeUndefined();
  return result.messages[0].content.text;
}

async function refusalOf({ server }: Place, name: string, args = {}): Promise<string> {
  const { error } = await server.ask('prompts/get', { name, arguments: args });
  expect(error?.code).toBe(-32602);
  return error.message;
}

describe('a prompt file', () => {
  it('is live: edited, added, renamed and removed, the next call shows it', async () => {
    const place = await serverWith({ 'PROMPT-one.md': '# First\n' });
    const file = (name: string) => join(place.folder, `PROMPT-${name}.md`);
    expect((await listed(place)).get('one')).toBe('First (from PROMPT-one.md)');
    await writeFile(file('one'), '# Later\n');
    expect((await listed(place)).get('one')).toBe('Later (from PROMPT-one.md)');
    expect(await textOf(place, 'one')).toBe('# Later\n');
    await writeFile(file('two-words'), 'Two.');
    await rename(file('one'), file('three'));
    const names = (await listed(place)).keys();
    expect([...names].slice(-2)).toEqual(['three', 'two_words']);
    await rm(place.folder, { recursive: true });
    expect((await listed(place)).has('three')).toBe(false);
    expect(await refusalOf(place, 'two_words')).toContain('No prompt is called "two_words"');
  });

  it('takes no arguments', async () => {
    const place = await serverWith({ 'PROMPT-one.md': 'One' });
    expect(await refusalOf(place, 'one', { topic: 'x' })).toBe(
      'The prompt one has no argument "topic": it takes no arguments.',
    );
  });

  it('takes the place of what comes with Cairn under the same name, and says so', async () => {
    const place = await serverWith({ 'PROMPT-research.md': '# Our way\n' });
    const told = 'Our way (from PROMPT-research.md) (in place of the built-in research)';
    expect((await listed(place)).get('research')).toBe(told);
    const { result } = await place.server.ask('prompts/get', { name: 'research' });
    expect(result).toMatchObject({
      description: told,
      messages: [{ role: 'assistant', content: { text: '# Our way\n' } }],
    });
  });

  it('stands alone under its name: of two, the first by file name that can be read', async () => {
    const place = await serverWith({
      'PROMPT-a-b.md': Buffer.from([0xff, 0xfe, 0x41]),
      'PROMPT-a-b_c.md': 'first',
      'PROMPT-a_b.md': 'second',
      'PROMPT-a_b-c.md': 'third',
    });
    const found = await listed(place);
    expect(found.get('a_b')).toBe('second (from PROMPT-a_b.md)');
    expect(found.get('a_b_c')).toBe('first (from PROMPT-a-b_c.md)');
    expect(await textOf(place, 'a_b')).toBe('second');
    expect(await textOf(place, 'a_b_c')).toBe('first');
  });

  it('may lie in a folder of one’s own, which need not exist', async () => {
    const prompts = join(await freshFolder(), 'ours');
    const server = serveStdio(['--home', await freshHome()], { CAIRN_PROMPTS_DIR: prompts });
    await server.initialize();
    expect((await listed({ server })).size).toBeGreaterThan(5);
    await mkdir(prompts);
    await writeFile(join(prompts, 'PROMPT-ours.md'), 'Ours.');
    expect(await textOf({ server }, 'ours')).toBe('Ours.');
  });

  it('keeps its name and text to the letter', async () => {
    const text = '\u00e9 漢字 😀\r\n---\n\ttab \u202e\n\n';
    const place = await serverWith({ 'PROMPT-Ünder score-日本.md': text, 'PROMPT-empty.md': '' });
    expect(await textOf(place, 'Ünder score_日本')).toBe(text);
    expect((await listed(place)).get('empty')).toBe('Prompt (from PROMPT-empty.md)');
    expect(await textOf(place, 'empty')).toBe('');
  });
});

describe('the page about prompts', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/prompts.md'), 'utf8');

  it.skipIf(process.platform === 'win32')('has an example that works', async () => {
    const folder = await freshFolder();
    const [, script = ''] = /```sh\n(.*?)```/s.exec(page) ?? [];
    execFileSync('sh', ['-c', script], { cwd: folder });
    const [, told = '{}'] = /^`(\{"name".*\})`/m.exec(page) ?? [];
    const { name, description } = JSON.parse(told);
    const server = serveStdio(['--home', join(folder, '.cairn')]);
    await server.initialize();
    expect((await listed({ server })).get(name)).toBe(description);
    expect(script).toContain(await textOf({ server }, name));
  });

  it('names every prompt that comes with Cairn, with its arguments', async () => {
    const { server } = await serverWith({});
    const { prompts } = (await server.ask('prompts/list')).result;
    for (const { name, arguments: all } of prompts) {
      const row = page.split('\n').find((line) => line.startsWith(`| \`${name}\` |`)) ?? '';
      for (const each of all) expect(row).toContain(each.required ? `**${each.name}**` : each.name);
    }
  });
});

describe('what cannot be a prompt', () => {
  it('is left out, and asked for by name it says why, while all else works', async () => {
    const place = await serverWith({
      'PROMPT-good.md': 'Good.',
      'PROMPT-largest.md': 'x'.repeat(1024 * 1024),
      'PROMPT-large.md': 'x'.repeat(1024 * 1024 + 1),
      'PROMPT-latin.md': Buffer.from('caf\u00e9', 'latin1'),
      'PROMPT-late.md': Buffer.concat([Buffer.from('x'.repeat(20_000)), Buffer.from([0xe2, 0x82])]),
      'PROMPT-cut.md': `${'x'.repeat(8 * 1024 - 1)}é`,
    });
    const found = await listed(place);
    expect(['good', 'largest', 'cut'].filter((name) => found.has(name))).toEqual(['good', 'largest', 'cut']);
    expect(found.has('large')).toBe(false);
    expect(found.has('latin')).toBe(false);
    expect(await refusalOf(place, 'large')).toContain('PROMPT-large.md is larger than 1 MB');
    expect(await refusalOf(place, 'latin')).toContain('PROMPT-latin.md is not UTF-8 text');
    expect(await refusalOf(place, 'late')).toContain('PROMPT-late.md is not UTF-8 text');
    expect((await textOf(place, 'largest')).length).toBe(1024 * 1024);
  });

  it('does not take the place of a built-in', async () => {
    const place = await serverWith({ 'PROMPT-research.md': Buffer.from([0xff]) });
    expect((await listed(place)).get('research')).toContain('with sources');
    const { result } = await place.server.ask('prompts/get', { name: 'research', arguments: { topic: 'caches' } });
    expect(result.messages[0].content.text).toContain('"caches"');
  });

  it.skipIf(process.platform === 'win32')('is a link, a folder or a pipe', async () => {
    const place = await serverWith({ 'PROMPT-good.md': 'Good.' });
    const secret = join(await freshFolder(), 'PROMPT-secret.md');
    await writeFile(secret, 'Not for you.');
    await symlink(secret, join(place.folder, 'PROMPT-link.md'));
    await symlink(join(place.folder, 'PROMPT-good.md'), join(place.folder, 'PROMPT-inner.md'));
    await mkdir(join(place.folder, 'PROMPT-folder.md'));
    execFileSync('mkfifo', [join(place.folder, 'PROMPT-pipe.md')]);
    const found = await listed(place);
    expect(found.get('good')).toBe('Good. (from PROMPT-good.md)');
    for (const name of ['link', 'inner', 'folder', 'pipe']) {
      expect(found.has(name)).toBe(false);
      expect(await refusalOf(place, name)).toContain('No prompt is called');
    }
  });

  it.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
    'is a file or folder without the right to read it',
    async () => {
      const place = await serverWith({ 'PROMPT-good.md': 'Good.', 'PROMPT-closed.md': 'Closed.' });
      await chmod(join(place.folder, 'PROMPT-closed.md'), 0);
      expect((await listed(place)).has('closed')).toBe(false);
      expect((await listed(place)).has('good')).toBe(true);
      expect(await refusalOf(place, 'closed')).toContain('PROMPT-closed.md cannot be read');
      await chmod(place.folder, 0);
      expect((await listed(place)).has('research')).toBe(true);
      await chmod(place.folder, 0o700);
    },
  );

  it.skipIf(process.platform === 'win32')('has another name, or one that does not show', async () => {
    const names = [
      'PROMPT-.md',
      'PROMPT-x.MD',
      'PROMPT-x.md.bak',
      'prompt-x.md',
      'xPROMPT-x.md',
      'PROMPT-line\nbreak.md',
      'PROMPT-bell\u0007.md',
      'PROMPT-right\u202etoleft.md',
      'PROMPT-separator\u2028.md',
      'PROMPT-a:b.md',
      'PROMPT-back\\slash.md',
      `PROMPT-${'l'.repeat(240)}.md`,
    ];
    const place = await serverWith(Object.fromEntries(names.map((name) => [name, 'Hostile.'])));
    await writeFile(
      Buffer.concat([Buffer.from(`${place.folder}/PROMPT-`), Buffer.from([0xff]), Buffer.from('.md')]),
      'x',
    );
    await writeFile(join(place.folder, 'PROMPT-__proto__.md'), 'Plain.');
    const before = await listed({ server: (await serverWith({})).server });
    const found = await listed(place);
    expect([...found.keys()].filter((name) => !before.has(name))).toEqual(['__proto__']);
    expect(await textOf(place, '__proto__')).toBe('Plain.');
    for (const name of ['../../etc/passwd', '..', 'x', '', 'good\u0000', 'n'.repeat(100_000)]) {
      expect((await refusalOf(place, name)).length).toBeLessThan(300);
    }
  });

  it('is one of more than five hundred; those that are listed and those that are not can be had', async () => {
    const files = Array.from({ length: 620 }, (_, index) => `PROMPT-many-${String(index).padStart(4, '0')}.md`);
    const place = await serverWith(Object.fromEntries(files.map((name) => [name, `# ${name}`])));
    const found = await listed(place);
    expect(found.size).toBe(500);
    expect(found.has('use_operation')).toBe(true);
    expect(await textOf(place, 'many_0619')).toBe('# PROMPT-many-0619.md');
  });
});

describe('an instruction of the category prompt', () => {
  const flags = ['--mutation', '--role', 'admin'];
  const entry = (id: string, more: object = {}) => ({
    op: 'instructions_add',
    params: {
      entry: {
        id,
        title: `Title of ${id}`,
        body: `Body of ${id}\n\nwith two paragraphs`,
        priority: 50,
        audience: 'all',
        requirement: 'optional',
        categories: ['prompt'],
        ...more,
      },
    },
  });

  async function add({ server }: Place, ...operations: object[]) {
    const { result } = await server.ask('tools/call', { name: 'execute', arguments: { operations } });
    expect(result.structuredContent).toMatchObject({ failed: 0, succeeded: operations.length });
  }

  it('is a prompt by its id, title and body once it is approved', async () => {
    const place = await serverWith({}, ...flags);
    await add(
      place,
      entry('release.check-list', { categories: ['other', 'prompt'] }),
      entry('drafted', { status: 'draft' }),
      entry('outdated', { status: 'deprecated' }),
      entry('unrelated', { categories: ['other'] }),
    );
    const found = await listed(place);
    expect(found.get('release_check_list')).toBe('Title of release.check-list');
    for (const name of ['drafted', 'outdated', 'unrelated']) {
      expect(found.has(name)).toBe(false);
      expect(await refusalOf(place, name)).toContain(`No prompt is called "${name}"`);
    }
    const { result } = await place.server.ask('prompts/get', { name: 'release_check_list' });
    expect(result).toEqual({
      description: 'Title of release.check-list',
      messages: [
        { role: 'user', content: { type: 'text', text: 'Body of release.check-list\n\nwith two paragraphs' } },
      ],
    });
    const removal = { op: 'instructions_remove', params: { ids: ['release.check-list'] } };
    await add(place, removal);
    expect((await listed(place)).has('release_check_list')).toBe(false);
    expect(await refusalOf(place, 'release_check_lst')).toContain('prompts/list');
  });

  it('stands before a built-in and behind a file, and the first by id before the second', async () => {
    const place = await serverWith({ 'PROMPT-both.md': 'From the file.' }, ...flags);
    await add(place, entry('both'), entry('session_handoff'), entry('twin.one'), entry('twin-one'));
    const found = await listed(place);
    expect(found.get('both')).toBe('From the file. (from PROMPT-both.md)');
    expect(found.get('session_handoff')).toBe('Title of session_handoff (in place of the built-in session_handoff)');
    expect(found.get('twin_one')).toBe('Title of twin-one');
    expect(await textOf(place, 'both')).toBe('From the file.');
    expect(await textOf(place, 'session_handoff')).toContain('Body of session_handoff');
    expect(await textOf(place, 'twin_one')).toContain('Body of twin-one');
  });
});
