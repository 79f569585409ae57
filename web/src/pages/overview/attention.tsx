/** What somebody has to look after: conflicts, proposals, what is stale or overdue. */
import { useMemo } from 'preact/hooks';
import type { InstructionPage, StaleItem } from '../../data/answers.ts';
import { type Answer, useCall } from '../../data/use-call.ts';
import { Badge, Empty, Section, Time } from '../../parts/basics.tsx';
import { decisionLink, instructionLink } from '../../parts/places.ts';
import { count, plural } from '../../text/format.ts';
import type { Memory } from './answers.ts';

export function AttentionCard({ memory }: { readonly memory: Answer<Memory> }) {
  // To the minute: the same question while the page stays open.
  const now = useMemo(() => new Date(Math.floor(Date.now() / 60_000) * 60_000).toISOString(), []);
  const overdue = useCall<InstructionPage>('instructions_query', { filters: { dueBefore: now }, limit: 6 }, [
    'instruction',
  ]);
  const stale = useCall<{ stale: readonly StaleItem[]; items: number }>('stale_list', { limit: 6 }, [
    'instruction',
    'decision',
    'document',
  ]);
  const stats = memory.data?.stats;
  const nothing =
    overdue.data?.total === 0 && stale.data?.items === 0 && stats?.conflicts === 0 && stats.open_proposals === 0;
  return (
    <Section title="Needs attention" aside={<a href="#/reviews">Review calendar</a>}>
      {nothing && <Empty title="Nothing is overdue, stale or in conflict." />}
      {stats !== undefined && stats.conflicts > 0 && (
        <p>
          <Badge word="conflict" />{' '}
          <a href="#/decisions">{plural(stats.conflicts, 'target')} with more than one truth</a>
        </p>
      )}
      {stats !== undefined && stats.open_proposals > 0 && (
        <p>
          <Badge word="proposed" /> <a href="#/proposals">{plural(stats.open_proposals, 'proposal')} to decide on</a>
        </p>
      )}
      <ul class="list">
        {(stale.data?.stale ?? []).map(({ kind, id, title, ref, reason }) => (
          <li key={`${kind} ${id} ${ref}`}>
            <Badge word="stale" /> <a href={kind === 'decision' ? decisionLink(id) : instructionLink(id)}>{title}</a>{' '}
            <span class="note">
              {ref} {reason}
            </span>
          </li>
        ))}
        {(overdue.data?.items ?? []).map(({ id, title, nextReviewDue, owner }) => (
          <li key={id}>
            <Badge word="overdue" /> <a href={instructionLink(id)}>{title}</a>{' '}
            <span class="note">
              review was due <Time at={nextReviewDue} />, {owner}
            </span>
          </li>
        ))}
      </ul>
      {(overdue.data?.total ?? 0) > 6 && (
        <p class="note">and {count((overdue.data?.total ?? 0) - 6)} more are overdue</p>
      )}
    </Section>
  );
}
