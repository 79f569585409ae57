/** A graph of thousands of nodes to move in: click a node to see it, expand it to see further. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { CallError } from '../../data/call.ts';
import { asCallError, useCall } from '../../data/use-call.ts';
import { Badge, Failure, Section } from '../../parts/basics.tsx';
import { Choice, TextField } from '../../parts/field.tsx';
import { type Route, replaceQuery } from '../../router.ts';
import { count, plural } from '../../text/format.ts';
import { useTheme } from '../../theme.ts';
import type { GraphAnswer, GraphNode } from './answers.ts';
import { type Canvas, colourOf, openCanvas } from './canvas.ts';
import { around, catalogGraph } from './collect.ts';
import { nodeLink } from './node-link.ts';

const CATALOG = 'instructions';

export function Explore({ route }: { readonly route: Route }) {
  const from = route.query.get('from') || CATALOG;
  const theme = useTheme();
  return (
    <>
      <div class="filters">
        <Starts from={from} onChange={(key) => replaceQuery(route, { from: key })} />
      </div>
      <Explorer from={from} key={`${from} ${theme}`} />
    </>
  );
}

function Starts({ from, onChange }: { readonly from: string; readonly onChange: (key: string) => void }) {
  const collections = useCall<GraphAnswer>('graph', { list_type: 'collection', limit: 100 }, ['document']);
  const targets = useCall<GraphAnswer>('graph', { list_type: 'target', limit: 300 }, ['decision']);
  const nodes = [...(collections.data?.nodes ?? []), ...(targets.data?.nodes ?? [])];
  const options = [
    { value: CATALOG, label: 'all instructions' },
    ...nodes.map(({ key, type, label }) => ({ value: key, label: `${type} ${label}` })),
  ];
  const known = options.some(({ value }) => value === from);
  return (
    <Choice
      label="Begin with"
      value={from}
      options={known ? options : [...options, { value: from, label: from }]}
      onChange={onChange}
    />
  );
}

interface Size {
  readonly nodes: number;
  readonly edges: number;
  readonly truncated: boolean;
}

function Explorer({ from }: { readonly from: string }) {
  const place = useRef<HTMLDivElement>(null);
  const canvas = useRef<Canvas>(undefined);
  const [selected, setSelected] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<CallError>();
  const [size, setSize] = useState<Size>({ nodes: 0, edges: 0, truncated: false });

  async function add(wanted: Promise<Parameters<Canvas['add']>[0]>, signal?: AbortSignal): Promise<void> {
    try {
      const more = await wanted;
      const { current } = canvas;
      if (signal?.aborted === true || current === undefined) return;
      current.add(more);
      setSize({ nodes: current.graph.order, edges: current.graph.size, truncated: more.truncated === true });
    } catch (thrown) {
      if (signal?.aborted !== true) setError(asCallError(thrown));
    }
  }

  useEffect(() => {
    const controller = new AbortController();
    try {
      if (place.current !== null)
        canvas.current = openCanvas(place.current, { onSelect: setSelected, onBusy: setBusy });
    } catch {
      setError(asCallError('This browser draws no WebGL, which the explorer needs'));
    }
    const { signal } = controller;
    void add(from === CATALOG ? catalogGraph(signal) : around(from, 3, signal), signal);
    return () => {
      controller.abort();
      canvas.current?.close();
      canvas.current = undefined;
    };
  }, []);

  return (
    <div class="explorer">
      <div>
        {error !== undefined && <Failure error={error} />}
        <div class="canvas" ref={place} role="img" aria-label={`Graph of ${size.nodes} nodes`} data-busy={busy} />
        <p class="note" aria-live="polite">
          {plural(size.nodes, 'node')}, {plural(size.edges, 'edge')}
          {size.truncated && ', cut'}
          {busy ? ', arranging…' : ''}
        </p>
      </div>
      <Panel canvas={canvas.current} selected={selected} expand={(key) => void add(around(key, 1))} />
    </div>
  );
}

const MOST_SHOWN = 60;

function Panel(props: { canvas: Canvas | undefined; selected: string | undefined; expand: (key: string) => void }) {
  const { canvas, selected, expand } = props;
  const [sought, setSought] = useState('');
  if (canvas === undefined) return <aside />;
  const { graph } = canvas;
  const nodeOf = (key: string) => graph.getNodeAttribute(key, 'node') as GraphNode;
  const found =
    sought === ''
      ? []
      : graph
          .filterNodes((_key, { label }) => String(label).toLowerCase().includes(sought.toLowerCase()))
          .slice(0, MOST_SHOWN);
  return (
    <aside>
      <TextField label="Find a node" value={sought} onChange={setSought} />
      {found.length > 0 && <NodeList keys={found} nodeOf={nodeOf} select={canvas.select} />}
      {selected !== undefined && graph.hasNode(selected) ? (
        <Selected node={nodeOf(selected)} expand={expand}>
          <p class="note">{plural(graph.degree(selected), 'connection')}</p>
          <NodeList
            keys={[...new Set(graph.neighbors(selected))].slice(0, MOST_SHOWN)}
            nodeOf={nodeOf}
            select={canvas.select}
          />
          {graph.degree(selected) > MOST_SHOWN && (
            <p class="note">and {count(graph.degree(selected) - MOST_SHOWN)} more</p>
          )}
        </Selected>
      ) : (
        <p class="note">Click a node to see what it is. Scroll to zoom, drag to move.</p>
      )}
    </aside>
  );
}

function Selected(props: { node: GraphNode; expand: (key: string) => void; children: preact.ComponentChildren }) {
  const { node, expand, children } = props;
  const href = nodeLink(node);
  return (
    <Section title={node.label} note={<Badge word={node.type} tone="accent" />}>
      <div class="buttons">
        {href !== undefined && (
          <a class="button main" href={href}>
            Open
          </a>
        )}
        <button type="button" onClick={() => expand(node.key)}>
          Expand
        </button>
      </div>
      {children}
    </Section>
  );
}

function NodeList(props: {
  keys: readonly string[];
  nodeOf: (key: string) => GraphNode;
  select: (key: string) => void;
}) {
  return (
    <ul class="list node-list">
      {props.keys.map((key) => {
        const { label, type } = props.nodeOf(key);
        return (
          <li key={key}>
            <button type="button" class="plain" onClick={() => props.select(key)}>
              <svg viewBox="0 0 8 8" aria-hidden="true">
                <circle cx="4" cy="4" r="4" fill={colourOf(type)} />
              </svg>
              {label}
            </button>
          </li>
        );
      })}
    </ul>
  );
}
