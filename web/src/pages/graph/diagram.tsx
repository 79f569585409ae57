/** The instructions drawn by mermaid (S1's panel): what is in the drawing, and the drawing. */
import { useCall } from '../../data/use-call.ts';
import { Empty, Loaded } from '../../parts/basics.tsx';
import { Choice, Tick } from '../../parts/field.tsx';
import { type Route, replaceQuery } from '../../router.ts';
import { plural } from '../../text/format.ts';
import { Drawing } from './drawing.tsx';

interface Drawn {
  readonly meta: { readonly nodeCount: number; readonly edgeCount: number; readonly truncated?: boolean };
  readonly mermaid: string;
}

const edgeTypes = ['primary', 'category', 'belongs'] as const;

export function Diagram({ route }: { readonly route: Route }) {
  const { query } = route;
  const on = (name: string) => query.get(name) === 'true';
  const wanted = query.get('edges')?.split(',') ?? ['primary', 'belongs'];
  const categories = query.get('categories') !== 'false';
  const maxEdges = Number(query.get('max') || 150);
  const answer = useCall<Drawn>(
    'graph_export',
    {
      format: 'mermaid',
      maxEdges,
      includeEdgeTypes: edgeTypes.filter((type) => wanted.includes(type) && (categories || type !== 'belongs')),
      enrich: query.get('enrich') !== 'false',
      includeCategoryNodes: categories,
      includeUsage: on('usage'),
    },
    ['instruction'],
  );
  const toggle = (type: string) => (checked: boolean) => {
    const next = edgeTypes.filter((each) => (each === type ? checked : wanted.includes(each)));
    replaceQuery(route, { edges: next.join(',') || 'none' });
  };
  return (
    <>
      <div class="filters">
        <Tick
          label="facts of nodes (enriched)"
          checked={query.get('enrich') !== 'false'}
          onChange={(checked) => replaceQuery(route, { enrich: checked ? '' : 'false' })}
        />
        <Tick
          label="category nodes"
          checked={categories}
          onChange={(checked) => replaceQuery(route, { categories: checked ? '' : 'false' })}
        />
        <Tick label="usage" checked={on('usage')} onChange={(checked) => replaceQuery(route, { usage: checked })} />
        <fieldset class="ticks">
          <legend>Edges</legend>
          {edgeTypes.map((type) => (
            <Tick key={type} label={type} checked={wanted.includes(type)} onChange={toggle(type)} />
          ))}
        </fieldset>
        <Choice
          label="At most"
          value={String(maxEdges)}
          options={['50', '150', '500', '2000'].map((value) => ({ value, label: `${value} edges` }))}
          onChange={(value) => replaceQuery(route, { max: value })}
        />
      </div>
      <Loaded answer={answer} lines={8}>
        {({ meta, mermaid }) =>
          meta.nodeCount === 0 ? (
            <Empty title="There are no instructions to draw." />
          ) : (
            <Drawing
              source={mermaid}
              nodes={meta.nodeCount}
              note={`${plural(meta.nodeCount, 'node')}, ${plural(meta.edgeCount, 'edge')}${meta.truncated ? ', cut' : ''}`}
            />
          )
        }
      </Loaded>
    </>
  );
}
