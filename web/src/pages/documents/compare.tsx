import type { Snapshot } from '../../data/answers.ts';
import { useCall } from '../../data/use-call.ts';
import { Empty, Loaded, Section } from '../../parts/basics.tsx';
import { Choice } from '../../parts/field.tsx';
import { PageHead } from '../../parts/heading.tsx';
import { documentLink } from '../../parts/places.ts';
import { type Route, replaceQuery } from '../../router.ts';
import { count } from '../../text/format.ts';

interface Difference {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  readonly counts: {
    readonly added: number;
    readonly changed: number;
    readonly removed: number;
    readonly same: number;
  };
}

export function Compare({ from, route }: { readonly from: string; readonly route: Route }) {
  const to = route.query.get('to') ?? '';
  const snapshots = useCall<{ snapshots: readonly Snapshot[] }>('list_snapshots', { limit: 200 }, ['document']);
  const answer = useCall<Difference>('snapshot_diff', { from, ...(to && { to }) }, ['document']);
  const known = snapshots.data?.snapshots ?? [];
  const snapshot = known.find(({ id }) => id === from);
  const collection = snapshot?.collection ?? 'default';
  const options = [
    { value: '', label: 'the collection as it is now' },
    ...known
      .filter((one) => one.id !== from && one.collection === collection)
      .map(({ id, label }) => ({ value: id, label: label || id })),
  ];
  return (
    <>
      <PageHead
        title={snapshot?.label || from}
        crumbs={[{ label: 'Documents', href: '#/documents' }]}
        lead={`What changed from this snapshot of ${collection}.`}
      />
      <div class="filters">
        <Choice label="Up to" value={to} options={options} onChange={(id) => replaceQuery(route, { to: id })} />
      </div>
      <Loaded answer={answer}>
        {({ added, changed, removed, counts }) => {
          if (counts.added + counts.changed + counts.removed === 0) {
            return <Empty title={`Nothing differs: ${count(counts.same)} documents are the same.`} />;
          }
          return (
            <>
              <Paths title="Added" sign="+" paths={added} collection={collection} total={counts.added} />
              <Paths title="Changed" sign="±" paths={changed} collection={collection} total={counts.changed} />
              <Paths title="Removed" sign="−" paths={removed} total={counts.removed} />
              <p class="note">{count(counts.same)} are the same.</p>
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function Paths(props: { title: string; sign: string; paths: readonly string[]; collection?: string; total: number }) {
  const { title, sign, paths, collection, total } = props;
  if (paths.length === 0) return null;
  return (
    <Section title={title} note={count(total)}>
      <ul class="list mono">
        {paths.map((path) => (
          <li key={path}>
            {sign} {collection === undefined ? path : <a href={documentLink(collection, path)}>{path}</a>}
          </li>
        ))}
      </ul>
    </Section>
  );
}
