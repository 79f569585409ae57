/** Places nodes by forces, away from the page, so that it stays responsive. Tells positions as they get better. */
import { UndirectedGraph } from 'graphology';
import forceAtlas2 from 'graphology-layout-forceatlas2';

export interface LayoutWanted {
  readonly positions: Float32Array;
  /** Pairs of indexes of nodes. */
  readonly edges: Uint32Array;
}

const ROUNDS = 30;
const STEPS = 8;
const BUDGET_MS = 12_000;

self.addEventListener('message', ({ data: { positions, edges } }: MessageEvent<LayoutWanted>) => {
  const graph = new UndirectedGraph({ multi: false });
  for (let node = 0; node < positions.length / 2; node++) {
    graph.addNode(node, { x: positions[node * 2], y: positions[node * 2 + 1] });
  }
  for (let edge = 0; edge < edges.length; edge += 2) graph.mergeEdge(edges[edge], edges[edge + 1]);
  const inferred = forceAtlas2.inferSettings(graph);
  const settings = { ...inferred, barnesHutOptimize: graph.order > 300, scalingRatio: 40, gravity: 0.5, slowDown: 2 };
  const started = performance.now();
  for (let round = 0; round < ROUNDS && performance.now() - started < BUDGET_MS; round++) {
    forceAtlas2.assign(graph, { iterations: STEPS, settings });
    const placed = new Float32Array(positions.length);
    graph.forEachNode((node, { x, y }) => {
      placed[Number(node) * 2] = x;
      placed[Number(node) * 2 + 1] = y;
    });
    self.postMessage(placed, { transfer: [placed.buffer] });
  }
  self.postMessage(undefined);
});
