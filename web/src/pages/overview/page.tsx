import type { ComponentChildren } from 'preact';
import type { Metrics } from '../../data/answers.ts';
import { changeKinds } from '../../data/live.ts';
import { type Answer, useCall } from '../../data/use-call.ts';
import { PageHead } from '../../parts/heading.tsx';
import { bytes, count, plural } from '../../text/format.ts';
import type { Documents, Health, Memory } from './answers.ts';
import { AttentionCard } from './attention.tsx';
import { HotCard, RecentCard } from './recent.tsx';
import { ErrorsCard, HealthCard, LatencyCard } from './server.tsx';

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

function Figure(props: { href: string; name: string; value: number | undefined; children?: ComponentChildren }) {
  return (
    <a class="card figure" href={props.href}>
      <strong>{count(props.value)}</strong>
      {props.name}
      <div class="note">{props.children ?? ' '}</div>
    </a>
  );
}
