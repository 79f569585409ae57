import { useCallback } from 'preact/hooks';
import type { Document } from '../../data/answers.ts';
import { useCall } from '../../data/use-call.ts';
import { Badge, Empty, Loaded, Time } from '../../parts/basics.tsx';
import { Choice, SearchField, TextField } from '../../parts/field.tsx';
import { PageHead } from '../../parts/heading.tsx';
import { Pager } from '../../parts/pager.tsx';
import { documentLink } from '../../parts/places.ts';
import { Table } from '../../parts/table.tsx';
import { linkTo, type Route, replaceQuery } from '../../router.ts';
import { bytes, plural } from '../../text/format.ts';

const PAGE = 100;
const orders = [
  { value: 'name', label: 'by path' },
  { value: 'modified', label: 'latest change first' },
  { value: 'size', label: 'largest first' },
  { value: 'indexed', label: 'latest stored first' },
];

export function DocumentList({ collection, route }: { readonly collection: string; readonly route: Route }) {
  const get = (name: string) => route.query.get(name) ?? '';
  const set = useCallback((name: string, value: string) => replaceQuery(route, { [name]: value, offset: '' }), [route]);
  const offset = Number(get('offset') || 0);
  const order = get('sort') || 'name';
  const path = get('path').trim();
  const answer = useCall<{ total: number; documents?: readonly Document[] }>(
    'list',
    {
      collection,
      limit: PAGE,
      offset,
      sort_by: order,
      sort_order: order === 'name' ? 'asc' : 'desc',
      ...(path !== '' && {
        paths: [/[*?]/.test(path) ? path : `**/*${path}*`, ...(/[*?]/.test(path) ? [] : [`*${path}*`])],
      }),
      ...(get('extension') && { extension: get('extension') }),
      ...(get('tag') && { tag: get('tag') }),
    },
    ['document'],
  );
  return (
    <>
      <PageHead title={collection} crumbs={[{ label: 'Documents', href: '#/documents' }]}>
        <a class="button" href={linkTo(['documents', 'grep'], { collection })}>
          Search and grep in it
        </a>
      </PageHead>
      <div class="filters">
        <SearchField label="Path contains" value={get('path')} onChange={(v) => set('path', v)} />
        <TextField label="Ending" placeholder=".ts" value={get('extension')} onChange={(v) => set('extension', v)} />
        <TextField label="Tag" value={get('tag')} onChange={(v) => set('tag', v)} />
        <Choice label="Order" value={order} options={orders} onChange={(v) => set('sort', v)} />
      </div>
      <Loaded answer={answer} lines={8}>
        {({ total, documents = [] }) =>
          documents.length === 0 ? (
            <Empty title="No document fits." />
          ) : (
            <>
              <p class="note">{plural(total, 'document')}</p>
              <Table
                label="Documents"
                rows={documents}
                keyOf={({ id }) => id}
                columns={[
                  {
                    name: 'Path',
                    kind: 'main',
                    cell: ({ path: name, flagged, tags }) => (
                      <>
                        <a href={documentLink(collection, name)}>{name}</a>{' '}
                        {flagged !== undefined && <Badge word={flagged} tone="bad" />}{' '}
                        {tags.map((tag) => (
                          <Badge key={tag} word={tag} tone="calm" />
                        ))}
                      </>
                    ),
                  },
                  { name: 'Kind', kind: 'short', cell: ({ mime }) => mime },
                  { name: 'Changed', kind: 'short', cell: ({ modified }) => <Time at={modified} /> },
                  { name: 'Size', kind: 'number', cell: ({ size }) => bytes(size) },
                ]}
              />
              <Pager
                offset={offset}
                size={PAGE}
                total={total}
                onMove={(next) => replaceQuery(route, { offset: next })}
              />
            </>
          )
        }
      </Loaded>
    </>
  );
}
