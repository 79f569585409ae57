import { useState } from 'preact/hooks';
import type { AuditEntry } from '../../data/answers.ts';
import { changeKinds } from '../../data/live.ts';
import { useCall } from '../../data/use-call.ts';
import { Badge, Empty, Failure, Loaded, Section } from '../../parts/basics.tsx';
import { PageHead } from '../../parts/heading.tsx';
import { bareId, subjectLink, toolLink } from '../../parts/places.ts';
import { type Column, Table } from '../../parts/table.tsx';
import { linkTo, type Route } from '../../router.ts';
import { moment, plural } from '../../text/format.ts';
import { ActivityTabs } from './tabs.tsx';

const PAGE = 100;

/** The trail is numbered without gaps, so that older pages can be asked for by number. */
function pageBefore(seq: number) {
  const after = Math.max(0, seq - 1 - PAGE);
  return { after, limit: Math.max(1, seq - 1 - after) };
}

export function Trail({ route }: { readonly route: Route }) {
  const before = Number(route.query.get('before') || 0);
  const asked = before > 1 ? pageBefore(before) : { newest: true, limit: PAGE };
  const answer = useCall<{ entries: readonly AuditEntry[] }>('audit_list', asked, before > 1 ? [] : changeKinds);
  return (
    <>
      <PageHead title="Activity" lead="Every write, who made it and how it went, chained by hashes." />
      <ActivityTabs current="activity" />
      <ChainCheck />
      <Loaded answer={answer} lines={10}>
        {({ entries }) => {
          if (entries.length === 0) return <Empty title="Nothing was written yet." />;
          const newestFirst = before > 1 ? entries.toReversed() : entries;
          const oldest = newestFirst.at(-1)?.seq ?? 1;
          return (
            <>
              <Table label="Audit trail" rows={newestFirst} columns={columns} keyOf={({ seq }) => seq} />
              <div class="buttons more">
                {before > 1 && (
                  <a class="button" href={linkTo(['activity'])}>
                    Newest
                  </a>
                )}
                {oldest > 1 && (
                  <a class="button" href={linkTo(['activity'], { before: oldest })}>
                    Older
                  </a>
                )}
              </div>
            </>
          );
        }}
      </Loaded>
    </>
  );
}

interface Check {
  readonly intact: boolean;
  readonly entries: number;
  readonly brokenAt?: number;
  readonly reason?: string;
}

function ChainCheck() {
  const [wanted, setWanted] = useState(false);
  const check = useCall<Check>('audit_verify', wanted ? {} : undefined);
  return (
    <Section
      title="Hash chain"
      aside={
        <button type="button" disabled={check.loading} onClick={() => (wanted ? check.reload() : setWanted(true))}>
          Check the chain
        </button>
      }
    >
      <div aria-live="polite">
        {check.error !== undefined && <Failure error={check.error} />}
        {check.loading && <p class="note">Checking every entry…</p>}
        {check.data === undefined ? (
          !check.loading && (
            <p class="note">Each entry holds the hash of the one before: what is changed later shows.</p>
          )
        ) : check.data.intact ? (
          <p>
            <Badge word="intact" tone="good" /> {plural(check.data.entries, 'entry', 'entries')} fit together.
          </p>
        ) : (
          <p>
            <Badge word="broken" tone="bad" /> at entry {check.data.brokenAt}: {check.data.reason}
          </p>
        )}
      </div>
    </Section>
  );
}

const columns: readonly Column<AuditEntry>[] = [
  { name: 'No.', kind: 'number', cell: ({ seq }) => seq },
  { name: 'Time', kind: 'short', cell: ({ time }) => <time dateTime={time}>{moment(time)}</time> },
  {
    name: 'Operation',
    kind: 'short',
    cell: ({ operation }) => (
      <a class="mono" href={toolLink(operation)}>
        {operation}
      </a>
    ),
  },
  {
    name: 'About',
    kind: 'main',
    cell: ({ ids, operation, note }) => <Subjects ids={ids} operation={operation} note={note} />,
  },
  {
    name: 'Who',
    cell: ({ principal, role, door }) => (
      <>
        {principal}
        <span class="id">
          {role}, {door}
        </span>
      </>
    ),
  },
  {
    name: 'Outcome',
    kind: 'short',
    cell: ({ outcome }) => <Badge word={outcome} {...(outcome !== 'ok' && { tone: 'bad' })} />,
  },
];

const SHOWN = 3;

function Subjects({ ids, operation, note }: { ids: readonly string[]; operation: string; note: string | undefined }) {
  return (
    <>
      {ids.slice(0, SHOWN).map((id, index) => {
        const href = subjectLink(operation, id);
        return (
          <span key={id}>
            {index > 0 && ', '}
            {href === undefined ? id : <a href={href}>{bareId(id)}</a>}
          </span>
        );
      })}
      {ids.length > SHOWN && ` and ${ids.length - SHOWN} more`}
      {note !== undefined && <span class="id">{note}</span>}
    </>
  );
}
