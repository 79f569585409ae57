/** The OpenAPI document: valid, whole, and true of the server that hands it out. */
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { substitute } from '../../src/operations/pipeline/reference.ts';
import { type JsonSchema, type SurfaceEntry, surface } from '../../src/operations/surface.ts';
import { type HttpServer, type Message, serveHttp } from '../support/cairn.ts';
import { freshFolder, freshHome } from '../support/home.ts';
import { saying, site } from '../support/site.ts';
import { ask, operate } from './client.ts';

const ajv = new Ajv({ strict: false });

/** Some operations make keys, from which on one is needed. */
const headers = { 'x-api-key': 'a-long-shared-key' };
const keys = { CAIRN_API_KEY: headers['x-api-key'], CAIRN_API_KEY_ROLE: 'admin' };

async function started(): Promise<HttpServer> {
  return serveHttp(['--home', await freshHome(), '--mutation'], {
    ...keys,
    CAIRN_WRITE_COOLDOWN_MS: '0',
    CAIRN_DOWNLOAD_PRIVATE: '1',
    CAIRN_EMBEDDINGS: 'none',
    CAIRN_MAX_RESPONSE: String(8 * 1024 * 1024),
  });
}

describe('the OpenAPI document', () => {
  it('is valid, and has every operation with the methods that it answers', async () => {
    const { url } = await started();
    const { status, body } = await ask(url, '/api/v1/openapi.json', { headers });
    expect(status).toBe(200);
    const { valid, errors } = await new Validator().validate(structuredClone(body));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect(body.openapi).toBe('3.1.0');
    for (const { name, writes, kind } of surface.entries) {
      const path = body.paths[`/${name}`];
      expect(Object.keys(path), name).toEqual(writes || kind === 'composite' ? ['post'] : ['get', 'post']);
    }
    expect(Object.keys(body.components.securitySchemes)).toEqual(['apiKey', 'bearer']);
    expect(Object.keys(body.paths)).toHaveLength(surface.entries.length + 1);
    const ids = Object.values<Message>(body.paths).flatMap((path) =>
      Object.values<Message>(path).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is what get_api_specification points to', async () => {
    const { url } = await started();
    const { body } = await operate(url, 'get_api_specification', {}, headers);
    const linked = await ask(url, body.externalDocs.url, { headers });
    expect(linked.body.info.version).toBe(body.info.version);
    expect(body.methods).toHaveLength(surface.entries.length);
  });
});

async function inputOf(entry: SurfaceEntry, { url }: HttpServer): Promise<unknown> {
  let previous: unknown = {};
  for (const { op, params } of entry.example.given ?? [])
    previous = (await operate(url, op, substitute(params, previous), headers)).body;
  const input = substitute(entry.example.input, previous);
  return entry.openWorld ? nearby(input) : input;
}

async function nearby(input: unknown): Promise<unknown> {
  const { url } = input as { readonly url: string };
  const { url: here } = await site({ [new URL(url).pathname]: saying('id,name\n1,Ada\n') });
  return { ...(input as object), url: url.replace(new URL(url).origin, here) };
}

/** One of each sort: all examples go through the same call at another door (test/contract). */
const samples = [
  ...new Map(
    surface.entries.map((entry) => [`${entry.family} ${entry.kind} ${entry.writes} ${entry.envelope}`, entry]),
  ).values(),
];

describe.each(samples.map((entry) => [entry.name, entry] as const))('the example of %s', (_name, entry) => {
  it('is answered over REST as its schema says', async () => {
    const server = await started();
    const { status, body } = await operate(server.url, entry.name, await inputOf(entry, server), headers);
    expect([status, entry.name], JSON.stringify(body).slice(0, 500)).toEqual([200, entry.name]);
    const validate = ajv.compile(entry.outputSchema);
    expect(validate(body), ajv.errorsText(validate.errors)).toBe(true);
  });
});

/** Values that fit a schema, and now and then one that does not. */
function valuesOf(schema: JsonSchema, depth = 0): fc.Arbitrary<unknown> {
  const hostile = fc.constantFrom<unknown>(null, '', '\u0000', '../..', '💣'.repeat(50), -1, 1e308, [], {}, [[]], true);
  return fc.oneof({ weight: 6, arbitrary: fitting(schema, depth) }, { weight: 1, arbitrary: hostile });
}

function fitting(schema: JsonSchema, depth: number): fc.Arbitrary<unknown> {
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]));
  switch (schema.type) {
    case 'string':
      return fc.oneof(fc.string({ maxLength: 40 }), fc.constantFrom('a', 'decisions/a.md', '*', '(', 'x'.repeat(300)));
    case 'integer':
      return fc.integer({ min: Number(schema.minimum ?? -5), max: Number(schema.maximum ?? 200) });
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(valuesOf((schema.items ?? {}) as JsonSchema, depth + 1), { maxLength: 3 });
    case 'object':
      return depth > 4 ? fc.constant({}) : objectOf(schema, depth);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function objectOf(schema: JsonSchema, depth: number): fc.Arbitrary<unknown> {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  const known = Object.fromEntries(properties.map(([name, property]) => [name, valuesOf(property, depth + 1)]));
  return fc.record(known, { requiredKeys: (schema.required ?? []) as string[] });
}

function queryOf(input: unknown): string {
  const pairs = Object.entries(input as object).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((each): [string, string] => [
      name,
      typeof each === 'string' ? each : JSON.stringify(each),
    ]),
  );
  return new URLSearchParams(pairs).toString();
}

describe('requests made from the schemas', () => {
  it('never find a fault of the server', { timeout: 240_000 }, async () => {
    const folder = await freshFolder();
    const server = await serveHttp(['--home', await freshHome(), '--mutation'], {
      ...keys,
      CAIRN_WRITE_COOLDOWN_MS: '0',
      // Nothing that is written may land outside of it.
      CAIRN_ROOTS: folder,
      CAIRN_EMBEDDINGS: 'none',
    });
    const { body: document } = await ask(server.url, '/api/v1/openapi.json', { headers });
    const statuses: number[] = [];
    for (const [path, methods] of Object.entries<Message>(document.paths)) {
      if (path === '/events' || path === '/download') continue;
      const { schema } = methods.post.requestBody.content['application/json'];
      const inputs = fc.sample(objectOf(schema, 0), { seed: 7, numRuns: 10 });
      for (const [index, input] of inputs.entries()) {
        const byQuery = methods.get !== undefined && index % 2 === 1;
        const { status, body } = byQuery
          ? await ask(server.url, `/api/v1${path}?${queryOf(input)}`, { headers })
          : await operate(server.url, path.slice(1), input, headers);
        const shown = `${path} ${JSON.stringify(input)} ${JSON.stringify(body)}`.slice(0, 1000);
        expect(status, shown).toBeGreaterThanOrEqual(200);
        expect(status, shown).toBeLessThan(500);
        expect(typeof body, shown).toBe('object');
        statuses.push(status);
      }
    }
    // Many must get past the validator, or nothing was tried.
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(statuses.length / 10);
    expect(statuses).not.toContain(401);
  });
});
