/** A home moved to PostgreSQL and back: everything is there, under the same ids and hashes, also when the move was interrupted. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plain } from '../faults/writing.ts';
import { cairn, type Message, serveStdio } from '../support/cairn.ts';
import { freshFolder } from '../support/home.ts';
import { freshCatalog, type TestServer, testServer } from '../support/postgres.ts';

let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server?.stop());

const env = { ...plain, CAIRN_HISTORY: '1' };
const urlOf = (catalog: string) => `${server.url}?catalog=${catalog}`;

async function filledHome(documents = 12): Promise<string> {
  const home = join(await freshFolder(), 'home');
  const cairn = serveStdio(['--home', home, '--role', 'admin'], env);
  const ask = async (operation: string, params: Message = {}) => {
    const { result, error } = await cairn.ask(operation, params);
    expect(error, operation).toBeUndefined();
    expect(result.status, JSON.stringify(result)).not.toBe('error');
    return result as Message;
  };
  const entry = { id: 'small', title: 'Small changes', body: 'One thing a change.', owner: 'ann', priority: 20 };
  await ask('instructions_add', { entry, lax: true });
  await ask('instructions_add', {
    entry: { ...entry, body: 'One thing a change, always.' },
    overwrite: true,
    lax: true,
  });
  await ask('usage_track', { id: 'small' });
  const rationale = 'It was weighed against the others and found better.';
  const { decision_id } = await ask('record_decision', { title: 'Use a queue', target: 'jobs', rationale });
  const next = { title: 'Use two queues', target: 'jobs', rationale, old_decision_ids: [decision_id] };
  await ask('supersede_decision', next);
  await ask('record_interaction', { prompt: 'Why a queue?', response: rationale });
  await ask('feedback_submit', {
    type: 'bug-report',
    severity: 'low',
    title: 'It hangs',
    description: 'Now and then.',
  });
  for (let at = 0; at < documents; at++)
    await ask('add', { name: `notes/${at}.md`, content: `# Note ${at}\n\n${`Line ${at}.\n`.repeat(at * 50)}` });
  cairn.endInput();
  await cairn.exited;
  return home;
}

/** What a client would notice. */
async function seenAt(place: readonly string[]): Promise<Message> {
  const call = async (operation: string, input: Message = {}) => {
    const { stdout, code, stderr } = await cairn(
      ['call', operation, JSON.stringify(input), '--role', 'admin', ...place],
      { env },
    );
    expect(code, `${operation} ${stderr} ${stdout}`).toBe(0);
    return JSON.parse(stdout) as Message;
  };
  const notes: Message = {};
  for (const at of [0, 5, 11]) {
    const { content, hash } = await call('get', { name: `notes/${at}.md`, include_content: true });
    notes[at] = { content, hash };
  }
  const { events } = await call('event_search', { query: 'queue', limit: 10 });
  const audit = await call('audit_list', { after: 0, limit: 500 });
  return {
    notes,
    instructions: (await call('instructions_get', { id: 'small' })).item,
    chain: (await call('decision_chain', { target: 'jobs' })).chain,
    events: events.map(({ id, subject }: Message) => ({ id, subject })),
    feedback: (await call('feedback_list', {})).entries,
    audit: audit.entries,
    verified: (await call('audit_verify')).intact,
    contents: (await call('content_verify')).ok,
    versions: (await call('instruction_history', { id: 'small' })).versions.map(({ time, author }: Message) => ({
      time,
      author,
    })),
    found: (await call('search', { query: 'note', kind: 'document', limit: 3 })).total,
  };
}

const migrate = (from: string, to: string) => cairn(['store', 'migrate', from, to], { env });

describe('a move', () => {
  it('brings everything to the server and back, and says what it brought', { timeout: 180_000 }, async () => {
    const home = await filledHome();
    const before = await seenAt(['--home', home]);
    const url = urlOf(freshCatalog());
    const there = await migrate(home, url);
    expect(there.stderr).toBe('');
    expect(JSON.parse(there.stdout).moved.find(({ what }: Message) => what === 'document')).toMatchObject({
      count: 12,
      sent: 12,
    });
    const elsewhere = await freshFolder();
    expect(await seenAt(['--home', elsewhere, '--store', url])).toEqual(before);
    const back = join(await freshFolder(), 'back');
    expect((await migrate(url, back)).code).toBe(0);
    expect(await seenAt(['--home', back])).toEqual(before);
  });

  it('goes on where it was killed', { timeout: 300_000 }, async () => {
    const home = await filledHome(40);
    let struck = 0;
    for (const killAfterMs of [300, 450, 600, 800]) {
      const url = urlOf(freshCatalog());
      const { code } = await cairn(['store', 'migrate', home, url], { env, killAfterMs });
      if (code !== null) break;
      struck++;
      const again = await migrate(home, url);
      expect(again.code, again.stderr).toBe(0);
      const documents = JSON.parse(again.stdout).moved.find(({ what }: Message) => what === 'document');
      expect(documents.count).toBe(40);
      expect((await migrate(home, url)).stderr).toMatch(/not empty/);
    }
    expect(struck).toBeGreaterThan(0);
  });

  it('refuses a place that is in use, and places that are the same', async () => {
    const [home, other] = [await filledHome(0), await filledHome(0)];
    expect((await migrate(home, other)).stderr).toMatch(/not empty/);
    expect((await migrate(home, home)).stderr).toMatch(/same/);
  });
});
