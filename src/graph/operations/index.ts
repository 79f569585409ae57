/** The operations on the graph of everything. */
import { graph } from './graph.ts';
import { graphImpact } from './impact.ts';
import { graphPath } from './path.ts';

export const operations = [graph, graphImpact, graphPath];
