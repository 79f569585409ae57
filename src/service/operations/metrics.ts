import * as z from 'zod';
import { type Context, nothing, operation } from '../../operations/operation.ts';
import { quantile } from '../metrics.ts';

const features = z.object({
  features: z.array(z.string()),
  counters: z.record(z.string(), z.number()),
  env: z.array(z.string()),
});

export const featureStatus = operation({
  name: 'feature_status',
  description: 'Lists the feature flags in force (INDEX_FEATURES) and the internal counters.',
  family: 'service',
  toolsets: ['admin'],
  spellings: ['feature/status'],
  capability: 'read',
  writes: false,
  input: nothing,
  output: features,
  example: { input: {} },
  async run(_input, context) {
    return featuresOf(context);
  },
});

export const metricsSnapshot = operation({
  name: 'metrics_snapshot',
  description: 'Gives call counts, errors and latencies of each operation since this process started.',
  family: 'service',
  toolsets: ['admin'],
  spellings: ['metrics/snapshot'],
  capability: 'read',
  writes: false,
  input: nothing,
  output: z.object({
    generatedAt: z.string(),
    uptimeSeconds: z.number(),
    methods: z.array(
      z.object({
        method: z.string(),
        count: z.number(),
        avgMs: z.number(),
        maxMs: z.number(),
        errors: z.number(),
        p50Ms: z.number(),
        p95Ms: z.number(),
      }),
    ),
    features,
  }),
  example: { input: {} },
  async run(_input, context) {
    const { metrics, surface } = context;
    return {
      generatedAt: new Date().toISOString(),
      uptimeSeconds: Math.round((performance.now() - metrics.startedAt) / 1000),
      methods: metrics.figures().map((figures) => ({
        method: surface.find(figures.operation)?.spellings[0] ?? figures.operation,
        count: figures.count,
        avgMs: rounded(figures.totalMs / figures.count),
        maxMs: rounded(figures.maxMs),
        errors: figures.errors,
        p50Ms: rounded(quantile(figures, 0.5)),
        p95Ms: rounded(quantile(figures, 0.95)),
      })),
      features: featuresOf(context),
    };
  },
});

function featuresOf({ config, metrics }: Context) {
  const names = [...new Set(config.features)].sort();
  return { features: names, counters: metrics.counters(), env: names };
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}
