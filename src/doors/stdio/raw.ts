/**
 * The raw JSON-RPC door: operations as methods, as seeds 000 and 002 show them, with and without `initialize`, on the same
 * stream as MCP. Answers are the bare result object.
 */
import { CairnError } from '../../errors.ts';
import { call } from '../../operations/call.ts';
import { surface } from '../../operations/surface.ts';
import type { App } from '../../service/app.ts';
import type { Principal } from '../../service/principal.ts';
import { cap, jsonSize } from '../cap.ts';

const MAX_ANSWER = 8 * 1024 * 1024;

export interface RawDoor {
  /** The result, or a CairnError. */
  answer(method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
}

export function rawDoor(app: App, principal: Principal, exit: () => void): RawDoor {
  let stopping = false;
  return {
    async answer(method, params, signal) {
      if (method === 'exit') {
        exit();
        return {};
      }
      if (stopping)
        throw new CairnError('invalid_request', 'Invalid Request: shutdown was asked for; only exit may follow');
      if (method === 'ping') return {};
      if (method === 'shutdown') {
        stopping = true;
        return {};
      }
      if (Array.isArray(params)) {
        throw new CairnError('invalid_params', 'Invalid params: they are a list; send an object with names', {
          method,
        });
      }
      const result = await call(app, { operation: method, input: params, principal, signal });
      return cap(result, MAX_ANSWER, jsonSize, surface.find(method)?.rest).result;
    },
  };
}
