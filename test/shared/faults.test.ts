/**
 * Many Cairn processes on one PostgreSQL server while things break: processes are killed, the server's own are, and the server
 * goes away and comes back. What was acknowledged is there afterwards and whole; what was refused is told as it is.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { looking, plain, type Writing, writings } from '../faults/writing.ts';
import { type Message, type StdioServer, serveStdio } from '../support/cairn.ts';
import { freshFolder } from '../support/home.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.mjs';
import { connectionTo } from '../support/postgres.ts';

const FULL = process.env.CAIRN_TEST_FULL !== undefined;
const PROCESSES = 8;

interface Written {
  readonly writing: Writing;
  readonly number: number;
  outcome: 'acknowledged' | 'refused' | 'unknown';
}

class Team {
  readonly written: Written[] = [];
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  #last = 0;

  constructor(home: string, url: string) {
    this.home = home;
    this.env = { ...plain, CAIRN_STORE: url, CAIRN_CATALOG: 'team', CAIRN_STORE_CONNECTIONS: '3' };
  }

  start(): StdioServer {
    return serveStdio(['--home', this.home], this.env);
  }

  /** Writes one thing after the other until it is told to stop, or its server is gone. */
  async writeTo(
    server: StdioServer,
    goesOn: () => boolean,
    { refusals = [], acknowledged = () => {} }: { refusals?: string[]; acknowledged?: () => void } = {},
  ): Promise<void> {
    const gone = server.exited.then(() => Promise.reject(new Error('killed')));
    gone.catch(() => {});
    const ask = async (operation: string, input: Message = {}) => {
      const { result, error } = await Promise.race([server.ask(operation, input), gone]);
      if (error !== undefined || result.status === 'error' || result.created === false)
        throw new Error(`refused: ${JSON.stringify(error ?? result)}`);
      return result;
    };
    while (goesOn()) {
      const number = ++this.#last;
      const writing = writings[number % writings.length] as Writing;
      let entry: Written | undefined;
      try {
        await writing.prepare?.(ask, number);
        entry = { writing, number, outcome: 'unknown' };
        this.written.push(entry);
        await ask(writing.operation, writing.input(number));
        entry.outcome = 'acknowledged';
        acknowledged();
      } catch (thrown) {
        const { message } = thrown as Error;
        if (message === 'killed') return;
        // What a caller is told to be unknown is unknown.
        if (entry !== undefined && !/not known|was made/.test(message)) entry.outcome = 'refused';
        refusals.push(message);
        await delay(50);
      }
    }
  }

  async check(): Promise<{ acknowledged: number }> {
    const acknowledged = this.written.filter(({ outcome }) => outcome === 'acknowledged');
    await looking(
      this.home,
      async (ask) => {
        for (const { writing, number, outcome } of this.written) {
          const happened = await writing.happened(ask, number);
          const what = `${writing.operation} ${number}`;
          if (outcome === 'acknowledged') expect(happened, what).toBe(true);
          if (outcome === 'refused') expect(happened, `${what} was refused`).toBe(false);
        }
        expect(await ask('audit_verify')).toMatchObject({ intact: true });
        expect(await ask('content_verify')).toMatchObject({ ok: true });
      },
      this.env,
    );
    return { acknowledged: acknowledged.length };
  }
}

async function team(): Promise<{ server: PostgresServer; all: Team }> {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  return { server, all: new Team(join(await freshFolder(), 'home'), server.url) };
}

it(`keeps what ${PROCESSES} processes were told, while they are killed`, { timeout: 600_000 }, async () => {
  const { all } = await team();
  const kills = FULL ? 200 : 16;
  let killed = 0;
  await Promise.all(
    Array.from({ length: PROCESSES }, async () => {
      while (killed < kills) {
        const cairn = all.start();
        let some = false;
        const acknowledged = () => {
          some = true;
        };
        const writing = all.writeTo(cairn, () => true, { acknowledged });
        await until(() => some);
        await delay(Math.random() * 100);
        cairn.kill('SIGKILL');
        killed++;
        await writing;
      }
    }),
  );
  const { acknowledged } = await all.check();
  expect(acknowledged).toBeGreaterThanOrEqual(kills);
});

it('keeps what was told while processes of the database are killed', { timeout: 600_000 }, async () => {
  const { server, all } = await team();
  const admin = await connectionTo(server.url);
  let going = true;
  const refusals: string[] = [];
  const servers = Array.from({ length: 4 }, () => all.start());
  const writing = servers.map((cairn) => all.writeTo(cairn, () => going, { refusals }));
  await until(() => all.written.length > 8);
  const rounds = FULL ? 100 : 12;
  for (let round = 0; round < rounds; round++) {
    await delay(40 + Math.random() * 120);
    // Those that are in the middle of something first.
    await admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cairn'
      ORDER BY state = 'idle' LIMIT 2`);
  }
  const before = acknowledgedOf(all);
  await until(() => acknowledgedOf(all) > before + 8);
  going = false;
  await Promise.all(writing);
  const { acknowledged } = await all.check();
  expect(acknowledged).toBeGreaterThan(rounds);
});

it('says that the database is away, and goes on when it is back', { timeout: 600_000 }, async () => {
  const { server, all } = await team();
  let going = true;
  const refusals: string[] = [];
  const servers = Array.from({ length: 3 }, () => all.start());
  const writing = servers.map((cairn) => all.writeTo(cairn, () => going, { refusals }));
  for (let round = 0; round < (FULL ? 10 : 2); round++) {
    const before = acknowledgedOf(all);
    await until(() => acknowledgedOf(all) > before + 6);
    await server.kill();
    const told = refusals.length;
    await until(() => refusals.length > told);
    const { result } = await (servers[0] as StdioServer).ask('get_environment_health');
    expect(result.health).toMatchObject({ storage_writable: false, repo_healthy: false });
    expect(result.health.errors.join()).toMatch(/The database cannot be reached/);
    await server.restart();
  }
  const before = acknowledgedOf(all);
  await until(() => acknowledgedOf(all) > before + 10);
  going = false;
  await Promise.all(writing);
  expect(refusals.join('\n')).toMatch(/The database (cannot be reached|went away)/);
  await all.check();
});

function acknowledgedOf({ written }: Team): number {
  return written.filter(({ outcome }) => outcome === 'acknowledged').length;
}

async function until(holds: () => boolean, withinMs = 60_000): Promise<void> {
  for (const deadline = Date.now() + withinMs; !holds(); await delay(10)) {
    if (Date.now() > deadline) throw new Error('It did not come about');
  }
}
