import type { Snapshot } from '../../data/answers.ts';
import { useCall } from '../../data/use-call.ts';
import { Empty, Loaded, Section, Time } from '../../parts/basics.tsx';
import { PageHead } from '../../parts/heading.tsx';
import { Table } from '../../parts/table.tsx';
import { linkTo } from '../../router.ts';
import { bytes, count } from '../../text/format.ts';

interface Collection {
  readonly name: string;
  readonly documents: number;
  readonly bytes: number;
}

export function Collections() {
  const collections = useCall<{ collections: readonly Collection[] }>('list_collections', {}, ['document']);
  const snapshots = useCall<{ snapshots: readonly Snapshot[] }>('list_snapshots', { limit: 100 }, ['document']);
  return (
    <>
      <PageHead title="Documents" lead="What there is: files and code, content-addressed, with snapshots.">
        <a class="button" href={linkTo(['documents', 'grep'])}>
          Search and grep
        </a>
      </PageHead>
      <Section title="Collections">
        <Loaded answer={collections}>
          {(answer) =>
            answer.collections.length === 0 ? (
              <Empty title="No document is stored yet.">Store a folder: cairn add src --collection NAME.</Empty>
            ) : (
              <Table
                label="Collections"
                rows={answer.collections}
                keyOf={({ name }) => name}
                columns={[
                  {
                    name: 'Collection',
                    kind: 'main',
                    cell: ({ name }) => <a href={linkTo(['documents', 'in', name])}>{name}</a>,
                  },
                  { name: 'Documents', kind: 'number', cell: ({ documents }) => count(documents) },
                  { name: 'Size', kind: 'number', cell: (row) => bytes(row.bytes) },
                ]}
              />
            )
          }
        </Loaded>
      </Section>
      <Section title="Snapshots" note="a collection as it was; they never change">
        <Loaded answer={snapshots}>{(answer) => <Snapshots snapshots={answer.snapshots} />}</Loaded>
      </Section>
    </>
  );
}

function Snapshots({ snapshots }: { readonly snapshots: readonly Snapshot[] }) {
  if (snapshots.length === 0)
    return <Empty title="There is no snapshot.">Keep a collection as it is: cairn snapshot.</Empty>;
  return (
    <Table
      label="Snapshots"
      rows={snapshots}
      keyOf={({ id }) => id}
      columns={[
        {
          name: 'Snapshot',
          kind: 'main',
          cell: ({ id, label }) => (
            <>
              <a href={linkTo(['documents', 'compare', id])}>{label || id}</a>
              <span class="id">{id}</span>
            </>
          ),
        },
        { name: 'Collection', cell: ({ collection }) => collection },
        { name: 'Made', kind: 'short', cell: ({ created }) => <Time at={created} /> },
        { name: 'Files', kind: 'number', cell: ({ files }) => count(files) },
        { name: 'Size', kind: 'number', cell: (row) => bytes(row.bytes) },
      ]}
    />
  );
}
