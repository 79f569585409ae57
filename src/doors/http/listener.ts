/** What happens to every request before somebody answers it: Host, Origin, path, who it is, how often they come. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostHeaderValidation, originValidation } from '@modelcontextprotocol/node';
import { CairnError, toCairnError } from '../../errors.ts';
import type { App } from '../../service/app.ts';
import type { Principal } from '../../service/principal.ts';
import { type Address, acceptedNames } from './address.ts';
import { Refusal, type Route, routeOf, type Visit } from './exchange.ts';
import { refuse } from './problem.ts';
import { Reception } from './reception.ts';

export interface Listening {
  readonly app: App;
  readonly address: Address;
  readonly routes: readonly Route[];
  readonly closing: AbortSignal;
  /** Who a request of the dashboard comes from; nothing for one of somebody else. */
  readonly principalOf: (request: IncomingMessage) => Promise<Principal | undefined>;
}

export function listenerOf({ app, address, routes, closing, principalOf }: Listening) {
  const reception = new Reception(app, address);
  const acceptHost = hostHeaderValidation(acceptedNames(address.host, app.config.allowedHosts));
  const acceptOrigin = originValidation(acceptedNames(address.host, app.config.allowedOrigins));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = urlOf(request);
    if (closing.aborted) throw stopping();
    const visit: Visit = { app, request, response, url, signal: leaving(response), closing };
    const route = routeOf(routes, url.pathname);
    if (route?.open) return route.handle(visit);
    refuseForeignPages(request);
    const principal = (await principalOf(request)) ?? (await reception.identify(request));
    if (route === undefined) {
      throw new CairnError('not_found', `Nothing is at ${url.pathname.slice(0, 200)}`, {
        suggestion: 'MCP is at /mcp, operations are at /api/v1/NAME and listed in /api/v1/openapi.json.',
      });
    }
    reception.admit(request, route, principal);
    return route.handle({ ...visit, principal });
  }

  return async (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('x-content-type-options', 'nosniff');
    response.setHeader('cache-control', 'no-store');
    if (!acceptHost(request, response) || !acceptOrigin(request, response)) return;
    try {
      await answer(request, response);
    } catch (thrown) {
      const form = /^\/mcp(?:\?|$)/.test(request.url ?? '') ? 'rpc' : 'problem';
      refuse(response, toCairnError(thrown), form);
    }
  };
}

function urlOf({ url = '/' }: IncomingMessage): URL {
  // `//` and `http://[` are paths to Node and no URL.
  const path = url.startsWith('/') ? `http://localhost${url}` : 'http://localhost/-';
  if (URL.canParse(path)) return new URL(path);
  throw new Refusal(400, 'invalid_request', 'The path is not one', { suggestion: 'Send a path that begins with /.' });
}

/**
 * Threat: a page elsewhere cannot read what its GET brings (it has no Origin we accept), but it can make us work for it. Browsers
 * say where such a request comes from.
 */
function refuseForeignPages({ headers }: IncomingMessage): void {
  if (headers['sec-fetch-site'] !== 'cross-site' || headers.origin !== undefined) return;
  throw new Refusal(403, 'permission_denied', 'The request comes from a page of another site', {
    suggestion: 'Open the address itself, or add the site to CAIRN_ALLOWED_ORIGINS.',
  });
}

function leaving(response: ServerResponse): AbortSignal {
  const left = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) left.abort();
  });
  return left.signal;
}

function stopping(): Refusal {
  const detail = { suggestion: 'Send the call again when the server is back.' };
  return new Refusal(503, 'store_unavailable', 'The server is stopping', detail, {
    connection: 'close',
    'retry-after': '5',
  });
}
