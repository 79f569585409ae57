/** Catalogs of one database never see each other, and processes of one catalog see each other at once, also where notices are lost. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plain } from '../faults/writing.ts';
import { type Message, type StdioServer, serveStdio } from '../support/cairn.ts';
import { freshFolder } from '../support/home.ts';
import { connectionTo, freshCatalog, type TestServer, testServer } from '../support/postgres.ts';

let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server?.stop());

async function serving(catalog: string): Promise<StdioServer> {
  const home = join(await freshFolder(), 'home');
  return serveStdio(['--home', home, '--role', 'admin'], { ...plain, CAIRN_STORE: server.url, CAIRN_CATALOG: catalog });
}

async function ask(cairn: StdioServer, operation: string, input: Message = {}): Promise<Message> {
  const { result, error } = await cairn.ask(operation, input);
  expect(error, operation).toBeUndefined();
  return result;
}

const rationale = 'It was weighed against the others and found better.';

async function fill(cairn: StdioServer, word: string): Promise<void> {
  const entry = { id: 'rule', title: `A ${word} rule`, body: `Think of ${word}.`, owner: 'ann', priority: 20 };
  await ask(cairn, 'instructions_add', { entry, lax: true });
  await ask(cairn, 'record_decision', { title: `Use ${word}`, target: 'tool', rationale: `${word}. ${rationale}` });
  await ask(cairn, 'add', { name: 'notes/one.md', content: `# ${word}\n\nAll about ${word}.\n` });
  await ask(cairn, 'record_interaction', { prompt: `Why ${word}?`, response: rationale });
}

describe('catalogs', () => {
  it('hold the same ids and paths without knowing of each other', { timeout: 120_000 }, async () => {
    const [one, other] = [await serving(freshCatalog()), await serving(freshCatalog())];
    await fill(one, 'walnut');
    await fill(other, 'hazel');
    for (const [cairn, own, foreign] of [
      [one, 'walnut', 'hazel'],
      [other, 'hazel', 'walnut'],
    ] as const) {
      const seen = [
        await ask(cairn, 'search', { query: `${own} ${foreign}`, kind: 'all', limit: 20 }),
        await ask(cairn, 'instructions_get', { id: 'rule' }),
        await ask(cairn, 'decision_chain', { target: 'tool' }),
        await ask(cairn, 'get', { name: 'notes/one.md', include_content: true }),
        await ask(cairn, 'grep', { pattern: 'about' }),
        await ask(cairn, 'event_search', { query: 'why' }),
        await ask(cairn, 'audit_list', { after: 0, limit: 100 }),
      ];
      const text = JSON.stringify(seen);
      expect(text).toContain(own);
      // Asked for, and repeated by nothing but the question.
      expect(text.replaceAll(`${own} ${foreign}`, '')).not.toContain(foreign);
      expect(await ask(cairn, 'audit_verify')).toMatchObject({ intact: true });
    }
  });

  it('are not seen at all by a connection that does not say whose it is', async () => {
    await ask(await serving(freshCatalog()), 'record_interaction', { prompt: 'Why?', response: rationale });
    const stranger = await connectionTo(server.url);
    await expect(stranger.query('SELECT * FROM cairn.audit')).rejects.toThrow(/cairn\.catalog/);
    await stranger.query("SELECT set_config('cairn.catalog', '2147483647', false)");
    expect((await stranger.query('SELECT * FROM cairn.audit')).rows).toEqual([]);
    const smuggled = stranger.query("INSERT INTO cairn.usage VALUES ('a', 1, 'b', 'c', 1)");
    await expect(smuggled).rejects.toThrow(/check option/);
  });
});

describe('processes of one catalog', () => {
  it('see what another wrote with their next call', { timeout: 120_000 }, async () => {
    const catalog = freshCatalog();
    const [one, other] = [await serving(catalog), await serving(catalog)];
    const titleAt = async (cairn: StdioServer) => (await ask(cairn, 'instructions_get', { id: 'rule' })).item?.title;
    const entry = { id: 'rule', body: 'Think.', owner: 'ann', priority: 20 };
    for (let round = 0; round < 5; round++) {
      const [writer, reader] = round % 2 === 0 ? [one, other] : [other, one];
      await ask(writer, 'instructions_add', {
        entry: { ...entry, title: `Round ${round}` },
        overwrite: true,
        lax: true,
      });
      expect(await titleAt(reader)).toBe(`Round ${round}`);
      await ask(writer, 'record_decision', { title: `Use ${round}`, target: `tool-${round}`, rationale });
      expect((await ask(reader, 'decision_chain', { target: `tool-${round}` })).chain).toHaveLength(1);
    }
  });

  it('do so when every notice is lost', { timeout: 120_000 }, async () => {
    const catalog = freshCatalog();
    const [one, other] = [await serving(catalog), await serving(catalog)];
    await fill(one, 'walnut');
    expect((await ask(other, 'instructions_get', { id: 'rule' })).item.title).toBe('A walnut rule');
    const admin = await connectionTo(server.url);
    // The connections that listen, again and again, while others write.
    const cut = () => admin.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ILIKE 'listen%'");
    for (let round = 0; round < 4; round++) {
      await cut();
      const entry = { id: 'rule', title: `Round ${round}`, body: 'Think.', owner: 'ann', priority: 20 };
      await ask(one, 'instructions_add', { entry, overwrite: true, lax: true });
      expect((await ask(other, 'instructions_get', { id: 'rule' })).item.title).toBe(`Round ${round}`);
      await delay(100);
    }
  });
});
