import { useCallback } from 'preact/hooks';
import { useCall } from '../../data/use-call.ts';
import { Badge, Empty, Loaded, Section } from '../../parts/basics.tsx';
import { SearchField } from '../../parts/field.tsx';
import { PageHead } from '../../parts/heading.tsx';
import { toolLink } from '../../parts/places.ts';
import { Table } from '../../parts/table.tsx';
import { type Route, replaceQuery } from '../../router.ts';

interface Row {
  readonly name: string;
  readonly description: string;
  readonly writes?: boolean;
  readonly needsMutationSwitch?: boolean;
}
interface Overview {
  readonly total: number;
  readonly families: readonly { readonly family: string; readonly operations: readonly Row[] }[];
}

export function Tools({ route }: { readonly route: Route }) {
  const filter = (route.query.get('q') ?? '').toLowerCase();
  const answer = useCall<Overview>('describe');
  const search = useCallback((q: string) => replaceQuery(route, { q }), [route]);
  return (
    <>
      <PageHead title="Tools" lead="Every operation of this server, its schema, and a form to try it.">
        <a class="button" href="/api/v1/openapi.json">
          OpenAPI
        </a>
        <a class="button" href="/tools.json">
          tools.json
        </a>
      </PageHead>
      <div class="filters">
        <SearchField label="Find an operation" value={filter} onChange={search} />
      </div>
      <Loaded answer={answer} lines={12}>
        {({ families }) => {
          const shown = families
            .map(({ family, operations }) => ({
              family,
              operations: operations.filter(({ name, description }) =>
                `${name} ${description}`.toLowerCase().includes(filter),
              ),
            }))
            .filter(({ operations }) => operations.length > 0);
          if (shown.length === 0) return <Empty title="No operation fits." />;
          return (
            <>
              {shown.map(({ family, operations }) => (
                <Section key={family} title={family}>
                  <Table label={family} rows={operations} keyOf={({ name }) => name} columns={columns} />
                </Section>
              ))}
            </>
          );
        }}
      </Loaded>
    </>
  );
}

const columns = [
  {
    name: 'Operation',
    cell: ({ name }: Row) => (
      <a class="mono" href={toolLink(name)}>
        {name}
      </a>
    ),
  },
  { name: 'What it does', kind: 'main' as const, cell: ({ description }: Row) => description },
  {
    name: 'Effect',
    kind: 'short' as const,
    cell: ({ writes, needsMutationSwitch }: Row) => (
      <span class="badges">
        <Badge word={writes === true ? 'writes' : 'reads'} tone={writes === true ? 'warn' : 'good'} />
        {needsMutationSwitch === true && <Badge word="switch" tone="calm" />}
      </span>
    ),
  },
];
