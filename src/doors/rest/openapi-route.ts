import { only, type Route, sendJson } from '../http/exchange.ts';
import { openApi } from './openapi.ts';

let document: Record<string, unknown> | undefined;

/** The table does not change while the program runs: the document is made once. */
export const openApiRoute: Route = {
  path: '/api/v1/openapi.json',
  async handle(exchange) {
    only(exchange, 'GET');
    document ??= openApi();
    sendJson(exchange.response, 200, document);
  },
};
