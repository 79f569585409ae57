/** What was written lately, and which instructions are used most. */
import type { AuditEntry } from '../../data/answers.ts';
import { changeKinds } from '../../data/live.ts';
import { useCall } from '../../data/use-call.ts';
import { Badge, Empty, Loaded, Section, Time } from '../../parts/basics.tsx';
import { Bars, Columns } from '../../parts/chart.tsx';
import { bareId, instructionLink, subjectLink } from '../../parts/places.ts';
import { count } from '../../text/format.ts';
import { perDay } from '../activity/per-day.ts';

export function RecentCard() {
  const recent = useCall<{ entries: readonly AuditEntry[] }>('audit_list', { newest: true, limit: 500 }, changeKinds);
  return (
    <Section title="Recent activity" aside={<a href="#/activity">All of it</a>}>
      <Loaded answer={recent} lines={6}>
        {({ entries }) =>
          entries.length === 0 ? (
            <Empty title="Nothing was written yet.">
              Connect an agent, or add an instruction: cairn add instruction.
            </Empty>
          ) : (
            <>
              <Columns points={perDay(entries, 14)} label="Writes a day" />
              <ul class="list">
                {entries.slice(0, 7).map((entry) => (
                  <Recent key={entry.seq} entry={entry} />
                ))}
              </ul>
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

function Recent({ entry: { operation, ids, principal, time, outcome } }: { readonly entry: AuditEntry }) {
  const [id] = ids;
  const href = id === undefined ? undefined : subjectLink(operation, id);
  return (
    <li>
      <code>{operation}</code> {id !== undefined && (href === undefined ? id : <a href={href}>{bareId(id)}</a>)}
      {ids.length > 1 && ` and ${ids.length - 1} more`} {outcome !== 'ok' && <Badge word={outcome} tone="bad" />}{' '}
      <span class="note">
        {principal}, <Time at={time} />
      </span>
    </li>
  );
}

export function HotCard() {
  const hot = useCall<{ items: readonly { id: string; usageCount: number; lastUsedAt: string }[] }>(
    'usage_hotset',
    { limit: 8 },
    ['instruction', 'other'],
  );
  return (
    <Section title="Most used instructions">
      <Loaded answer={hot}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No use was counted yet.">
              Agents count one with usage_track when they follow an instruction.
            </Empty>
          ) : (
            <Bars
              label="Uses"
              bars={items.map(({ id, usageCount }) => ({
                label: id,
                value: usageCount,
                shown: count(usageCount),
                href: instructionLink(id),
              }))}
            />
          )
        }
      </Loaded>
    </Section>
  );
}
