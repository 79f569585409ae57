/**
 * Several servers of one home write all kinds of knowledge at once and are killed in the middle, again and again. What one of
 * them acknowledged is there afterwards and whole; what it did not is there whole or not at all.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type Message, type StdioServer, serveStdio } from '../support/cairn.ts';
import { freshFolder } from '../support/home.ts';
import { frequentWritings, type HomeWriting } from './every-writing.ts';
import { recordFigures } from './figures.ts';
import { looking, plain } from './writing.ts';

const KILLS = process.env.CAIRN_TEST_FULL === undefined ? 24 : 1000;
const WRITERS = 3;
/** From the start of a process to the answer to its first write, after others were killed in the middle of theirs. */
const OPENING_MS = 20_000;
const admin = { ...plain, CAIRN_ROLE: 'admin' };

interface Written {
  readonly writing: HomeWriting;
  readonly number: number;
  acknowledged: boolean;
}

/** One client of a server, which writes until the server is gone. */
class Writer {
  readonly #written: Written[];
  readonly #next: () => number;

  constructor(written: Written[], next: () => number) {
    this.#written = written;
    this.#next = next;
  }

  async writeTo(server: StdioServer): Promise<void> {
    for (;;) {
      const number = this.#next();
      const writing = frequentWritings[number % frequentWritings.length] as HomeWriting;
      const entry: Written = { writing, number, acknowledged: false };
      const ask = (operation: string, input: Message = {}) => answerOf(server, operation, input);
      await writing.prepare?.(ask, number);
      this.#written.push(entry);
      await ask(writing.operation, writing.input(number));
      entry.acknowledged = true;
    }
  }
}

async function answerOf(server: StdioServer, operation: string, input: Message): Promise<Message> {
  const gone = server.exited.then(() => Promise.reject(new Error('killed')));
  const { result, error } = await Promise.race([server.ask(operation, input), gone]);
  if (error !== undefined) throw new Error(`${operation}: ${JSON.stringify(error)}`);
  if (result.status === 'error' || result.created === false) throw new Error(`${operation}: ${JSON.stringify(result)}`);
  return result;
}

it(`keeps what was acknowledged through ${KILLS} kills of ${WRITERS} servers`, { timeout: 3_600_000 }, async () => {
  const home = join(await freshFolder(), 'home');
  const written: Written[] = [];
  let [last, kills, slowest] = [0, 0, 0];
  const lives = Array.from({ length: WRITERS }, async () => {
    while (kills < KILLS) {
      const started = performance.now();
      const server = serveStdio(['--home', home], admin);
      const own: Written[] = [];
      const writing = new Writer(own, () => ++last).writeTo(server);
      let ended = false;
      const failed = writing.catch((thrown: Error) => {
        ended = true;
        return thrown.message;
      });
      while (!own.some(({ acknowledged }) => acknowledged) && !ended) await delay(2);
      slowest = Math.max(slowest, performance.now() - started);
      await delay(Math.random() * 60);
      server.kill('SIGKILL');
      await server.exited;
      kills++;
      // Nothing but the kill ended it: two writers never stand in each other's way.
      expect(await failed).toBe('killed');
      written.push(...own);
    }
  });
  await Promise.all(lives);
  const acknowledged = written.filter((entry) => entry.acknowledged);
  expect(acknowledged.length).toBeGreaterThanOrEqual(KILLS);
  expect(slowest).toBeLessThan(OPENING_MS);
  await looking(home, async (ask) => {
    const here = async ({ writing, number }: Written) => writing.happened(ask, number, home);
    for (const entry of written) {
      const happened = await here(entry);
      if (entry.acknowledged) expect(happened, `${entry.writing.operation} ${entry.number}`).toBe(true);
    }
    expect(await ask('audit_verify')).toMatchObject({ intact: true });
    expect(await ask('content_verify')).toMatchObject({ ok: true });
  });
  recordFigures('kills', [
    {
      what: 'servers killed while they write',
      how: `${WRITERS} servers of one home write all kinds of knowledge at once and are killed with SIGKILL at random instants (\`test/faults/kills.test.ts\`)`,
      profile: process.env.CAIRN_TEST_FULL === undefined ? 'short' : 'long',
      figures: {
        kills,
        'acknowledged writes': acknowledged.length,
        'cut off': written.length - acknowledged.length,
        'slowest opening': `${(slowest / 1000).toFixed(1)} s`,
      },
    },
  ]);
});
