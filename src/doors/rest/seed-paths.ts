/** Paths that the seed documents name, as they document them. */
import { surface } from '../../operations/surface.ts';
import { type Exchange, only, type Route, sendJson } from '../http/exchange.ts';
import { answer, inputOf, perform } from './operation.ts';

export const seedRoutes: readonly Route[] = [
  { path: '/health', unlimited: true, handle: reading('health_check') },
  { path: '/search', handle: named('search_decisions') },
  { path: '/record', handle: named('record_decision') },
  { path: '/tools.json', handle: reading('meta_tools') },
  { path: '/api/graph/mermaid', handle: drawGraph },
];

/** S3's REST: the same operation under a short path. */
function named(operation: string) {
  return async (exchange: Exchange) => {
    const entry = surface.resolve(operation);
    await answer(exchange, entry, await inputOf(exchange, entry));
  };
}

function reading(operation: string) {
  return async (exchange: Exchange) => {
    only(exchange, 'GET');
    await answer(exchange, surface.resolve(operation), {});
  };
}

/** S1: the panel of the dashboard. Its edge types are one comma-separated text. */
async function drawGraph(exchange: Exchange): Promise<void> {
  only(exchange, 'GET');
  const entry = surface.resolve('graph_export');
  const given = (await inputOf(exchange, entry)) as Record<string, unknown>;
  const { includeEdgeTypes: types, ...rest } = given;
  const edgeTypes = Array.isArray(types) ? types.flatMap((type) => String(type).split(',')).filter(Boolean) : [];
  const input = { ...rest, ...(edgeTypes.length > 0 && { includeEdgeTypes: edgeTypes }), format: 'mermaid' };
  const { meta, mermaid } = (await perform(exchange, entry.name, input)) as { meta: unknown; mermaid: string };
  sendJson(exchange.response, 200, { success: true, meta, mermaid });
}
