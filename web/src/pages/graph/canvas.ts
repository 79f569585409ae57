/** The drawing of a large graph: nodes and edges on a canvas by WebGL, placed by the worker. */
import Graph from 'graphology';
import Sigma from 'sigma';
import { themeNow } from '../../theme.ts';
import type { GraphNode } from './answers.ts';
import type { Collected } from './collect.ts';
import LayoutWorker from './layout.worker.ts?worker';

const colours: Readonly<Record<string, string>> = {
  instruction: '#0f8a7d',
  category: '#c17d11',
  decision: '#7a5af8',
  target: '#b42318',
  event: '#8a949c',
  document: '#2e6fd8',
  folder: '#6b7a90',
  collection: '#1f3a68',
  symbol: '#4aa3df',
};

/** WebGL knows no variables of style sheets. */
const shades = { light: { edge: '#c5ccc9', faded: '#e3e6e4' }, dark: { edge: '#465057', faded: '#2a2f34' } };

export interface Canvas {
  add(more: Collected): void;
  select(key: string | undefined): void;
  readonly graph: Graph;
  close(): void;
}

interface Events {
  readonly onSelect: (key: string | undefined) => void;
  readonly onBusy: (busy: boolean) => void;
}

export function openCanvas(place: HTMLElement, { onSelect, onBusy }: Events): Canvas {
  const graph = new Graph({ multi: false, type: 'directed' });
  const ink = getComputedStyle(place).color;
  const { edge: line, faded } = themeNow() === 'dark' ? shades.dark : shades.light;
  let selected: string | undefined;
  const sigma = new Sigma(graph, place, {
    labelColor: { color: ink },
    labelRenderedSizeThreshold: 4,
    labelSize: 12,
    defaultEdgeColor: line,
    zIndex: true,
    allowInvalidContainer: true,
    nodeReducer: (node, data) => {
      if (selected === undefined) return data;
      if (node === selected) return { ...data, highlighted: true, zIndex: 2 };
      if (graph.areNeighbors(node, selected)) return { ...data, forceLabel: graph.degree(selected) < 40, zIndex: 1 };
      return { ...data, color: faded, label: '', zIndex: 0 };
    },
    edgeReducer: (edge, data) =>
      selected === undefined || graph.hasExtremity(edge, selected) ? data : { ...data, hidden: true },
  });
  const layout = createLayout(graph, onBusy);
  const select = (key: string | undefined) => {
    selected = key;
    sigma.refresh({ skipIndexation: true });
    onSelect(key);
  };
  sigma.on('clickNode', ({ node }) => select(node));
  sigma.on('clickStage', () => select(undefined));
  return {
    graph,
    add(more) {
      merge(graph, more);
      layout.start();
    },
    select,
    close() {
      layout.stop();
      sigma.kill();
    },
  };
}

/** New nodes begin near one they are connected with, or on a circle. */
function merge(graph: Graph, { nodes, edges }: Collected): void {
  const added = nodes.filter(({ key }) => !graph.hasNode(key));
  const radius = Math.sqrt(graph.order + added.length) * 10;
  added.forEach((node, index) => {
    const angle = (index / added.length) * 2 * Math.PI;
    graph.addNode(node.key, { ...look(node), node, x: radius * Math.cos(angle), y: radius * Math.sin(angle) });
  });
  for (const { source, target, relation } of edges) {
    if (source !== target && graph.hasNode(source) && graph.hasNode(target))
      graph.mergeEdge(source, target, { relation });
  }
  // Many nodes are small ones, so that they do not hide each other.
  const scale = graph.order > 1000 ? 0.4 : 1;
  graph.forEachNode((key) =>
    graph.setNodeAttribute(key, 'size', scale * (4 + Math.min(14, Math.sqrt(graph.degree(key)) * 1.6))),
  );
}

function look({ type, label }: GraphNode) {
  return { label, color: colours[type] ?? '#8a949c', size: 4 };
}

export function colourOf(type: string): string {
  return colours[type] ?? '#8a949c';
}

function createLayout(graph: Graph, onBusy: (busy: boolean) => void) {
  let worker: Worker | undefined;
  const stop = () => {
    worker?.terminate();
    worker = undefined;
    onBusy(false);
  };
  return {
    stop,
    start() {
      stop();
      const keys = graph.nodes();
      const at = new Map(keys.map((key, index) => [key, index]));
      const positions = new Float32Array(
        keys.flatMap((key) => [graph.getNodeAttribute(key, 'x'), graph.getNodeAttribute(key, 'y')]),
      );
      const edges = new Uint32Array(
        graph.mapEdges((_edge, _data, source, target) => [at.get(source) ?? 0, at.get(target) ?? 0]).flat(),
      );
      onBusy(true);
      worker = new LayoutWorker();
      worker.addEventListener('message', ({ data }: MessageEvent<Float32Array | undefined>) => {
        if (data === undefined) {
          stop();
          return;
        }
        graph.updateEachNodeAttributes(
          (key, attributes) => {
            const index = (at.get(key) ?? 0) * 2;
            return { ...attributes, x: data[index], y: data[index + 1] };
          },
          { attributes: ['x', 'y'] },
        );
      });
      worker.postMessage({ positions, edges });
    },
  };
}
