/** Homes of every released version, and state.db at every step of its schema, open in this version with all that they hold. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Database } from '../../src/store/embedded/database.ts';
import { migrate, schemaVersion, versionOf } from '../../src/store/embedded/schema.ts';
import { plain } from '../faults/writing.ts';
import { cairn, type Message, serveStdio } from '../support/cairn.ts';
import { freshFolder } from '../support/home.ts';

const homes = join(import.meta.dirname, 'homes');
const archives = readdirSync(homes).filter((name) => name.endsWith('.tar.gz'));

function serving(home: string) {
  const server = serveStdio(['--home', home], { ...plain, CAIRN_ROLE: 'admin' });
  const ask = async (operation: string, input: Message = {}): Promise<Message> => {
    const { result, error } = await server.ask(operation, input);
    expect(error ?? (result.status === 'error' ? result : undefined), operation).toBeUndefined();
    return result;
  };
  const stop = async () => {
    server.kill();
    await server.exited;
  };
  return { ask, stop };
}

const note = (name: string) => `About ${name}.\nZażółć gęślą jaźń.\n`.repeat(30);
const namesIn = (list: readonly Message[], field: string) => list.map((each) => each[field]).sort();

async function problemsIn(home: string): Promise<string[]> {
  const env = { ...plain, CAIRN_HOME: '', HOME: join(home, '..') };
  const { stdout } = await cairn(['doctor', '--json', '--home', home], { env, cwd: join(home, '..') });
  const findings = JSON.parse(stdout).findings as Message[];
  return findings.filter(({ state }) => state === 'problem').map(({ detail }) => detail);
}

describe.each(archives)('the home of %s', (archive) => {
  async function unpacked() {
    const folder = await freshFolder();
    execFileSync('tar', ['-xzf', join(homes, archive), '-C', folder]);
    return { home: join(folder, 'home'), was: JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) };
  }

  it('has all its instructions, decisions, documents and records', async () => {
    const { home, was } = await unpacked();
    expect(await problemsIn(home)).toEqual([]);
    const { ask, stop } = serving(home);
    const { items } = await ask('instructions_list', {});
    expect(namesIn(items, 'id')).toEqual(['names', 'style', 'tests']);
    const style = (await ask('instructions_get', { id: 'style' })).item;
    expect(style).toMatchObject({ body: 'Mind style twice.', version: '1.0.1', owner: 'ann', usageCount: 1 });
    expect(await ask('integrity_verify')).toMatchObject({ ok: true, hash: was.hash });

    const { chain } = await ask('decision_chain', { target: 'cache' });
    expect(chain.map(({ id }: Message) => id)).toEqual(was.chain);
    expect(chain.at(-1)).toMatchObject({
      status: 'active',
      title: 'Garnet it is',
      consequences: ['Install it'],
      evidence: 1,
    });
    expect((await ask('decision_chain', { target: 'queue', namespace: 'team' })).chain).toHaveLength(1);
    const found = (await ask('event_search', { query: 'garnet' })).events;
    expect(namesIn(found, 'event_id')).toContain(was.event);

    const read = async (input: Message) => (await ask('get', { ...input, include_content: true })).content;
    expect(await read({ name: 'notes/a.txt' })).toBe(note('a'));
    expect(await read({ name: 'notes/b.txt' })).toBe(note('b, changed'));
    expect((await ask('list', { tag: 'kept' })).total).toBeGreaterThan(0);
    const restored = await ask('restore', { snapshot_id: was.snapshot, output_directory: 'out', dry_run: true });
    expect(JSON.stringify(restored)).toContain('notes/c.txt');
    expect((await ask('search', { query: 'changed', kind: 'document' })).results[0].path).toBe('notes/b.txt');
    expect(await ask('content_verify')).toMatchObject({ ok: true });

    expect((await ask('feedback_get', { id: was.feedback })).entry).toMatchObject({ status: 'acknowledged' });
    expect(namesIn((await ask('session_list')).sessions, 'session_id')).toContain(was.session);
    expect(namesIn((await ask('keys_list')).keys, 'id')).toEqual([was.key]);
    expect(await ask('audit_verify')).toEqual({ intact: true, entries: was.audited });
    await stop();
  }, 60_000);

  it('can be written to, and is then as sound as any', async () => {
    const { home, was } = await unpacked();
    const { ask, stop } = serving(home);
    const decision = { title: 'Dragonfly it is', target: 'cache', rationale: 'Newer than all of them.' };
    await ask('supersede_decision', { ...decision, old_decision_ids: [was.chain.at(-1)] });
    const entry = { id: 'style', title: 'Rule style', body: 'Mind style thrice.', owner: 'ann', priority: 20 };
    expect(await ask('instructions_add', { entry, lax: true, overwrite: true })).toMatchObject({ version: '1.0.2' });
    await ask('add', { name: 'notes/c.txt', content: note('c') });
    await ask('feedback_update', { id: was.feedback, status: 'resolved' });
    await ask('session_stop', { session_id: was.session });
    await ask('gc');
    expect((await ask('audit_verify')).intact).toBe(true);
    expect(await ask('content_verify')).toMatchObject({ ok: true });
    await stop();
    const again = serving(home);
    expect((await again.ask('decision_chain', { target: 'cache' })).chain).toHaveLength(4);
    expect((await again.ask('get', { name: 'notes/c.txt', include_content: true })).content).toBe(note('c'));
    await again.stop();
    expect(await problemsIn(home)).toEqual([]);
  }, 60_000);
});

it('there is a home of some released version', () => expect(archives.length).toBeGreaterThan(0));

const time = '2026-01-01T00:00:00.000Z';

/** What each step could hold, written as it was written then. */
const rowsSince: readonly (readonly [step: number, sql: string])[] = [
  [
    1,
    `INSERT INTO feedback VALUES ('f1', 'other', 'low', 'new', 'Old', 'From then.', '[]', NULL, NULL, 'ann', '${time}', '${time}')`,
  ],
  [2, `INSERT INTO usage VALUES ('style', 7, '${time}', '${time}')`],
  [
    3,
    `INSERT INTO event (namespace, session, digest, kind, source, subject, detail, targets, files, success, created)
       VALUES ('default', 's', 'd', 'interaction', 'agent', 'What of granite?', 'It is hard.', '[]', '[]', 1, '${time}')`,
  ],
];

describe.each(Array.from({ length: schemaVersion - 1 }, (_, at) => at + 1))('state.db of schema %i', (step) => {
  it('is brought up to date with what it holds, by a read and by a write', async () => {
    const home = join(await freshFolder(), 'home');
    await mkdir(join(home, 'instructions'), { recursive: true });
    await writeFile(
      join(home, 'instructions/style.json'),
      JSON.stringify({ id: 'style', title: 'S', body: 'Mind style.' }),
    );
    const old = new Database(join(home, 'state.db'));
    old.exec('PRAGMA journal_mode = WAL');
    migrate(old, step);
    for (const [since, sql] of rowsSince) if (since <= step) old.run(sql);
    old.close();

    const { ask, stop } = serving(home);
    expect((await ask('feedback_get', { id: 'f1' })).entry).toMatchObject({ title: 'Old' });
    if (step >= 2) expect((await ask('instructions_get', { id: 'style' })).item.usageCount).toBe(7);
    if (step >= 3) {
      const { events } = await ask('event_search', { query: 'granite' });
      expect(events).toMatchObject([{ subject: 'What of granite?' }]);
    }
    await ask('record_decision', { title: 'New', target: 'now', rationale: 'Written by the newest.' });
    await ask('add', { name: 'a.txt', content: 'New as well.' });
    expect((await ask('get', { name: 'a.txt', include_content: true })).content).toBe('New as well.');
    expect((await ask('audit_verify')).intact).toBe(true);
    await stop();
    const now = new Database(join(home, 'state.db'), { readOnly: true });
    expect(versionOf(now)).toBe(schemaVersion);
    now.close();
  }, 30_000);
});
