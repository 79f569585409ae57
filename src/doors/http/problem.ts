/** Errors as HTTP tells them: problem+json (RFC 9457) everywhere, and JSON-RPC's own form where MCP is spoken. */
import { type ServerResponse, STATUS_CODES } from 'node:http';
import { type CairnError, explain } from '../../errors.ts';
import { Refusal, sendJson } from './exchange.ts';

const PROBLEM = 'application/problem+json';

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: number;
  readonly kind: string;
  readonly suggestion: string;
  readonly [fact: string]: unknown;
}

/** What the error knows besides (which method, which violations) stands beside the standard members, never in their place. */
export function problemOf(error: CairnError): Problem {
  const { name: _name, message: unforeseen, ...facts } = error.data;
  const detail = typeof unforeseen === 'string' ? `${error.message}: ${unforeseen}` : error.message;
  const standard = {
    type: `urn:cairn:error:${error.kind}`,
    title: STATUS_CODES[error.status] ?? error.kind,
    status: error.status,
    detail,
    code: error.code,
    kind: error.kind,
    suggestion: error.suggestion,
  };
  // The first for the order, the last for the values.
  return { ...standard, ...facts, ...standard };
}

export function refuse(response: ServerResponse, error: CairnError, form: 'problem' | 'rpc'): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  if (error.kind === 'unauthenticated') response.setHeader('www-authenticate', 'Bearer realm="cairn"');
  for (const [name, value] of Object.entries(error instanceof Refusal ? error.headers : {}))
    response.setHeader(name, value);
  if (form === 'problem') {
    sendJson(response, error.status, problemOf(error), PROBLEM);
    return;
  }
  const { code, data } = error;
  sendJson(response, error.status, { jsonrpc: '2.0', id: null, error: { code, message: explain(error), data } });
}
