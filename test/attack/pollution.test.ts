/** Names that mean something to JavaScript, in every object that a call can carry: they are refused, or fields like any other. */
import { describe, expect, it } from 'vitest';
import { refersToPrevious, substitute } from '../../src/operations/pipeline/reference.ts';
import { serveHttp } from '../support/cairn.ts';
import { entries, openArena, refusalOf, slotsOf } from './arena.ts';

const hostile = [
  '{"__proto__":{"polluted":"yes","isAdmin":true,"role":"admin","human":true}}',
  '{"constructor":{"prototype":{"polluted":"yes"}}}',
  '{"prototype":{"polluted":"yes"},"__defineGetter__":"x","toString":"x","hasOwnProperty":"x","valueOf":1}',
].map((text) => JSON.parse(text) as Record<string, unknown>);

describe('__proto__, constructor and their kind', () => {
  it('beside the arguments are refused by every operation that says what it takes', async () => {
    const { server } = await openArena();
    for (const { name } of entries.filter((each) => each.name !== 'instructions_dispatch')) {
      for (const input of hostile) {
        const answer = await server.ask(name, input);
        expect(refusalOf(answer), `${name} ${JSON.stringify(input)}`).toBeDefined();
      }
    }
  });

  it('within every object argument change nothing for anybody else', async () => {
    const { server } = await openArena();
    for (const { name, inputSchema } of entries) {
      for (const slot of slotsOf(inputSchema, 'object').filter(({ path }) => path !== '$')) {
        for (const value of hostile) {
          const answer = await server.ask(name, slot.put({}, value));
          expect(answer.error?.code, `${name} ${slot.path}`).not.toBe(-32603);
        }
      }
    }
    const { result } = await server.ask('mcp_echo', { message: 'x' });
    expect(result).toEqual({ message: 'x' });
    expect((await server.ask('feature_status', {})).result.polluted).toBeUndefined();
  });

  it('give a viewer no rights: through a dispatcher, a batch, steps, the store and back', async () => {
    const { server } = await openArena({ flags: ['--role', 'viewer', '--mutation'] });
    const [proto] = hostile;
    const ways: [string, object][] = [
      ['instructions_dispatch', { action: 'add', ...proto, entry: { id: 'a', body: 'b', ...proto } }],
      ['instructions_dispatch', { action: 'batch', operations: [{ action: 'remove', ids: ['a'], ...proto }] }],
      ['execute', { operations: [{ op: 'add', params: { name: 'a', content: 'b', ...proto } }] }],
      ['session', { action: 'watch', params: { path: '.', ...proto } }],
    ];
    for (const [name, input] of ways) {
      const raw = JSON.parse(JSON.stringify(input).replace(/}$/, ',"__proto__":{"role":"admin"}}'));
      for (const given of [input, raw]) {
        const answer = await server.ask(name, given);
        const inner = answer.result?.results?.[0]?.error ?? refusalOf(answer);
        expect(inner, `${name} ${JSON.stringify(answer)}`).toBeDefined();
      }
    }
  });

  it('in stored facts come back as data or not at all', async () => {
    const { server } = await openArena();
    const facts = JSON.parse('{"__proto__":{"polluted":"yes"},"constructor":"c","toString":"t"}');
    const { result } = await server.ask('feedback_submit', {
      type: 'other',
      severity: 'low',
      title: 'Facts',
      description: 'With odd names.',
      context: facts,
      metadata: facts,
    });
    const got = await server.ask('feedback_get', { id: result?.feedbackId ?? result?.id });
    expect(got.result ?? got.error).not.toHaveProperty('polluted');
    await server.ask('add', { name: 'm.txt', content: 'x', metadata: { constructor: 'c', toString: 't' } });
    const listed = await server.ask('get', { name: 'm.txt' });
    expect(JSON.stringify(listed.result)).toContain('"constructor":"c"');
    await server.ask('update', { name: 'm.txt', metadata: ['__proto__=p', 'hasOwnProperty=h'] });
    const again = await server.ask('get', { name: 'm.txt' });
    expect(again.error).toBeUndefined();
    expect(JSON.stringify(again.result)).toContain('"hasOwnProperty":"h"');
    expect((await server.ask('list', {})).result.documents).toHaveLength(1);
  });

  it('in the query of a URL, in a body and as the name of an operation are refused over HTTP', async () => {
    const { home } = await openArena();
    const { url } = await serveHttp(['--home', home]);
    for (const path of [
      '/api/v1/__proto__',
      '/api/v1/constructor',
      '/api/v1/toString',
      '/api/v1/hasOwnProperty',
      '/__proto__',
    ])
      expect((await fetch(`${url}${path}`)).status, path).toBe(404);
    const query = await fetch(`${url}/api/v1/instructions_list?__proto__[role]=admin&constructor=1`);
    expect(query.status).toBe(400);
    const body = await fetch(`${url}/api/v1/instructions_list`, { method: 'POST', body: '{"__proto__":{"limit":1}}' });
    expect(body.status).toBe(400);
  });

  it('as a reference to the step before lead nowhere', () => {
    for (const path of ['__proto__', 'constructor.prototype', 'a.__proto__.polluted', 'toString', '__proto__[0]']) {
      expect(refersToPrevious(`$prev.${path}`)).toBe(true);
      expect(substitute({ value: `$prev.${path}` }, { a: [{}] })).toEqual({ value: null });
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});
