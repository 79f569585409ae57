/** What other decision memories got wrong: each test is one lesson, and fails where we make the same mistake. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Message, serveHttp } from '../support/cairn.ts';
import { freshFolder, freshHome } from '../support/home.ts';
import { isThere, type Memory, openMemory, pathOf, soon, textOf, titlesFound, writeByHand } from './memory.ts';

async function chainOf(memory: Memory, length: number, target = 'cache'): Promise<string[]> {
  const ids = [await memory.record(target, 'Choice 0')];
  for (let n = 1; n < length; n++) ids.push(await memory.supersede(target, `Choice ${n}`, ids.slice(-1)));
  return ids;
}

/** From the first to the last as the links lead, checked in both directions. */
async function followed(memory: Memory, from: string): Promise<string[]> {
  const way = [from];
  for (let decision = await memory.get(from); decision.superseded_by !== undefined; ) {
    const next = await memory.get(decision.superseded_by);
    expect(next.supersedes).toContain(decision.id);
    way.push(next.id);
    decision = next;
  }
  return way;
}

describe('forgetting', () => {
  it('any member of a chain leaves a whole chain, and a store that opens and takes writes', async () => {
    const memory = await openMemory();
    const chains: { target: string; left: string[]; gone: string; event_id: number }[] = [];
    for (const at of [0, 1, 2, 3, 4]) {
      const target = `cache ${at}`;
      const ids = await chainOf(memory, 5, target);
      const { event_id } = await memory.done('record_interaction', {
        prompt: `Does ${at} hold?`,
        response: 'It does.',
      });
      await memory.done('link_interaction_to_decision', { event_id, decision_id: ids[4] });
      const gone = ids[at] as string;
      const answer = await memory.done('forget_memory', { decision_id: gone });
      expect(answer.restored).toBe(at === 4 ? ids[3] : undefined);
      chains.push({ target, gone, event_id, left: ids.filter((id) => id !== gone) });
    }
    for (const each of [memory, await openMemory({ home: memory.home })]) {
      for (const { target, left, event_id } of chains) {
        expect(await followed(each, left[0] as string)).toEqual(left);
        expect(await each.get(left[3] as string)).toMatchObject({ status: 'active', evidence: [{ event_id }] });
        expect((await each.done('decision_chain', { target })).active).toBe(left[3]);
      }
      expect((await each.done('get_environment_health')).health.warnings.join()).not.toContain('cache');
    }
    for (const { target, left, gone } of chains) {
      await memory.supersede(target, 'Choice 5', [left[3] as string]);
      for (const id of left) expect(await textOf(memory, id)).not.toContain(gone);
    }
    await memory.record('another', 'Life goes on');
  });

  it('members of a chain one after the other, in any order, ends with an empty target', async () => {
    const memory = await openMemory();
    const ids = await chainOf(memory, 5);
    for (const at of [2, 4, 0, 3, 1]) await memory.done('forget_memory', { decision_id: ids[at] });
    expect((await memory.done('get_memory_stats')).stats.semantic_decisions).toBe(0);
    await memory.record('cache', 'A new beginning');
  });

  it('says what is left in the history, and removes that as well when it is asked to', async () => {
    const memory = await openMemory();
    const word = 'rhododendron';
    const first = await memory.record('garden', `We plant the ${word}`);
    const second = await memory.record('pond', `No ${word} near the pond`);
    const waiting = async () => (await memory.done('get_environment_health')).health.not_committed_yet;
    await soon(waiting).toBe(0);
    const plain = await memory.done('forget_memory', { decision_id: first });
    expect(plain.history).toMatch(/^\d+ earlier versions stay readable/);
    const { versions } = await memory.done('decision_history', { decision_id: first });
    const old = { decision_id: first, commit: versions.at(-1).commit };
    expect((await memory.done('decision_history', old)).text).toContain(word);

    const thorough = await memory.done('forget_memory', { decision_id: second, rewrite_history: true });
    expect(thorough.history).toMatch(/^Removed from the history/);
    expect(await memory.refused('decision_history', { decision_id: second })).toContain('no version');
    const git = (...args: string[]) =>
      execFileSync('git', ['--git-dir', join(memory.home, 'history.git'), ...args], { encoding: 'utf8' });
    const objects = git('cat-file', '--batch-all-objects', '--batch-check=%(objecttype) %(objectname)');
    const texts = objects.split('\n').filter((line) => line.startsWith('blob'));
    const kept = texts.map((line) => git('cat-file', 'blob', line.split(' ')[1] as string)).join('\n');
    expect(kept).toContain(`We plant the ${word}`);
    expect(kept).not.toContain(`No ${word} near the pond`);
    expect(git('log', '--format=%B', 'main')).not.toContain(`No ${word} near the pond`);
  });
});

it('decay is a figure in the answer: it falls with time, rises with evidence, and never touches a file', async () => {
  const memory = await openMemory();
  await memory.record('new', 'Made just now');
  expect(await titlesFound(memory, 'long ago')).toEqual([]);
  const years = new Date(Date.now() - 2 * 365 * 86_400_000).toISOString();
  const old = await writeByHand(memory, 'old', { title: 'Long ago', target: 'old', created: years, updated: years });
  const before = await textOf(memory, old);
  const { confidence } = await memory.get(old);
  expect(confidence).toBeLessThan(0.5);
  expect(confidence).toBeGreaterThan(0);
  expect((await memory.get(old)).confidence).toBe(confidence);
  await soon(() => titlesFound(memory, 'long ago')).toEqual(['Long ago']);
  await memory.done('reflect');
  const { event_id } = await memory.done('record_interaction', { prompt: 'Still so?', response: 'Still so.' });
  await memory.done('link_interaction_to_decision', { event_id, decision_id: old });
  expect((await memory.get(old)).confidence).toBeGreaterThan(confidence);
  expect(await textOf(memory, old)).toBe(before);
});

it('opening and writing start no git process per file', async () => {
  const memory = await openMemory();
  const count = 300;
  await memory.record('target', 'There must be a home first');
  for (let n = 0; n < count; n++) await writeByHand(memory, `d${n}`, { title: `Title ${n}`, target: `target-${n}` });
  memory.server.kill('SIGKILL');
  await memory.server.exited;
  await rm(join(memory.home, 'index.db'), { force: true });

  // A git of our own in front, which keeps a line for every start.
  const folder = await freshFolder();
  const log = join(folder, 'log');
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  await writeFile(join(folder, 'git'), `#!/bin/sh\necho started >> '${log}'\nexec '${real}' "$@"\n`);
  await chmod(join(folder, 'git'), 0o755);
  const starts = () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').length : 0);
  const env = { PATH: `${folder}${delimiter}${process.env.PATH}` };
  const again = await openMemory({ home: memory.home, env });
  expect(await titlesFound(again, 'title 250', { limit: 1 })).toEqual(['Title 250']);
  expect((await again.done('get_memory_stats')).stats.semantic_decisions).toBe(count + 1);
  expect(starts()).toBe(0);
  await again.record('one more', 'Written now');
  await soon(async () => (await again.done('get_environment_health')).health.not_committed_yet).toBe(0);
  const forHealth = starts();
  await again.done('search_decisions', { query: 'title' });
  expect(starts()).toBe(forHealth);
  expect((await readdir(join(memory.home, 'decisions'))).length).toBe(count + 2);
  expect(
    execFileSync('git', ['--git-dir', join(memory.home, 'history.git'), 'log', '--format=%s'], { encoding: 'utf8' }),
  ).toContain('record_decision');
});

it('a write that fails discards nothing that somebody else changed', async () => {
  const memory = await openMemory();
  const id = await memory.record('cache', 'Redis it is');
  const edited = (await textOf(memory, id)).replace('Redis it is', 'Redis it is, says Ann');
  await writeFile(pathOf(memory, id), edited);
  const notes = pathOf(memory, 'decisions/notes.txt');
  await writeFile(notes, 'Not yours.');
  await memory.refused('record_decision', { title: 'Else', target: 'cache', rationale: 'Something quite different.' });
  await memory.refused('supersede_decision', {
    title: 'Else',
    target: 'cache',
    rationale: 'Something quite different.',
    old_decision_ids: [id, 'decisions/none.md'],
  });
  await memory.refused('forget_memory', { decision_id: 'decisions/none.md' });
  expect(await textOf(memory, id)).toBe(edited);
  expect(await readFile(notes, 'utf8')).toBe('Not yours.');
});

it('a conflict never suggests the name that was asked for, and what was refused is not known afterwards', async () => {
  const memory = await openMemory();
  await memory.record('payments/api', 'Payments are idempotent');
  const else_ = (target: string) => ({ title: 'Else', target, rationale: 'Something quite different.' });
  const messages = [
    await memory.refused('record_decision', else_('payments/api')),
    await memory.refused('record_decision', else_('Payments/API')),
    await memory.refused('record_decision', else_('api')),
  ];
  for (const message of messages) expect(message).not.toContain('Did you mean');
  await memory.record('payments/app', 'The app is blue');
  expect(await memory.refused('record_decision', else_('payments/api'))).toMatch(/Did you mean: payments\/app\?$/);
  await memory.server.ask('record_decision', { ...else_('brand new'), rationale: 'short' });
  await memory.refused('record_decision', { ...else_('brand new'), rationale: '      short      ' });
  await memory.refused('supersede_decision', { ...else_('brand new'), old_decision_ids: ['none'] });
  const { targets } = await memory.done('target_list');
  expect(targets.map(({ target }: Message) => target)).toEqual(['payments/api', 'payments/app']);
  expect(await memory.refused('visualize_graph', { target: 'brand new' })).not.toContain('Did you mean');
});

it('an event speaks for many decisions and a decision has many events; a missing end is an error', async () => {
  const memory = await openMemory();
  const decisions = [await memory.record('a', 'The first'), await memory.record('b', 'The second')];
  const events: number[] = [];
  for (const prompt of ['One?', 'Two?']) {
    events.push((await memory.done('record_interaction', { prompt, response: 'Yes.' })).event_id);
  }
  for (const event_id of events) {
    for (const decision_id of decisions) await memory.done('link_interaction_to_decision', { event_id, decision_id });
  }
  for (const id of decisions) {
    expect((await memory.get(id)).evidence.map(({ event_id }: Message) => event_id)).toEqual(events);
  }
  const listed = (await memory.done('event_list', { kind: 'interaction' })).events;
  for (const { linked_to } of listed) expect(linked_to.sort()).toEqual([...decisions].sort());
  const link = (event_id: number, decision_id: string) => ({ event_id, decision_id });
  expect(await memory.refused('link_interaction_to_decision', link(999, decisions[0] as string))).toBe(
    'No event has the id 999',
  );
  expect(await memory.refused('link_interaction_to_decision', link(events[0] as number, 'decisions/none.md'))).toBe(
    'No decision has the id decisions/none.md',
  );
  await memory.done('forget_memory', { decision_id: decisions[0] });
  for (const { linked_to } of (await memory.done('event_list', { kind: 'interaction' })).events) {
    expect(linked_to).toEqual([decisions[1]]);
  }
});

it('a question in plain words finds what it is about, although most of its words are nowhere', async () => {
  const memory = await openMemory();
  await memory.record('session_storage', 'Use Redis for session caching', {
    rationale: 'Redis provides sub-millisecond latency and native TTL support for session data.',
  });
  await memory.record('deploys', 'Deploy on weekdays only', {
    rationale: 'Nobody wants to repair a broken release on a Saturday night.',
  });
  await memory.record('api', 'Version the public API in the path', {
    rationale: 'Clients can see which version they call, and proxies can route by it.',
  });
  const questions = {
    'How do we keep the sessions of our users fast?': 'Use Redis for session caching',
    'May I push a release on Saturday?': 'Deploy on weekdays only',
    'Where does the version of the API go, header or path?': 'Version the public API in the path',
  };
  for (const [question, title] of Object.entries(questions)) {
    expect([question, (await titlesFound(memory, question))[0]]).toEqual([question, title]);
  }
});

it('whether an interaction went well is what the caller says, not what words it holds', async () => {
  const memory = await openMemory();
  await memory.done('record_interaction', { prompt: 'Why the error?', response: 'Error: failed. Exception fixed.' });
  await memory.done('record_interaction', { prompt: 'All right?', response: 'Everything is fine.', success: false });
  expect((await memory.done('event_list')).events.map(({ success }: Message) => success)).toEqual([false, true]);
});

describe('who may do what', () => {
  it('is asked in front of every way to an operation', async () => {
    const admin = await openMemory();
    const id = await admin.record('cache', 'Redis it is');
    const viewer = await openMemory({ home: admin.home, role: 'viewer' });
    const forget = { decision_id: id };
    for (const name of ['forget_memory', 'forget-memory', 'forgetMemory', 'forget/memory']) {
      expect((await viewer.server.ask(name, forget)).error.message).toBe("Capability 'purge' is required");
    }
    const batch = await viewer.server.ask('execute', { operations: [{ op: 'forget_memory', params: forget }] });
    expect(batch.error.message).toBe("Capability 'write' is required");
    const steps = [{ op: 'forget_memory', params: forget }];
    expect((await viewer.server.ask('query', { steps })).error.code).toBeLessThan(0);
    const agent = await openMemory({ home: admin.home, role: 'agent' });
    const { results } = await agent.ask('execute', { operations: [{ op: 'forget_memory', params: forget }] });
    expect(results).toMatchObject([{ success: false, error: "Capability 'purge' is required" }]);
    expect(isThere(admin, id)).toBe(true);
  });

  it('is asked over HTTP for every tool alike: no key, no answer', async () => {
    const key = 'lesson-key-0123456789';
    const { url } = await serveHttp(['--home', await freshHome()], { LEDGERMIND_API_KEY: key });
    const call = async (name: string, headers: Record<string, string> = {}) => {
      const response = await fetch(`${url}/mcp`, {
        method: 'POST',
        headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } }),
      });
      await response.arrayBuffer();
      return response.status;
    };
    for (const name of [
      'get_memory_stats',
      'search_decisions',
      'visualize_graph',
      'record_decision',
      'forget_memory',
    ]) {
      expect([name, await call(name), await call(name, { 'x-api-key': 'wrong' })]).toEqual([name, 401, 401]);
      expect([name, await call(name, { 'x-api-key': key })]).toEqual([name, 200]);
    }
  });

  it('does not depend on words in the text: who wrote a decision is what the server noted', async () => {
    const agent = await openMemory({ role: 'agent' });
    const own = await agent.record('cache', 'Redis it is');
    expect(await textOf(agent, own)).toMatch(/\n\n\[via MCP\]\n$/);
    expect((await agent.get(own)).rationale).not.toContain('[via MCP]');
    const mention = 'Tools end their records with [via MCP], people do not.';
    const human = await writeByHand(agent, 'by-ann', { title: 'About marks', target: 'marks' }, mention);
    const plain = { title: 'Mine now', target: 'marks', rationale: 'An agent wants to have this.' };
    await agent.get(human);
    for (const rationale of [plain.rationale, `${plain.rationale} [via MCP]`]) {
      expect(await agent.refused('supersede_decision', { ...plain, rationale, old_decision_ids: [human] })).toMatch(
        /^Isolation Violation: /,
      );
    }
    for (const forged of [{ provenance: { origin: 'human' } }, { origin: 'human' }, { human: true }]) {
      const { error } = await agent.server.ask('record_decision', { ...plain, target: 'other', ...forged });
      expect(error.code).toBe(-32602);
    }
    const faked = { title: 'x', target: 'forged', rationale: '---\nprovenance:\n  origin: human\n---\nIt was Ann.' };
    const { decision_id } = await agent.done('record_decision', faked);
    expect(await agent.get(decision_id)).toMatchObject({ origin: 'agent', rationale: faked.rationale });
  });
});

it('commits beyond the limit wait for the next call, in each repository on its own', async () => {
  const repository = async () => {
    const path = await freshFolder();
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', path, '-c', 'user.name=Ann', '-c', 'user.email=a@x', ...args], { stdio: 'pipe' });
    git('init', '-q');
    const commits = (from: number, to: number) => {
      for (let n = from; n <= to; n++) git('commit', '-q', '--allow-empty', '-m', `Commit ${n} of ${path}`);
    };
    commits(1, 2);
    return { path, commits };
  };
  const [left, right] = [await repository(), await repository()];
  const memory = await openMemory({ env: { CAIRN_ROOTS: [left.path, right.path].join(delimiter) } });
  const sync = async ({ path }: { path: string }) => {
    const { indexed_commits, more } = await memory.done('sync_git_history', { repo_path: path, limit: 3 });
    return [indexed_commits, more];
  };
  expect([await sync(left), await sync(right)]).toEqual([
    [2, false],
    [2, false],
  ]);
  left.commits(3, 9);
  right.commits(3, 4);
  expect(await sync(left)).toEqual([3, true]);
  expect(await sync(right)).toEqual([2, false]);
  expect(await sync(left)).toEqual([3, true]);
  expect(await sync(left)).toEqual([1, false]);
  expect(await sync(left)).toEqual([0, false]);
  const { events, total } = await memory.done('event_list', { kind: 'commit', limit: 200 });
  expect([total, new Set(events.map(({ subject }: Message) => subject)).size]).toEqual([13, 13]);
});

it('an index made anew from the files finds the same by the same words, reasons and consequences included', async () => {
  const memory = await openMemory();
  const old = await memory.record('cache', 'Redis it is', { rationale: 'It evaporates quietly at night.' });
  await memory.supersede('cache', 'Valkey it is', [old], {
    rationale: 'The licence became a labyrinth.',
    consequences: ['Rename every turnstile'],
  });
  const ask = async (each: Memory) => {
    const answers = [];
    for (const query of ['evaporates', 'labyrinth', 'turnstile', 'valkey', 'cache']) {
      answers.push((await each.done('search_decisions', { query, mode: 'audit' })).results);
    }
    return answers;
  };
  const before = await ask(memory);
  expect(before.map((results) => results.length)).toEqual([1, 1, 1, 1, 2]);
  memory.server.endInput();
  await memory.server.exited;
  for (const name of await readdir(memory.home)) if (name.startsWith('index.db')) await rm(join(memory.home, name));
  expect(await ask(await openMemory({ home: memory.home }))).toEqual(before);
});

it('success is returned for what is there: killed right after the answer, nothing is missing', async () => {
  const memory = await openMemory();
  const first = await memory.record('cache', 'Redis it is');
  const second = await memory.supersede('cache', 'Valkey it is', [first]);
  const { event_id } = await memory.done('record_interaction', { prompt: 'Sure?', response: 'Sure.' });
  await memory.done('link_interaction_to_decision', { event_id, decision_id: second });
  memory.server.kill('SIGKILL');
  await memory.server.exited;
  const again = await openMemory({ home: memory.home });
  expect(await again.get(first)).toMatchObject({ status: 'superseded', superseded_by: second });
  expect(await again.get(second)).toMatchObject({ status: 'active', evidence: [{ event_id }] });
  expect(await titlesFound(again, 'redis')).toEqual(['Valkey it is']);
  expect((await again.done('decision_history', { decision_id: first })).versions).toHaveLength(2);
  expect((await again.server.ask('audit_verify')).result.intact).toBe(true);
});

it('what was superseded does not come back as if it held', async () => {
  const memory = await openMemory();
  const old = await memory.record('cache', 'Redis it is', { rationale: 'Redis is fast and everybody knows it.' });
  await memory.supersede('cache', 'Valkey it is', [old], { rationale: 'The licence of the other one has changed.' });
  for (const each of [memory, await openMemory({ home: memory.home })]) {
    expect(await titlesFound(each, 'redis fast', { mode: 'strict' })).toEqual([]);
    const { results } = await each.done('search_decisions', { query: 'redis fast' });
    expect(results).toMatchObject([{ title: 'Valkey it is', status: 'active', matched: { id: old } }]);
    expect((await each.done('search_decisions', { query: 'redis', mode: 'audit' })).results).toMatchObject([
      { id: old, status: 'superseded' },
    ]);
  }
});

it('a namespace is a wall: nothing is seen, touched or counted across it, and every answer names its own', async () => {
  const memory = await openMemory();
  const ours = await memory.record('cache', 'Redis for us', { namespace: 'ours' });
  const theirs = await memory.record('cache', 'Valkey for them', { namespace: 'theirs/web' });
  await memory.done('target_alias', { alias: 'speicher', target: 'cache', namespace: 'ours' });
  for (const [namespace, title] of [
    ['ours', 'Redis for us'],
    ['theirs/web', 'Valkey for them'],
  ] as const) {
    for (const mode of ['strict', 'balanced', 'audit']) {
      const answer = await memory.done('search_decisions', { query: 'redis valkey cache', namespace, mode });
      expect(answer.results.map((result: Message) => [result.title, result.namespace])).toEqual([[title, namespace]]);
      expect(answer.searched).toEqual({ namespace, mode, decisions: 1 });
    }
    expect((await memory.done('get_memory_stats', { namespace })).stats).toMatchObject({
      semantic_decisions: 1,
      episodic_events: 1,
      namespace,
    });
    expect(await memory.done('visualize_graph', { namespace })).toMatchObject({ decisions: 1, namespace });
    expect(await memory.done('target_list', { namespace })).toMatchObject({ total: 1, namespace });
    expect(await memory.done('event_list', { namespace })).toMatchObject({ total: 1, namespace });
  }
  expect((await memory.done('search_decisions', { query: 'redis valkey cache' })).results).toEqual([]);
  expect(await memory.refused('decision_chain', { target: 'speicher', namespace: 'theirs/web' })).toContain('speicher');
  const supersede = { title: 'Mine', target: 'cache', rationale: 'Reaching over the wall.', namespace: 'ours' };
  expect(await memory.refused('supersede_decision', { ...supersede, old_decision_ids: [theirs] })).toContain(
    "in 'theirs/web', not",
  );
  const { event_id } = await memory.done('record_interaction', {
    prompt: 'Ours?',
    response: 'Ours.',
    namespace: 'ours',
  });
  expect(await memory.refused('link_interaction_to_decision', { event_id, decision_id: theirs })).toContain(
    "'theirs/web'",
  );
  expect((await memory.get(theirs)).evidence).toEqual([]);
  expect(await memory.done('link_interaction_to_decision', { event_id, decision_id: ours })).toMatchObject({
    namespace: 'ours',
  });
  // Fails closed: a scope that cannot be understood is no scope, not all of them.
  for (const namespace of ['', ' ', '*', '%', null, ['ours'], 'ours theirs']) {
    for (const name of ['search_decisions', 'get_memory_stats', 'visualize_graph', 'target_list', 'event_list']) {
      const query = name === 'search_decisions' ? { query: 'redis' } : {};
      expect((await memory.server.ask(name, { ...query, namespace })).error.code).toBe(-32602);
    }
  }
});

it('an empty answer says what was searched, and differs from one of a broken index', async () => {
  const memory = await openMemory();
  const nothing = await memory.done('search_decisions', { query: 'anything' });
  expect(nothing).toMatchObject({ results: [], searched: { namespace: 'default', mode: 'balanced', decisions: 0 } });
  await memory.record('cache', 'Redis it is');
  expect(await memory.done('search_decisions', { query: 'zeppelin', mode: 'strict' })).toMatchObject({
    results: [],
    searched: { namespace: 'default', mode: 'strict', decisions: 1 },
    indexes: { keyword: 'ready' },
  });
  memory.server.kill('SIGKILL');
  await memory.server.exited;
  for (const name of await readdir(memory.home)) {
    if (name.startsWith('index.db')) await writeFile(join(memory.home, name), 'this is no database, and was one');
  }
  const again = await openMemory({ home: memory.home });
  // Damaged beyond use it is made anew, or the call fails; never is it an empty success.
  const { result, error } = await again.server.ask('search_decisions', { query: 'redis' });
  expect(error?.message ?? result.message ?? result.results[0]?.title).toBeTruthy();
});

it('recording is not updating: what is there stays to the byte, and two records are two files', async () => {
  const memory = await openMemory();
  const id = await memory.record('cache', 'Redis it is');
  const before = await textOf(memory, id);
  await memory.refused('record_decision', { title: 'Else', target: 'cache', rationale: 'Something quite different.' });
  expect(await textOf(memory, id)).toBe(before);
  // The same target, day and title elsewhere: the names of the files must not collide.
  const others = [];
  for (let n = 0; n < 20; n++) others.push(await memory.record('cache', 'Redis it is', { namespace: `n${n}` }));
  expect(new Set([id, ...others]).size).toBe(21);
  expect(await textOf(memory, id)).toBe(before);
  // A stale expectation is told: the old id does not replace what came after it.
  const next = await memory.supersede('cache', 'Valkey it is', [id]);
  expect(
    await memory.ask('supersede_decision', {
      title: 'Third',
      target: 'cache',
      rationale: 'Made up before the second.',
      old_decision_ids: [id],
    }),
  ).toMatchObject({ status: 'error', superseded_by: next });
});

describe('secrets', () => {
  const key = `AKIA${'IOSFODNN7ABCDEFG'}`;

  it('are refused in every field of a decision, by the name of the rule and without being repeated', async () => {
    const memory = await openMemory();
    const id = await memory.record('cache', 'Redis it is');
    const sound = { title: 'Sound', target: 'other', rationale: 'A reason without any secret.' };
    const tries: Message[] = [
      { title: `Use ${key}` },
      { target: key },
      { rationale: `The key is ${key}.` },
      { consequences: [`Set it to ${key}`] },
    ];
    for (const each of tries) {
      const refused = await memory.ask('record_decision', { ...sound, ...each });
      expect(refused).toMatchObject({ status: 'error', rule: 'aws-key' });
      expect(JSON.stringify(refused)).not.toContain(key);
      await memory.refused('supersede_decision', { ...sound, ...each, old_decision_ids: [id] });
    }
    expect(await readdir(join(memory.home, 'decisions'))).toHaveLength(1);
  });

  it('are masked in interactions, in answers as in the store', async () => {
    const memory = await openMemory();
    await memory.done('record_interaction', { prompt: `Is ${key} right?`, response: `Yes, ${key} is.` });
    expect((await memory.done('event_list')).events[0].subject).toMatch(/^Is AKIA….* right\?$/);
    memory.server.endInput();
    await memory.server.exited;
    for (const name of (await readdir(memory.home)).filter((each) => /^(state|index)\.db/.test(each))) {
      expect((await readFile(join(memory.home, name))).includes(key)).toBe(false);
    }
  });

  it('do not keep the same interaction from being known as the same', async () => {
    const memory = await openMemory();
    const pair = { prompt: `Is ${key} right?`, response: 'Yes.', session: 's1' };
    const first = await memory.done('record_interaction', pair);
    expect(first.new).toBe(true);
    expect(await memory.done('record_interaction', pair)).toMatchObject({ event_id: first.event_id, new: false });
    const others = [{ session: 's2' }, { response: 'No.' }, { success: false }, { namespace: 'team' }];
    for (const other of others) {
      expect((await memory.done('record_interaction', { ...pair, ...other })).new).toBe(true);
    }
  });
});

interface Pep {
  readonly pep: number;
  readonly title: string;
  readonly superseded_by: readonly number[];
  readonly abstract: string;
}

const pepFile = resolve(import.meta.dirname, '../../../shared/data/peps/peps.jsonl');
const peps = existsSync(pepFile)
  ? readFileSync(pepFile, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Pep)
  : [];
if (peps.length === 0) it.skip('real decisions (../shared/data/peps is not here, so nothing is replayed)', () => {});

describe.skipIf(peps.length === 0)('real decisions', () => {
  const params = ({ pep, title, abstract }: Pep) => ({ title: `PEP ${pep}: ${title}`, rationale: abstract.trim() });
  const batch = async (memory: Memory, op: string, items: readonly Message[]) => {
    const operations = items.map((each) => ({ op, params: each }));
    const { results, failed } = await memory.ask('execute', { operations });
    expect(failed, JSON.stringify(results.at(-1))).toBe(0);
    return results as Message[];
  };

  it('a hundred of them, recorded one after the other, stay a hundred', async () => {
    const memory = await openMemory({ role: 'agent' });
    const every = peps.filter((_, at) => at % 7 === 0).slice(0, 100);
    expect(every).toHaveLength(100);
    const results = await batch(
      memory,
      'record_decision',
      every.map((pep) => ({ ...params(pep), target: pep.title })),
    );
    expect(results.filter(({ superseded }) => superseded !== undefined)).toEqual([]);
    expect((await memory.done('get_memory_stats')).stats).toMatchObject({ active_decisions: 100, targets: 100 });
    for (const pep of every.slice(0, 10)) {
      expect((await titlesFound(memory, pep.title))[0]).toBe(params(pep).title);
    }
  });

  it('their chains, replayed, lead from every member to the living head: from 241 to 566', async () => {
    const memory = await openMemory({ role: 'agent' });
    const byNumber = new Map(peps.map((pep) => [pep.pep, pep]));
    const lineFrom = (pep: Pep): Pep[] => {
      const next = byNumber.get(pep.superseded_by[0] ?? -1);
      return next === undefined ? [pep] : [pep, ...lineFrom(next)];
    };
    const followers = new Set(peps.flatMap(({ superseded_by }) => superseded_by));
    const lines = peps
      .filter(({ pep, superseded_by }) => superseded_by.length > 0 && !followers.has(pep))
      .map(lineFrom);
    expect(lines.length).toBeGreaterThan(20);
    const numbers = new Map<string, number>();
    const targetOf = (line: readonly Pep[]) => `line of pep ${line[0]?.pep}`;
    const firsts = await batch(
      memory,
      'record_decision',
      lines.map((line) => ({ ...params(line[0] as Pep), target: targetOf(line) })),
    );
    const heads = firsts.map(({ decision_id }) => decision_id);
    lines.forEach((line, at) => void numbers.set(heads[at], line[0]?.pep as number));
    const started = [...heads];
    for (const [at, line] of lines.entries()) {
      for (const pep of line.slice(1)) {
        heads[at] = await memory.supersede(targetOf(line), params(pep).title, [heads[at]], params(pep));
        numbers.set(heads[at], pep.pep);
      }
    }
    for (const [at, line] of lines.entries()) {
      const way = await followed(memory, started[at]);
      expect(way.map((id) => numbers.get(id))).toEqual(line.map(({ pep }) => pep));
      const { results } = await memory.done('search_decisions', { query: line[0]?.title, limit: 50 });
      expect(results.every(({ status }: Message) => status === 'active')).toBe(true);
      const own = results.find(({ target }: Message) => target === targetOf(line));
      expect(numbers.get(own?.id)).toBe(line.at(-1)?.pep);
    }
    const metadata = lines.find((line) => line[0]?.pep === 241)?.map(({ pep }) => pep);
    expect(metadata).toEqual([241, 314, 345, 566]);
  });
});
