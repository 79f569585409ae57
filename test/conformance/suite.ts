/** Runs the protocol's conformance suite against a server and reads what it found. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { newerNode, tool } from './tools.ts';

export interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
  readonly details?: { readonly untestable?: boolean };
}

export interface Outcome {
  readonly code: unknown;
  readonly output: string;
  /** The checks of each scenario that ran, by its name. */
  readonly scenarios: ReadonlyMap<string, readonly Check[]>;
}

const program = '@modelcontextprotocol/conformance/dist/index.js';
const baseline = fileURLToPath(new URL('expected-failures.yml', import.meta.url));
const LIFETIME_MS = 100_000;

/** The scenarios that a revision requires of a server. */
export async function requiredScenarios(revision: string): Promise<string[]> {
  const { code, output } = await run('list', '--requirements', revision);
  const section = /Server scenarios[^\n]*\n((?: {2}- \S+\n)+)/.exec(output)?.[1];
  if (code !== 0 || section === undefined) throw new Error(`The suite lists no server scenarios: ${output}`);
  return section.match(/[\w-]+(?=\n)/g) ?? [];
}

/** Everything a revision requires, and what the suite runs beside it without scoring. */
export function runRequirements(url: string, revision: string): Promise<Outcome> {
  return runServer(url, '--requirements', revision, '--expected-failures', baseline);
}

export function runScenario(url: string, scenario: string, version: string): Promise<Outcome> {
  return runServer(url, '--scenario', scenario, '--spec-version', version, '--expected-failures', baseline);
}

/** What of it counts against the server, as the suite counts with a baseline. */
export function problemsOf(checks: readonly Check[] = []): string[] {
  if (!checks.some(({ status }) => status === 'SUCCESS')) return ['the scenario did not run'];
  return checks
    .filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
    .map(({ id, status, errorMessage }) => `${id}: ${status} ${errorMessage ?? ''}`);
}

async function runServer(url: string, ...options: string[]): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-conformance-'));
  try {
    const { code, output } = await run('server', '--url', url, '--output-dir', folder, ...options);
    return { code, output, scenarios: await readResults(folder) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function run(...options: string[]): Promise<{ code: unknown; output: string }> {
  const child = spawn(newerNode(), [tool(program), ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LIFETIME_MS,
    killSignal: 'SIGKILL',
  });
  const [[code], output, complaints] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, output: `${output}${complaints}` };
}

/** One folder a scenario, named after it and the time. */
async function readResults(folder: string): Promise<Map<string, Check[]>> {
  const results = new Map<string, Check[]>();
  for (const name of await readdir(folder)) {
    const scenario = /^server-(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/.exec(name)?.[1];
    if (scenario === undefined) throw new Error(`${name} is not a result of the suite as this test knows it`);
    results.set(scenario, JSON.parse(await readFile(join(folder, name, 'checks.json'), 'utf8')) as Check[]);
  }
  return results;
}
