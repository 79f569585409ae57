/**
 * Two checkouts of one project, a home and a server in each, and git, which merges, rebases and checks out underneath them. What
 * is served afterwards is what the files say, what does not fit together is named, and nothing else suffers.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isThere, type Memory, openMemory, pathOf, soon, textOf, titlesFound, warnings } from '../decisions/memory.ts';
import { cairn, type Message } from '../support/cairn.ts';
import { freshFolder } from '../support/home.ts';
import { recordFigures } from './figures.ts';

interface Checkout {
  readonly folder: string;
  readonly memory: Memory;
  /** What git says, and whether it succeeded. */
  git(...args: string[]): { ok: boolean; said: string };
  commit(message: string): void;
}

function gitIn(folder: string, args: readonly string[]): { ok: boolean; said: string } {
  const who = ['-c', 'user.name=Ann', '-c', 'user.email=ann@x.example', '-c', 'commit.gpgsign=false'];
  const env = { ...process.env, GIT_EDITOR: 'true' };
  const { status, stdout, stderr } = spawnSync('git', [...who, ...args], { cwd: folder, encoding: 'utf8', env });
  return { ok: status === 0, said: `${stdout}${stderr}` };
}

async function opened(folder: string): Promise<Checkout> {
  const memory = await openMemory({ home: join(folder, '.cairn') });
  const git = (...args: string[]) => gitIn(folder, args);
  return {
    folder,
    memory,
    git,
    commit(message) {
      expect(git('add', '-A')).toMatchObject({ ok: true });
      expect(git('commit', '-q', '-m', message)).toMatchObject({ ok: true });
    },
  };
}

const rule = (id: string, body: string) => ({
  entry: { id, title: id, body, owner: 'ann', priority: 20 },
  lax: true,
  overwrite: true,
});

interface Two {
  readonly ann: Checkout;
  readonly bob: Checkout;
  readonly cache: string;
  readonly queue: string;
}

/** Both have decided on a cache and a queue, and have a rule each for style and tests. */
async function twoCheckouts(): Promise<Two> {
  const root = await freshFolder();
  const [mine, theirs] = [join(root, 'ann'), join(root, 'bob')];
  mkdirSync(mine);
  expect(gitIn(mine, ['init', '-q', '-b', 'main'])).toMatchObject({ ok: true });
  const ann = await opened(mine);
  const cache = await ann.memory.record('cache', 'Redis it is');
  const queue = await ann.memory.record('queue', 'Rabbit it is');
  await ann.memory.ask('instructions_add', rule('style', 'Write short sentences.'));
  await ann.memory.ask('instructions_add', rule('tests', 'Test what can break.'));
  ann.commit('Begin');
  expect(gitIn(root, ['clone', '-q', mine, theirs])).toMatchObject({ ok: true });
  const bob = await opened(theirs);
  await soon(() => titlesFound(bob.memory, 'redis')).toEqual(['Redis it is']);
  expect(ann.git('remote', 'add', 'bob', theirs)).toMatchObject({ ok: true });
  return { ann, bob, cache, queue };
}

const merge = ({ git }: Checkout) => {
  expect(git('fetch', '-q', 'bob')).toMatchObject({ ok: true });
  return git('merge', '-q', '-m', 'Merge', 'bob/main');
};

async function faultsIn({ memory, folder }: Checkout): Promise<Map<string, string>> {
  const env = { CAIRN_EMBEDDINGS: 'none', CAIRN_HOME: '', HOME: folder };
  const { stdout } = await cairn(['doctor', '--json', '--home', memory.home], { env, cwd: folder });
  const findings = JSON.parse(stdout).findings as Message[];
  return new Map(findings.flatMap(({ fault, detail }) => (fault === undefined ? [] : [[fault, detail]])));
}

async function bodyOf({ memory }: Checkout, id: string): Promise<string | undefined> {
  return (await memory.ask('instructions_get', { id })).item?.body;
}

/** As one who comes anew finds it: what a running server says is that. */
async function expectSame({ memory }: Checkout, targets: readonly string[]): Promise<void> {
  const said = async (each: Memory) => {
    const chains = await Promise.all(targets.map((target) => each.ask('decision_chain', { target })));
    const { items } = await each.ask('instructions_list', { limit: 100 });
    return { chains, items, warnings: (await warnings(each)).filter((told) => !told.startsWith('No vectors')) };
  };
  const fresh = await openMemory({ home: memory.home });
  await fresh.ask('instructions_reload');
  expect(await said(memory)).toEqual(await said(fresh));
  fresh.server.kill();
  await fresh.server.exited;
}

const active = async ({ memory }: Checkout, target: string) =>
  (await memory.ask('decision_chain', { target })).active as string | undefined;

describe('git underneath a running server', () => {
  it('merges without a conflict: both halves are served, and nothing is wrong', async () => {
    const { ann, bob, cache } = await twoCheckouts();
    await ann.memory.record('logs', 'Lines of JSON');
    await ann.memory.ask('instructions_add', rule('style', 'Write short sentences, and few.'));
    ann.commit('Mine');
    const next = await bob.memory.supersede('cache', 'Valkey it is', [cache]);
    await bob.memory.ask('instructions_add', rule('tests', 'Test what broke.'));
    await bob.memory.ask('instructions_add', rule('names', 'Names explain themselves.'));
    bob.commit('Theirs');
    expect(merge(ann)).toMatchObject({ ok: true });

    await soon(() => active(ann, 'cache')).toBe(next);
    await soon(() => bodyOf(ann, 'tests')).toBe('Test what broke.');
    await soon(() => bodyOf(ann, 'names')).toBe('Names explain themselves.');
    expect(await bodyOf(ann, 'style')).toBe('Write short sentences, and few.');
    expect(await titlesFound(ann.memory, 'valkey redis lines')).toEqual(expect.arrayContaining(['Valkey it is']));
    expect([...(await faultsIn(ann)).keys()]).toEqual([]);
    await expectSame(ann, ['cache', 'queue', 'logs']);
    await ann.memory.supersede('cache', 'Dragonfly it is', [next]);
  }, 60_000);

  it('leaves the marks of a conflict in one file of each kind: they are named, kept, and hold up nothing else', async () => {
    const { ann, bob, cache } = await twoCheckouts();
    for (const [checkout, word] of [
      [ann, 'garnet'],
      [bob, 'dragonfly'],
    ] as const) {
      const path = pathOf(checkout.memory, cache);
      await writeFile(path, (await readFile(path, 'utf8')).replace('for a reason of its own', `because of ${word}`));
      await checkout.memory.ask('instructions_add', rule('style', `Write like ${word}.`));
      await checkout.memory.record(word, `About ${word} itself`);
      checkout.commit(word);
    }
    const merged = merge(ann);
    expect(merged.ok).toBe(false);
    expect(merged.said).toContain('CONFLICT');
    const marked = await textOf(ann.memory, cache);
    expect(marked).toContain('<<<<<<<');

    await soon(async () => (await warnings(ann.memory)).join('\n')).toMatch(
      new RegExp(`${cache} .*marks of a merge conflict`),
    );
    const faults = await faultsIn(ann);
    expect(faults.get('decision-unreadable')).toContain(cache);
    expect(faults.get('instruction-unreadable')).toMatch(/style\.json .*conflict/);
    expect((await ann.memory.ask('integrity_verify')).unreadable).toMatchObject([{ file: 'style.json' }]);
    // Everything else is there, and can be written.
    await soon(() => titlesFound(ann.memory, 'dragonfly itself')).toEqual(
      expect.arrayContaining(['About dragonfly itself']),
    );
    expect(await bodyOf(ann, 'tests')).toBe('Test what can break.');
    await ann.memory.record('more', 'Work goes on');
    await ann.memory.ask('instructions_add', rule('tests', 'Test it again.'));
    // The target of the marked file is not free: nobody knows what it will say.
    expect(await textOf(ann.memory, cache)).toBe(marked);

    for (const path of [cache, 'instructions/style.json'])
      expect(ann.git('checkout', '--theirs', `.cairn/${path}`)).toMatchObject({ ok: true });
    ann.commit('Theirs after all');
    await soon(
      async () => (await ann.memory.ask('decision_get', { decision_id: cache })).decision?.rationale,
    ).toContain('because of dragonfly');
    await soon(() => bodyOf(ann, 'style')).toBe('Write like dragonfly.');
    await soon(async () => (await warnings(ann.memory)).join('\n')).not.toContain(cache);
    expect([...(await faultsIn(ann)).keys()]).toEqual([]);
    await expectSame(ann, ['cache', 'queue', 'garnet', 'dragonfly', 'more']);
  }, 60_000);

  it('brings two decisions together that were recorded for one target: both are shown, until one replaces both', async () => {
    const { ann, bob } = await twoCheckouts();
    const left = await ann.memory.record('database', 'Postgres it is');
    ann.commit('Mine');
    const right = await bob.memory.record('Database', 'Sqlite will do');
    bob.commit('Theirs');
    expect(merge(ann)).toMatchObject({ ok: true });

    const both = [left, right].sort();
    await soon(async () => (await ann.memory.ask('decision_chain', { target: 'database' })).conflict?.sort()).toEqual(
      both,
    );
    const said = (await warnings(ann.memory)).find((each) => each.includes('2 active decisions')) ?? '';
    for (const id of both) expect(said).toContain(id);
    expect((await faultsIn(ann)).get('decisions-contested')).toContain(left);
    const third = { title: 'Third', target: 'database', rationale: 'A quite different opinion.' };
    expect(await ann.memory.refused('record_decision', third)).toMatch(/^CONFLICT/);
    const settled = await ann.memory.supersede('database', 'Both have their place', both);
    ann.commit('Settled');
    expect(bob.git('pull', '-q', '--no-rebase')).toMatchObject({ ok: true });
    await soon(() => active(bob, 'database')).toBe(settled);
    for (const each of [ann, bob]) expect([...(await faultsIn(each)).keys()]).toEqual([]);
    await expectSame(bob, ['database']);
  }, 60_000);

  it('lets both replace the same decision: the torn link and the two truths are named, and can be settled', async () => {
    const { ann, bob, cache } = await twoCheckouts();
    const left = await ann.memory.supersede('cache', 'Garnet it is', [cache]);
    ann.commit('Mine');
    const right = await bob.memory.supersede('cache', 'Valkey it is', [cache]);
    bob.commit('Theirs');
    expect(merge(ann)).toMatchObject({ ok: false });
    await soon(async () => (await faultsIn(ann)).get('decisions-contested') ?? '').toContain(right);
    expect((await faultsIn(ann)).get('decision-unreadable')).toContain(cache);
    // While the old one cannot be read, what replaced it can be settled all the same.
    expect(ann.git('checkout', '--ours', `.cairn/${cache}`)).toMatchObject({ ok: true });
    await soon(async () => (await ann.memory.ask('decision_get', { decision_id: cache })).decision?.status).toBe(
      'superseded',
    );
    const last = await ann.memory.supersede('cache', 'Dragonfly it is', [left, right]);
    ann.commit('Settled');
    expect(await active(ann, 'cache')).toBe(last);
    const left_over = await faultsIn(ann);
    expect([...left_over.keys()].filter((fault) => fault !== 'decisions-unlinked')).toEqual([]);
    await expectSame(ann, ['cache']);
  }, 60_000);

  it('deletes here what was changed there: what git leaves is served, until somebody decides', async () => {
    const { ann, bob, queue } = await twoCheckouts();
    await ann.memory.done('forget_memory', { decision_id: queue });
    await ann.memory.ask('instructions_remove', { ids: ['tests'] });
    ann.commit('Mine');
    const next = await bob.memory.supersede('queue', 'Kafka it is', [queue]);
    await bob.memory.ask('instructions_add', rule('tests', 'Test all of it.'));
    bob.commit('Theirs');
    expect(merge(ann)).toMatchObject({ ok: false });
    expect(isThere(ann.memory, queue)).toBe(true);

    await soon(() => active(ann, 'queue')).toBe(next);
    await soon(() => bodyOf(ann, 'tests')).toBe('Test all of it.');
    expect([...(await faultsIn(ann)).keys()]).toEqual([]);
    expect(ann.git('rm', '-q', `.cairn/${queue}`, '.cairn/instructions/tests.json')).toMatchObject({ ok: true });
    ann.commit('Gone');
    await soon(async () => (await faultsIn(ann)).get('decisions-unlinked') ?? '').toContain(next);
    expect(await bodyOf(ann, 'tests')).toBeUndefined();
    expect(await active(ann, 'queue')).toBe(next);
    await ann.memory.supersede('queue', 'Nats it is', [next]);
    await expectSame(ann, ['queue', 'cache']);
  }, 60_000);

  it('rebases, and checks out older commits and newer ones, while both go on writing', async () => {
    const { ann, bob, cache } = await twoCheckouts();
    await ann.memory.record('logs', 'Lines of JSON');
    await ann.memory.ask('instructions_add', rule('style', 'Mine.'));
    ann.commit('Mine');
    const next = await bob.memory.supersede('cache', 'Valkey it is', [cache]);
    bob.commit('Theirs');
    expect(ann.git('fetch', '-q', 'bob')).toMatchObject({ ok: true });
    expect(ann.git('rebase', '-q', 'bob/main')).toMatchObject({ ok: true });
    await soon(() => active(ann, 'cache')).toBe(next);
    await soon(() => bodyOf(ann, 'style')).toBe('Mine.');
    await soon(() => titlesFound(ann.memory, 'json')).toEqual(['Lines of JSON']);

    expect(ann.git('checkout', '-q', 'main~2')).toMatchObject({ ok: true });
    await soon(() => active(ann, 'cache')).toBe(cache);
    await soon(() => bodyOf(ann, 'style')).toBe('Write short sentences.');
    await soon(() => titlesFound(ann.memory, 'json')).toEqual([]);
    expect([...(await faultsIn(ann)).keys()]).toEqual([]);
    await expectSame(ann, ['cache', 'queue', 'logs']);
    const side = await ann.memory.supersede('cache', 'Memcached it is', [cache]);
    ann.commit('On the side');
    expect(ann.git('checkout', '-q', 'main')).toMatchObject({ ok: true });
    await soon(() => active(ann, 'cache')).toBe(next);
    expect(isThere(ann.memory, side)).toBe(false);
    expect(
      await ann.memory.refused('record_decision', { title: 'X', target: 'cache', rationale: 'Another idea.' }),
    ).toContain(next);
    expect(await ann.memory.ask('audit_verify')).toMatchObject({ intact: true });
    await expectSame(ann, ['cache', 'queue', 'logs']);
    recordFigures('merges', [
      {
        what: 'two checkouts merged underneath their servers',
        how: 'merges with and without conflicts, two truths of one target, deleted here and changed there, a rebase, older commits (`test/faults/merges.test.ts`)',
        profile: process.env.CAIRN_TEST_FULL === undefined ? 'short' : 'long',
        figures: { ways: 6 },
      },
    ]);
  }, 60_000);
});
