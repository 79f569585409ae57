import { useCall } from '../../data/use-call.ts';
import { Badge, Empty, Loaded, Time } from '../../parts/basics.tsx';
import { Choice } from '../../parts/field.tsx';
import { PageHead } from '../../parts/heading.tsx';
import { Pager } from '../../parts/pager.tsx';
import { bareId, decisionLink } from '../../parts/places.ts';
import { Table } from '../../parts/table.tsx';
import { type Route, replaceQuery } from '../../router.ts';
import { ActivityTabs } from './tabs.tsx';

interface MemoryEvent {
  readonly event_id: number;
  readonly kind: string;
  readonly source: string;
  readonly subject: string;
  readonly success: boolean;
  readonly created: string;
  readonly linked_to: readonly string[];
}

const PAGE = 50;
const kinds = [{ value: '', label: 'all kinds' }, 'interaction', 'commit', 'error', 'decision'];

export function Events({ route }: { readonly route: Route }) {
  const kind = route.query.get('kind') ?? '';
  const offset = Number(route.query.get('offset') || 0);
  const asked = { limit: PAGE, offset, ...(kind && { kind }) };
  const answer = useCall<{ events: readonly MemoryEvent[]; total: number }>('event_list', asked, ['event', 'decision']);
  return (
    <>
      <PageHead title="Activity" lead="What happened: the evidence that decisions rest on." />
      <ActivityTabs current="events" />
      <div class="filters">
        <Choice
          label="Kind"
          value={kind}
          options={kinds}
          onChange={(value) => replaceQuery(route, { kind: value, offset: '' })}
        />
      </div>
      <Loaded answer={answer} lines={8}>
        {({ events, total }) =>
          events.length === 0 ? (
            <Empty title="No event was kept yet.">
              Agents keep one with record_interaction; commits come with cairn sync.
            </Empty>
          ) : (
            <>
              <Table
                label="Events"
                rows={events}
                keyOf={({ event_id }) => event_id}
                columns={[
                  { name: 'No.', kind: 'number', cell: ({ event_id }) => event_id },
                  { name: 'What', kind: 'main', cell: ({ subject }) => subject },
                  { name: 'Kind', kind: 'short', cell: (event) => <Badge word={event.kind} tone="calm" /> },
                  {
                    name: 'Went',
                    kind: 'short',
                    cell: ({ success }) => (success ? 'well' : <Badge word="failed" tone="bad" />),
                  },
                  {
                    name: 'Speaks for',
                    cell: ({ linked_to }) =>
                      linked_to.map((id) => (
                        <div key={id}>
                          <a href={decisionLink(id)}>{bareId(id)}</a>
                        </div>
                      )),
                  },
                  { name: 'When', kind: 'short', cell: ({ created }) => <Time at={created} /> },
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
