/** /metrics: what Prometheus can read, under names that stay. */
import { describe, expect, it } from 'vitest';
import { exposition } from '../../src/doors/metrics/exposition.ts';
import { serveHttp, serveStdio } from '../support/cairn.ts';
import { freshHome } from '../support/home.ts';
import { ask, operate } from './client.ts';
import { listen } from './stream.ts';

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Family {
  readonly type: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** Reads the format as strictly as it is specified: whatever does not fit is an error. */
function parsed(text: string): Map<string, Family> {
  const families = new Map<string, { type: string; help: string; samples: Sample[] }>();
  expect(text.endsWith('\n')).toBe(true);
  let current: { name: string; help: string } | undefined;
  for (const line of text.slice(0, -1).split('\n')) {
    const help = /^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/.exec(line);
    const type = /^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram)$/.exec(line);
    if (help !== null) {
      current = { name: help[1] ?? '', help: help[2] ?? '' };
      expect(families.has(current.name), `twice: ${current.name}`).toBe(false);
    } else if (type !== null) {
      expect(type[1]).toBe(current?.name);
      families.set(type[1] ?? '', { type: type[2] ?? '', help: current?.help ?? '', samples: [] });
    } else {
      const sample = sampleOf(line);
      const family = families.get(current?.name ?? '');
      expect(family, line).toBeDefined();
      const suffixes = family?.type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
      expect(suffixes.map((suffix) => `${current?.name}${suffix}`)).toContain(sample.name);
      family?.samples.push(sample);
    }
  }
  return families;
}

function sampleOf(line: string): Sample {
  const [, name = '', , labels = '', value = ''] =
    /^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(.*)\})? (\S+)$/.exec(line) ?? expect.fail(`no sample: ${line}`);
  const pairs = [...labels.matchAll(/([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/g)];
  expect(pairs.map(([whole]) => whole).join('')).toBe(labels);
  const number = value === '+Inf' ? Infinity : Number(value);
  expect(number, line).not.toBeNaN();
  return { name, labels: Object.fromEntries(pairs.map(([, label = '', text = '']) => [label, text])), value: number };
}

async function scrape(url: string, headers: Record<string, string> = {}): Promise<Map<string, Family>> {
  const { status, type, body } = await ask(url, '/metrics', { headers });
  expect([status, type]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  return parsed(body.text);
}

function valueIn(families: Map<string, Family>, name: string, labels: Record<string, string> = {}): number | undefined {
  const wanted = Object.entries(labels);
  return families.get(name)?.samples.find((sample) => wanted.every(([label, text]) => sample.labels[label] === text))
    ?.value;
}

describe('the metrics', () => {
  it('have names and types as Prometheus wants them, on an empty home too', async () => {
    const { url } = await serveHttp(['--home', await freshHome()]);
    const families = await scrape(url);
    for (const [name, { type, help, samples }] of families) {
      expect(name).toMatch(/^(?:agent_memory|cairn|process|nodejs)_[a-z0-9_]*[a-z0-9]$/);
      expect(name.endsWith('_total'), name).toBe(type === 'counter');
      expect(help.length, name).toBeGreaterThan(5);
      expect(samples.length, name).toBeGreaterThan(0);
      expect(name).not.toMatch(/_(?:ms|milliseconds|kb|mb|info_total)$/);
    }
    for (const name of ['cairn_instructions', 'cairn_documents', 'cairn_events', 'cairn_audit_entries'])
      expect(valueIn(families, name), name).toBe(0);
  });

  it('count calls and their time under the names and labels of seed 003', async () => {
    const { url } = await serveHttp(['--home', await freshHome()]);
    for (let call = 0; call < 3; call++) await operate(url, 'mcp_echo', { message: 'x' });
    await operate(url, 'mcp_echo', {});
    const families = await scrape(url);
    const calls = families.get('agent_memory_tool_calls_total');
    expect(calls?.type).toBe('counter');
    for (const { labels } of calls?.samples ?? []) expect(Object.keys(labels)).toEqual(['tool', 'status']);
    expect(valueIn(families, 'agent_memory_tool_calls_total', { tool: 'mcp_echo', status: 'success' })).toBe(3);
    expect(valueIn(families, 'agent_memory_tool_calls_total', { tool: 'mcp_echo', status: 'error' })).toBe(1);
    const latency = families.get('agent_memory_tool_latency_seconds');
    expect(latency?.type).toBe('histogram');
    const own = latency?.samples.filter(({ labels }) => labels.tool === 'mcp_echo') ?? [];
    const buckets = own.filter(({ name }) => name.endsWith('_bucket'));
    const bounds = buckets.map(({ labels }) => (labels.le === '+Inf' ? Infinity : Number(labels.le)));
    expect(bounds).toEqual([...bounds].sort((a, b) => a - b));
    expect(buckets.map(({ value }) => value)).toEqual(buckets.map(({ value }) => value).sort((a, b) => a - b));
    expect([bounds.at(-1), buckets.at(-1)?.value]).toEqual([Infinity, 4]);
    expect(own.find(({ name }) => name.endsWith('_count'))?.value).toBe(4);
  });

  it('tell what the store holds, also when another process put it there', async () => {
    const home = ['--home', await freshHome(), '--mutation'];
    const { url } = await serveHttp(home, { CAIRN_WRITE_COOLDOWN_MS: '0' });
    await scrape(url);
    const other = serveStdio(home, { CAIRN_WRITE_COOLDOWN_MS: '0' });
    await other.initialize();
    await other.ask('record_decision', { title: 'A', target: 'a', rationale: 'Because it is what everybody knows.' });
    await other.ask('record_decision', { title: 'B', target: 'b', rationale: 'Because nobody knows anything else.' });
    await other.ask('add', { content: 'text', name: 'a.txt' });
    await other.ask('record_interaction', { prompt: 'p', response: 'r' });
    await listen(url);
    const families = await scrape(url);
    expect(valueIn(families, 'cairn_decisions', { status: 'active' })).toBe(2);
    expect(valueIn(families, 'cairn_documents')).toBe(1);
    expect(valueIn(families, 'cairn_audit_entries')).toBe(4);
    expect(valueIn(families, 'cairn_event_listeners')).toBe(1);
    expect(valueIn(families, 'cairn_events')).toBeGreaterThanOrEqual(1);
    for (const name of ['process_resident_memory_bytes', 'process_cpu_seconds_total', 'cairn_uptime_seconds'])
      expect(valueIn(families, name), name).toBeGreaterThan(0);
    expect(valueIn(families, 'cairn_build_info')).toBe(1);
    expect(valueIn(families, 'cairn_index_behind', { index: 'documents' })).toBeGreaterThanOrEqual(0);
  });

  it('need the key that everything needs', async () => {
    const { url } = await serveHttp(['--home', await freshHome()], { CAIRN_API_KEY: 'a-long-shared-key' });
    expect((await ask(url, '/metrics')).status).toBe(401);
    await scrape(url, { authorization: 'Bearer a-long-shared-key' });
    expect((await ask(url, '/metrics', { method: 'POST', headers: { 'x-api-key': 'a-long-shared-key' } })).status).toBe(
      405,
    );
  });

  it('are on a port of their own where one is wanted, and nothing else is', async () => {
    const port = await freePort();
    const { url } = await serveHttp(['--home', await freshHome(), '--metrics-port', String(port)]);
    await operate(url, 'health_check');
    const own = `http://127.0.0.1:${port}`;
    expect(valueIn(await scrape(own), 'agent_memory_tool_calls_total', { tool: 'health_check' })).toBe(1);
    expect((await ask(own, '/api/v1/health_check')).status).toBe(404);
    expect((await ask(own, '/metrics', { headers: { origin: 'https://evil.example' } })).status).toBe(403);
  });

  it('are there beside a stdio server', async () => {
    const port = await freePort();
    const server = serveStdio(['--home', await freshHome(), '--metrics-port', String(port)]);
    await server.initialize();
    await server.ask('health/check');
    await expect.poll(() => server.stderr(), { timeout: 10_000 }).toContain(`http://127.0.0.1:${port}/metrics`);
    const families = await scrape(`http://127.0.0.1:${port}`);
    expect(valueIn(families, 'agent_memory_tool_calls_total', { tool: 'health_check' })).toBe(1);
  });

  it('escape what labels and help say', () => {
    const text = exposition([
      { name: 'a', help: 'one\\two\nthree', type: 'gauge', samples: [{ labels: { x: 'a"b\\c\nd' }, value: 1.5 }] },
      { name: 'b', help: 'without samples', type: 'gauge', samples: [] },
    ]);
    expect(text).toBe('# HELP a one\\\\two\\nthree\n# TYPE a gauge\na{x="a\\"b\\\\c\\nd"} 1.5\n');
    expect(parsed(text).get('a')?.samples[0]?.labels.x).toBe('a\\"b\\\\c\\nd');
  });
});

async function freePort(): Promise<number> {
  const { createServer } = await import('node:net');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
