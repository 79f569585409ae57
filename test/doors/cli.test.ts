/** The command line: answers, help that teaches, exit codes 0, 1 and 2. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, it } from 'vitest';
import { cairn } from '../support/cairn.ts';
import { freshFolder, freshHome } from '../support/home.ts';

const submission = ['--type', 'bug-report', '--severity', 'high', '--title', 'Slow', '--description', 'Two seconds.'];

describe('cairn', () => {
  it('shows help that names every command, and exits with 0', async () => {
    for (const args of [['--help'], ['help'], ['-h']]) {
      const { stdout, code } = await cairn(args);
      expect(code).toBe(0);
      for (const word of ['serve', 'call', 'describe', 'doctor', 'config', 'feedback_submit', 'Exit codes'])
        expect(stdout).toContain(word);
    }
  });

  it('shows for an operation its parameters and an example that works when pasted', async () => {
    const { stdout } = await cairn(['feedback', 'submit', '--help']);
    expect(stdout).toContain('--severity low|medium|high|critical');
    const example = /cairn call (\w+) '(.*)'/.exec(stdout);
    const { code } = await cairn(['call', example?.[1] ?? '', example?.[2] ?? '', '--home', await freshHome()]);
    expect(code).toBe(0);
  });

  it('runs operations as commands: words, flags, lists, and JSON', async () => {
    const home = ['--home', await freshHome()];
    expect(JSON.parse((await cairn(['mcp_echo', 'hello', ...home])).stdout)).toEqual({ message: 'hello' });
    expect(JSON.parse((await cairn([...home, 'mcp', 'echo', 'hello'])).stdout)).toEqual({ message: 'hello' });
    expect(JSON.parse((await cairn(['call', 'mcp.echo', '{"message":"hi"}', ...home])).stdout)).toEqual({
      message: 'hi',
    });
    const piped = await cairn(['call', 'mcp.echo', '-', ...home], { input: '{"message":"from stdin"}' });
    expect(JSON.parse(piped.stdout)).toEqual({ message: 'from stdin' });
    const added = await cairn(['feedback', 'submit', ...submission, '--tags', 'cli,speed', '--tags', 'list', ...home]);
    expect(JSON.parse(added.stdout)).toMatchObject({ success: true, status: 'new' });
    const listed = await cairn(['feedback', 'list', '--severity=high', '--limit', '5', ...home]);
    expect(JSON.parse(listed.stdout)).toMatchObject({
      total: 1,
      entries: [{ tags: ['cli', 'list', 'speed'], submittedBy: 'agent' }],
    });
  });

  it('exits with 2 on bad usage and says what to do', async () => {
    const home = ['--home', await freshHome()];
    const cases: [string[], string][] = [
      [['fedback', 'list'], 'Did you mean feedback_list'],
      [['feedback', 'list', '--limt', '5'], 'Did you mean --limit'],
      [['feedback', 'list', '--limit', 'many'], 'limit must be integer'],
      [['feedback', 'list', '--limit'], '--limit needs a value'],
      [['feedback', 'list', 'extra'], 'one word too many'],
      [['help', 'fedback', 'list'], 'Did you mean feedback_list'],
      [['call'], 'needs the name of an operation'],
      [['call', 'mcp_echo', '{oops'], 'is not JSON'],
      [['config', 'extra'], 'one word too many'],
      [['mcp_echo', 'x', '--role', 'king'], 'allowed is one of viewer, agent, admin'],
      [['serve', '--http', 'nowhere'], 'is not an address'],
    ];
    for (const [args, words] of cases) {
      const { code, stderr, stdout } = await cairn([...args, ...home]);
      expect([args, code, stdout]).toEqual([args, 2, '']);
      expect(stderr).toContain(words);
    }
  });

  it('exits with 1 when an operation fails, with the error as JSON if that was asked for', async () => {
    const home = ['--home', await freshHome()];
    const plain = await cairn(['feedback', 'update', 'nobody', '--status', 'closed', ...home]);
    expect([plain.code, plain.stderr]).toEqual([1, expect.stringContaining('No feedback entry has the id nobody')]);
    const json = await cairn(['keys', 'list', '--json', ...home]);
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stderr).error).toMatchObject({ code: -32004, message: "Capability 'purge' is required" });
  });

  it('prints each setting in force and where it came from, and no secret', async () => {
    const folder = await freshFolder();
    await writeFile(join(folder, 'config.json'), '{"maxResponse": 8192}');
    const env = { MCP_LOG_ROTATE_BYTES: '9000', CAIRN_API_KEY: 'a-key-nobody-sees' };
    const { stdout, code } = await cairn(['config', '--read-only', '--home', folder], { env });
    expect(code).toBe(0);
    expect(stdout).not.toContain('a-key-nobody-sees');
    const rows = JSON.parse(stdout).settings as { setting: string; value: unknown; source: string }[];
    const row = (name: string) => rows.find(({ setting }) => setting === name);
    expect(row('home')).toMatchObject({ value: folder, source: '--home' });
    expect(row('readOnly')).toMatchObject({ value: true, source: '--read-only' });
    expect(row('logRotateBytes')).toMatchObject({ value: 9000, source: 'MCP_LOG_ROTATE_BYTES' });
    expect(row('maxResponse')).toMatchObject({ value: 8192, source: 'config.json' });
    expect(row('toolsets')).toMatchObject({ value: ['core'], source: 'default' });
    expect(row('apiKey')).toMatchObject({ value: '(hidden)', source: 'CAIRN_API_KEY' });
  });

  it('describes all operations, and one with schema and example', async () => {
    const all = JSON.parse((await cairn(['describe'])).stdout);
    expect(all.families.map(({ family }: { family: string }) => family)).toContain('feedback');
    const one = JSON.parse((await cairn(['describe', 'feedback/submit'])).stdout);
    expect(one).toMatchObject({
      name: 'feedback_submit',
      capability: 'read',
      writes: true,
      spellings: ['feedback/submit'],
    });
    expect(one.inputSchema.properties.severity.enum).toContain('critical');
  });

  it('serves as seed 003 starts it: run --path DIR', async () => {
    const input = '{"jsonrpc":"2.0","id":1,"method":"get_environment_health"}\n';
    const home = await freshHome();
    const { stdout } = await cairn(['run', '--path', home], { input });
    expect(JSON.parse(stdout).result.health.storage_path).toBe(home);
  });
});

describe('cairn audit', () => {
  it('verifies and exports the trail, and exits with 1 naming the entry that was tampered with', async () => {
    const folder = await freshHome();
    const home = ['--home', folder];
    for (let index = 0; index < 3; index++) await cairn(['feedback', 'submit', ...submission, ...home]);
    const intact = await cairn(['audit', 'verify', ...home]);
    expect([intact.code, JSON.parse(intact.stdout)]).toEqual([0, { intact: true, entries: 3 }]);
    const exported = (await cairn(['audit', 'export', ...home])).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(exported).toMatchObject(
      [1, 2, 3].map((seq) => ({ seq, operation: 'feedback_submit', door: 'cli', outcome: 'ok' })),
    );

    const database = new DatabaseSync(join(folder, 'state.db'));
    database.exec("UPDATE audit SET principal = 'somebody else' WHERE seq = 2");
    database.close();
    const broken = await cairn(['audit', 'verify', ...home]);
    expect(broken.code).toBe(1);
    expect(JSON.parse(broken.stdout)).toMatchObject({ intact: false, brokenAt: 2 });
  });

  it('notices that the last entry is gone', async () => {
    const folder = await freshHome();
    for (let index = 0; index < 2; index++) await cairn(['feedback', 'submit', ...submission, '--home', folder]);
    const database = new DatabaseSync(join(folder, 'state.db'));
    database.exec('DELETE FROM audit WHERE seq = 2');
    database.close();
    const { code, stdout } = await cairn(['audit', 'verify', '--home', folder]);
    expect([code, JSON.parse(stdout).brokenAt]).toEqual([1, 2]);
  });

  it('holds what was refused, once there is a home', async () => {
    const home = ['--home', await freshHome()];
    await cairn(['feedback', 'submit', ...submission, ...home]);
    await cairn(['keys', 'add', 'sneaky', '--role', 'admin', ...home]);
    const { logs } = JSON.parse((await cairn(['get_audit_logs', ...home])).stdout);
    expect(logs[0]).toContain('| agent | keys_add | permission_denied');
  });
});

describe('cairn doctor', () => {
  it('finds nothing wrong with a fresh home, without creating it', async () => {
    const { code, stdout } = await cairn(['doctor', '--home', await freshHome()]);
    expect([code, JSON.parse(stdout).healthy]).toEqual([0, true]);
  });

  it('names a damaged store and how to mend it, and exits with 1', async () => {
    const folder = await freshFolder();
    await writeFile(join(folder, 'state.db'), 'this is not a database, but it is long enough to be looked at');
    const { code, stdout } = await cairn(['doctor', '--home', folder]);
    expect(code).toBe(1);
    const problems = JSON.parse(stdout).findings.filter(({ state }: { state: string }) => state === 'problem');
    expect(problems[0].detail).toContain('state.db cannot be read');
    expect(problems.every(({ remedy }: { remedy?: string }) => remedy !== undefined)).toBe(true);
  });

  it('tells of a seed variable that is set and not read', async () => {
    const { stdout } = await cairn(['doctor', '--home', await freshHome()], { env: { MCP_FORCE_REBUILD: '1' } });
    expect(stdout).toContain('MCP_FORCE_REBUILD is set, but not read');
  });
});
