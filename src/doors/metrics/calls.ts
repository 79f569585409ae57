/** Calls as S3's two metrics, under its names and labels. */
import { latencyBuckets, type OperationFigures } from '../../service/metrics.ts';
import { counter, type Measure, type Sample } from './exposition.ts';

export function callMeasures(figures: readonly OperationFigures[]): Measure[] {
  const calls = figures.flatMap(({ operation: tool, count, errors }) => [
    { labels: { tool, status: 'success' }, value: count - errors },
    { labels: { tool, status: 'error' }, value: errors },
  ]);
  return [
    counter('agent_memory_tool_calls_total', 'Calls of each operation since the start.', calls),
    {
      name: 'agent_memory_tool_latency_seconds',
      help: 'How long calls took.',
      type: 'histogram',
      samples: figures.flatMap(latencies),
    },
  ];
}

/** Each bucket counts the calls of all below it too. */
function latencies({ operation: tool, histogram, totalMs, count }: OperationFigures): Sample[] {
  let seen = 0;
  const buckets = histogram.map((calls, index) => {
    seen += calls;
    const bound = latencyBuckets[index];
    const le = bound === undefined ? '+Inf' : String(bound / 1000);
    return { suffix: '_bucket', labels: { tool, le }, value: seen };
  });
  return [
    ...buckets,
    { suffix: '_sum', labels: { tool }, value: totalMs / 1000 },
    { suffix: '_count', labels: { tool }, value: count },
  ];
}
