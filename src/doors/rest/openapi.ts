/** The operation table as an OpenAPI 3.1 document. Nothing in it is written by hand that the table knows. */
import { errorKinds } from '../../errors.ts';
import { type JsonSchema, type SurfaceEntry, surface } from '../../operations/surface.ts';
import { version } from '../../version.ts';
import { answersGet } from './operation.ts';

type Json = Record<string, unknown>;

const JSON_TYPE = 'application/json';
const PROBLEM_TYPE = 'application/problem+json';

export function openApi(entries: readonly SurfaceEntry[] = surface.entries): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Cairn',
      version,
      summary: 'Instructions, decisions and documents for teams of people and coding agents.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/api/v1', description: 'This server.' }],
    security: [{ apiKey: [] }, { bearer: [] }, {}],
    tags: [...new Set(entries.map(({ family }) => family))].map((name) => ({ name })),
    paths: Object.fromEntries([...entries.map((entry) => [`/${entry.name}`, pathOf(entry)]), ['/events', events]]),
    components: { securitySchemes, schemas: { Problem: problemSchema }, responses: problemResponses() },
  };
}

function pathOf(entry: SurfaceEntry): Json {
  return {
    ...(answersGet(entry) && { get: { ...operationOf(entry, 'get'), parameters: parametersOf(entry) } }),
    post: { ...operationOf(entry, 'post'), requestBody: bodyOf(entry) },
  };
}

function operationOf(entry: SurfaceEntry, method: string): Json {
  const { name, description, family, capability, writes, spellings } = entry;
  return {
    operationId: method === 'post' ? name : `${name}.get`,
    summary: summaryOf(description),
    description,
    tags: [family],
    responses: {
      200: { description: 'The result.', content: { [JSON_TYPE]: { schema: entry.outputSchema } } },
      ...Object.fromEntries(statuses().map((status) => [status, { $ref: `#/components/responses/${status}` }])),
    },
    'x-capability': capability,
    'x-writes': writes,
    ...(spellings.length > 0 && { 'x-spellings': spellings }),
  };
}

function bodyOf({ inputSchema, example }: SurfaceEntry): Json {
  const required = ((inputSchema.required ?? []) as string[]).length > 0;
  // An example that refers to what an earlier call answered is none to send as it is.
  const self = example.given === undefined && { example: example.input };
  return { required, content: { [JSON_TYPE]: { schema: inputSchema, ...self } } };
}

function parametersOf({ inputSchema }: SurfaceEntry): Json[] {
  const required = new Set((inputSchema.required ?? []) as string[]);
  return Object.entries((inputSchema.properties ?? {}) as Record<string, JsonSchema>).map(([name, schema]) => {
    const { description } = schema;
    const parameter = {
      name,
      in: 'query',
      ...(required.has(name) && { required: true }),
      ...(typeof description === 'string' && { description }),
    };
    return isPlain(schema)
      ? { ...parameter, ...(schema.type === 'array' && { style: 'form', explode: true }), schema }
      : { ...parameter, content: { [JSON_TYPE]: { schema } } };
  });
}

/** What a query can say by itself; the rest is JSON in it. */
function isPlain(schema: JsonSchema): boolean {
  const type = schema.type === 'array' ? (schema.items as JsonSchema | undefined)?.type : schema.type;
  return type === 'string' || type === 'integer' || type === 'number' || type === 'boolean';
}

function summaryOf(description: string): string {
  const end = description.search(/[.:] /);
  return end === -1 ? description.replace(/\.$/, '') : description.slice(0, end);
}

const events: Json = {
  get: {
    operationId: 'events',
    summary: 'Changes as server-sent events',
    description: 'One event for each write of any process. See docs/events.md.',
    tags: ['service'],
    parameters: [
      { name: 'after', in: 'query', schema: { type: 'integer', minimum: 0 }, description: 'Only what came after.' },
      { name: 'kinds', in: 'query', schema: { type: 'string' }, description: 'Only these, separated by commas.' },
      { name: 'Last-Event-ID', in: 'header', schema: { type: 'integer' }, description: 'As EventSource sends it.' },
    ],
    responses: {
      200: { description: 'The stream.', content: { 'text/event-stream': { schema: { type: 'string' } } } },
      ...Object.fromEntries(
        ['400', '401', '429'].map((status) => [status, { $ref: `#/components/responses/${status}` }]),
      ),
    },
  },
};

const securitySchemes: Json = {
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
  bearer: { type: 'http', scheme: 'bearer' },
};

const problemSchema: Json = {
  type: 'object',
  description: 'RFC 9457. What the error knows besides stands beside these members.',
  required: ['type', 'title', 'status', 'detail', 'code', 'kind', 'suggestion'],
  properties: {
    type: { type: 'string', description: 'urn:cairn:error:KIND.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'integer', description: 'The code of the same error in JSON-RPC.' },
    kind: { type: 'string', enum: Object.keys(errorKinds) },
    suggestion: { type: 'string', description: 'What to do about it.' },
    errors: { type: 'array', items: { type: 'object' }, description: 'Violations of the schema, as Ajv reports them.' },
  },
};

/** Statuses that HTTP brings along, besides those of the table of errors. */
const ofHttp: Readonly<Record<number, string>> = {
  405: 'The method is not allowed here; Allow says which are.',
  413: 'The body is too large.',
};

function statuses(): string[] {
  const told = Object.values(errorKinds).map(({ status }) => status);
  // 499 is for the log: whoever went away does not read it.
  return [...new Set([...told, ...Object.keys(ofHttp).map(Number)])]
    .filter((status) => status !== 499)
    .sort((a, b) => a - b)
    .map(String);
}

function problemResponses(): Json {
  return Object.fromEntries(
    statuses().map((status) => {
      const meanings = Object.values(errorKinds).filter((kind) => String(kind.status) === status);
      const description = [...meanings.map(({ meaning }) => meaning), ofHttp[Number(status)] ?? ''].join(' ').trim();
      // Operations of decisions answer {status: "error", message} instead; both are objects.
      const schema = { $ref: '#/components/schemas/Problem' };
      return [
        status,
        { description, content: { [PROBLEM_TYPE]: { schema }, [JSON_TYPE]: { schema: { type: 'object' } } } },
      ];
    }),
  );
}
