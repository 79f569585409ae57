/** The files are the memory: people edit, merge, check out and delete them, and the store says what it makes of that. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Message } from '../support/cairn.ts';
import { freshFolder, freshHome } from '../support/home.ts';
import {
  isThere,
  type Memory,
  type Opening,
  openMemory,
  pathOf,
  soon,
  textOf,
  titlesFound,
  warnings,
  writeByHand,
} from './memory.ts';

/** A server that has been asked something, so that it listens to what happens to its files. */
async function listening(opening: Opening = {}): Promise<Memory> {
  const memory = await openMemory(opening);
  await memory.record('first', 'There must be a home first');
  await titlesFound(memory, 'home');
  return memory;
}

async function rewrite(memory: Memory, id: string, change: (text: string) => string): Promise<void> {
  const before = await textOf(memory, id);
  const after = change(before);
  expect(after).not.toBe(before);
  await writeFile(pathOf(memory, id), after);
}

async function healthOf(memory: Memory): Promise<Message> {
  return (await memory.done('get_environment_health')).health;
}

describe('an edit by hand', () => {
  it('is read at once by decision_get and in a moment by search, and outlives what the store writes', async () => {
    const memory = await listening();
    const id = await memory.record('cache', 'Redis it is', { consequences: ['Install it'] });
    await rewrite(memory, id, (text) =>
      text
        .replace('title: Redis it is', 'title: "Garnet it is"\nreviewed_by: [ann, bo]\nticket: 42')
        .replace('for a reason of its own', 'because of its zugzwang'),
    );
    expect(await memory.get(id)).toMatchObject({
      title: 'Garnet it is',
      rationale: 'Redis it is, because of its zugzwang.',
      consequences: ['Install it'],
    });
    await soon(() => titlesFound(memory, 'zugzwang')).toEqual(['Garnet it is']);
    expect(await titlesFound(memory, 'redis garnet', { mode: 'strict' })).toEqual(['Garnet it is']);
    await memory.supersede('cache', 'Valkey it is', [id]);
    const text = await textOf(memory, id);
    for (const kept of ['Garnet it is', 'zugzwang', 'ann', 'bo', 'ticket: 42', 'status: superseded']) {
      expect(text).toContain(kept);
    }
  });

  it('may write the front matter as people do: bare, with CRLF, with a mark at the start, with less than all fields', async () => {
    const memory = await listening();
    const texts: Record<string, string> = {
      bare: '---\ntitle: Bare one\ntarget: t-bare\n---\nReason.\n',
      crlf: '---\r\ntitle: With returns\r\ntarget: t-crlf\r\n---\r\n\r\nReason.\r\nMore.\r\n',
      bom: '\ufeff---\ntitle: "With: a mark"\ntarget: t-bom\n---\n\nReason.\n',
      heading: '---\ntarget: t-heading\n---\n\n# Title in the text\n\nReason.\n',
      field: '---\ntitle: Older form\ntarget: t-field\nrationale: In a field.\n---\n',
      lists: '---\ntitle: Lists\ntarget: t-lists\nconsequences:\n- one\n- two\n---\nReason.\n',
    };
    for (const [name, text] of Object.entries(texts)) await writeFile(pathOf(memory, `decisions/${name}.md`), text);
    const one = async (name: string) => {
      const { title, target, rationale, consequences, status, origin } = await memory.get(name);
      return [title, target, rationale, consequences, status, origin];
    };
    const rest = ['active', 'human'];
    expect(await one('bare')).toEqual(['Bare one', 't-bare', 'Reason.', [], ...rest]);
    expect(await one('crlf')).toEqual(['With returns', 't-crlf', 'Reason.\nMore.', [], ...rest]);
    expect(await one('bom')).toEqual(['With: a mark', 't-bom', 'Reason.', [], ...rest]);
    expect(await one('heading')).toEqual([
      'Title in the text',
      't-heading',
      '# Title in the text\n\nReason.',
      [],
      ...rest,
    ]);
    expect(await one('field')).toEqual(['Older form', 't-field', 'In a field.', [], ...rest]);
    expect(await one('lists')).toEqual(['Lists', 't-lists', 'Reason.', ['one', 'two'], ...rest]);
    await soon(async () => (await memory.done('get_memory_stats')).stats.semantic_decisions).toBe(7);
    expect((await healthOf(memory)).errors).toEqual([]);
  });

  it('that changes the target or the status changes what is the truth of it', async () => {
    const memory = await listening();
    const id = await memory.record('cache', 'Redis it is');
    await rewrite(memory, id, (text) => text.replace('target: cache', 'target: storage'));
    await soon(async () => (await memory.done('target_list')).targets.map(({ target }: Message) => target)).toEqual([
      'first',
      'storage',
    ]);
    await memory.record('cache', 'The place is free again');
    expect(
      await memory.refused('record_decision', { title: 'Else', target: 'storage', rationale: 'Quite different.' }),
    ).toContain(id);
    await rewrite(memory, id, (text) => text.replace('status: active', 'status: deprecated'));
    await soon(() => titlesFound(memory, 'redis', { mode: 'strict' })).toEqual([]);
    await memory.record('storage', 'Free as well');
  });
});

describe('two truths that a merge by hand left', () => {
  async function merged() {
    const memory = await listening();
    const left = await memory.record('cache', 'Redis it is');
    const right = await writeByHand(memory, 'right', {
      title: 'Memcached it is',
      target: 'Cache',
      provenance: { origin: 'agent' },
    });
    await soon(async () => (await memory.done('get_memory_stats')).stats.conflicts).toBe(1);
    return { memory, left, right };
  }

  it('are both served and flagged wherever they show', async () => {
    const { memory, left, right } = await merged();
    const { results } = await memory.done('search_decisions', { query: 'redis memcached' });
    expect(results.map(({ id, conflict }: Message) => [id, conflict]).sort()).toEqual([
      [left, true],
      [right, true],
    ]);
    const { targets } = await memory.done('target_list');
    expect(targets.filter(({ conflict }: Message) => conflict)).toMatchObject([{ active: 2, decisions: 2 }]);
    expect((await memory.done('decision_chain', { target: 'cache' })).conflict.sort()).toEqual([left, right]);
    const said = (await warnings(memory)).find((warning) => warning.includes('2 active decisions'));
    expect(said).toContain(left);
    expect(said).toContain(right);
    const refused = await memory.refused('record_decision', {
      title: 'Third',
      target: 'cache',
      rationale: 'One more opinion.',
    });
    expect(refused).toMatch(/^CONFLICT: /);
    expect(refused).toContain(left);
    expect(refused).toContain(right);
  });

  it('are resolved by superseding both, not by superseding one', async () => {
    const { memory, left, right } = await merged();
    const settle = { title: 'Valkey it is', target: 'cache', rationale: 'Both sides agreed on it.' };
    for (const [one, other] of [
      [left, right],
      [right, left],
    ]) {
      expect(await memory.refused('supersede_decision', { ...settle, old_decision_ids: [one] })).toContain(
        `has other active decisions: [${other}]`,
      );
    }
    const { decision_id, superseded } = await memory.done('supersede_decision', {
      ...settle,
      old_decision_ids: [left, right],
    });
    expect(superseded).toEqual([left, right]);
    for (const id of [left, right]) {
      expect(await memory.get(id)).toMatchObject({ status: 'superseded', superseded_by: decision_id });
    }
    expect((await memory.get(decision_id)).supersedes).toEqual([left, right]);
    expect((await memory.done('get_memory_stats')).stats).toMatchObject({ conflicts: 0, active_decisions: 2 });
    expect((await warnings(memory)).join()).not.toContain('active decisions');
  });

  it('are resolved by forgetting one, and the other is then the truth', async () => {
    const { memory, left, right } = await merged();
    await memory.done('forget_memory', { decision_id: left });
    expect((await memory.done('decision_chain', { target: 'cache' })).active).toBe(right);
    expect(
      await memory.refused('record_decision', { title: 'Third', target: 'cache', rationale: 'One more opinion.' }),
    ).toContain(right);
    await memory.supersede('cache', 'Valkey it is', [right]);
  });
});

describe('a file that cannot be read as a decision', () => {
  const broken: [name: string, text: string, problem: RegExp][] = [
    [
      'marks',
      '---\ntitle: A\ntarget: t\n---\n\n<<<<<<< HEAD\nOurs.\n=======\nTheirs.\n>>>>>>> branch\n',
      /marks of a merge conflict/,
    ],
    ['yaml', '---\ntitle: "never closed\ntarget: t\n---\n\nText.\n', /./],
    ['open', '---\ntitle: A\ntarget: t\n\nNo end of the front matter.\n', /./],
    ['status', '---\ntitle: A\ntarget: t\nstatus: maybe\n---\n\nText.\n', /status "maybe"; allowed is active, /],
    ['kind', '---\ntitle: A\ntarget: t\nkind: rumour\n---\n\nText.\n', /kind "rumour"/],
    ['target', '---\ntitle: A\n---\n\nText.\n', /has no target/],
    ['id', '---\nid: another\ntitle: A\ntarget: t\n---\n\nText.\n', /says that it is "another"/],
    ['sure', '---\ntitle: A\ntarget: t\nconfidence: 7\n---\n\nText.\n', /confidence 7/],
    ['link', '---\ntitle: A\ntarget: t\nsuperseded_by: ../../x\n---\n\nText.\n', /no id of a decision/],
    ['loop', '---\ntitle: A\ntarget: t\nmore: &a [*a]\n---\n\nText.\n', /./],
    ['empty', '', /./],
    ['bytes', '\u0000\u0001\u0002', /./],
  ];

  it('is named with what is wrong, left as it is, and keeps nobody from working', async () => {
    const memory = await listening();
    for (const [name, text] of broken) await writeFile(pathOf(memory, `decisions/${name}.md`), text);
    const named = async (name: string) =>
      (await warnings(memory)).find((each) => each.startsWith(`decisions/${name}.md `));
    for (const [name, , problem] of broken) await soon(() => named(name)).toMatch(problem);
    expect(await memory.refused('decision_get', { decision_id: 'marks' })).toContain('marks');
    expect(await titlesFound(memory, 'home')).toEqual(['There must be a home first']);
    const id = await memory.record('t', 'Work goes on');
    await memory.supersede('t', 'And on', [id]);
    const again = await openMemory({ home: memory.home });
    expect((await again.done('get_memory_stats')).stats.semantic_decisions).toBe(3);
    for (const [name, text] of broken) expect(await textOf(memory, `decisions/${name}.md`)).toBe(text);

    await writeFile(pathOf(memory, 'decisions/marks.md'), '---\ntitle: Mended\ntarget: mended\n---\n\nTheirs.\n');
    await soon(() => titlesFound(memory, 'mended')).toEqual(['Mended']);
    expect(await named('marks')).toBeUndefined();
  });

  it('may quote the marks of a merge in its reason, when it came through the door', async () => {
    const memory = await listening();
    const rationale = 'Seen in the log:\n<<<<<<< HEAD\nours\n=======\n>>>>>>> branch\nand \\<<<<<<< too.';
    const id = await memory.record('merging', 'Rebase rather than merge', { rationale });
    expect((await memory.get(id)).rationale).toBe(rationale);
    const next = await memory.supersede('merging', 'Merge after all', [id]);
    expect((await memory.get(id)).rationale).toBe(rationale);
    expect((await memory.get(next)).status).toBe('active');
  });
});

describe('a checkout', () => {
  it('of older files makes the older truth hold again, and one back to the newer files the newer', async () => {
    const memory = await listening();
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', memory.home, '-c', 'user.name=Ann', '-c', 'user.email=a@x', ...args], {
        encoding: 'utf8',
        stdio: 'pipe',
      });
    const old = await memory.record('cache', 'Redis it is');
    git('init', '-q', '-b', 'main');
    git('add', '.');
    git('commit', '-q', '-m', 'Old');
    expect(git('ls-files')).not.toMatch(/\.db|history\.git/);
    const next = await memory.supersede('cache', 'Valkey it is', [old]);
    git('add', '.');
    git('commit', '-q', '-m', 'New');

    const truth = async () => (await memory.done('decision_chain', { target: 'cache' })).active;
    git('checkout', '-q', 'HEAD~1');
    await soon(truth).toBe(old);
    expect(isThere(memory, next)).toBe(false);
    expect(await titlesFound(memory, 'redis valkey')).toEqual(['Redis it is']);
    const other = { title: 'Other', target: 'cache', rationale: 'A quite different thing.' };
    expect(await memory.refused('record_decision', other)).toContain(old);
    expect((await healthOf(memory)).errors).toEqual([]);

    git('checkout', '-q', 'main');
    await soon(truth).toBe(next);
    expect(await memory.refused('record_decision', other)).toContain(next);
    const last = await memory.supersede('cache', 'Dragonfly it is', [next]);
    expect(await truth()).toBe(last);

    git('checkout', '-q', '-f', 'HEAD~1');
    await rm(pathOf(memory, last));
    await soon(truth).toBe(old);
    const branched = await memory.supersede('cache', 'KeyDB it is', [old]);
    expect(await truth()).toBe(branched);
  });

  it('while no server runs is seen by the next one', async () => {
    const memory = await listening();
    const id = await memory.record('cache', 'Redis it is');
    memory.server.kill('SIGKILL');
    await memory.server.exited;
    await rewrite(memory, id, (text) => text.replace('Redis it is', 'Garnet it is'));
    await writeByHand(memory, 'brought', { title: 'Brought along', target: 'brought' });
    const again = await openMemory({ home: memory.home });
    await soon(() => titlesFound(again, 'garnet')).toEqual(['Garnet it is']);
    await soon(() => titlesFound(again, 'brought')).toEqual(['Brought along']);
  });
});

describe('a deleted file', () => {
  it('is gone, and its target free; a chain that ended in it fails nobody', async () => {
    const memory = await listening();
    const old = await memory.record('cache', 'Redis it is');
    const next = await memory.supersede('cache', 'Valkey it is', [old]);
    await rm(pathOf(memory, next));
    expect(await memory.refused('decision_get', { decision_id: next })).toBe(`No decision has the id ${next}`);
    await soon(async () => (await memory.done('get_memory_stats')).stats.semantic_decisions).toBe(2);
    expect(await titlesFound(memory, 'valkey', { mode: 'audit' })).toEqual([]);
    await memory.done('visualize_graph', { target: 'cache' });
    await memory.done('decision_chain', { target: 'cache' });
    expect(await titlesFound(memory, 'redis', { mode: 'audit' })).toEqual(['Redis it is']);
    const free = await memory.record('cache', 'A new beginning');
    expect((await memory.done('decision_chain', { target: 'cache' })).active).toBe(free);
    // What was deleted by hand is still in the history of the home.
    expect((await memory.done('decision_history', { decision_id: next })).versions).toHaveLength(1);
  });
});

describe('links that people broke', () => {
  it('in a circle, to nowhere or against the status keep nobody waiting, and hide nothing that holds', async () => {
    const memory = await listening();
    const ring = (next: string) => ({ target: 'ring', status: 'superseded', supersedes: [next], superseded_by: next });
    await writeByHand(memory, 'ring-one', { title: 'Ring one', ...ring('ring-two') });
    await writeByHand(memory, 'ring-two', { title: 'Ring two', ...ring('ring-one') });
    const lost = { title: 'Lost one', target: 'lost', status: 'superseded', superseded_by: 'decisions/nowhere.md' };
    await writeByHand(memory, 'lost', lost);
    const held = {
      title: 'Held all the same',
      target: 'held',
      status: 'active',
      superseded_by: 'decisions/nowhere.md',
    };
    await writeByHand(memory, 'held', held);
    await soon(async () => (await titlesFound(memory, 'ring lost held', { mode: 'audit' })).length).toBe(4);
    expect(await titlesFound(memory, 'ring lost held')).toEqual(['Held all the same']);
    expect(await titlesFound(memory, 'ring lost held', { mode: 'strict' })).toEqual(['Held all the same']);
    for (const target of ['ring', 'lost', 'held', null]) await memory.done('visualize_graph', { target });
    expect((await memory.done('decision_chain', { target: 'ring' })).chain).toHaveLength(2);
    await memory.done('forget_memory', { decision_id: 'ring-one' });
    expect(await textOf(memory, 'decisions/ring-two.md')).not.toContain('ring-one');
    await memory.record('ring', 'A line after all');
    await memory.record('lost', 'Found again');
    await memory.supersede('held', 'Let go', ['held']);
  });
});

describe('targets', () => {
  const aliasFile = (memory: Memory) => join(memory.home, 'targets.json');
  const else_ = (target: string) => ({ title: 'Else', target, rationale: 'Something quite different.' });

  it('answer to an alias given through the door or written by hand, each in its namespace', async () => {
    const memory = await listening();
    const id = await memory.record('database', 'PostgreSQL holds our data');
    await memory.done('target_alias', { alias: 'DB', target: 'database' });
    expect(JSON.parse(await readFile(aliasFile(memory), 'utf8'))).toEqual({ aliases: { default: { DB: 'database' } } });
    const byHand = { aliases: { default: { DB: 'database', datenbank: 'database' }, team: { db: 'lake' } } };
    await writeFile(aliasFile(memory), JSON.stringify(byHand));
    for (const target of ['db', 'Db', 'Datenbank', 'DATABASE']) {
      expect(await memory.refused('record_decision', else_(target))).toContain(`'database' already has`);
      expect((await memory.done('decision_chain', { target })).active).toBe(id);
    }
    expect(await memory.done('record_decision', { ...else_('db'), namespace: 'team' })).toMatchObject({
      target: 'lake',
    });
    const { targets } = await memory.done('target_list');
    expect(targets[0]).toMatchObject({ target: 'database', aliases: ['DB', 'datenbank'] });
    expect(await memory.refused('target_alias', { alias: 'first', target: 'database' })).toContain(
      'a target with decisions of its own',
    );
    expect(await memory.refused('target_alias', { alias: 'Not yet', target: 'not_yet' })).toContain(
      'no alias for itself',
    );
  });

  it('answer to the unique end of their path, and to no end that two have', async () => {
    const memory = await listening();
    await memory.record('core/api', 'Version it in the path');
    expect(await memory.refused('record_decision', else_('API'))).toMatch(/^CONFLICT: Target 'core\/api' /);
    await memory.record('edge/api', 'Version it in a header');
    expect((await memory.done('record_decision', else_('api'))).target).toBe('api');
    // The end of a name is not the end of a path.
    expect((await memory.done('record_decision', else_('pi'))).target).toBe('pi');
  });

  it('are renamed with all their decisions, and the old name still leads there', async () => {
    const memory = await listening();
    const old = await memory.record('cache', 'Redis it is');
    const next = await memory.supersede('cache', 'Valkey it is', [old]);
    await memory.done('target_alias', { alias: 'speicher', target: 'cache' });
    const { moved } = await memory.done('target_rename', { from: 'Cache', to: 'storage/cache' });
    expect(moved.sort()).toEqual([old, next].sort());
    for (const id of [old, next]) expect(await textOf(memory, id)).toContain('target: storage/cache');
    for (const target of ['storage/cache', 'cache', 'Cache', 'speicher']) {
      expect((await memory.done('decision_chain', { target })).chain).toHaveLength(2);
      expect(await memory.refused('record_decision', else_(target))).toContain(next);
    }
    expect(await memory.refused('target_rename', { from: 'storage/cache', to: 'first' })).toMatch(/^CONFLICT: /);
    expect(await memory.refused('target_rename', { from: 'nothing', to: 'something' })).toContain("'nothing'");
    expect((await memory.done('target_list')).targets.map(({ target }: Message) => target)).toEqual([
      'first',
      'storage/cache',
    ]);
  });

  it('are not confused by a malformed targets.json: it is named, never overwritten, and reading goes on', async () => {
    const memory = await listening();
    const id = await memory.record('database', 'PostgreSQL holds our data');
    const malformed = [
      '{ "aliases": { "default": { "db": "database" ',
      '{ "db": "database" }',
      '{ "aliases": { "default": { "db": 7 } } }',
      '{ "aliases": [] }',
    ];
    for (const text of malformed) {
      await writeFile(aliasFile(memory), text);
      expect((await warnings(memory)).join()).toContain('targets.json cannot be read');
      expect(await titlesFound(memory, 'postgresql')).toEqual(['PostgreSQL holds our data']);
      expect((await memory.get(id)).status).toBe('active');
      for (const [name, params] of [
        ['record_decision', else_('brand new')],
        ['target_alias', { alias: 'db', target: 'database' }],
        ['target_rename', { from: 'database', to: 'storage' }],
      ] as const) {
        expect(await memory.refused(name, params)).toContain('targets.json cannot be read');
      }
      expect(await readFile(aliasFile(memory), 'utf8')).toBe(text);
      expect(await textOf(memory, id)).toContain('target: database');
    }
    await writeFile(aliasFile(memory), '{ "aliases": { "default": { "db": "database" } } }');
    expect(await memory.refused('record_decision', else_('db'))).toContain(id);
  });
});

describe('the history', () => {
  it('keeps every version, also the one that somebody wrote by hand, before it is replaced', async () => {
    const memory = await listening();
    const id = await memory.record('cache', 'Redis it is');
    await rewrite(memory, id, (text) => text.replace('for a reason of its own', 'for what Ann found out'));
    await memory.supersede('cache', 'Valkey it is', [id]);
    const look = async () => {
      const { versions } = await memory.done('decision_history', { decision_id: id });
      const texts: string[] = [];
      for (const { commit } of versions) {
        texts.push((await memory.done('decision_history', { decision_id: id, commit })).text);
      }
      return { authors: versions.map(({ author }: Message) => author), texts };
    };
    const early = await look();
    expect(early.authors).toEqual(['admin', 'by hand', 'admin']);
    const [last, found, first] = early.texts;
    expect(first).toContain('for a reason of its own');
    expect(found).toContain('for what Ann found out');
    expect(found).toContain('status: active');
    expect(last).toContain('for what Ann found out');
    expect(last).toContain('status: superseded');
    expect(last).toBe(await textOf(memory, id));
    // The same once git has them, for us as for anybody with git.
    await soon(async () => (await healthOf(memory)).not_committed_yet).toBe(0);
    expect(await look()).toEqual(early);
    const repository = ['--git-dir', join(memory.home, 'history.git')];
    const log = execFileSync('git', [...repository, 'log', '--format=%an', '--', `*/${basename(id)}`], {
      encoding: 'utf8',
    });
    expect(log.trim().split('\n')).toEqual(['admin', 'by hand', 'admin']);
    expect(await memory.refused('decision_history', { decision_id: id, commit: 'deadbeef' })).toContain('deadbeef');
    expect(await memory.refused('decision_history', { decision_id: 'none' })).toContain('none');
  });

  it('of an instruction is listed, read and restored as a new version', async () => {
    const memory = await listening();
    const entry = { id: 'review', title: 'T', priority: 50, requirement: 'recommended', categories: ['testing'] };
    const add = (body: string) => memory.ask('instructions/add', { entry: { ...entry, body }, overwrite: true });
    await add('Review small changes.');
    const file = join(memory.home, 'instructions/review.json');
    const stored = JSON.parse(await readFile(file, 'utf8'));
    await writeFile(file, JSON.stringify({ ...stored, body: 'Edited by hand.' }, null, 2));
    await memory.ask('instructions/get', { id: 'review' });
    await add('Review everything.');
    const { versions } = await memory.ask('instruction_history', { id: 'review' });
    expect(versions.map(({ author }: Message) => author)).toEqual(['admin', 'by hand', 'admin']);
    const bodies: string[] = [];
    for (const { commit } of versions)
      bodies.push((await memory.ask('instruction_history', { id: 'review', commit })).entry.body);
    expect(bodies).toEqual(['Review everything.', 'Edited by hand.', 'Review small changes.']);
    const { commit } = versions[1];
    expect(await memory.ask('instruction_restore', { id: 'review', commit })).toMatchObject({
      restored: commit,
      overwritten: true,
    });
    const { item } = await memory.ask('instructions/get', { id: 'review' });
    expect([item.body, item.version]).toEqual(['Edited by hand.', '1.0.2']);
    expect((await memory.ask('instruction_history', { id: 'review' })).versions).toHaveLength(4);
    expect(
      (await memory.server.ask('instruction_restore', { id: 'review', commit: 'deadbeef' })).error.message,
    ).toContain('deadbeef');
    expect((await memory.server.ask('instruction_history', { id: 'nobody' })).error.message).toContain('nobody');
  });

  it('waits where there is no git, says so, and loses nothing: a later server with git commits it', async () => {
    const memory = await listening({ env: { PATH: await freshFolder() } });
    const id = await memory.record('cache', 'Redis it is');
    const next = await memory.supersede('cache', 'Valkey it is', [id]);
    expect(await healthOf(memory)).toMatchObject({ git_available: false, git_configured: false, errors: [] });
    expect((await healthOf(memory)).not_committed_yet).toBe(3);
    expect((await warnings(memory)).join()).toContain('git was not found');
    const { versions } = await memory.done('decision_history', { decision_id: id });
    expect(versions).toHaveLength(2);
    memory.server.kill('SIGKILL');
    await memory.server.exited;
    const again = await openMemory({ home: memory.home });
    expect((await again.done('decision_history', { decision_id: id })).versions).toEqual(versions);
    await again.record('queue', 'Rabbits carry messages');
    await soon(async () => (await healthOf(again)).not_committed_yet).toBe(0);
    expect((await again.done('decision_history', { decision_id: id })).versions).toHaveLength(2);
    expect((await again.done('decision_history', { decision_id: next })).versions).toHaveLength(1);
  });

  it('waits where its branch is locked, and goes on when it no longer is', async () => {
    const memory = await listening();
    await soon(async () => (await healthOf(memory)).not_committed_yet).toBe(0);
    const lock = join(memory.home, 'history.git/refs/heads/main.lock');
    await writeFile(lock, '');
    const id = await memory.record('cache', 'Redis it is');
    const health = await healthOf(memory);
    expect(health).toMatchObject({ git_available: true, repo_healthy: false, not_committed_yet: 1, errors: [] });
    expect(health.warnings.join()).toContain('main.lock');
    expect((await memory.done('decision_history', { decision_id: id })).versions).toHaveLength(1);
    memory.server.kill('SIGKILL');
    await memory.server.exited;
    await rm(lock);
    const again = await openMemory({ home: memory.home });
    await again.record('queue', 'Rabbits carry messages');
    await soon(async () => (await healthOf(again)).not_committed_yet).toBe(0);
    expect(await healthOf(again)).toMatchObject({ repo_healthy: true });
    expect((await again.done('decision_history', { decision_id: id })).versions).toMatchObject([{ author: 'admin' }]);
  });

  it('runs nothing that a stranger planted in it, and moves that aside', async () => {
    const home = await freshHome();
    const folder = join(home, 'history.git');
    const proof = join(await freshFolder(), 'ran');
    await mkdir(join(folder, 'hooks'), { recursive: true });
    for (const hook of ['post-commit', 'reference-transaction', 'pre-auto-gc', 'post-update']) {
      await writeFile(join(folder, 'hooks', hook), `#!/bin/sh\ntouch '${proof}'\n`, { mode: 0o755 });
    }
    const config = `[core]\n\tbare = true\n\tfsmonitor = "touch '${proof}'"\n\thooksPath = ${folder}/hooks\n`;
    await writeFile(join(folder, 'config'), config);
    await writeFile(join(folder, 'HEAD'), 'ref: refs/heads/main\n');
    const memory = await listening({ home });
    await soon(async () => (await healthOf(memory)).not_committed_yet).toBe(0);
    expect(existsSync(proof)).toBe(false);
    const aside = (await readdir(home)).filter((name) => name.startsWith('history.git.untrusted-'));
    expect(aside.length).toBeGreaterThan(0);
    const kept = await Promise.all(aside.map(async (name) => readdir(join(home, name))));
    expect(kept.flat()).toContain('hooks');
  });

  it('is not kept where its place is a link, and no write fails for that', async () => {
    const home = await freshHome();
    const elsewhere = await freshFolder();
    await mkdir(home, { recursive: true });
    await symlink(elsewhere, join(home, 'history.git'));
    const memory = await listening({ home });
    const id = await memory.record('cache', 'Redis it is');
    await memory.supersede('cache', 'Valkey it is', [id]);
    const health = await healthOf(memory);
    expect(health).toMatchObject({ repo_healthy: false, not_committed_yet: 3 });
    expect(health.warnings.join()).toContain('is a link or a file, not a folder');
    expect(await readdir(elsewhere)).toEqual([]);
    expect((await memory.done('decision_history', { decision_id: id })).versions).toHaveLength(2);
  });
});
