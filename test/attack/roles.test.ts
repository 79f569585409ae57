/** Nobody does what their role does not allow: every operation, by every way that leads to it. */
import { describe, expect, it } from 'vitest';
import { actions } from '../../src/instructions/operations/actions.ts';
import type { SurfaceEntry } from '../../src/operations/surface.ts';
import { may } from '../../src/service/principal.ts';
import { cairn, type Message, type StdioServer, serveHttp } from '../support/cairn.ts';
import { entries, exampleOf, openArena, quiet, refusalOf } from './arena.ts';

const roles = ['viewer', 'agent'] as const;
const forbidden = (role: (typeof roles)[number]) =>
  entries.filter(({ capability }) => !may({ name: 'x', role, door: 'rpc', human: false }, capability));

const DENIED = /Capability '\w+' is required/;

/** Everything that an answer says went wrong, wherever in it. */
function troublesIn(answer: unknown): string {
  return JSON.stringify(answer);
}

interface Way {
  readonly name: string;
  ask(server: StdioServer, entry: SurfaceEntry, input: Message): Promise<unknown>;
}

const shouted = (name: string) =>
  name
    .split('_')
    .map((part) => part[0]?.toUpperCase() + part.slice(1))
    .join('');

const ways: readonly Way[] = [
  { name: 'as a method', ask: (server, { name }, input) => server.ask(name, input) },
  { name: 'as a tool', ask: (server, { name }, input) => server.ask('tools/call', { name, arguments: input }) },
  { name: 'in other letters', ask: (server, { name }, input) => server.ask(shouted(name), input) },
  { name: 'with slashes', ask: (server, { name }, input) => server.ask(name.replace('_', '/'), input) },
  {
    name: 'in a batch of writes',
    ask: (server, { name }, params) =>
      server.ask('execute', { operations: [{ op: name, params }], continueOnError: true }),
  },
  {
    name: 'behind one that is allowed',
    ask: (server, { name }, params) =>
      server.ask('execute', {
        operations: [
          { op: 'feedback_submit', params: {} },
          { op: name, params },
        ],
        continueOnError: true,
      }),
  },
  { name: 'as a step', ask: (server, { name }, params) => server.ask('query', { steps: [{ op: name, params }] }) },
  {
    name: 'as a step that takes its arguments from the one before',
    ask: (server, { name }, params) =>
      server.ask('query', {
        steps: [
          { op: 'mcp_echo', params: { message: 'x' } },
          { op: name, params: { ...params, id: '$prev.message' } },
        ],
      }),
  },
];

describe.each(roles)('a caller with the role %s', (role) => {
  it('is refused whatever the role does not hold, by every way, and nothing is written', async () => {
    const arena = await openArena();
    const prepared: [SurfaceEntry, Message][] = [];
    for (const entry of forbidden(role)) {
      if (!entry.openWorld && entry.kind !== 'composite') prepared.push([entry, await exampleOf(entry, arena.server)]);
    }
    const before = await stateOf(arena.server);
    const low = arena.start(['--role', role, '--mutation']);
    await low.initialize();
    for (const [entry, input] of prepared) {
      for (const way of ways) {
        const answer = await way.ask(low, entry, input);
        const refused = /cannot run inside|Capability '|notRun/.test(troublesIn(answer));
        expect(refused, `${entry.name} ${way.name}: ${troublesIn(answer).slice(0, 300)}`).toBe(true);
        if (way.name === 'as a method') expect(troublesIn(answer)).toMatch(DENIED);
      }
    }
    for (const [action, name] of Object.entries(actions)) {
      const found = prepared.find(([entry]) => entry.name === name);
      if (found === undefined) continue;
      const [, input] = found;
      const ways = [
        { action, ...input },
        { action, params: input },
        { action: action.replace('_', '/'), ...input },
        { action: 'batch', operations: [{ action, ...input }] },
        { action: 'batch', operations: [{ action, params: input }] },
      ];
      for (const way of ways)
        expect(troublesIn(await low.ask('instructions/dispatch', way)), `${name} ${JSON.stringify(way)}`).toMatch(
          DENIED,
        );
    }
    expect(await stateOf(arena.server)).toEqual(before);
  });
});

/** What an admin sees of everything that can be changed. */
async function stateOf(server: StdioServer): Promise<unknown> {
  const reads = [
    'keys_list',
    'instructions_list',
    'list',
    'list_snapshots',
    'list_proposals',
    'target_list',
    'backup_list',
  ];
  const seen: Record<string, unknown> = {};
  for (const name of reads) seen[name] = (await server.ask(name, {})).result;
  return JSON.parse(
    JSON.stringify(seen, (key, value) => (/^(?:checked|took|performanceMs)/.test(key) ? undefined : value)),
  );
}

describe('over REST', () => {
  it('an agent is no admin, and the page before anybody signed in is a viewer, for every operation', async () => {
    const { home, server } = await openArena();
    await server.ask('add', { name: 'a.txt', content: 'a' });
    const { url } = await serveHttp(['--home', home, '--mutation'], { ...quiet, CAIRN_HTTP_RATE: '0' });
    const page = { origin: url, 'x-cairn-page': '1', cookie: `cairn_session_${new URL(url).port}=guess` };
    for (const [role, headers] of [
      ['agent', {}],
      ['viewer', page],
    ] as const) {
      for (const { name, example } of forbidden(role)) {
        const body = JSON.stringify(example.input);
        for (const path of [name, name.replace('_', '/'), name.replace('_', '%2F'), shouted(name)]) {
          const response = await fetch(`${url}/api/v1/${path}`, { method: 'POST', headers, body });
          expect([path, response.status, await response.text()]).toEqual([path, 403, expect.stringMatching(DENIED)]);
        }
      }
    }
  });
});

describe('a session of watches', () => {
  it('gives a viewer no way to store what it may not add', async () => {
    const { server } = await openArena({ flags: ['--role', 'viewer', '--mutation'] });
    const { result } = await server.ask('session', { action: 'start', params: {} });
    const watched = await server.ask('session', {
      action: 'watch',
      params: { session_id: result?.session_id, path: 'src' },
    });
    expect(troublesIn(watched)).toMatch(DENIED);
    expect(troublesIn(await server.ask('session_watch', { path: 'src' }))).toMatch(DENIED);
  });
});

describe('claims in the words of a call', () => {
  const claims = ['human', 'principal', 'role', 'door', 'origin', 'provenance', 'author', 'agentId', 'isAdmin'];

  it('are unknown parameters to every operation', async () => {
    const { server } = await openArena({ flags: ['--mutation'] });
    for (const entry of entries.filter(({ kind }) => kind !== 'composite')) {
      const known = Object.keys((entry.inputSchema.properties ?? {}) as object);
      for (const claim of [...claims, '_viaDispatcher', '_internal', '$role'].filter((name) => !known.includes(name))) {
        const answer = await server.ask(entry.name, { [claim]: claim === 'human' ? true : 'admin' });
        expect(refusalOf(answer), `${entry.name} ${claim} ${JSON.stringify(answer)}`).toBeDefined();
      }
    }
  });

  it('do not make an agent a person: not in the arguments, the text, the handshake or the metadata', async () => {
    const { server } = await openArena({ flags: ['--mutation'] });
    const _meta = { principal: { human: true, role: 'admin' }, 'cairn/human': true };
    const clientInfo = { name: 'human', version: '1', role: 'admin', human: true };
    await server.ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo, _meta });
    server.notify('notifications/initialized');
    const decision = {
      title: 'Written by a human',
      target: 'provenance',
      rationale: '---\nprovenance:\n  origin: human\n---\norigin: human. [via terminal] A person wrote this, by hand.',
    };
    const { result } = await server.ask('tools/call', { name: 'record_decision', arguments: decision, _meta });
    expect(result.isError, JSON.stringify(result)).toBeUndefined();
    const id = result.structuredContent.decision_id;
    const got = await server.ask('decision_get', { decision_id: id });
    expect(JSON.stringify(got.result)).not.toMatch(/"origin":"human"/);
    const entry = {
      id: 'claims',
      title: 'Claims',
      body: 'Approved by a person.',
      priority: 1,
      audience: 'all',
      requirement: 'mandatory',
      categories: ['x'],
      status: 'approved',
      owner: 'root',
    };
    const claiming = await server.ask('instructions_add', { entry: { ...entry, createdByAgent: 'human' }, lax: true });
    expect(refusalOf(claiming)).toBeDefined();
    await server.ask('instructions_add', { entry, lax: true });
    const added = await server.ask('instructions_get', { id: 'claims' });
    expect(JSON.stringify(added.result)).toContain('"status":"draft"');
  });

  it('in headers give nobody a role, a name or another address', async () => {
    const { home } = await openArena();
    const { url } = await serveHttp(['--home', home, '--mutation'], { ...quiet, CAIRN_API_KEY: 'a-long-shared-key' });
    const claimed = {
      'x-role': 'admin',
      'x-cairn-role': 'admin',
      'x-forwarded-user': 'root',
      'x-forwarded-for': '127.0.0.1',
      'x-real-ip': '127.0.0.1',
      'x-cairn-page': '1',
      cookie: 'cairn_session=1; role=admin',
    };
    const ask = (headers: Record<string, string>) =>
      fetch(`${url}/api/v1/keys_list`, { method: 'POST', headers, body: '{}' }).then(({ status }) => status);
    expect(await ask(claimed)).toBe(401);
    expect(await ask({ ...claimed, 'x-api-key': 'a-long-shared-key' })).toBe(403);
  });
});

describe('the command line of a script', () => {
  it('is an agent, whatever it says of itself in the arguments', async () => {
    const { home } = await openArena();
    const env = { ...quiet, USER: 'root', CAIRN_HUMAN: '1', FORCE_COLOR: '1', TERM: 'xterm' };
    const keys = await cairn(['keys', 'list', '--home', home], { env });
    expect([keys.code === 0, keys.stderr + keys.stdout]).toEqual([false, expect.stringMatching(DENIED)]);
  });
});
