/**
 * Several servers of one home write all kinds of knowledge at once and are killed in the middle, again and again. What one of
 * them acknowledged is there afterwards and whole; what it did not is there whole or not at all.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type Message, type StdioServer, serveStdio } from '../support/cairn.ts';
import { freshFolder } from '../support/home.ts';
import { looking, plain, type Writing, writings } from './writing.ts';

const KILLS = process.env.CAIRN_TEST_FULL === undefined ? 24 : 1000;
const WRITERS = 3;

interface Written {
  readonly writing: Writing;
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
      const writing = writings[number % writings.length] as Writing;
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
  let [last, kills] = [0, 0];
  const lives = Array.from({ length: WRITERS }, async () => {
    while (kills < KILLS) {
      const before = written.length;
      const server = serveStdio(['--home', home], plain);
      const writing = new Writer(written, () => ++last).writeTo(server);
      const failed = writing.catch((thrown: Error) => thrown.message);
      const deadline = Date.now() + 60_000;
      while (!written.slice(before).some(({ acknowledged }) => acknowledged) && Date.now() < deadline) await delay(2);
      await delay(Math.random() * 60);
      server.kill('SIGKILL');
      await server.exited;
      kills++;
      // Nothing but the kill ended it: two writers never stand in each other's way.
      expect(await failed).toBe('killed');
    }
  });
  await Promise.all(lives);
  const acknowledged = written.filter((entry) => entry.acknowledged);
  expect(acknowledged.length).toBeGreaterThan(KILLS / 2);
  await looking(home, async (ask) => {
    const here = async ({ writing, number }: Written) => writing.happened(ask, number);
    for (const entry of written) {
      const happened = await here(entry);
      if (entry.acknowledged) expect(happened, `${entry.writing.operation} ${entry.number}`).toBe(true);
    }
    expect(await ask('audit_verify')).toMatchObject({ intact: true });
    expect(await ask('content_verify')).toMatchObject({ ok: true });
  });
});
