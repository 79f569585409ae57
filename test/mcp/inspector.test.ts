/** The Inspector's strict check: no schema that some known client rejects. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newerNode, tool } from '../conformance/tools.ts';
import { bareEnvironment, program, Workbench } from './workbench.ts';

const inspector = '@modelcontextprotocol/inspector/clients/launcher/build/index.js';
const careless = fileURLToPath(new URL('careless-server.mjs', import.meta.url));

let bench: Workbench;

beforeAll(async () => {
  bench = await Workbench.open();
});

afterAll(() => bench.end());

async function inspect(...server: string[]): Promise<{ code: unknown; output: string; findings: string }> {
  const options = ['--cli', '--method', 'tools/list', '--strict', '--format', 'json'];
  const child = spawn(newerNode(), [tool(inspector), ...options, process.execPath, ...server], {
    env: bareEnvironment(bench.home),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 30_000,
    killSignal: 'SIGKILL',
  });
  const [[code], output, findings] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { code, output, findings };
}

describe('The Inspector in strict mode', () => {
  it.each(['core', 'all'])('finds nothing in the tools of the toolset %s', async (toolset) => {
    const { code, output, findings } = await inspect(program, 'serve', '--home', bench.home, '--toolsets', toolset);
    expect(findings).toBe('');
    expect(code).toBe(0);
    const { result, schemaFindings } = JSON.parse(output) as { result: { tools: unknown[] }; schemaFindings?: unknown };
    expect(schemaFindings).toBeUndefined();
    expect(result.tools.length).toBeGreaterThan(1);
  });

  it('does find a schema that breaks a client, so its silence means something', async () => {
    const { code, findings } = await inspect(careless);
    expect(findings).toContain('careless');
    expect(code).toBe(6);
  });
});
