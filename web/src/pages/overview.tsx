import { useMemo } from 'preact/hooks';
import type { AuditEntry, InstructionPage, Metrics, StaleItem } from '../data/answers.ts';
import { changeKinds } from '../data/live.ts';
import { type Answer, useCall } from '../data/use-call.ts';
import { Badge, Empty, Loaded, Section, Time } from '../parts/basics.tsx';
import { Bars, Columns } from '../parts/chart.tsx';
import { PageHead } from '../parts/heading.tsx';
import { decisionLink, instructionLink, subjectLink, toolLink } from '../parts/places.ts';
import { bytes, count, duration, milliseconds, plural } from '../text/format.ts';
import { perDay } from './activity/per-day.ts';

interface Health {
  readonly status: string;
  readonly version: string;
  readonly uptime: number;
  readonly catalogStats: { readonly totalInstructions: number; readonly totalCategories: number };
  readonly diskUsage: { readonly availableSpace: number };
  readonly unreadable: readonly { readonly file: string; readonly problem: string }[];
}
interface Memory {
  readonly stats: {
    readonly active_decisions: number;
    readonly open_proposals: number;
    readonly targets: number;
    readonly conflicts: number;
    readonly episodic_events: number;
  };
}
interface Documents {
  readonly total_bytes: number;
  readonly documents?: number;
  readonly collections?: readonly unknown[];
  readonly pending?: number;
}
interface Environment {
  readonly health: {
    readonly errors: readonly string[];
    readonly warnings: readonly string[];
    readonly storage_path: string;
  };
}

export function Overview() {
  const health = useCall<Health>('instructions_health', {}, ['instruction']);
  const memory = useCall<Memory>('get_memory_stats', {}, ['decision', 'event']);
  const metrics = useCall<Metrics>('metrics_snapshot', {}, changeKinds);
  return (
    <>
      <PageHead title="Overview" />
      <Figures health={health} memory={memory} />
      <div class="pair">
        <div>
          <AttentionCard memory={memory} />
          <RecentCard />
        </div>
        <div>
          <HealthCard health={health} />
          <HotCard />
          <LatencyCard metrics={metrics} />
          <ErrorsCard metrics={metrics} />
        </div>
      </div>
    </>
  );
}

function Figures({ health, memory }: { readonly health: Answer<Health>; readonly memory: Answer<Memory> }) {
  const documents = useCall<Documents>('status', { detailed: true }, ['document']);
  const catalog = health.data?.catalogStats;
  const stats = memory.data?.stats;
  const held = documents.data;
  return (
    <div class="grid figures">
      <Figure href="#/instructions" name="instructions" value={catalog?.totalInstructions}>
        {catalog && plural(catalog.totalCategories, 'category', 'categories')}
      </Figure>
      <Figure href="#/decisions" name="decisions in force" value={stats?.active_decisions}>
        {stats && `${plural(stats.targets, 'target')}, ${plural(stats.open_proposals, 'proposal')}`}
      </Figure>
      <Figure href="#/documents" name="documents" value={held?.documents}>
        {held && `${bytes(held.total_bytes)} in ${plural(held.collections?.length ?? 0, 'collection')}`}
      </Figure>
      <Figure href="#/activity" name="events" value={stats?.episodic_events}>
        what happened, as evidence
      </Figure>
    </div>
  );
}

function Figure(props: { href: string; name: string; value: number | undefined; children?: preact.ComponentChildren }) {
  return (
    <a class="card figure" href={props.href}>
      <strong>{count(props.value)}</strong>
      {props.name}
      <div class="note">{props.children ?? ' '}</div>
    </a>
  );
}

function HealthCard({ health }: { readonly health: Answer<Health> }) {
  const environment = useCall<Environment>('get_environment_health', {}, ['instruction', 'decision']);
  return (
    <Section
      title="Health"
      {...(health.data && { note: `version ${health.data.version}, up ${duration(health.data.uptime)}` })}
    >
      <Loaded answer={health}>
        {({ unreadable, status, diskUsage }) => {
          const { errors = [], warnings = [], storage_path = '' } = environment.data?.health ?? {};
          const faults = [...unreadable.map(({ file, problem }) => `${file} ${problem}`), ...errors];
          return (
            <>
              <p>
                <Badge word={faults.length > 0 ? 'degraded' : status} />{' '}
                {faults.length === 0 ? 'Everything can be read.' : plural(faults.length, 'fault')}
              </p>
              <ul class="list">
                {faults.map((fault) => (
                  <li key={fault}>{fault}</li>
                ))}
                {warnings.map((warning) => (
                  <li key={warning} class="faint">
                    {warning}
                  </li>
                ))}
              </ul>
              <p class="note">
                {storage_path} · {bytes(diskUsage.availableSpace)} free
              </p>
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}

function AttentionCard({ memory }: { readonly memory: Answer<Memory> }) {
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

function RecentCard() {
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
      <code>{operation}</code> {id !== undefined && (href === undefined ? id : <a href={href}>{id}</a>)}
      {ids.length > 1 && ` and ${ids.length - 1} more`} {outcome !== 'ok' && <Badge word={outcome} tone="bad" />}{' '}
      <span class="note">
        {principal}, <Time at={time} />
      </span>
    </li>
  );
}

function HotCard() {
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

function LatencyCard({ metrics }: { readonly metrics: Answer<Metrics> }) {
  return (
    <Section
      title="Latency"
      note="95th of a hundred calls, since this server started"
      aside={<a href="#/metrics">All figures</a>}
    >
      <Loaded answer={metrics}>
        {({ methods }) => (
          <Bars
            label="Latency"
            bars={methods
              .toSorted((a, b) => b.count - a.count)
              .slice(0, 8)
              .map(({ method, p95Ms }) => ({
                label: method,
                value: p95Ms,
                shown: milliseconds(p95Ms),
                href: toolLink(method),
              }))}
          />
        )}
      </Loaded>
    </Section>
  );
}

function ErrorsCard({ metrics }: { readonly metrics: Answer<Metrics> }) {
  return (
    <Section title="Errors" note="calls that failed, since this server started">
      <Loaded answer={metrics}>
        {({ methods }) => {
          const failed = methods.filter(({ errors }) => errors > 0).toSorted((a, b) => b.errors - a.errors);
          return failed.length === 0 ? (
            <Empty title="No call failed." />
          ) : (
            <Bars
              label="Errors"
              bars={failed.slice(0, 8).map(({ method, errors, count: calls }) => ({
                label: method,
                value: errors,
                shown: `${count(errors)} of ${count(calls)}`,
                href: toolLink(method),
                tone: 'bad',
              }))}
            />
          );
        }}
      </Loaded>
    </Section>
  );
}
