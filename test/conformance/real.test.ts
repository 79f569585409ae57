/**
 * The real program against the suite, with nothing added for it: the scenarios that call no fixture of the suite by name.
 * The others are run in full.test.ts.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Workbench } from '../mcp/workbench.ts';
import { problemsOf, runScenario } from './suite.ts';

const fixtureFree = {
  '2025-11-25': [
    'server-initialize',
    'ping',
    'completion-complete',
    'tools-list',
    'server-sse-multiple-streams',
    'resources-list',
    'prompts-list',
    'dns-rebinding-protection',
    // Not scored: added after the release.
    'server-session-lifecycle',
  ],
  '2026-07-28': [
    'completion-complete',
    'tools-list',
    'server-sse-multiple-streams',
    'resources-list',
    'sep-2164-resource-not-found',
    'prompts-list',
    'dns-rebinding-protection',
    'caching',
    'input-required-result-unsupported-methods',
    // Not scored: pending.
    'http-header-validation',
  ],
} as const;

/** What `server-stateless` can only see with tools of its own; full.test.ts gives it those. */
const needDiagnosticTools = [
  'sep-2575-http-server-no-independent-requests-on-stream',
  'sep-2575-missing-capability-http-400',
  'sep-2575-server-no-log-without-loglevel',
  'sep-2575-server-rejects-undeclared-capability',
];

let bench: Workbench;
let url: string;

beforeAll(async () => {
  bench = await Workbench.open();
  url = await bench.serveHttp();
});

afterAll(() => bench.end());

describe.each(Object.entries(fixtureFree))('The real server on the wire of %s', (version, scenarios) => {
  it.each(scenarios)('passes %s', async (scenario) => {
    const { code, output, scenarios: results } = await runScenario(url, scenario, version);
    expect(problemsOf(results.get(scenario))).toEqual([]);
    expect(code, output).toBe(0);
  });
});

describe('The real server on the wire of 2026-07-28', () => {
  it('passes every check of server-stateless that needs no diagnostic tool', async () => {
    const { scenarios } = await runScenario(url, 'server-stateless', '2026-07-28');
    const checks = scenarios.get('server-stateless') ?? [];
    const untestable = checks.filter(({ details }) => details?.untestable === true);
    expect(untestable.map(({ id }) => id).sort()).toEqual(needDiagnosticTools);
    expect(problemsOf(checks.filter((check) => !untestable.includes(check)))).toEqual([]);
    expect(checks.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThanOrEqual(24);
  });
});
