import { useCallback } from 'preact/hooks';
import type { Target } from '../../data/answers.ts';
import { useCall } from '../../data/use-call.ts';
import { Badge, Empty, Loaded } from '../../parts/basics.tsx';
import { SearchField, Tick } from '../../parts/field.tsx';
import { PageHead } from '../../parts/heading.tsx';
import { targetLink } from '../../parts/places.ts';
import { type Column, Table } from '../../parts/table.tsx';
import { type Route, replaceQuery } from '../../router.ts';
import { count, plural } from '../../text/format.ts';
import { Namespace, namespaceOf } from './namespace.tsx';
import { DecisionHits } from './search.tsx';

export function Targets({ route }: { readonly route: Route }) {
  const namespace = namespaceOf(route);
  const filter = route.query.get('q') ?? '';
  const conflicts = route.query.get('conflicts') === 'true';
  const answer = useCall<{ targets: readonly Target[]; total: number }>('target_list', { namespace, limit: 1000 }, [
    'decision',
  ]);
  const stats = useCall<{ stats: { open_proposals: number } }>('get_memory_stats', { namespace }, ['decision']);
  const proposals = stats.data?.stats.open_proposals ?? 0;
  const search = useCallback((q: string) => replaceQuery(route, { q }), [route]);
  return (
    <>
      <PageHead title="Decisions" lead="Why it is so: one truth for each target, with its history and evidence.">
        <a class={proposals > 0 ? 'button main' : 'button'} href="#/proposals">
          {proposals > 0 ? plural(proposals, 'proposal') : 'Proposals'}
        </a>
      </PageHead>
      <div class="filters">
        <SearchField label="Find decisions" placeholder="A question or a word" value={filter} onChange={search} />
        <Tick
          label="only conflicts"
          checked={conflicts}
          onChange={(checked) => replaceQuery(route, { conflicts: checked })}
        />
        <Namespace route={route} />
      </div>
      {filter !== '' && <DecisionHits query={filter} namespace={namespace} />}
      <Loaded answer={answer} lines={8}>
        {({ targets, total }) => {
          const shown = targets.filter(
            ({ target, aliases = [], conflict }) =>
              (!conflicts || conflict === true) &&
              (filter === '' || [target, ...aliases].some((name) => name.toLowerCase().includes(filter.toLowerCase()))),
          );
          if (total === 0) {
            return (
              <Empty title="No decision was recorded yet.">
                Agents record one with record_decision; on the command line: cairn record decision.
              </Empty>
            );
          }
          if (shown.length === 0) return filter === '' ? <Empty title="No target is in conflict." /> : null;
          return <Table label="Targets" rows={shown} columns={columns(namespace)} keyOf={({ target }) => target} />;
        }}
      </Loaded>
    </>
  );
}

const columns = (namespace: string): readonly Column<Target>[] => [
  {
    name: 'Target',
    kind: 'main',
    cell: ({ target, conflict, aliases = [] }) => (
      <>
        <a href={targetLink(target, namespace)}>{target}</a> {conflict === true && <Badge word="conflict" />}
        {aliases.length > 0 && <span class="id">also {aliases.join(', ')}</span>}
      </>
    ),
  },
  { name: 'In force', kind: 'number', cell: ({ active }) => count(active) },
  { name: 'In all', kind: 'number', cell: ({ decisions }) => count(decisions) },
];
