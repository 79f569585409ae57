/** Views of the operation table: nothing is described by hand twice. */
import * as z from 'zod';
import { families, nothing, operation } from '../../operations/operation.ts';
import type { Surface, SurfaceEntry } from '../../operations/surface.ts';
import { version } from '../../version.ts';
import type { Settings } from '../config.ts';

const anyObject = z.record(z.string(), z.unknown());

export const describe = operation({
  name: 'describe',
  description:
    'Lists every operation by family, or with a target gives its JSON Schema, a working example, the capability it needs and its documented spellings.',
  family: 'documents',
  toolsets: [],
  capability: 'read',
  writes: false,
  kind: 'step',
  positional: ['target'],
  input: z.strictObject({
    target: z.string().max(200).optional().describe('Name of an operation, in any documented spelling.'),
  }),
  output: anyObject,
  example: { input: { target: 'health_check' } },
  async run({ target }, { surface, config }) {
    if (target === undefined) return overview(surface, config);
    const entry = surface.resolve(target);
    const { name, description, family, capability, spellings, example, inputSchema, outputSchema } = entry;
    return {
      name,
      description,
      family,
      capability,
      spellings,
      ...facts(entry, config),
      example: example.input,
      inputSchema,
      outputSchema,
    };
  },
});

function overview(surface: Surface, config: Pick<Settings, 'readOnly' | 'mutation'>) {
  const byFamily = families.map((family) => ({
    family,
    operations: surface.entries
      .filter((entry) => entry.family === family)
      .map((entry) => ({ name: entry.name, ...facts(entry, config), description: firstSentence(entry.description) })),
  }));
  return {
    total: surface.entries.length,
    families: byFamily.filter(({ operations }) => operations.length > 0),
    hint: 'describe {"target": NAME} gives schema and example. Reads run inside query, writes inside execute.',
  };
}

function facts(entry: SurfaceEntry, config: Pick<Settings, 'readOnly' | 'mutation'>) {
  return {
    ...(entry.writes && { writes: true }),
    ...(entry.mutation && { needsMutationSwitch: true }),
    ...(isDisabled(entry, config) && { disabled: true }),
  };
}

function firstSentence(text: string): string {
  return text.slice(0, text.indexOf('. ') === -1 ? undefined : text.indexOf('. ') + 1);
}

function isDisabled(entry: SurfaceEntry, config: Pick<Settings, 'readOnly' | 'mutation'>): boolean {
  return (entry.writes && config.readOnly) || (entry.mutation && !config.mutation);
}

/** The date on which the shape of the registry (not its content) last changed; S0 fixes the first one. */
const REGISTRY_VERSION = '2025-08-25';

export const metaTools = operation({
  name: 'meta_tools',
  description:
    'The registry of all operations with stability, mutation flags and schemas, in the legacy and the MCP form.',
  family: 'service',
  toolsets: ['admin'],
  spellings: ['meta/tools'],
  capability: 'read',
  writes: false,
  rest: 'Ask for one operation at a time with describe {"target": NAME}.',
  input: nothing,
  output: anyObject,
  example: { input: {} },
  async run(_input, { surface, config }) {
    const rows = surface.entries.map((entry) => ({
      entry,
      method: entry.spellings[0] ?? entry.name,
      stable: !entry.writes,
      mutation: entry.mutation,
      ...(isDisabled(entry, config) && { disabled: true as const }),
    }));
    return {
      tools: rows.map(({ entry: _, ...row }) => row),
      stable: {
        tools: rows.filter((row) => row.stable).map(({ method, stable, mutation }) => ({ method, stable, mutation })),
      },
      dynamic: {
        generatedAt: new Date().toISOString(),
        mutationEnabled: config.mutation && !config.readOnly,
        disabled: rows.filter((row) => row.disabled).map(({ method }) => ({ method })),
      },
      mcp: {
        registryVersion: REGISTRY_VERSION,
        tools: rows.map(({ entry, stable, mutation }) => ({
          name: entry.name,
          description: entry.description,
          stable,
          mutation,
          inputSchema: entry.inputSchema,
          outputSchema: entry.outputSchema,
        })),
      },
    };
  },
});

export const apiSpecification = operation({
  name: 'get_api_specification',
  description: 'The whole interface as an OpenRPC 1.x document.',
  family: 'memory',
  toolsets: ['memory', 'admin'],
  capability: 'read',
  writes: false,
  rest: 'Ask for one operation at a time with describe {"target": NAME}, or read it whole: cairn get_api_specification --json.',
  input: nothing,
  output: anyObject,
  example: { input: {} },
  async run(_input, { surface }) {
    return {
      openrpc: '1.3.2',
      info: { title: 'Cairn', version, license: { name: 'Apache-2.0' } },
      externalDocs: { description: 'The same as OpenAPI 3.1, where HTTP is served.', url: '/api/v1/openapi.json' },
      methods: surface.entries.map((entry) => ({
        name: entry.name,
        summary: entry.description,
        tags: [{ name: entry.family }],
        paramStructure: 'by-name',
        params: parametersOf(entry),
        result: { name: 'result', schema: entry.outputSchema },
        'x-capability': entry.capability,
        'x-writes': entry.writes,
        'x-spellings': entry.spellings,
      })),
    };
  },
});

function parametersOf({ inputSchema }: SurfaceEntry) {
  const properties = (inputSchema.properties ?? {}) as Record<string, unknown>;
  const required = new Set((inputSchema.required ?? []) as string[]);
  return Object.entries(properties).map(([name, schema]) => ({ name, required: required.has(name), schema }));
}

export const echo = operation({
  name: 'mcp_echo',
  description: 'Answers with the message it was sent: a test of the connection.',
  family: 'documents',
  toolsets: ['documents'],
  spellings: ['mcp.echo'],
  capability: 'read',
  writes: false,
  positional: ['message'],
  input: z.strictObject({ message: z.string().max(100_000).describe('Any text.') }),
  output: z.object({ message: z.string() }),
  example: { input: { message: 'hello' } },
  async run({ message }) {
    return { message };
  },
});
