/** Who a request comes from, and whether they come too often. */
import type { IncomingMessage } from 'node:http';
import { CairnError, type ErrorDetail } from '../../errors.ts';
import type { App } from '../../service/app.ts';
import type { Principal } from '../../service/principal.ts';
import { type Address, isLoopback } from './address.ts';
import { methodOf, Refusal, type Route } from './exchange.ts';
import { identify, presentedKey } from './identity.ts';
import { Buckets, WrongKeys } from './rate.ts';

/** Where other people's programs come, unless the setting says otherwise. */
const USUAL_RATE = 100;

export class Reception {
  readonly #app: App;
  /** Where nobody but this machine's own programs come, none of which needs a key, there is no limit by itself. */
  readonly #foreign: boolean;
  readonly #buckets: Buckets;
  readonly #wrongKeys = new WrongKeys();

  constructor(app: App, address: Address) {
    this.#app = app;
    this.#foreign = !isLoopback(address.host);
    this.#buckets = new Buckets(app.config.httpRate > 0 ? app.config.httpRate : USUAL_RATE);
  }

  async identify(request: IncomingMessage): Promise<Principal> {
    const key = presentedKey(request.headers);
    if (key === undefined) return identify(this.#app, request);
    const from = addressOf(request);
    const wait = this.#wrongKeys.wait(from, performance.now());
    if (wait > 0) throw tooOften('Too many wrong keys came from this address', wait, {});
    try {
      return await identify(this.#app, request);
    } catch (thrown) {
      if (thrown instanceof CairnError && thrown.kind === 'unauthenticated')
        this.#wrongKeys.note(from, performance.now());
      throw thrown;
    }
  }

  /** Streams and what watches over the server are not calls. */
  admit(request: IncomingMessage, route: Route, principal: Principal): void {
    const stream = route.path === '/mcp' && methodOf(request) !== 'POST';
    if (route.unlimited || stream || !this.#isLimited(request)) return;
    const wait = this.#buckets.wait(`${principal.name} ${addressOf(request)}`, performance.now());
    if (wait === 0) return;
    throw tooOften('Too many calls at once', wait, { limit: 'CAIRN_HTTP_RATE' });
  }

  #isLimited({ headers }: IncomingMessage): boolean {
    const { httpRate } = this.#app.config;
    if (httpRate >= 0) return httpRate > 0;
    return this.#foreign || presentedKey(headers) !== undefined;
  }
}

function addressOf({ socket }: IncomingMessage): string {
  return socket.remoteAddress ?? '';
}

function tooOften(message: string, waitMs: number, detail: ErrorDetail): Refusal {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  const suggestion = `Wait ${seconds} s, then go on more slowly.`;
  return new Refusal(
    429,
    'limit_exceeded',
    message,
    { ...detail, retry_after_ms: Math.ceil(waitMs), suggestion },
    { 'retry-after': String(seconds) },
  );
}
