/** The records on a real PostgreSQL server: the same SQL as the embedded store, catalogs kept apart, nothing half written. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { recordsIn } from '../../src/store/records/records.ts';
import { storeAddress } from '../../src/store/shared/address.ts';
import { SharedDatabase } from '../../src/store/shared/database.ts';
import { freshCatalog, type TestServer, testServer } from '../support/postgres.ts';

let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server?.stop());

function database(catalog = freshCatalog()): SharedDatabase {
  const opened = new SharedDatabase({
    address: storeAddress(server.url, catalog),
    connections: 4,
    statementMs: 10_000,
    lockWaitMs: 10_000,
  });
  onTestFinished(() => opened.close());
  return opened;
}

const entry = (operation: string) => ({
  time: '2026-01-01T00:00:00.000Z',
  operation,
  principal: 'a',
  role: 'admin',
  door: 'test',
  outcome: 'ok',
  ids: ['x'],
});

describe('records on PostgreSQL', () => {
  it('keep a chain of the audit, and number events within their catalog', async () => {
    const [one, other] = [database(), database()];
    for (const each of [one, other]) {
      await each.write(async (rows) => {
        const { audit, events } = recordsIn(rows, async () => []);
        await audit.append(entry('first'));
        await audit.append(entry('second'));
        const event = {
          namespace: 'n',
          session: 's',
          kind: 'error',
          source: 'c',
          subject: 'it broke',
          detail: '',
          targets: [],
          files: [],
          success: false,
          created: 'now',
        } as const;
        expect(await events.add(event)).toEqual({ id: 1, added: true });
        expect(await events.add(event)).toEqual({ id: 1, added: false });
        expect((await events.add({ ...event, subject: 'other' }, 40)).id).toBe(40);
        expect((await events.add({ ...event, subject: 'third' })).id).toBe(41);
      });
    }
    const head = await one.look((rows) => recordsIn(rows, async () => []).audit.head());
    expect(head).toMatchObject({ count: 2, seq: 2 });
  });

  it('are written whole or not at all', async () => {
    const one = database();
    const failing = one.write(async (rows) => {
      await recordsIn(rows, async () => []).audit.append(entry('first'));
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await one.look((rows) => recordsIn(rows, async () => []).audit.recent(5))).toEqual([]);
  });

  it('let writers of one catalog wait for each other, so that none overwrites what another counted', async () => {
    const catalog = freshCatalog();
    const writers = [database(catalog), database(catalog), database(catalog)];
    const add = (each: SharedDatabase) =>
      each.write(async (rows) => void (await recordsIn(rows, async () => []).usage.add('a', 1, 'now')));
    await Promise.all(Array.from({ length: 60 }, (_, at) => add(writers[at % 3] as SharedDatabase)));
    const usage = await writers[0]?.look((rows) => recordsIn(rows, async () => []).usage.of(['a']));
    expect(usage?.get('a')?.count).toBe(60);
  });
});
