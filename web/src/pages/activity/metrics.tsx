import type { Metrics } from '../../data/answers.ts';
import { changeKinds } from '../../data/live.ts';
import { useCall } from '../../data/use-call.ts';
import { Badge, Loaded, Section } from '../../parts/basics.tsx';
import { Bars } from '../../parts/chart.tsx';
import { PageHead } from '../../parts/heading.tsx';
import { toolLink } from '../../parts/places.ts';
import { Table } from '../../parts/table.tsx';
import { count, duration, milliseconds } from '../../text/format.ts';
import { ActivityTabs } from './tabs.tsx';

const SHOWN = 12;

export function MetricsPage() {
  const answer = useCall<Metrics>('metrics_snapshot', {}, changeKinds);
  return (
    <>
      <PageHead
        title="Activity"
        lead="Calls of each operation since this server started. Prometheus reads the same at /metrics."
      />
      <ActivityTabs current="metrics" />
      <Loaded answer={answer} lines={10}>
        {({ methods, uptimeSeconds }) => (
          <>
            <p class="note">up {duration(uptimeSeconds)}</p>
            <div class="grid">
              <Section title="Most called">
                <Bars
                  label="Calls"
                  bars={top(methods, (row) => row.count).map((row) => ({
                    label: row.method,
                    value: row.count,
                    shown: count(row.count),
                  }))}
                />
              </Section>
              <Section title="Slowest" note="95th of a hundred calls">
                <Bars
                  label="Latency"
                  bars={top(methods, (row) => row.p95Ms).map((row) => ({
                    label: row.method,
                    value: row.p95Ms,
                    shown: milliseconds(row.p95Ms),
                  }))}
                />
              </Section>
            </div>
            <Section title="All operations">
              <Table
                label="Operations"
                rows={methods.toSorted((a, b) => a.method.localeCompare(b.method))}
                keyOf={({ method }) => method}
                columns={[
                  {
                    name: 'Operation',
                    kind: 'main',
                    cell: ({ method }) => (
                      <a class="mono" href={toolLink(method)}>
                        {method}
                      </a>
                    ),
                  },
                  { name: 'Calls', kind: 'number', cell: (row) => count(row.count) },
                  {
                    name: 'Errors',
                    kind: 'number',
                    cell: ({ errors }) => (errors === 0 ? '0' : <Badge word={count(errors)} tone="bad" />),
                  },
                  { name: 'Median', kind: 'number', cell: ({ p50Ms }) => milliseconds(p50Ms) },
                  { name: '95 %', kind: 'number', cell: ({ p95Ms }) => milliseconds(p95Ms) },
                  { name: 'Longest', kind: 'number', cell: ({ maxMs }) => milliseconds(maxMs) },
                ]}
              />
            </Section>
          </>
        )}
      </Loaded>
    </>
  );
}

type Row = Metrics['methods'][number];

function top(rows: readonly Row[], figure: (row: Row) => number): Row[] {
  return rows
    .filter((row) => figure(row) > 0)
    .toSorted((a, b) => figure(b) - figure(a))
    .slice(0, SHOWN);
}
