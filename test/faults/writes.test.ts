/** Acknowledged is durable, seen from outside: real servers, real kills, one home. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { cairn, serveStdio } from '../support/cairn.ts';
import { freshHome } from '../support/home.ts';

const submission = (title: string) => ({ type: 'other', severity: 'low', title, description: 'One of many.' });
const kills = process.env.CAIRN_TEST_FULL ? 200 : 25;

describe('a write that was acknowledged', () => {
  it(`is there after kill -9, ${kills} times over, and so is its audit entry`, async () => {
    const home = await freshHome();
    const acknowledged = new Set<string>();
    for (let round = 0; round < kills; round++) {
      const server = serveStdio(['--home', home]);
      let dead = false;
      const stream = (async () => {
        for (let index = 0; !dead; index++) {
          const { result } = await server.ask('feedback/submit', submission(`${round}.${index}`));
          acknowledged.add(result.feedbackId);
        }
      })();
      // The last request of a killed server is never answered.
      stream.catch(() => {});
      await Promise.race([stream, untilOne(acknowledged, round)]);
      await delay(Math.random() * 40);
      dead = true;
      server.kill('SIGKILL');
      await server.exited;
    }
    const reader = serveStdio(['--home', home]);
    for (const id of acknowledged) expect((await reader.ask('feedback/get', { id })).result.entry?.id).toBe(id);
    const { total } = (await reader.ask('feedback/list', { limit: 1 })).result;
    expect(total).toBeGreaterThanOrEqual(acknowledged.size);
    expect((await reader.ask('audit_verify')).result).toEqual({ intact: true, entries: total });
  }, 600_000);

  async function untilOne(acknowledged: ReadonlySet<string>, round: number): Promise<void> {
    const before = acknowledged.size;
    const deadline = Date.now() + 20_000;
    while (acknowledged.size === before) {
      if (Date.now() > deadline) throw new Error(`Nothing was acknowledged in round ${round}`);
      await delay(1);
    }
  }

  it('is one of exactly 800 when eight servers write a hundred each to one home', async () => {
    const home = await freshHome();
    const servers = Array.from({ length: 8 }, () => serveStdio(['--home', home]));
    const acknowledged = await Promise.all(
      servers.map(async (server, writer) => {
        const ids: string[] = [];
        for (let index = 0; index < 100; index++) {
          ids.push((await server.ask('feedback/submit', submission(`${writer}.${index}`))).result.feedbackId);
        }
        return ids;
      }),
    );
    const ids = new Set(acknowledged.flat());
    expect(ids.size).toBe(800);
    // Each process sees what all the others wrote.
    for (const server of servers) expect((await server.ask('feedback/list', { limit: 1 })).result.total).toBe(800);
    const verified = await cairn(['audit', 'verify', '--home', home]);
    expect(JSON.parse(verified.stdout)).toEqual({ intact: true, entries: 800 });
  }, 180_000);
});
