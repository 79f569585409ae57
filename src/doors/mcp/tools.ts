/** `tools/call`: a call of the operation table, its answer capped and in the words of the protocol. */
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { type CairnError, explain, toCairnError } from '../../errors.ts';
import { call, enveloped } from '../../operations/call.ts';
import { refused, type SurfaceEntry, surface } from '../../operations/surface.ts';
import type { App } from '../../service/app.ts';
import type { Principal } from '../../service/principal.ts';
import type { Progress } from '../../service/workers.ts';
import { answerSize, cap } from '../cap.ts';
import { render } from '../text.ts';

export interface ToolCall {
  readonly name: string;
  readonly input: unknown;
  readonly principal: Principal;
  readonly signal: AbortSignal;
  readonly progress?: (progress: Progress) => void;
  /** Clients before 2025-06-18 know `content` alone. */
  readonly structured: boolean;
}

export async function callTool(app: App, request: ToolCall): Promise<CallToolResult> {
  const entry = known(request.name);
  try {
    const result = await call(app, { ...request, operation: entry.name });
    const shown = answer(entry, cap(result, app.config.maxResponse, answerSize, entry.rest).result, request.structured);
    return refused(entry, result) ? { ...shown, isError: true } : shown;
  } catch (thrown) {
    return failure(toCairnError(thrown), entry, request.structured);
  }
}

/** The protocol wants an unknown tool to be an error of the call, not of the tool. */
function known(name: string): SurfaceEntry {
  try {
    return surface.resolve(name);
  } catch (thrown) {
    const error = toCairnError(thrown);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, explain(error), error.data);
  }
}

function answer({ text: field }: SurfaceEntry, result: unknown, structured: boolean): CallToolResult {
  const fields = result as Record<string, unknown>;
  const own = field === undefined ? undefined : fields[field];
  if (typeof own === 'string') {
    return { content: [{ type: 'text', text: own }], ...(structured && { structuredContent: fields }) };
  }
  if (!structured) return { content: [{ type: 'text', text: JSON.stringify(result) }] };
  return { content: [{ type: 'text', text: render(result) }], structuredContent: fields };
}

function failure(error: CairnError, { envelope }: SurfaceEntry, structured: boolean): CallToolResult {
  const { code, message, data } = error;
  const told = envelope ? enveloped(error) : { error: { code, message, data } };
  const text = envelope && !structured ? JSON.stringify(told) : explain(error);
  return { isError: true, content: [{ type: 'text', text }], ...(structured && { structuredContent: told }) };
}
