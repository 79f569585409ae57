/** What the sources of prompts have in common: who asks, what is served, and how a refusal is said. */
import { type Prompt, type PromptMessage, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { App } from '../../../service/app.ts';
import type { Principal } from '../../../service/principal.ts';

export interface Asking {
  readonly app: App;
  readonly principal: Principal;
  readonly signal?: AbortSignal;
}

/** A prompt whose text is written already: it takes no arguments. */
export interface WrittenPrompt {
  readonly name: string;
  readonly description: string;
}

export type Listing = Prompt;
export type Role = PromptMessage['role'];

export function message(role: Role, text: string): PromptMessage {
  return { role, content: { type: 'text', text } };
}

export function refusal(text: string, data?: unknown): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, text, data);
}

/** A name that a caller sent, fit to be shown in a message. */
export function quoted(name: string): string {
  return JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
}
