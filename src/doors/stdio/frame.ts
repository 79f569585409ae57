/** What a line on stdio is: a request or notification for MCP, one for the raw JSON-RPC door, an answer, or none of these. */
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import { CairnError } from '../../errors.ts';

export type Frame =
  | { readonly kind: 'mcp'; readonly message: JSONRPCMessage; readonly id?: RequestId; readonly method?: string }
  | { readonly kind: 'raw'; readonly method: string; readonly params: unknown; readonly id?: RequestId }
  | { readonly kind: 'bad'; readonly id: RequestId | null; readonly error: CairnError };

const protocolMethods =
  /^(?:initialize$|server\/discover$|(?:tools|resources|prompts|completion|logging|subscriptions|notifications|tasks|roots|sampling|elicitation)\/)/;

export function parseFrame(line: string): Frame {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return { kind: 'bad', id: null, error: new CairnError('parse_error', 'Parse error: the line is not JSON') };
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    return bad(null, Array.isArray(parsed) ? 'a batch' : `a ${parsed === null ? 'null' : typeof parsed}`);
  }
  const { jsonrpc, id, method, params } = parsed as Record<string, unknown>;
  const known = isId(id) ? id : null;
  if (jsonrpc !== '2.0') return bad(known, 'no "jsonrpc":"2.0"');
  if (id !== undefined && known === null) return bad(null, 'an id that is neither text nor a whole number');
  if (method === undefined) return answer(parsed as Record<string, unknown>, known);
  if (typeof method !== 'string' || method === '') return bad(known, 'a method that is not text');
  if (params !== undefined && (typeof params !== 'object' || params === null))
    return bad(known, 'params that are no object');
  const own = known === null ? {} : { id: known };
  if (!protocolMethods.test(method)) return { kind: 'raw', method, params, ...own };
  if (Array.isArray(params)) return bad(known, 'params that are a list');
  return { kind: 'mcp', message: parsed as JSONRPCMessage, method, ...own };
}

/** The client's answer to a question of ours; the protocol layer knows which. */
function answer(parsed: Record<string, unknown>, id: RequestId | null): Frame {
  const answers = id !== null && ('result' in parsed || 'error' in parsed);
  return answers ? { kind: 'mcp', message: parsed as JSONRPCMessage } : bad(id, 'no method');
}

function bad(id: RequestId | null, what: string): Frame {
  return { kind: 'bad', id, error: new CairnError('invalid_request', `Invalid Request: ${what}`) };
}

function isId(id: unknown): id is RequestId {
  return typeof id === 'string' || Number.isSafeInteger(id);
}
