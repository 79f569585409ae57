/**
 * Many servers of one home, each with a client that reads and writes the same few records of every kind at once; some die in
 * the middle of a call, and others come. What all of them saw of a record must be explained by one order of its changes.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type Message, type StdioServer, serveStdio } from '../support/cairn.ts';
import { freshFolder } from '../support/home.ts';
import { type Acting, anyActing, kinds, knownFrom, lastLook, type Memory } from './acting.ts';
import { recordFigures } from './figures.ts';
import { type Act, linearize, told } from './linearizable.ts';
import { looking, plain } from './writing.ts';

const long = process.env.CAIRN_TEST_FULL !== undefined;

interface Crowd {
  readonly servers: number;
  /** How many of them are killed, over and over. */
  readonly mortal: number;
  readonly seconds: number;
  /** Enough, if that is sooner. */
  readonly calls: number;
  /** Of instructions, decisions and documents each. */
  readonly records: number;
}

const crowds: readonly Crowd[] = long
  ? [
      { servers: 8, mortal: 3, seconds: 60, calls: 50_000, records: 6 },
      { servers: 32, mortal: 8, seconds: 90, calls: 50_000, records: 10 },
    ]
  : [{ servers: 8, mortal: 2, seconds: 12, calls: 1200, records: 4 }];

/** Everything that everybody saw, by record. */
class Histories {
  readonly records = new Map<string, Act[]>();
  calls = 0;
  lost = 0;

  note(record: string, act: Act): void {
    this.records.set(record, [...(this.records.get(record) ?? []), act]);
  }

  /** A call that is answered, or cut off because the server is killed. */
  async carryOut(client: string, server: StdioServer, acting: Acting): Promise<Message | undefined> {
    const called = performance.now();
    const gone = server.exited.then(() => undefined);
    const message = await Promise.race([server.ask(acting.operation, acting.input), gone]);
    const returned = performance.now();
    this.calls++;
    if (message === undefined) {
      this.lost++;
      const step = acting.maybe;
      if (step !== undefined) this.note(acting.record, { client, step, called, returned: Number.POSITIVE_INFINITY });
      return undefined;
    }
    const answer: Message = message.result ?? message.error;
    if (['internal_error', 'store_unavailable'].includes(answer.data?.name ?? answer.error))
      throw new Error(`${acting.operation}: ${JSON.stringify(answer)} ${server.stderr()}`);
    this.note(acting.record, { client, step: acting.step(answer), called, returned });
    return answer;
  }
}

async function live(client: string, home: string, crowd: Crowd, histories: Histories, memory: Memory, mortal: boolean) {
  const until = performance.now() + crowd.seconds * 1000;
  const own: Memory = { known: new Map(), shared: memory.shared };
  const goesOn = () => performance.now() < until && histories.calls < crowd.calls;
  for (let life = 0; goesOn(); life++) {
    const server = serveStdio(['--home', home], plain);
    if (mortal) void delay(500 + Math.random() * 2500).then(() => server.kill('SIGKILL'));
    for (let answered: Message | undefined = {}; answered !== undefined && goesOn(); ) {
      const kind = kinds[Math.floor(Math.random() * kinds.length)] ?? 'document';
      const acting = anyActing(kind, crowd.records, own);
      answered = await histories.carryOut(`${client}.${life}`, server, acting);
      const known = answered && knownFrom(acting, answered);
      if (known !== undefined) own.known.set(acting.record, known);
    }
    server.kill(mortal ? 'SIGKILL' : 'SIGTERM');
    await server.exited;
  }
}

it.each(crowds)(
  '$servers servers of one home, $mortal of them mortal, agree about every record',
  { timeout: 900_000 },
  async (crowd) => {
    const home = join(await freshFolder(), 'home');
    const feedback = await looking(home, async (ask) => {
      const ids: string[] = [];
      for (let n = 0; n < crowd.records; n++) {
        const submitted = { type: 'other', severity: 'low', title: `Number ${n}`, description: 'One of some.' };
        ids.push((await ask('feedback_submit', submitted)).feedbackId);
      }
      return ids;
    });
    const memory: Memory = { known: new Map(), shared: { events: [], feedback } };
    const histories = new Histories();
    const lives = Array.from({ length: crowd.servers }, (_, n) =>
      live(`c${n}`, home, crowd, histories, memory, n < crowd.mortal),
    );
    await Promise.all(lives);

    const last = serveStdio(['--home', home], plain);
    for (const record of histories.records.keys()) await histories.carryOut('last', last, lastLook(record));
    for (const [record, acts] of histories.records) {
      const verdict = linearize(acts);
      if (verdict.linearizable) continue;
      const [order, stuck] = [verdict.order.slice(-12).map(told), verdict.stuck.map(told)];
      expect.fail(`${record} has no order. After\n${order.join('\n')}\nnothing fits of\n${stuck.join('\n')}`);
    }
    await looking(home, async (ask) => {
      expect(await ask('audit_verify')).toMatchObject({ intact: true });
      expect(await ask('content_verify')).toMatchObject({ ok: true });
      expect((await ask('get_environment_health')).health.errors).toEqual([]);
      expect(await ask('integrity_verify')).toMatchObject({ ok: true });
    });
    const figures = { calls: histories.calls, 'cut off': histories.lost, records: histories.records.size };
    expect(figures['cut off']).toBeGreaterThan(0);
    expect(figures.calls).toBeGreaterThan(crowd.servers * 5);
    recordFigures('histories', [
      {
        what: `${crowd.servers} servers of one home at once`,
        how: 'reads and writes of the same records of every kind, some servers killed in the middle; what all of them saw of a record has one order (`test/faults/histories.test.ts`)',
        profile: long ? 'long' : 'short',
        figures,
      },
    ]);
  },
);
