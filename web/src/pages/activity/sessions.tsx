import { useSession } from '../../data/session.ts';
import { useCall } from '../../data/use-call.ts';
import { Badge, Empty, Loaded, Time } from '../../parts/basics.tsx';
import { PageHead } from '../../parts/heading.tsx';
import { Table } from '../../parts/table.tsx';
import { count } from '../../text/format.ts';
import { ActivityTabs } from './tabs.tsx';

interface WorkSession {
  readonly session_id: string;
  readonly label: string;
  readonly owner: string;
  readonly created: string;
  readonly stopped?: string;
  readonly documents: number;
  readonly pin_count: number;
  readonly watches: readonly { readonly path: string; readonly state: string; readonly files: number }[];
}

export function Sessions() {
  const { signedIn } = useSession();
  const answer = useCall<{ sessions: readonly WorkSession[] }>('session_list', { limit: 200 }, ['session', 'document']);
  return (
    <>
      <PageHead title="Activity" lead="Sessions: who works on which documents, and what they watch." />
      <ActivityTabs current="sessions" />
      <Loaded answer={answer}>
        {({ sessions }) =>
          sessions.length === 0 ? (
            <Empty title="There is no session to see.">
              {signedIn ? 'An agent begins one with session start.' : 'Sign in to see those of others.'}
            </Empty>
          ) : (
            <Table
              label="Sessions"
              rows={sessions}
              keyOf={({ session_id }) => session_id}
              columns={[
                { name: 'Session', kind: 'main', cell: ({ label, session_id }) => label || session_id.slice(0, 12) },
                { name: 'Owner', cell: ({ owner }) => owner },
                {
                  name: 'State',
                  kind: 'short',
                  cell: ({ stopped }) => (
                    <Badge
                      word={stopped === undefined ? 'running' : 'ended'}
                      tone={stopped === undefined ? 'good' : 'faint'}
                    />
                  ),
                },
                { name: 'Begun', kind: 'short', cell: ({ created }) => <Time at={created} /> },
                { name: 'Documents', kind: 'number', cell: ({ documents }) => count(documents) },
                { name: 'Pins', kind: 'number', cell: ({ pin_count }) => count(pin_count) },
                {
                  name: 'Watches',
                  cell: ({ watches }) =>
                    watches.map(({ path, state, files }) => `${path} (${state}, ${files} files)`).join(', '),
                },
              ]}
            />
          )
        }
      </Loaded>
    </>
  );
}
