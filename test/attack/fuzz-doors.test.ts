/** Frames and bodies that are nearly right, at the real doors: nothing ends the server, and nothing is its own fault. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { serveHttp } from '../support/cairn.ts';
import { entries, full, fuzzing, openArena, quiet } from './arena.ts';

const sampled = <T>(arbitrary: fc.Arbitrary<T>, runs: number): T[] => {
  const { seed, numRuns } = fuzzing(runs);
  return fc.sample(arbitrary, { seed, numRuns });
};

const operation = fc.constantFrom(...entries.filter(({ openWorld }) => !openWorld));
/** The arguments of an example with one thing changed. */
const mutated = fc.tuple(operation, fc.nat(), fc.jsonValue({ maxDepth: 2 })).map(([{ name, example }, at, value]) => {
  const fields = Object.keys(example.input);
  const field = fields[at % Math.max(fields.length, 1)] ?? 'limit';
  return { name, input: { ...example.input, [field]: value } };
});
const reference = fc
  .array(
    fc.constantFrom('.a', '[0]', '.__proto__', '[999999999]', '.steps', '.message', '$', '.', '[', ']', '-1', ' '),
    { maxLength: 6 },
  )
  .map((parts) => `$prev${parts.join('')}`);
const pipeline = fc
  .array(
    fc.record({
      op: fc.constantFrom('mcp_echo', 'instructions_list', 'describe', 'list', 'query', 'add', '$prev.op'),
      params: fc.dictionary(
        fc.constantFrom('message', 'limit', 'target', 'steps'),
        fc.oneof(reference, fc.jsonValue({ maxDepth: 2 })),
        { maxKeys: 3 },
      ),
    }),
    { maxLength: 4 },
  )
  .map((steps) => ({ name: 'query', input: { steps } }));
const filters = fc
  .record(
    {
      filters: fc.dictionary(
        fc.constantFrom('categories', 'status', 'text', 'owners', 'createdAfter', 'priorityTiers', 'x'),
        fc.oneof(fc.string(), fc.array(fc.string(), { maxLength: 3 }), fc.integer()),
      ),
      sort: fc.jsonValue({ maxDepth: 1 }),
      cursor: fc.oneof(fc.string(), fc.base64String()),
      limit: fc.integer(),
    },
    { requiredKeys: [] },
  )
  .map((input) => ({ name: 'instructions_query', input }));
const searched = fc
  .tuple(
    fc.constantFrom('search', 'instructions_search', 'search_decisions', 'event_search'),
    fc.array(
      fc.constantFrom(
        '"',
        '(',
        ')',
        'AND',
        'OR',
        'NOT',
        'NEAR',
        '*',
        '^',
        ':',
        '-',
        '+',
        'a',
        'title',
        "'",
        '\u0000',
        '{',
        '}',
        '%',
        '\ud800',
      ),
      { minLength: 1, maxLength: 12 },
    ),
  )
  .map(([name, parts]) => ({ name, input: { [name === 'instructions_search' ? 'q' : 'query']: parts.join(' ') } }));
const call = fc.oneof({ weight: 4, arbitrary: mutated }, pipeline, filters, searched);

const INTERNAL = -32603;

describe('stdio', () => {
  it('answers every call that is nearly right, and none of them as a fault of its own', {
    timeout: 300_000,
  }, async () => {
    const { server } = await openArena({ flags: ['--role', 'admin', '--mutation'] });
    await server.initialize();
    const calls = sampled(call, 400);
    const answers = await Promise.all(calls.map(({ name, input }) => server.ask(name, input)));
    for (const [at, { error }] of answers.entries()) {
      const said = `${JSON.stringify(calls[at])} ${JSON.stringify(error)}`.slice(0, 600);
      expect(error?.code, said).not.toBe(INTERNAL);
    }
    const tools = sampled(call, 100);
    for (const { name, input } of tools) {
      const { result, error } = await server.ask('tools/call', { name, arguments: input });
      expect(result?.structuredContent?.error?.code ?? error?.code, JSON.stringify({ name, input })).not.toBe(INTERNAL);
    }
    expect((await server.ask('mcp_echo', { message: 'here' })).result).toEqual({ message: 'here' });
  });

  it('survives bytes that are no text, frames cut in two and frames within frames', async () => {
    const { server } = await openArena();
    const frame = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'mcp_echo', params: { message: 'x' } });
    for (const bytes of sampled(fc.uint8Array({ maxLength: 200 }), 300)) {
      const text = Buffer.from(bytes)
        .toString('latin1')
        .replace(/[\r\n]/g, ' ');
      server.write(text);
      server.write(frame.slice(0, bytes.length % frame.length) + text);
      server.write(`${text}${frame}`);
    }
    expect((await server.ask('mcp_echo', { message: 'here' })).result).toEqual({ message: 'here' });
    for (const { error, id, result } of server.unasked)
      expect(error?.code ?? (id === 7 ? result : undefined)).toBeDefined();
  });
});

describe('HTTP', () => {
  it('answers every body that is nearly right, and none of them with 500', { timeout: 300_000 }, async () => {
    const { home } = await openArena();
    const { url } = await serveHttp(['--home', home, '--role', 'admin', '--mutation'], quiet);
    const body = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.json({ maxDepth: 3 }),
      mutated.map(({ input }) => JSON.stringify(input).slice(0, -1)),
      mutated.map(({ name, input }) =>
        JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } }),
      ),
    );
    const paths = fc.oneof(
      operation.map(({ name }) => `/api/v1/${name}`),
      fc.constantFrom('/mcp', '/record', '/search', '/signin'),
      fc.webPath(),
      fc.webQueryParameters().map((query) => `/api/v1/search?${query}`),
    );
    const type = fc.constantFrom(
      'application/json',
      'text/plain',
      'application/json; charset=utf-16',
      'multipart/form-data',
      '',
    );
    const method = fc.constantFrom('POST', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS');
    const requests = sampled(fc.tuple(paths, method, type, body), full ? 100 : 250);
    for (const [path, verb, contentType, content] of requests) {
      const headers = {
        accept: 'application/json, text/event-stream',
        ...(contentType !== '' && { 'content-type': contentType }),
      };
      const response = await fetch(`${url}${path.startsWith('/') ? path : `/${path}`}`, {
        method: verb,
        headers,
        body: content as string,
      });
      expect(response.status, `${verb} ${path} ${String(content).slice(0, 200)}`).not.toBe(500);
      await response.body?.cancel();
    }
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });
});
