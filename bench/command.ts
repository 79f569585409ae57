/** How a process is started and spoken to. The drivers know nothing else about what they measure. */
import type { SpawnOptions } from 'node:child_process';

export interface Command {
  readonly argv: readonly [string, ...string[]];
  /** On top of a plain environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly folder?: string;
  /** How long an answer may take before the run fails; 30 seconds without it. */
  readonly patienceMs?: number;
}

/** Settings of whoever runs the bench, NODE_OPTIONS among them, must not change what it measures. */
export function spawnOptions({ env, folder }: Command): SpawnOptions {
  const kept = ['PATH', 'HOME', 'USERPROFILE', 'SystemRoot', 'TMPDIR', 'TEMP'];
  const plain = Object.fromEntries(kept.flatMap((name) => (name in process.env ? [[name, process.env[name]]] : [])));
  return { env: { ...plain, ...env }, ...(folder !== undefined && { cwd: folder }) };
}

export interface Message {
  readonly jsonrpc: '2.0';
  readonly id?: number;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

export function message(method: string, params?: Message['params'], id?: number): Message {
  return { jsonrpc: '2.0', ...(id !== undefined && { id }), method, ...(params && { params }) };
}

/** What a client of MCP says first; the answer has the id 1. */
export const handshake: readonly Message[] = [
  message(
    'initialize',
    { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
    1,
  ),
  message('notifications/initialized'),
];

export function linesOf(messages: readonly Message[]): string {
  return messages.map((each) => `${JSON.stringify(each)}\n`).join('');
}

export interface Ask {
  /** What its figures are called, where one tool is asked in several ways; else the tool. */
  readonly label?: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** A text that only a right answer contains: no case must measure how fast a server says no. */
  readonly proof: string;
}
