/** One HTTP request on its way to whoever answers it, and what a route is. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { CairnError, type ErrorDetail, type ErrorName } from '../../errors.ts';
import type { App } from '../../service/app.ts';
import type { Principal } from '../../service/principal.ts';

/** A request that passed the checks of Host and Origin. */
export interface Visit {
  readonly app: App;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  /** Aborted when the client goes away before it has its answer. */
  readonly signal: AbortSignal;
  /** Aborted when the door closes: what streams ends then. */
  readonly closing: AbortSignal;
}

/** A visit of somebody known. */
export interface Exchange extends Visit {
  readonly principal: Principal;
}

interface Place {
  /** An exact path; with a slash at its end, everything below it too. */
  readonly path: string;
  /** Not counted as a call: what streams, and what watches over the server. */
  readonly unlimited?: true;
}

/** Threat: a route that forgets to ask who is there. So knowing it is the rule, and `open` has to be said. */
export type Route =
  | (Place & { readonly open?: false; handle(exchange: Exchange): Promise<void> })
  | (Place & { readonly open: true; handle(visit: Visit): Promise<void> });

/** The route of a path: the exact one, else the longest that it lies below. */
export function routeOf(routes: readonly Route[], path: string): Route | undefined {
  const exact = routes.find((route) => route.path === path);
  if (exact !== undefined) return exact;
  return routes
    .filter((route) => route.path.endsWith('/') && path.startsWith(route.path))
    .sort((a, b) => b.path.length - a.path.length)[0];
}

/** An error whose HTTP status or headers say more than its kind does. */
export class Refusal extends CairnError {
  readonly headers: Readonly<Record<string, string>>;
  readonly #status: number;

  constructor(
    status: number,
    kind: ErrorName,
    message: string,
    detail: ErrorDetail,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(kind, message, detail);
    this.#status = status;
    this.headers = headers;
  }

  override get status(): number {
    return this.#status;
  }
}

/** HEAD is a GET whose body Node leaves out. */
export function methodOf({ method = 'GET' }: IncomingMessage): string {
  return method === 'HEAD' ? 'GET' : method;
}

export function only(visit: Visit, ...methods: string[]): void {
  if (methods.includes(methodOf(visit.request))) return;
  throw notAllowed(`${visit.request.method} is not answered at ${visit.url.pathname.slice(0, 200)}`, methods);
}

export function notAllowed(message: string, methods: readonly string[], suggestion?: string): Refusal {
  const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
  return new Refusal(
    405,
    'invalid_request',
    message,
    { suggestion: suggestion ?? `Use ${methods.join(' or ')}.` },
    { allow },
  );
}

export function sendJson(response: ServerResponse, status: number, body: unknown, type = 'application/json'): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, { 'content-type': type, 'content-length': bytes.length });
  response.end(bytes);
}
