/**
 * Resources: what can be read by address. A kind is a URI template with listing, reading and completion; each domain adds
 * its own. Reading goes through the operation table like everything else.
 */
import {
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  type ReadResourceResult,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';
import { toCairnError } from '../../errors.ts';
import { call } from '../../operations/call.ts';
import { surface } from '../../operations/surface.ts';
import type { App } from '../../service/app.ts';
import type { Principal } from '../../service/principal.ts';

interface ResourceKind {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly prefix: string;
  readonly variable: string;
  readonly mimeType: string;
  /** The operation that reads it, and its arguments for one id. */
  readonly read: { readonly operation: string; input(id: string): unknown };
  complete(typed: string): string[];
}

const kinds: readonly ResourceKind[] = [
  {
    name: 'operation',
    title: 'Operation',
    description: 'What one operation takes, answers and needs, with a working example.',
    prefix: 'cairn://operation/',
    variable: 'name',
    mimeType: 'application/json',
    read: { operation: 'describe', input: (target) => ({ target }) },
    complete: (typed) => surface.entries.map(({ name }) => name).filter((name) => name.startsWith(typed)),
  },
];

const overview = {
  uri: 'cairn://operations',
  name: 'operations',
  title: 'Operations',
  description: 'Every operation by family.',
  mimeType: 'application/json',
};

export function listResources(): ListResourcesResult {
  return { resources: [overview] };
}

export function listTemplates(): ListResourceTemplatesResult {
  return {
    resourceTemplates: kinds.map(({ name, title, description, prefix, variable, mimeType }) => ({
      name,
      title,
      description,
      mimeType,
      uriTemplate: `${prefix}{${variable}}`,
    })),
  };
}

export async function readResource(app: App, principal: Principal, uri: string): Promise<ReadResourceResult> {
  if (uri === overview.uri) return read(app, principal, uri, overview.mimeType, 'describe', {});
  const kind = kinds.find(({ prefix }) => uri.startsWith(prefix));
  const id = kind === undefined ? undefined : decoded(uri.slice(kind.prefix.length));
  if (kind === undefined || id === undefined || id === '') throw new ResourceNotFoundError(shortened(uri));
  return read(app, principal, uri, kind.mimeType, kind.read.operation, kind.read.input(id));
}

async function read(
  app: App,
  principal: Principal,
  uri: string,
  mimeType: string,
  operation: string,
  input: unknown,
): Promise<ReadResourceResult> {
  try {
    const text = JSON.stringify(await call(app, { operation, input, principal }));
    return { contents: [{ uri, mimeType, text }] };
  } catch (thrown) {
    const { kind } = toCairnError(thrown);
    if (kind === 'unknown_operation' || kind === 'not_found') throw new ResourceNotFoundError(shortened(uri));
    throw thrown;
  }
}

/** An address may be as long as a frame; the error is not. */
function shortened(uri: string): string {
  return uri.length <= 300 ? uri : `${uri.slice(0, 300)}…`;
}

/** Values for the variable of a template, for `completion/complete`. */
export function completeResource(uriTemplate: string, variable: string, typed: string): string[] {
  const kind = kinds.find((one) => `${one.prefix}{${one.variable}}` === uriTemplate && one.variable === variable);
  return kind?.complete(typed) ?? [];
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
