/** Staleness: what cites a file says so once the file is another one, and only then. */
import { mkdir, readFile, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ask, type Desk, openDesk, session, until } from '../documents/desk.ts';
import { cairn, type Message, type StdioServer } from '../support/cairn.ts';
import { freshFolder } from '../support/home.ts';

const env = { CAIRN_WRITE_COOLDOWN_MS: '0', CAIRN_EMBEDDINGS: 'none', MCP_ENABLE_MUTATION: '1' };

let desk: Desk;
let server: StdioServer;

beforeEach(async () => {
  desk = await openDesk();
  server = desk.startWith(env);
});

const say = (op: string, params: object = {}) => ask(server, op, params);
const store = (name: string, content: string) => say('add', { name, content });
const addRule = (id: string, body: string, more: object = {}) =>
  say('instructions_add', { entry: { id, body, ...more }, lax: true, overwrite: true });
const decide = (target: string, rationale: string, more: object = {}) =>
  say('record_decision', { title: `About ${target}`, target, rationale, ...more });

/** Each stale reference as `id ref reason`. */
async function stale(of: StdioServer = server, filter: object = {}): Promise<string[]> {
  const { stale: found } = await ask(of, 'stale_list', { limit: 1000, ...filter });
  return found.map(({ id, ref, reason }: Message) => `${id} ${ref} ${reason}`);
}

async function run(...args: string[]) {
  return cairn([...args, '--home', desk.home], { env, cwd: desk.project });
}

const code = (open: string, close: string) =>
  `export function open() {\n  return ${open};\n}\n\nexport function close() {\n  return ${close};\n}\n`;

describe('a document that is cited', () => {
  it('makes what gave it as an anchor stale once it changes, with the hashes and a command that shows the difference', async () => {
    const before = await store('src/a.ts', 'one\n');
    await addRule('rule', 'Keep it so.', { anchors: ['src/a.ts'] });
    expect(await stale()).toEqual([]);
    const after = await store('src/a.ts', 'two\n');
    const { stale: found, total, items } = await say('stale_list');
    expect({ total, items }).toEqual({ total: 1, items: 1 });
    expect(found[0]).toMatchObject({
      kind: 'instruction',
      id: 'rule',
      ref: 'src/a.ts',
      reason: 'changed',
      source: 'anchor',
      cited_by: 'agent',
      then_hash: before.hash,
      now_hash: after.hash,
      diff: `cairn content_diff ${before.hash.slice(0, 16)} ${after.hash.slice(0, 16)}`,
    });
    const { stdout, code: exit } = await run(...found[0].diff.split(' ').slice(1));
    expect(exit).toBe(0);
    expect(JSON.parse(stdout).diff.split('\n')).toEqual(expect.arrayContaining(['-one', '+two']));
  });

  it('is found in the text, by its path or by the only path that ends so', async () => {
    await store('src/deep/unique.ts', 'one\n');
    await store('lib/twin.ts', 'one\n');
    await store('src/twin.ts', 'one\n');
    await addRule('whole', 'See `src/deep/unique.ts`.');
    await addRule('ending', 'See unique.ts and twin.ts and nothing.ts.');
    await decide('core', 'Because src/deep/unique.ts says so.');
    for (const path of ['src/deep/unique.ts', 'lib/twin.ts', 'src/twin.ts']) await store(path, 'two\n');
    const found = await stale();
    expect(found.filter((each) => !each.startsWith('decisions/'))).toEqual([
      'ending unique.ts changed',
      'whole src/deep/unique.ts changed',
    ]);
    expect(found.filter((each) => each.startsWith('decisions/'))).toEqual([
      expect.stringMatching(/ src\/deep\/unique\.ts changed$/),
    ]);
  });

  it('goes on being meant when another path comes to end in the same way', async () => {
    await store('src/deep/unique.ts', 'one\n');
    await addRule('rule', 'See unique.ts.');
    await store('lib/unique.ts', 'other\n');
    expect(await stale()).toEqual([]);
    await store('src/deep/unique.ts', 'two\n');
    expect(await stale()).toEqual(['rule unique.ts changed']);
  });

  it('is missing when it is gone, moved when its content lies elsewhere, and missing from the start when it never was', async () => {
    await store('a.md', 'text of a\n');
    await store('b.md', 'text of b\n');
    await addRule('gone', 'x', { anchors: ['a.md'] });
    await addRule('moved', 'x', { anchors: ['b.md'] });
    await addRule('never', 'x', { anchors: ['never.md'] });
    await store('docs/c.md', 'text of b\n');
    await say('delete', { names: ['a.md', 'b.md'], exact: true });
    expect(await stale()).toEqual(['gone a.md missing', 'moved b.md moved', 'never never.md missing']);
    const { stale: found } = await say('stale_list');
    expect(found[1]).toMatchObject({ moved_to: 'default/docs/c.md' });
    // What comes back as it was is not stale.
    await store('a.md', 'text of a\n');
    await store('never.md', 'now\n');
    expect(await stale()).toEqual(['moved b.md moved']);
  });

  it('of another collection is cited by its name', async () => {
    await say('add', { name: 'x.md', content: 'one\n', collection: 'handbook' });
    await store('x.md', 'one\n');
    await addRule('rule', 'x', { anchors: ['handbook:x.md'] });
    await store('x.md', 'two\n');
    expect(await stale()).toEqual([]);
    await say('add', { name: 'x.md', content: 'two\n', collection: 'handbook' });
    expect(await stale()).toEqual(['rule handbook:x.md changed']);
  });

  it('gives no false alarm when an unchanged tree is added again', async () => {
    for (const name of ['a', 'b', 'c']) await desk.put(`tree/${name}.ts`, `export const ${name} = 1;\n`);
    await say('add', { path: 'tree' });
    await addRule('rule', 'See tree/a.ts, `tree/b.ts` and `tree/c.ts#c`.');
    await writeFile(join(desk.project, 'tree/a.ts'), 'export const a = 1;\n');
    await say('add', { path: 'tree' });
    expect(await stale()).toEqual([]);
    await desk.put('tree/a.ts', 'export const a = 2;\n');
    await say('add', { path: 'tree' });
    expect(await stale()).toEqual(['rule tree/a.ts changed']);
  });

  it('is followed by a session that watches its folder', async () => {
    await desk.put('tree/a.md', 'one');
    await session(server, 'start');
    await session(server, 'watch', { path: 'tree' });
    await until(
      () => say('list', { paths_only: true }),
      ({ paths }) => paths.includes('tree/a.md'),
    );
    await addRule('rule', 'See tree/a.md.');
    await desk.put('tree/a.md', 'two');
    await until(stale, (found) => found.includes('rule tree/a.md changed'));
    await rename(join(desk.project, 'tree/a.md'), join(desk.project, 'tree/b.md'));
    await until(stale, (found) => found.includes('rule tree/a.md missing'));
  });
});

describe('a symbol that is cited', () => {
  it('is compared on its own: the rest of the file may change', async () => {
    await store('src/a.ts', code('1', '1'));
    await addRule('about-open', 'See src/a.ts for it.', { anchors: ['src/a.ts#open'] });
    await decide('closing', 'Closing is done as `src/a.ts#close` does it.');
    await store('src/a.ts', `// A comment above moves everything.\n${code('1', '2')}`);
    expect(await stale(server, { kind: 'instruction' })).toEqual([]);
    expect(await stale(server, { kind: 'decision' })).toEqual([expect.stringMatching(/ src\/a\.ts#close changed$/)]);
    await store('src/a.ts', code('2', '2'));
    expect(await stale(server, { kind: 'instruction' })).toEqual(['about-open src/a.ts#open changed']);
  });

  it('is missing where the file no longer has it, with the difference of the file', async () => {
    const { hash: then } = await store('src/a.ts', code('1', '1'));
    await addRule('rule', 'x', { anchors: ['src/a.ts#open', 'src/a.ts#absent'] });
    const { hash: now } = await store('src/a.ts', 'export function close() {}\n');
    const { stale: found } = await say('stale_list');
    expect(found).toMatchObject([
      { ref: 'src/a.ts#open', reason: 'missing', diff: `cairn content_diff ${then.slice(0, 16)} ${now.slice(0, 16)}` },
      { ref: 'src/a.ts#absent', reason: 'missing' },
    ]);
  });

  it('of a file on the disk is compared on its own too', async () => {
    await desk.put('src/a.ts', code('1', '1'));
    await addRule('rule', 'x', { anchors: ['src/a.ts#open'] });
    await desk.put('src/a.ts', code('1', '2'));
    expect(await stale()).toEqual([]);
    await desk.put('src/a.ts', code('2', '2'));
    expect(await stale()).toEqual(['rule src/a.ts#open changed']);
  });
});

describe('a file of the project that is not stored', () => {
  it('is looked at on the disk', async () => {
    await desk.put('conf/app.toml', 'a = 1\n');
    await addRule('rule', 'Set a in `conf/app.toml`.');
    expect(await stale()).toEqual([]);
    await desk.put('conf/app.toml', 'a = 2\n');
    expect(await stale()).toEqual(['rule conf/app.toml changed']);
    await rm(join(desk.project, 'conf/app.toml'));
    expect(await stale()).toEqual(['rule conf/app.toml missing']);
    await desk.put('conf/app.toml', 'a = 1\n');
    expect(await stale()).toEqual([]);
    // Stored as it is: nothing changed.
    await say('add', { path: 'conf' });
    expect(await stale()).toEqual([]);
  });

  it('names git where git may know the difference', async () => {
    await mkdir(join(desk.project, '.git'));
    await desk.put('a file.toml', 'a = 1\n');
    await addRule('rule', 'x', { anchors: ['a file.toml'] });
    await desk.put('a file.toml', 'a = 2\n');
    const { stale: found } = await say('stale_list');
    expect(found[0].diff).toBe(`git diff "HEAD@{${found[0].cited_at}}" -- 'a file.toml'`);
  });

  it('is never one outside of the project, nor of the home or the repository', async () => {
    const outside = join(await freshFolder(), 'outside.txt');
    await writeFile(outside, 'x');
    await symlink(outside, join(desk.project, 'link.txt'));
    await desk.put('.git/config.txt', 'x');
    await addRule('rule', 'x', { anchors: ['link.txt', '.git/config.txt', '.cairn/state.db'] });
    expect(await stale()).toEqual([
      'rule link.txt missing',
      'rule .git/config.txt missing',
      'rule .cairn/state.db missing',
    ]);
    for (const anchors of [['/etc/passwd'], ['../up.txt'], ['a/../../b']]) {
      expect((await addRule('bad', 'x', { anchors })).error).toMatch(/invalid_entry/);
      expect(await decide('bad', 'A reason that is long enough.', { anchors })).toMatchObject({ status: 'error' });
    }
  });
});

describe('confirming', () => {
  it('renews what is cited, is audited, and is for those who may write', async () => {
    await store('a.md', 'one\n');
    await store('b.md', 'one\n');
    await addRule('rule', 'x', { anchors: ['a.md', 'b.md', 'never.md'] });
    await store('a.md', 'two\n');
    await store('b.md', 'two\n');
    const one = await say('stale_confirm', { id: 'rule', ref: 'b.md' });
    expect(one).toMatchObject({ kind: 'instruction', confirmed: [{ ref: 'b.md', reason: 'changed' }], still_stale: 2 });
    expect(await stale()).toEqual(['rule a.md changed', 'rule never.md missing']);
    const viewer = desk.start('--role', 'viewer', '--mutation');
    await expect(ask(viewer, 'stale_confirm', { id: 'rule' })).rejects.toThrow("Capability 'write' is required");
    const reader = desk.start('--read-only', '--mutation');
    await expect(ask(reader, 'stale_confirm', { id: 'rule' })).rejects.toThrow('read-only');
    const locked = desk.start();
    await expect(ask(locked, 'stale_confirm', { id: 'rule' })).rejects.toThrow('Mutation disabled');
    const rest = await run('stale', 'confirm', 'rule');
    expect(JSON.parse(rest.stdout).confirmed).toHaveLength(2);
    expect(await stale()).toEqual([]);
    const { entries } = await say('audit_list', { limit: 1000 });
    const confirmed = entries.filter(
      ({ operation, outcome }: Message) => operation === 'stale_confirm' && outcome === 'ok',
    );
    expect(confirmed.map(({ ids, note }: Message) => [ids, note])).toEqual([
      [['rule'], 'still holds: b.md changed'],
      [['rule'], 'still holds: a.md changed, never.md missing'],
    ]);
    // What was said not to be there comes as a change.
    await store('never.md', 'there\n');
    expect(await stale()).toEqual(['rule never.md changed']);
  });

  it('follows what moved, and decisions by their id', async () => {
    await store('a.md', 'text\n');
    const { decision_id: id } = await decide('core', 'As a.md says it.', { anchors: ['a.md'] });
    await store('b.md', 'text\n');
    await say('delete', { name: 'a.md' });
    expect(await stale()).toEqual([`${id} a.md moved`]);
    expect(await say('stale_confirm', { id })).toMatchObject({
      id,
      kind: 'decision',
      confirmed: [{ reason: 'moved' }],
    });
    expect(await stale()).toEqual([]);
    await store('b.md', 'other text\n');
    expect(await stale()).toEqual([`${id} a.md changed`]);
    await expect(say('stale_confirm', { id, ref: 'zzz.md' })).rejects.toThrow('does not cite zzz.md');
    await expect(say('stale_confirm', { id: 'no-such' })).rejects.toThrow('No instruction or decision');
  });
});

describe('what is written', () => {
  it('keeps anchors in the file, in answers, and over an export; an edit renews only what is new', async () => {
    await store('a.md', 'one\n');
    await store('b.md', 'one\n');
    await addRule('rule', 'x', { anchors: ['./a.md'] });
    const file = JSON.parse(await readFile(join(desk.home, 'instructions/rule.json'), 'utf8'));
    expect(file.anchors).toEqual(['a.md']);
    const { decision_id: id } = await decide('core', 'A reason that is long enough.', { anchors: ['b.md'] });
    expect(await readFile(join(desk.home, id), 'utf8')).toContain('anchors:\n  - b.md\n');
    expect((await say('decision_get', { decision_id: id })).decision.anchors).toEqual(['b.md']);
    await store('a.md', 'two\n');
    await store('b.md', 'two\n');
    await addRule('rule', 'y', { anchors: ['a.md', 'b.md'] });
    expect(await stale(server, { kind: 'instruction' })).toEqual(['rule a.md changed']);
    const { items } = await say('instructions_export', {});
    expect(items[0].anchors).toEqual(['a.md', 'b.md']);
    await say('instructions_remove', { ids: ['rule'] });
    await say('instructions_import', { entries: items, mode: 'overwrite' });
    expect((await say('instructions_get', { id: 'rule' })).item.anchors).toEqual(['a.md', 'b.md']);
    // Removed and made anew: it cites what is there now.
    expect(await stale(server, { kind: 'instruction' })).toEqual([]);
    await say('instructions_governance_update', { id: 'rule', patch: { anchors: [] } });
    expect((await say('instructions_get', { id: 'rule' })).item).not.toHaveProperty('anchors');
  });

  it('stays as it is where others use the name for something else', async () => {
    await mkdir(join(desk.home, 'instructions'), { recursive: true });
    await mkdir(join(desk.home, 'decisions'), { recursive: true });
    const entry = { id: 'foreign', title: 'F', body: 'B.', anchors: { ship: true } };
    await writeFile(join(desk.home, 'instructions/foreign.json'), JSON.stringify(entry));
    const text = '---\ntarget: harbour\nanchors:\n  weight: 3\n---\n\nHeavy ones hold the ship.\n';
    await writeFile(join(desk.home, 'decisions/foreign.md'), text);
    expect((await say('instructions_get', { id: 'foreign' })).item).not.toHaveProperty('anchors');
    expect((await say('decision_get', { decision_id: 'foreign' })).decision).not.toHaveProperty('anchors');
    expect(await stale()).toEqual([]);
  });

  it('by hand or by git is cited as it is when it is first seen', async () => {
    await store('a.md', 'one\n');
    await mkdir(join(desk.home, 'instructions'), { recursive: true });
    const entry = { id: 'hand', title: 'H', body: 'See a.md.' };
    await writeFile(join(desk.home, 'instructions/hand.json'), JSON.stringify(entry));
    await until(
      () => say('instructions_list'),
      ({ count }) => count === 1,
    );
    expect(await stale()).toEqual([]);
    await store('a.md', 'two\n');
    expect(await stale()).toEqual(['hand a.md changed']);
    const { stale: found } = await say('stale_list');
    expect(found[0].cited_by).toBe('first sight');
    await unlink(join(desk.home, 'instructions/hand.json'));
    await until(stale, (seen) => seen.length === 0);
  });

  it('and forgotten or superseded is no longer stale', async () => {
    await store('a.md', 'one\n');
    const admin = serverOf('admin');
    const { decision_id: old } = await decide('core', 'As a.md says.');
    await store('a.md', 'two\n');
    expect(await stale()).toHaveLength(1);
    const { decision_id: next } = await say('supersede_decision', {
      title: 'New',
      target: 'core',
      rationale: 'Now a.md says something else.',
      old_decision_ids: [old],
    });
    expect(await stale()).toEqual([]);
    await store('a.md', 'three\n');
    expect(await stale()).toEqual([`${next} a.md changed`]);
    await ask(admin, 'forget_memory', { decision_id: next });
    // What it had replaced is the truth again, and cites what was there when it was made.
    expect(await stale()).toEqual([`${old} a.md changed`]);
    await ask(admin, 'forget_memory', { decision_id: old });
    expect(await stale()).toEqual([]);
  });
});

function serverOf(role: string): StdioServer {
  return desk.start('--role', role, '--mutation');
}

describe('marks', () => {
  it('stand where an item is read, searched, recalled, verified and due, and only while it is stale', async () => {
    const admin = serverOf('admin');
    await store('src/limits.ts', 'one\n');
    const entry = {
      id: 'retry-limit',
      title: 'Retry limit',
      body: 'Retries of payments are limited in src/limits.ts.',
    };
    await ask(admin, 'instructions_add', { entry, lax: true });
    await decide('payments', 'Retries of payments are limited to three, see src/limits.ts.');
    const marks = async () => ({
      get: (await say('instructions_get', { id: 'retry-limit' })).item.stale,
      search: (await say('instructions_search', { q: 'payments' })).items[0].stale,
      query: (await say('instructions_query', {})).items[0].stale,
      verify: (await say('integrity_verify')).stale?.[0],
      decisions: (await say('search_decisions', { query: 'payments' })).results[0].stale,
      context: (await say('get_relevant_context', { prompt: 'How are the retries of payments limited?' })).items.map(
        ({ stale: mark }: Message) => mark?.ref,
      ),
      health: (await say('get_environment_health')).health.warnings.join(' '),
    });
    const before = await marks();
    expect(before).toMatchObject({ get: undefined, search: undefined, query: undefined, verify: undefined });
    expect(before).toMatchObject({ decisions: undefined, context: [undefined, undefined] });
    expect(before.health).not.toContain('changed since');
    await store('src/limits.ts', 'two\n');
    const mark = {
      reason: 'changed',
      ref: 'src/limits.ts',
      diff: expect.stringMatching(/^cairn content_diff \w+ \w+$/),
    };
    expect(await marks()).toEqual({
      get: mark,
      search: mark,
      query: mark,
      verify: { id: 'retry-limit', ...mark },
      decisions: mark,
      context: ['src/limits.ts', 'src/limits.ts'],
      health: expect.stringContaining('1 decision cites files that have changed since'),
    });
    expect((await say('integrity_verify')).ok).toBe(true);
    const due = JSON.parse((await run('due')).stdout);
    expect(due.unowned).toMatchObject([{ id: 'retry-limit', stale: { ref: 'src/limits.ts' } }]);
  });

  it('show as a list on a terminal, and as an exit code in CI', async () => {
    await store('a.md', 'one\n');
    await addRule('rule', 'See a.md.', { title: 'A rule' });
    expect((await run('stale', '--check')).code).toBe(0);
    await store('a.md', 'two\n');
    expect((await run('stale')).code).toBe(0);
    const { code: exit, stdout } = await run('stale', '--check', '--text');
    expect(exit).toBe(1);
    expect(stdout).toMatch(
      /^rule {2}instruction {2}A rule\n {2}a\.md changed since \d{4}-\d\d-\d\d\n {4}cairn content_diff /,
    );
  });
});

describe('many', () => {
  it('of a thousand items and two processes, each sees what the other did', async () => {
    const other = desk.startWith(env);
    for (let at = 0; at < 100; at++) await desk.put(`src/f${at}.ts`, `export const v = ${at};\n`);
    await say('add', { path: 'src' });
    const entries = Array.from({ length: 1000 }, (_, at) => ({
      id: `rule-${at}`,
      body: `Rule ${at} speaks of src/f${at % 100}.ts, and/or of others/such.ts.`,
    }));
    await say('instructions_import', { entries });
    expect(await stale(other)).toEqual([]);
    await ask(other, 'add', { name: 'src/f7.ts', content: 'changed\n' });
    const started = performance.now();
    expect(await stale()).toHaveLength(10);
    expect(performance.now() - started).toBeLessThan(10_000);
    await ask(other, 'stale_confirm', { id: 'rule-7' });
    expect(await stale()).toHaveLength(9);
    const { total, stale: page, searched } = await say('stale_list', { limit: 2, offset: 8 });
    expect([total, page.length, searched.items]).toEqual([9, 1, 1000]);
  });
});

describe('content_diff', () => {
  it('compares with a file on the disk only where something cites it, and pages', async () => {
    const { hash: then } = await store('long.md', `${'line\n'.repeat(50)}`);
    await desk.put('long.md', `${'other\n'.repeat(50)}`);
    await desk.put('private.md', 'private\n');
    await addRule('rule', 'See long.md.');
    await say('delete', { name: 'long.md' });
    const { stale: found } = await say('stale_list');
    expect(found[0].diff).toBe(`cairn content_diff ${then.slice(0, 16)} --file long.md`);
    const first = await say('content_diff', { from: then, file: 'long.md', limit: 10 });
    expect(first).toMatchObject({ lines: 103, next_offset: 10 });
    expect(first.diff.split('\n')).toHaveLength(10);
    await expect(say('content_diff', { from: then, file: 'private.md' })).rejects.toThrow('Nothing cites');
    const { hash: loose } = await store('gone.md', 'deleted\n');
    await say('delete', { name: 'gone.md' });
    await expect(say('content_diff', { from: loose })).rejects.toThrow('No content has the hash');
  });
});
