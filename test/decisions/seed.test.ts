/** What S3 documents of its tools, to the letter, as far as they are operations today. */
import { execFileSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Message, type StdioServer, serveStdio } from '../support/cairn.ts';
import { freshFolder, freshHome } from '../support/home.ts';
import { isThere, type Memory, openMemory, soon, textOf, titlesFound, writeByHand } from './memory.ts';

/** The examples of the seed, as they are printed there. */
const redis = {
  title: 'Use Redis for session caching',
  target: 'session_storage',
  rationale: 'Redis provides sub-millisecond latency and native TTL support for session data.',
  consequences: ['Install redis-py', 'Configure REDIS_URL environment variable'],
};
const valkey = {
  title: 'Migrate session storage to Valkey',
  target: 'session_storage',
  rationale: 'Valkey is the open-source Redis fork with a more permissive license, needed for compliance.',
};
const fileId = /^decisions\/[A-Za-z0-9][A-Za-z0-9._-]*\.md$/;

/** The tools that S3 documents and that exist, with the capability each requires and arguments that fit its schema. */
const documented: [name: string, capability: string, params: Message][] = [
  ['search_decisions', 'read', { query: 'anything' }],
  ['visualize_graph', 'read', {}],
  ['get_memory_stats', 'read', {}],
  ['get_environment_health', 'read', {}],
  ['get_audit_logs', 'read', {}],
  ['get_api_specification', 'read', {}],
  ['record_decision', 'propose', redis],
  ['record_interaction', 'propose', { prompt: 'Which cache?', response: 'Redis.' }],
  ['supersede_decision', 'supersede', { ...valkey, old_decision_ids: ['decisions/none.md'] }],
  ['link_interaction_to_decision', 'supersede', { event_id: 42, decision_id: 'decisions/none.md' }],
  ['accept_proposal', 'accept', { proposal_id: 'decisions/proposal_abc.md' }],
  ['sync_git_history', 'sync', { repo_path: '/nowhere' }],
  ['forget_memory', 'purge', { decision_id: 'decisions/none.md' }],
];

async function tool(server: StdioServer, name: string, params: Message): Promise<Message> {
  return (await server.ask('tools/call', { name, arguments: params })).result;
}

describe('roles', () => {
  it.each([
    ['viewer', ['read']],
    ['agent', ['read', 'propose', 'supersede', 'accept', 'sync']],
    ['admin', ['read', 'propose', 'supersede', 'accept', 'sync', 'purge']],
  ] as const)('a %s may do what needs %j and nothing else', async (role, granted) => {
    const { server } = await openMemory({ role });
    await server.initialize();
    for (const [name, capability, params] of documented) {
      const { error } = await server.ask(name, params);
      const answer = await tool(server, name, params);
      if ((granted as readonly string[]).includes(capability)) {
        expect([name, error]).toEqual([name, undefined]);
        expect(answer.structuredContent.message ?? '').not.toContain('Capability');
      } else {
        const message = `Capability '${capability}' is required`;
        expect([name, error.code, error.message]).toEqual([name, -32004, message]);
        expect(answer).toMatchObject({ isError: true, structuredContent: { status: 'error', message } });
      }
    }
  });

  it('is an agent unless told otherwise', async () => {
    const server = serveStdio(['--home', await freshHome()]);
    expect((await server.ask('forget_memory', { decision_id: 'x' })).error.message).toBe(
      "Capability 'purge' is required",
    );
    expect((await server.ask('record_decision', redis)).result.status).toBe('success');
  });

  it('keeps an agent from replacing what a human wrote, and lets an admin do it', async () => {
    const admin = await openMemory();
    await admin.record('other', 'There must be a home first');
    const human = await writeByHand(admin, 'by-ann', { title: 'By Ann', target: 'hand' }, 'Ann decided this herself.');
    const agent = await openMemory({ home: admin.home, role: 'agent' });
    const message = 'Isolation Violation: Decision decisions/by-ann.md was created by a human';
    const words = { title: 'By Ann', target: 'hand', rationale: 'Ann decided this herself.' };
    const supersede = { ...words, old_decision_ids: [human] };
    await soon(() => titlesFound(agent, 'Ann herself')).toEqual(['By Ann']);
    expect(await agent.refused('supersede_decision', supersede)).toBe(message);
    // The same words would supersede by themselves, were it not a person's.
    expect(await agent.refused('record_decision', words)).toBe(message);
    expect(await agent.refused('target_rename', { from: 'hand', to: 'feet' })).toBe(message);
    await agent.server.initialize();
    expect(await tool(agent.server, 'supersede_decision', supersede)).toMatchObject({
      isError: true,
      structuredContent: { status: 'error', message },
    });
    expect(await agent.get(human)).toMatchObject({ status: 'active', target: 'hand', origin: 'human' });
    expect((await admin.done('supersede_decision', supersede)).superseded).toEqual([human]);
  });
});

describe('record_decision', () => {
  it('answers the documented example with the id of a file that says all of it', async () => {
    const memory = await openMemory({ role: 'agent' });
    const answer = await memory.done('record_decision', redis);
    expect(answer).toEqual({
      status: 'success',
      decision_id: expect.stringMatching(fileId),
      target: 'session_storage',
      namespace: 'default',
    });
    const text = await textOf(memory, answer.decision_id);
    for (const words of [redis.title, redis.rationale, ...redis.consequences, 'status: active', '[via MCP]']) {
      expect(text).toContain(words);
    }
    expect(await memory.get(answer.decision_id)).toMatchObject({
      ...redis,
      kind: 'decision',
      status: 'active',
      origin: 'agent',
      namespace: 'default',
    });
  });

  it('answers a tool call alike', async () => {
    const { server } = await openMemory({ role: 'agent' });
    await server.initialize();
    const { isError, structuredContent, content } = await tool(server, 'record_decision', redis);
    expect(isError).toBeUndefined();
    expect(structuredContent).toMatchObject({ status: 'success', decision_id: expect.stringMatching(fileId) });
    expect(content[0].text).toContain(structuredContent.decision_id);
  });

  it('refuses what does not fit, says which rule it breaks, and records nothing', async () => {
    const memory = await openMemory();
    const cases: [Message, string][] = [
      [{ title: undefined }, 'required'],
      [{ target: undefined }, 'required'],
      [{ rationale: undefined }, 'required'],
      [{ title: '  ' }, 'pattern'],
      [{ target: '\t' }, 'pattern'],
      [{ rationale: '123456789' }, 'minLength'],
      [{ consequences: 'Install it' }, 'type'],
      [{ provenance: { origin: 'human' } }, 'additionalProperties'],
      [{ namespace: '../other' }, 'pattern'],
    ];
    for (const [change, keyword] of cases) {
      const { error } = await memory.server.ask('record_decision', { ...redis, ...change });
      expect(error).toMatchObject({ code: -32602, data: { method: 'record_decision', errors: [{ keyword }] } });
    }
    expect(isThere(memory, 'decisions')).toBe(false);
  });

  it('takes a rationale of ten characters, not counting blanks around it', async () => {
    const memory = await openMemory();
    await memory.done('record_decision', { ...redis, rationale: '1234567890' });
    expect(await memory.refused('record_decision', { ...redis, target: 't', rationale: ' 123456789  ' })).toContain(
      'at least 10 characters',
    );
  });

  it('knows the target by any spelling of it', async () => {
    const memory = await openMemory();
    await memory.record('session_storage', redis.title);
    for (const target of ['session_storage', '  Session-Storage ', 'SESSION STORAGE', 'session.storage']) {
      expect(await memory.refused('record_decision', { ...valkey, target })).toMatch(
        /^CONFLICT: Target 'session_storage' /,
      );
    }
    expect((await memory.done('target_list')).targets).toEqual([
      { target: 'session_storage', decisions: 1, active: 1 },
    ]);
  });

  it('refuses a second truth in the documented words, names the ids and near targets, as result and as tool error', async () => {
    const memory = await openMemory();
    const id = await memory.record('database', 'PostgreSQL holds our data');
    await memory.record('database_config', 'The pool has twenty connections');
    await memory.record('colours', 'Buttons are blue');
    const second = { title: 'Documents live in a lake', target: 'database', rationale: 'Somebody likes lakes a lot.' };
    const message = `CONFLICT: Target 'database' already has active decisions: [${id}]. Did you mean: database_config?`;
    expect(await memory.ask('record_decision', second)).toMatchObject({ status: 'error', message, active: [id] });
    await memory.server.initialize();
    expect(await tool(memory.server, 'record_decision', second)).toMatchObject({
      isError: true,
      structuredContent: { status: 'error', message },
      content: [{ text: expect.stringContaining(message) }],
    });
    expect(await memory.get(id)).toMatchObject({ status: 'active', title: 'PostgreSQL holds our data' });
  });

  it('supersedes what says the same in other words, and says so; what says something else conflicts', async () => {
    const memory = await openMemory({ env: { CAIRN_EMBEDDINGS: 'bundled' } });
    const { decision_id: old } = await memory.done('record_decision', redis);
    const other = {
      ...redis,
      title: 'Sessions live in the browser',
      rationale: 'Signed cookies need no server at all.',
    };
    expect(await memory.refused('record_decision', other)).toMatch(/^CONFLICT: /);
    // A write does not wait for the model longer than two seconds, which a busy machine may need to load it.
    expect((await memory.ask('embed')).state).toBe('ready');
    const same = {
      ...redis,
      title: 'Use Redis for caching sessions',
      rationale: 'Redis offers latency below a millisecond and native TTL support for data of sessions.',
    };
    const answer = await memory.done('record_decision', same);
    expect(answer).toMatchObject({ superseded: [old], message: expect.stringContaining('replaces it') });
    expect(answer.similarity).toBeGreaterThan(0.85);
    expect(await memory.get(old)).toMatchObject({ status: 'superseded', superseded_by: answer.decision_id });
    expect(await memory.get(answer.decision_id)).toMatchObject({ status: 'active', supersedes: [old] });
  });

  it('takes the same words for the same without any model, and says why it cannot tell more', async () => {
    const memory = await openMemory();
    const { decision_id: old } = await memory.done('record_decision', redis);
    expect((await memory.done('record_decision', redis)).superseded).toEqual([old]);
    const conflict = await memory.ask('record_decision', { ...redis, ...valkey });
    expect(conflict).toMatchObject({ status: 'error', reason: expect.stringContaining('could not be compared') });
  });

  it('shows decisions on other targets that say much the same, and leaves them alone', async () => {
    const memory = await openMemory();
    const first = await memory.record('session_storage', redis.title, { rationale: redis.rationale });
    const answer = await memory.done('record_decision', { ...redis, consequences: [], target: 'token_storage' });
    expect(answer.superseded).toBeUndefined();
    expect(answer.similar).toEqual([
      { id: first, title: redis.title, target: 'session_storage', similarity: expect.closeTo(1, 2) },
    ]);
    expect(await memory.get(first)).toMatchObject({ status: 'active' });
    const unlike = await memory.done('record_decision', { ...valkey, title: 'Tabs', target: 'style' });
    expect(unlike.similar).toBeUndefined();
  });
});

/** With and without the folder and the suffix. */
const spellings = (id: string) => [id, basename(id), id.replace(/\.md$/, ''), basename(id, '.md')];

describe('supersede_decision', () => {
  it('answers the documented example, however the old id is spelled', async () => {
    const memory = await openMemory({ role: 'agent' });
    let { decision_id: old } = await memory.done('record_decision', redis);
    for (const at of [0, 1, 2, 3]) {
      const answer = await memory.done('supersede_decision', { ...valkey, old_decision_ids: [spellings(old)[at]] });
      expect(answer).toEqual({
        status: 'success',
        decision_id: expect.stringMatching(fileId),
        target: 'session_storage',
        namespace: 'default',
        superseded: [old],
      });
      const { decision_id } = answer;
      for (const id of spellings(old)) {
        expect(await memory.get(id)).toMatchObject({ id: old, status: 'superseded', superseded_by: decision_id });
      }
      expect(await memory.get(decision_id)).toMatchObject({ status: 'active', supersedes: [old] });
      old = decision_id;
    }
  });

  it('wants a reason of fifteen characters and at least one old decision', async () => {
    const memory = await openMemory();
    const { decision_id: old } = await memory.done('record_decision', redis);
    const ask = (more: Message) =>
      memory.server.ask('supersede_decision', { ...valkey, old_decision_ids: [old], ...more });
    expect((await ask({ rationale: '12345678901234' })).error).toMatchObject({ code: -32602 });
    expect((await ask({ old_decision_ids: [] })).error).toMatchObject({ code: -32602 });
    expect((await ask({ old_decision_ids: old })).error).toMatchObject({ code: -32602 });
    expect((await ask({ rationale: ' 12345678901234  ' })).result.message).toContain('at least 15 characters');
    expect((await ask({ rationale: '123456789012345' })).result.status).toBe('success');
  });

  it('refuses what does not exist, is not active, is about something else or is elsewhere, and then changes nothing', async () => {
    const memory = await openMemory();
    const first = await memory.record('cache', 'Redis it is');
    const second = await memory.supersede('cache', 'Valkey it is', [first]);
    const other = await memory.record('queue', 'Rabbits carry messages');
    const team = await memory.record('cache', 'The team has its own', { namespace: 'team' });
    const proposal = await writeByHand(memory, 'proposal_abc', { kind: 'proposal', title: 'P', target: 'cache' });
    const before = await textOf(memory, second);
    const cases: [string[], string | RegExp][] = [
      [['decisions/none.md'], 'No decision has the id decisions/none.md'],
      [['../../etc/passwd'], /^No decision has the id /],
      [[first], `Decision ${first} cannot be superseded: it is superseded, not active`],
      [[other], `Decision ${other} cannot be superseded: it is about 'queue' in 'default', not 'cache' in 'default'`],
      [[team], `Decision ${team} cannot be superseded: it is about 'cache' in 'team', not 'cache' in 'default'`],
      [[proposal], `Decision ${proposal} cannot be superseded: it is a proposal: accept or reject it`],
      // All or none: one good id does not carry a bad one.
      [[second, 'decisions/none.md'], 'No decision has the id decisions/none.md'],
    ];
    for (const [old_decision_ids, message] of cases) {
      const params = { ...valkey, target: 'cache', old_decision_ids };
      expect(await memory.refused('supersede_decision', params)).toEqual(
        typeof message === 'string' ? message : expect.stringMatching(message),
      );
    }
    expect(await textOf(memory, second)).toBe(before);
    expect((await memory.done('get_memory_stats')).stats).toMatchObject({ semantic_decisions: 3, active_decisions: 2 });
  });

  it('moves the evidence along, so that it speaks for the truth', async () => {
    const memory = await openMemory();
    const first = await memory.record('cache', 'Redis it is');
    const { event_id } = await memory.done('record_interaction', { prompt: 'Fast?', response: 'Very.' });
    await memory.done('link_interaction_to_decision', { event_id, decision_id: first });
    const second = await memory.supersede('cache', 'Valkey it is', [first]);
    expect((await memory.get(first)).evidence).toEqual([]);
    expect((await memory.get(second)).evidence).toMatchObject([{ event_id, subject: 'Fast?', success: true }]);
  });
});

describe('search_decisions', () => {
  async function chain(memory: Memory) {
    const old = await memory.record('session_storage', redis.title, { rationale: redis.rationale });
    const truth = await memory.supersede('session_storage', valkey.title, [old], { rationale: valkey.rationale });
    return { old, truth };
  }

  it('answers each hit with id, score, status, preview and kind, and says what was searched', async () => {
    const memory = await openMemory();
    const { truth } = await chain(memory);
    const answer = await memory.done('search_decisions', { query: 'permissive license' });
    expect(answer).toMatchObject({
      status: 'success',
      results: [{ id: truth, score: 1, status: 'active', preview: valkey.rationale, kind: 'decision' }],
      searched: { namespace: 'default', mode: 'balanced', decisions: 2 },
    });
  });

  it('follows the chain to the truth and tells what matched; strict sees truths only, audit everything', async () => {
    const memory = await openMemory();
    const { old, truth } = await chain(memory);
    await writeByHand(memory, 'proposal_x', { kind: 'proposal', title: 'Sub-millisecond', target: 'speed' });
    const search = async (mode?: string) =>
      (await memory.done('search_decisions', { query: 'sub-millisecond', ...(mode && { mode }) })).results;
    await soon(async () => (await search('audit')).length).toBe(2);
    for (const mode of [undefined, 'balanced']) {
      expect(await search(mode)).toMatchObject([
        { id: truth, status: 'active', matched: { id: old, status: 'superseded', title: redis.title } },
      ]);
    }
    expect(await search('strict')).toEqual([]);
    const all = await search('audit');
    expect(all.map(({ id, status, kind }: Message) => [id, status, kind]).sort()).toEqual([
      [old, 'superseded', 'decision'],
      ['decisions/proposal_x.md', 'proposed', 'proposal'],
    ]);
    expect(all.every(({ matched }: Message) => matched === undefined)).toBe(true);
  });

  it('gives five by default, one to fifty on demand, and pages without losing or repeating one', async () => {
    const memory = await openMemory();
    const operations = Array.from({ length: 12 }, (_, n) => ({
      op: 'record_decision',
      params: { title: `Rule number ${n}`, target: `area ${n}`, rationale: `Common words and the number ${n} alone.` },
    }));
    expect(await memory.ask('execute', { operations })).toMatchObject({ succeeded: 12, failed: 0 });
    const page = async (more: Message) =>
      (await memory.done('search_decisions', { query: 'common words', ...more })).results.map(({ id }: Message) => id);
    expect(await page({})).toHaveLength(5);
    expect(await page({ limit: 1 })).toHaveLength(1);
    expect(await page({ limit: 50 })).toHaveLength(12);
    for (const mode of ['strict', 'balanced', 'audit']) {
      const whole = await page({ mode, limit: 50 });
      const pages = [];
      for (const offset of [0, 5, 10]) pages.push(...(await page({ mode, offset })));
      expect(pages).toEqual(whole);
      expect(new Set(pages).size).toBe(12);
      expect(await page({ mode, offset: 12 })).toEqual([]);
    }
    for (const bad of [
      { limit: 0 },
      { limit: 51 },
      { limit: 2.5 },
      { limit: '5' },
      { offset: -1 },
      { mode: 'loose' },
    ]) {
      expect((await memory.server.ask('search_decisions', { query: 'words', ...bad })).error.code).toBe(-32602);
    }
    expect((await memory.server.ask('search_decisions', {})).error.code).toBe(-32602);
    expect((await memory.server.ask('search_decisions', { query: ' ' })).error.code).toBe(-32602);
  });

  it('is not blinded by a long chain: other decisions are found beside it', async () => {
    const memory = await openMemory();
    const title = (n: number) => `Cache choice ${n}`;
    let last = await memory.record('cache', title(0));
    for (let n = 1; n <= 60; n++) last = await memory.supersede('cache', title(n), [last]);
    await memory.record('mountains', 'Among lakes, rivers and many mountains', {
      rationale: 'A long text about many other matters, in which the word cache comes up once, near its end.',
    });
    expect(await titlesFound(memory, 'cache')).toEqual([title(60), 'Among lakes, rivers and many mountains']);
    const { chain } = await memory.done('decision_chain', { target: 'cache', limit: 500 });
    expect(chain.map(({ title: each }: Message) => each)).toEqual(Array.from({ length: 61 }, (_, n) => title(n)));
  });
});

describe('accept_proposal', () => {
  const params = { proposal_id: 'decisions/proposal_abc.md' };

  it('answers Accepted, supersedes what the proposal suggests, and links it to what it became', async () => {
    const memory = await openMemory({ role: 'agent' });
    const old = await memory.record('deploys', 'We deploy by hand');
    const fields = {
      kind: 'proposal',
      title: 'Deploy from the pipeline',
      target: 'deploys',
      suggested_supersedes: [old],
    };
    const proposal = await writeByHand(memory, 'proposal_abc', fields, 'Thrice the hand slipped.');
    const { event_id } = await memory.done('record_interaction', { prompt: 'Slipped?', response: 'Again.' });
    await memory.done('link_interaction_to_decision', { event_id, decision_id: proposal });
    const answer = await memory.done('accept_proposal', params);
    expect(answer).toMatchObject({ status: 'success', message: 'Accepted', superseded: [old] });
    expect(await memory.get(proposal)).toMatchObject({ status: 'accepted', converted_to: answer.decision_id });
    expect(await memory.get(old)).toMatchObject({ status: 'superseded', superseded_by: answer.decision_id });
    expect(await memory.get(answer.decision_id)).toMatchObject({
      kind: 'decision',
      status: 'active',
      title: fields.title,
      rationale: 'Thrice the hand slipped.',
      supersedes: [old],
      converted_from: proposal,
      evidence: [{ event_id }],
    });
    expect(await memory.refused('accept_proposal', params)).toBe(`Proposal ${proposal} is accepted already`);
  });

  it('refuses what is no proposal, what is not there, and what would make a second truth', async () => {
    const memory = await openMemory();
    const decision = await memory.record('deploys', 'We deploy by hand');
    expect(await memory.refused('accept_proposal', { proposal_id: decision })).toBe(
      `Proposal ${decision} is not a proposal`,
    );
    expect(await memory.refused('accept_proposal', params)).toBe('No decision has the id decisions/proposal_abc.md');
    const proposal = await writeByHand(memory, 'proposal_abc', { kind: 'proposal', title: 'P', target: 'Deploys' });
    expect(await memory.refused('accept_proposal', params)).toBe(
      `CONFLICT: Target 'Deploys' already has active decisions: [${decision}].`,
    );
    expect(await memory.get(proposal)).toMatchObject({ status: 'proposed' });
    expect(await memory.get(decision)).toMatchObject({ status: 'active' });
  });

  it('is as bound by isolation as superseding is', async () => {
    const memory = await openMemory({ role: 'agent' });
    await memory.record('other', 'There must be a home first');
    expect(await titlesFound(memory, 'Ann')).toEqual([]);
    const human = await writeByHand(memory, 'by-ann', { title: 'By Ann', target: 'deploys' });
    const fields = { kind: 'proposal', title: 'P', target: 'deploys', suggested_supersedes: [human] };
    await writeByHand(memory, 'proposal_abc', fields, 'An agent would rather have it so. [via MCP]');
    await soon(() => titlesFound(memory, 'Ann')).toEqual(['By Ann']);
    expect(await memory.refused('accept_proposal', params)).toBe(
      `Isolation Violation: Decision ${human} was created by a human`,
    );
    expect(await memory.get('proposal_abc')).toMatchObject({ status: 'proposed' });
  });

  it('accepts what reflection proposed, once', async () => {
    const memory = await openMemory();
    for (const turn of [1, 2, 3]) {
      await memory.done('record_interaction', {
        prompt: `Deployment number ${turn}: which region do we deploy the payment service to?`,
        response: 'The payment service is deployed to the Frankfurt region because customer data stays in Europe.',
      });
    }
    const { proposals } = await memory.done('reflect');
    expect(proposals).toHaveLength(1);
    expect(await memory.done('reflect')).toMatchObject({ proposals: [], strengthened: [] });
    const { decision_id } = await memory.done('accept_proposal', { proposal_id: proposals[0] });
    expect((await memory.get(decision_id)).evidence.map(({ event_id }: Message) => event_id)).toEqual([1, 2, 3]);
    expect((await memory.done('list_proposals')).total).toBe(0);
    expect(await memory.done('reflect')).toMatchObject({ proposals: [] });
  });
});

describe('sync_git_history', () => {
  async function repository(commits: number): Promise<{ path: string; commit: (subject: string) => void }> {
    const path = await freshFolder();
    const git = (...args: string[]) => execFileSync('git', ['-C', path, ...args], { stdio: 'pipe' });
    git('init', '-q');
    const commit = (subject: string) =>
      git('-c', 'user.name=Ann', '-c', 'user.email=ann@x', 'commit', '-q', '--allow-empty', '-m', subject);
    for (let n = 1; n <= commits; n++) commit(`Commit ${n}`);
    return { path, commit };
  }

  it('indexes the recent commits, by default twenty, each once', async () => {
    const { path, commit } = await repository(22);
    const memory = await openMemory({ role: 'agent', env: { CAIRN_ROOTS: path } });
    const sync = (more: Message = {}) => memory.done('sync_git_history', { repo_path: path, ...more });
    expect(await sync()).toMatchObject({ status: 'success', indexed_commits: 20 });
    expect(await sync()).toMatchObject({ status: 'success', indexed_commits: 0 });
    commit('One more');
    expect(await sync({ limit: 12 })).toMatchObject({ indexed_commits: 1, more: false });
    const { events, total } = await memory.done('event_list', { kind: 'commit', limit: 2 });
    expect([total, events[0].subject, events[1].subject]).toEqual([21, 'One more', 'Commit 22']);
  });

  it('indexes as many as the limit says, and refuses what is outside the roots or no repository', async () => {
    const { path } = await repository(14);
    const empty = await freshFolder();
    const memory = await openMemory({ env: { CAIRN_ROOTS: `${path}:${empty}` } });
    expect((await memory.done('sync_git_history', { repo_path: path, limit: 12 })).indexed_commits).toBe(12);
    expect(await memory.refused('sync_git_history', { repo_path: empty })).toContain('not in a git repository');
    expect(await memory.refused('sync_git_history', { repo_path: await freshFolder() })).toContain(
      'outside the allowed folders',
    );
    expect((await memory.server.ask('sync_git_history', { repo_path: path, limit: 0 })).error.code).toBe(-32602);
  });
});

describe('forget_memory', () => {
  it('removes the record from files, index and search, however it is spelled', async () => {
    const memory = await openMemory();
    for (const at of [0, 1, 2, 3]) {
      const { decision_id } = await memory.done('record_decision', redis);
      const answer = await memory.done('forget_memory', { decision_id: spellings(decision_id)[at] });
      expect(answer).toMatchObject({ status: 'success', message: `Forgotten ${decision_id}`, repaired: [] });
      expect(isThere(memory, decision_id)).toBe(false);
      expect(await titlesFound(memory, 'redis', { mode: 'audit' })).toEqual([]);
      expect((await memory.done('get_memory_stats')).stats.semantic_decisions).toBe(0);
      expect(await memory.refused('forget_memory', { decision_id })).toBe(`No decision has the id ${decision_id}`);
    }
  });

  it('cannot be made to remove another file', async () => {
    const memory = await openMemory();
    await memory.done('record_decision', redis);
    for (const decision_id of ['../state.db', '../../x', 'decisions/../state', '.', '/etc/passwd']) {
      expect(await memory.refused('forget_memory', { decision_id })).toMatch(/^No decision has the id /);
    }
    expect(await readdir(memory.home)).toContain('state.db');
  });
});

describe('visualize_graph', () => {
  it('draws chains and evidence, for one target, for null and for nothing', async () => {
    const memory = await openMemory();
    const old = await memory.record('session_storage', redis.title);
    const truth = await memory.supersede('session_storage', valkey.title, [old]);
    await memory.record('style', 'Tabs "and" ]--> <b>spaces</b>');
    const { event_id } = await memory.done('record_interaction', { prompt: 'Fast?', response: 'Very.' });
    await memory.done('link_interaction_to_decision', { event_id, decision_id: truth });
    for (const params of [{}, { target: null }]) {
      const { mermaid, decisions } = await memory.done('visualize_graph', params);
      expect(mermaid).toMatch(/^graph LR\n/);
      expect(mermaid).toMatch(/ {2}D1 -->\|superseded_by\| D2\n/);
      expect(mermaid).toContain(`E${event_id} -.->|evidence| D2`);
      expect(mermaid).toContain(`D1["${redis.title}<br/>session_storage"]:::superseded`);
      expect(mermaid).toContain('Tabs #34;and#34; #93;--#62; #60;b#62;spaces#60;/b#62;');
      expect(decisions).toBe(3);
    }
    const one = await memory.done('visualize_graph', { target: 'Session Storage' });
    expect(one.decisions).toBe(2);
    expect(one.mermaid).not.toContain('Tabs');
    expect(await memory.refused('visualize_graph', { target: 'session_storrage' })).toBe(
      "No decision is about 'session_storrage' in namespace 'default'. Did you mean: session_storage?",
    );
  });

  it('is empty where nothing is, and not an error', async () => {
    const memory = await openMemory({ role: 'viewer' });
    expect((await memory.done('visualize_graph', { target: null })).mermaid).toMatch(/^graph LR/);
  });
});

describe('what the memory tells about itself', () => {
  it('counts decisions and names the namespace and the place', async () => {
    const memory = await openMemory();
    const empty = (await memory.done('get_memory_stats')).stats;
    expect(empty).toMatchObject({ semantic_decisions: 0, namespace: 'default', storage_path: memory.home });
    await memory.record('a', 'One thing');
    await memory.record('b', 'Another thing');
    await memory.record('b', 'A third thing', { namespace: 'team' });
    expect((await memory.done('get_memory_stats')).stats).toMatchObject({ semantic_decisions: 2, targets: 2 });
    expect((await memory.done('get_memory_stats', { namespace: 'team' })).stats).toMatchObject({
      semantic_decisions: 1,
      namespace: 'team',
    });
  });

  it('reports health under the documented names', async () => {
    const memory = await openMemory({ env: { CAIRN_EMBEDDINGS: 'bundled' } });
    await memory.record('a', 'One thing');
    expect((await memory.done('get_environment_health')).health).toMatchObject({
      git_available: true,
      git_configured: true,
      storage_writable: true,
      disk_space_ok: true,
      repo_healthy: true,
      vector_available: true,
      storage_locked: false,
      errors: [],
      warnings: [],
    });
  });

  it('keeps a line for every write, also for the refused ones, newest first', async () => {
    const memory = await openMemory({ role: 'agent' });
    const { decision_id } = await memory.done('record_decision', redis);
    await memory.refused('record_decision', { ...redis, ...valkey });
    await memory.server.ask('forget_memory', { decision_id });
    const { status, logs } = await memory.done('get_audit_logs');
    expect(status).toBe('success');
    const time = /^\d{4}-\d\d-\d\dT[\d:.]+Z \| agent \| /;
    expect(logs.map((line: string) => line.replace(time, ''))).toEqual([
      'forget_memory | permission_denied',
      'record_decision | conflict',
      `record_decision | ok | ${decision_id} | ${redis.title}`,
    ]);
    expect((await memory.done('get_audit_logs', { limit: 1 })).logs).toEqual(logs.slice(0, 1));
    expect((await memory.server.ask('get_audit_logs', { limit: 0 })).error.code).toBe(-32602);
    expect((await memory.server.ask('audit_verify')).result).toMatchObject({ intact: true, entries: 3 });
  });

  it('specifies every documented tool with its parameters', async () => {
    const memory = await openMemory();
    const specification = await memory.ask('get_api_specification');
    expect(specification.openrpc).toMatch(/^1\./);
    const methods = new Map(specification.methods.map((each: Message) => [each.name, each]));
    for (const [name, , params] of documented) {
      const method = methods.get(name) as Message;
      const known = method.params.map((param: Message) => param.name);
      expect([name, known]).toEqual([name, expect.arrayContaining(Object.keys(params))]);
    }
    const record = methods.get('record_decision') as Message;
    expect(record.params.filter(({ required }: Message) => required).map(({ name }: Message) => name)).toEqual([
      'title',
      'target',
      'rationale',
    ]);
  });
});

describe('interactions', () => {
  it('are kept as events, successful unless said otherwise', async () => {
    const memory = await openMemory({ role: 'agent' });
    expect(await memory.done('record_interaction', { prompt: 'Which cache?', response: 'Redis.' })).toMatchObject({
      status: 'success',
      event_id: 1,
    });
    await memory.done('record_interaction', { prompt: 'And now?', response: 'It broke.', success: false });
    expect((await memory.done('event_list')).events).toMatchObject([
      { event_id: 2, success: false, subject: 'And now?' },
      { event_id: 1, success: true, subject: 'Which cache?' },
    ]);
    for (const bad of [{ prompt: 'x' }, { response: 'x' }, { prompt: 'x', response: 'y', success: 'yes' }]) {
      expect((await memory.server.ask('record_interaction', bad)).error.code).toBe(-32602);
    }
  });

  it('are linked to a decision in the documented words, however its id is spelled, and twice is once', async () => {
    const memory = await openMemory({ role: 'agent' });
    const decision = await memory.record('cache', 'Redis it is');
    const { event_id } = await memory.done('record_interaction', { prompt: 'Which cache?', response: 'Redis.' });
    for (const decision_id of [decision, basename(decision), basename(decision, '.md')]) {
      expect(await memory.done('link_interaction_to_decision', { event_id, decision_id })).toMatchObject({
        status: 'success',
        message: `Linked event ${event_id} to ${decision}`,
      });
    }
    expect((await memory.get(decision)).evidence).toHaveLength(1);
    expect(
      (await memory.server.ask('link_interaction_to_decision', { event_id: '1', decision_id: decision })).error.code,
    ).toBe(-32602);
  });
});

describe('the pause between two records', () => {
  const next = (n: number) => ({ title: `Rule ${n}`, target: `area ${n}`, rationale: `For reason number ${n}.` });

  it('is a second, and a PermissionError says how long is left of it', async () => {
    const memory = await openMemory({ role: 'agent', env: { CAIRN_WRITE_COOLDOWN_MS: '' } });
    const old = await memory.record('cache', 'Redis it is');
    const soonAfter = await memory.ask('record_decision', next(1));
    const told = performance.now();
    expect(soonAfter).toMatchObject({ status: 'error', message: expect.stringMatching(/^PermissionError: /) });
    expect(soonAfter.retry_after_ms).toBeGreaterThan(0);
    expect(soonAfter.retry_after_ms).toBeLessThanOrEqual(1000);
    expect(
      await memory.refused('supersede_decision', { ...next(2), target: 'cache', old_decision_ids: [old] }),
    ).toMatch(/^PermissionError: /);
    // Nothing else waits: neither reading, nor interactions, nor another connection.
    await memory.done('record_interaction', { prompt: 'Which cache?', response: 'Redis.' });
    expect(await titlesFound(memory, 'redis')).toEqual(['Redis it is']);
    const other = await openMemory({ home: memory.home, role: 'agent', env: { CAIRN_WRITE_COOLDOWN_MS: '' } });
    await other.record('queue', 'Rabbits carry messages');
    await delay(Math.max(0, soonAfter.retry_after_ms - (performance.now() - told)) + 20);
    await memory.done('record_decision', next(3));
  });

  it('counts a batch once, and is not started by what was refused', async () => {
    const memory = await openMemory({ role: 'agent', env: { CAIRN_WRITE_COOLDOWN_MS: '600000' } });
    for (const _ of [1, 2]) {
      expect(await memory.refused('record_decision', { ...next(0), rationale: '  too short  ' })).toContain(
        'too short',
      );
    }
    const operations = [1, 2, 3].map((n) => ({ op: 'record_decision', params: next(n) }));
    expect(await memory.ask('execute', { operations })).toMatchObject({ succeeded: 3, failed: 0 });
    expect(await memory.ask('execute', { operations: [{ op: 'record_decision', params: next(4) }] })).toMatchObject({
      succeeded: 0,
      results: [{ success: false, message: expect.stringMatching(/^PermissionError: /) }],
    });
    expect(await readdir(join(memory.home, 'decisions'))).toHaveLength(3);
  });
});
