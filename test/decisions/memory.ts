/** Decision memory as a client sees it: a real server on a home of its own, and the files that people see. */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Message, type StdioServer, serveStdio } from '../support/cairn.ts';
import { freshHome } from '../support/home.ts';

/** Most tests need neither the pause between two records nor the model; those that do say so. */
export const quick = { CAIRN_WRITE_COOLDOWN_MS: '0', CAIRN_EMBEDDINGS: 'none' };

export interface Memory {
  readonly home: string;
  readonly server: StdioServer;
  /** The bare result of a raw call; fails on a JSON-RPC error. */
  ask(operation: string, params?: unknown): Promise<Message>;
  /** The same, and it must be a success. */
  done(operation: string, params?: unknown): Promise<Message>;
  /** The message of a call that must be refused. */
  refused(operation: string, params?: unknown): Promise<string>;
  record(target: string, title: string, more?: Message): Promise<string>;
  supersede(target: string, title: string, old: readonly string[], more?: Message): Promise<string>;
  get(id: string): Promise<Message>;
}

export interface Opening {
  readonly home?: string;
  readonly role?: 'viewer' | 'agent' | 'admin';
  readonly env?: Readonly<Record<string, string>>;
}

export async function openMemory({ home, role = 'admin', env }: Opening = {}): Promise<Memory> {
  const place = home ?? (await freshHome());
  const server = serveStdio(['--home', place, '--role', role, '--mutation'], { ...quick, ...env });
  return memoryAt(place, server);
}

export function memoryAt(home: string, server: StdioServer): Memory {
  async function ask(operation: string, params: unknown = {}): Promise<Message> {
    const { result, error } = await server.ask(operation, params);
    expect(error, `${operation} ${JSON.stringify(params)}`).toBeUndefined();
    return result;
  }
  async function done(operation: string, params: unknown = {}): Promise<Message> {
    const result = await ask(operation, params);
    expect(result, `${operation} ${JSON.stringify(params)}`).toMatchObject({ status: 'success' });
    return result;
  }
  return {
    home,
    server,
    ask,
    done,
    async refused(operation, params = {}) {
      const result = await ask(operation, params);
      expect(result, `${operation} ${JSON.stringify(params)}`).toMatchObject({ status: 'error' });
      return result.message;
    },
    async record(target, title, more = {}) {
      const params = { target, title, rationale: `${title}, for a reason of its own.`, ...more };
      return (await done('record_decision', params)).decision_id;
    },
    async supersede(target, title, old, more = {}) {
      const params = { target, title, rationale: `${title}, for a better reason.`, old_decision_ids: old, ...more };
      return (await done('supersede_decision', params)).decision_id;
    },
    async get(id) {
      return (await done('decision_get', { decision_id: id })).decision;
    },
  };
}

/** Where the file of a decision lies: answers name it relative to the home. */
export function pathOf({ home }: Pick<Memory, 'home'>, id: string): string {
  return join(home, id);
}

export function textOf(memory: Pick<Memory, 'home'>, id: string): Promise<string> {
  return readFile(pathOf(memory, id), 'utf8');
}

export function isThere(memory: Pick<Memory, 'home'>, id: string): boolean {
  return existsSync(pathOf(memory, id));
}

/** A file as a person writes it; the id as answers say it. */
export async function writeByHand(
  memory: Pick<Memory, 'home'>,
  name: string,
  fields: Readonly<Record<string, unknown>>,
  body = 'A person wrote this down.',
): Promise<string> {
  const head = Object.entries(fields).map(([field, value]) => `${field}: ${JSON.stringify(value)}`);
  const id = `decisions/${name}.md`;
  await writeFile(pathOf(memory, id), ['---', ...head, '---', '', body, ''].join('\n'));
  return id;
}

/** A server hears of a changed file in a moment, not in the same one. */
export function soon<T>(look: () => Promise<T>) {
  return expect.poll(look, { timeout: 10_000, interval: 20 });
}

export async function titlesFound(memory: Memory, query: string, more: Message = {}): Promise<string[]> {
  const { results } = await memory.done('search_decisions', { query, ...more });
  return results.map(({ title }: Message) => title);
}

export async function warnings(memory: Memory): Promise<string[]> {
  return (await memory.done('get_environment_health')).health.warnings;
}
