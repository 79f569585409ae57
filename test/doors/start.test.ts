/** Starting and stopping: many at once on one home, promptly gone, nothing left behind. */
import { describe, expect, it } from 'vitest';
import { cairn, serveStdio } from '../support/cairn.ts';
import { freshHome } from '../support/home.ts';

describe('a stdio server', () => {
  it('is safe to start five times at once on a home that does not exist yet', async () => {
    const home = await freshHome();
    const servers = Array.from({ length: 5 }, () => serveStdio(['--home', home]));
    const answers = await Promise.all(
      servers.map(async (server, index) => {
        await server.initialize();
        const submission = {
          type: 'other',
          severity: 'low',
          title: `from ${index}`,
          description: 'written at the start',
        };
        return server.ask('feedback/submit', submission);
      }),
    );
    expect(answers.every(({ result }) => result?.success === true)).toBe(true);
    for (const server of servers) {
      expect((await server.ask('feedback/list')).result.total).toBe(5);
      server.endInput();
    }
    expect(await Promise.all(servers.map(({ exited }) => exited))).toEqual([0, 0, 0, 0, 0]);
  });

  it('ends within a second of the end of stdin, also in the middle of a session', async () => {
    const server = serveStdio(['--home', await freshHome()]);
    await server.initialize();
    await server.ask('tools/call', { name: 'audit_verify', arguments: {} });
    const ended = performance.now();
    server.endInput();
    expect(await server.exited).toBe(0);
    expect(performance.now() - ended).toBeLessThan(1000);
  });

  it('ends on SIGTERM', async () => {
    const server = serveStdio(['--home', await freshHome()]);
    await server.ask('ping');
    server.kill('SIGTERM');
    expect(await server.exited).toBe(0);
  });

  it('writes nothing but protocol to stdout, and logs as JSON lines to stderr', async () => {
    const server = serveStdio(['--home', await freshHome(), '--verbose']);
    await server.ask('mcp.echo', { message: 'hello' });
    server.endInput();
    await server.exited;
    const lines = server
      .stderr()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toContainEqual(expect.objectContaining({ level: 'debug', operation: 'mcp_echo', door: 'rpc' }));
  });

  it('is what the bare program becomes when its stdin is a pipe', async () => {
    const { stdout, code } = await cairn(['--home', await freshHome()], {
      input: '{"jsonrpc":"2.0","id":1,"method":"health/check"}\n',
    });
    expect(JSON.parse(stdout).result.status).toBe('ok');
    expect(code).toBe(0);
  });

  it('refuses to start with a setting it cannot read, and says which', async () => {
    const { stderr, code } = await cairn(['serve', '--home', await freshHome()], {
      env: { CAIRN_MAX_RESPONSE: 'lots' },
    });
    expect(stderr).toContain('CAIRN_MAX_RESPONSE is "lots"; allowed is a whole number from');
    expect(code).toBe(2);
  });

  it('writes traces and a log file when asked to, with secrets masked', async () => {
    const { mkdtemp, readdir, readFile } = await import('node:fs/promises');
    const { join } = await import('node:path');
    const { tmpdir } = await import('node:os');
    const folder = await mkdtemp(join(tmpdir(), 'cairn-trace-'));
    const secret = `ghp_${'a1B2'.repeat(10)}`;
    const env = {
      MCP_TRACE_DIR: folder,
      MCP_TRACE_SESSION: 'mine',
      MCP_LOG_FILE: join(folder, 'cairn.log'),
      MCP_LOG_VERBOSE: '1',
    };
    const server = serveStdio(['--home', await freshHome()], { ...env, MCP_AGENT_ID: secret });
    await server.ask('mcp.echo', { message: 'hello' });
    server.endInput();
    await server.exited;
    const names = (await readdir(folder)).sort();
    expect(names).toEqual(['cairn.log', expect.stringMatching(/^trace-mine-\d+\.jsonl$/)]);
    const [log, trace] = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
    expect(trace).toMatch(/^\[trace:documents:mcp_echo\] \{"ts":"/);
    expect(log).toContain('"operation":"mcp_echo"');
    expect(`${log}${trace}${server.stderr()}`).not.toContain(secret);
  });
});
