/** The whole suite on Cairn's serving stack, with the suite's own fixtures put into it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpDoor, serveOnHttp } from '../../src/doors/http/serve.ts';
import { type App, createApp } from '../../src/service/app.ts';
import { resolveConfig } from '../../src/service/config.ts';
import { createFixtureServer } from '../mcp/fixture/server.ts';
import { type Outcome, problemsOf, requiredScenarios, runRequirements } from './suite.ts';

let folder: string;
let app: App;
let door: HttpDoor;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cairn-conformance-'));
  const home = { path: join(folder, 'home'), source: 'test' };
  app = createApp(resolveConfig({ home, flags: {}, env: {} }), new URL('../../dist/worker.js', import.meta.url));
  door = await serveOnHttp(app, { host: '127.0.0.1', port: 0 }, createFixtureServer);
});

afterAll(async () => {
  await door.close();
  await app.close();
  await rm(folder, { recursive: true, force: true });
});

describe.each([
  { revision: '2025-11-25', count: 30 },
  { revision: '2026-07-28', count: 37 },
])('The serving stack with the fixtures, measured against $revision', ({ revision, count }) => {
  let required: string[];
  let outcome: Outcome;

  beforeAll(async () => {
    required = await requiredScenarios(revision);
    outcome = await runRequirements(`${door.url}/mcp`, revision);
  });

  it(`runs the ${count} scenarios that the revision requires`, () => {
    expect(required).toHaveLength(count);
    expect([...outcome.scenarios.keys()]).toEqual(expect.arrayContaining(required));
  });

  it('passes them all, with nothing in the baseline', () => {
    const problems = required.flatMap((scenario) =>
      problemsOf(outcome.scenarios.get(scenario)).map((problem) => `${scenario}: ${problem}`),
    );
    expect(problems).toEqual([]);
    expect(outcome.code, outcome.output).toBe(0);
  });
});
