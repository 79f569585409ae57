/**
 * The MCP side of a stdio connection. A start is judged by its first `tools/list`, and loading the protocol library takes
 * three times as long as starting Node. So the usual opening of a client (`initialize`, `tools/list`) is answered from
 * prepared data; the first message beyond it loads the library, which hears the opening again, silently, and takes over.
 */
import type { InitializeRequest, JSONRPCMessage, RequestId, Transport } from '@modelcontextprotocol/server';
import type { App } from '../../service/app.ts';
import { initializeResult } from '../mcp/identity.ts';
import { toolsOf } from '../mcp/listing.ts';

/** Where answers go. */
export type Send = (message: JSONRPCMessage) => Promise<void>;

/** Loads the library and serves MCP on the given transport. */
export type Load = (transport: Transport) => Promise<void>;

export class Opening {
  readonly #app: App;
  readonly #send: Send;
  readonly #load: Load;
  /** Messages that the library has yet to hear, in order; the first of them may already be answered. */
  readonly #unheard: JSONRPCMessage[] = [];
  #answered: RequestId | undefined;
  #transport: Transport | undefined;
  #loading: Promise<void> | undefined;

  constructor(app: App, send: Send, load: Load) {
    this.#app = app;
    this.#send = send;
    this.#load = load;
  }

  receive(message: JSONRPCMessage): void {
    if (this.#transport?.onmessage !== undefined) {
      this.#transport.onmessage(message);
      return;
    }
    if (this.#loading === undefined && this.#answerFromData(message)) return;
    this.#unheard.push(message);
    this.#loading ??= this.#takeOver();
  }

  close(): void {
    this.#transport?.onclose?.();
  }

  #answerFromData(message: JSONRPCMessage): boolean {
    if (!('method' in message) || speaksNewerProtocol(message.params)) return false;
    if (!('id' in message)) {
      if (message.method !== 'notifications/initialized' || this.#answered === undefined) return false;
      this.#unheard.push(message);
      return true;
    }
    if (isInitialize(message) && this.#answered === undefined) {
      this.#answered = message.id;
      this.#unheard.push(message);
      this.#reply(message.id, initializeResult(message.params.protocolVersion));
      return true;
    }
    if (message.method !== 'tools/list' || this.#answered === undefined || asksForPage(message.params)) return false;
    this.#reply(message.id, { tools: toolsOf(this.#app) });
    return true;
  }

  #reply(id: RequestId, result: Record<string, unknown>): void {
    this.#send({ jsonrpc: '2.0', id, result }).catch(() => {});
  }

  async #takeOver(): Promise<void> {
    let silenced = this.#answered;
    const transport: Transport = {
      start: async () => {},
      close: async () => {},
      send: async (message) => {
        const repeats = silenced !== undefined && 'id' in message && message.id === silenced && !('method' in message);
        if (repeats) silenced = undefined;
        else await this.#send(message);
      },
    };
    await this.#load(transport);
    this.#transport = transport;
    for (const message of this.#unheard.splice(0)) transport.onmessage?.(message);
  }
}

type Request = Extract<JSONRPCMessage, { id: RequestId; method: string }>;

/** Only a well-formed opening is answered here; what is wrong with any other is the library's to say. */
function isInitialize(message: Request): message is Request & InitializeRequest {
  const { protocolVersion, capabilities, clientInfo } = (message.params ?? {}) as Record<string, unknown>;
  const client = clientInfo as Record<string, unknown> | undefined;
  return (
    message.method === 'initialize' &&
    typeof protocolVersion === 'string' &&
    typeof capabilities === 'object' &&
    capabilities !== null &&
    typeof client?.name === 'string' &&
    typeof client.version === 'string'
  );
}

function asksForPage(params: unknown): boolean {
  return Object.keys(params ?? {}).some((key) => key !== '_meta');
}

/** Requests of 2026-07-28 and later carry their envelope under reserved keys of `_meta`. */
function speaksNewerProtocol(params: unknown): boolean {
  const meta = (params as { _meta?: unknown } | undefined)?._meta;
  return Object.keys(meta ?? {}).some((key) => key.startsWith('io.modelcontextprotocol/'));
}
