/** What was acknowledged is there and whole, whatever instant a process dies at and whoever collects meanwhile. */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, it } from 'vitest';
import { openEmbedded } from '../../src/store/embedded/engine.ts';
import type { Store } from '../../src/store/store.ts';
import type { Message, StdioServer } from '../support/cairn.ts';
import { openProject, type Project } from './project.ts';

const rounds = process.env.CAIRN_TEST_FULL ? 100 : 10;
const silent = () => undefined;
const sha = (content: string) => createHash('sha256').update(content).digest('hex');

/** Anything from a word to a few chunks; the same for the same number. */
function contentFor(n: number): string {
  return `${n} ${`${sha(String(n))} `.repeat((n * 7919) % 900)}`;
}

/** What the home must hold: of a path that was being changed at the death, either state is right. */
class Model {
  readonly documents = new Map<string, string>();
  readonly snapshots: Message[] = [];
  readonly unsure = new Set<string>();
}

/** Random calls, one after the other, until the server is gone. */
async function work(server: StdioServer, model: Model, folder: string, isDead: () => boolean): Promise<void> {
  const call = async (op: string, params: object): Promise<Message> => (await server.ask(op, params)).result;
  while (!isDead()) {
    const dice = Math.random();
    const n = Math.floor(Math.random() * 40);
    const path = `doc-${n}.txt`;
    if (dice < 0.5) {
      const content = contentFor(Math.floor(Math.random() * 1000));
      model.unsure.add(path);
      await call('add', { name: path, content });
      model.documents.set(path, sha(content));
      model.unsure.delete(path);
    } else if (dice < 0.65) {
      model.unsure.add(path);
      await call('delete', { names: [path] });
      model.documents.delete(path);
      model.unsure.delete(path);
    } else if (dice < 0.8) {
      model.snapshots.push(await call('snapshot', {}));
    } else if (dice < 0.9) {
      const names = Array.from({ length: 30 }, (_, at) => `tree/${at}.txt`);
      const generation = Math.random();
      const texts = names.map((name) => `${name} ${generation}`);
      await mkdir(join(folder, 'tree'), { recursive: true });
      for (const [at, name] of names.entries()) await writeFile(join(folder, name), texts[at] ?? '');
      for (const name of names) model.unsure.add(name);
      await call('add', { path: 'tree' });
      for (const [at, name] of names.entries()) model.documents.set(name, sha(texts[at] ?? ''));
      for (const name of names) model.unsure.delete(name);
    } else await call('gc', {});
  }
}

async function check(store: Store, model: Model): Promise<void> {
  expect((await store.objects.verify(silent)).damaged).toEqual([]);
  await store.read(async ({ documents }) => {
    const found = new Map((await documents.page('default', '', 10_000)).map((each) => [each.path, each.hash]));
    for (const [path, hash] of model.documents) if (!model.unsure.has(path)) expect(found.get(path)).toBe(hash);
    for (const [path, hash] of found) {
      if (!model.unsure.has(path)) expect(model.documents.get(path)).toBe(hash);
      expect(await store.objects.size(hash), `${path} has no content`).toBeDefined();
    }
    const ids = new Set((await documents.snapshots(undefined, 10_000, 0)).map((each) => each.id));
    for (const { id, root, files } of model.snapshots) {
      expect(await documents.snapshot(id)).toMatchObject({ root, files });
    }
    for (const id of ids) {
      for (const { path, hash } of await documents.snapshotFiles(id, '', 10_000))
        expect(await store.objects.size(hash), `${path} of ${id} has no content`).toBeDefined();
    }
    // From here on it is what is there.
    for (const path of model.unsure) {
      const hash = found.get(path);
      if (hash === undefined) model.documents.delete(path);
      else model.documents.set(path, hash);
    }
    model.unsure.clear();
  });
}

async function collectNow(store: Store): Promise<void> {
  const isLive = (hash: string) => store.read(({ documents }) => documents.isNeeded(hash));
  await store.objects.collect(isLive, { spareMs: 0, now: Date.now() + 1 });
}

describe('kill -9', () => {
  it(`at a random instant of random work loses nothing, ${rounds} times over`, { timeout: 600_000 }, async () => {
    const project = await openProject();
    const model = new Model();
    let server = project.server;
    for (let round = 0; round < rounds; round++) {
      let dead = false;
      await server.ask('list', {});
      const working = work(server, model, project.folder, () => dead);
      // The last call of a killed server is never answered.
      working.catch(silent);
      await delay(30 + Math.random() * 250);
      dead = true;
      server.kill('SIGKILL');
      await server.exited;
      const store = openEmbedded({ home: join(project.folder, '.cairn') });
      await check(store, model);
      // Nobody writes now: what no one needs may go, however young.
      await collectNow(store);
      await check(store, model);
      await store.close();
      if (round + 1 < rounds) server = project.start();
    }
    expect(model.documents.size).toBeGreaterThan(0);
    project.server = project.start();
    expect(await project.ask('content_verify')).toMatchObject({ ok: true });
  });
});

describe('two processes', () => {
  it('one that deletes and adds again what is old, one that collects without end: nothing that was acknowledged is lost', async () => {
    const project = await openProject();
    const count = 120;
    const add = (n: number) => ({ op: 'add', params: { name: `${n}.txt`, content: contentFor(n) } });
    for (let at = 0; at < count; at += 100) {
      const operations = Array.from({ length: Math.min(100, count - at) }, (_, n) => add(at + n));
      expect(await project.ask('execute', { operations })).toMatchObject({ failed: 0 });
    }
    age(project, 2 * 3_600_000);
    const collector = project.start();
    let [done, collected] = [false, 0];
    const collecting = (async () => {
      while (!done) collected += (await collector.ask('gc', {})).result.contents;
    })();
    for (let n = 0; n < count; n++) {
      await project.ask('delete', { name: `${n}.txt` });
      // Time for the other one to see that nobody needs it, for some of them.
      if (n % 10 === 0) await delay(Math.random() * 30);
      const { op, params } = add(n);
      await project.ask(op, params);
    }
    done = true;
    await collecting;
    expect(collected).toBeGreaterThan(0);
    for (let n = 0; n < count; n++) {
      const { content } = await project.ask('get', { name: `${n}.txt`, include_content: true, length: 1_000_000 });
      expect(content).toBe(contentFor(n));
    }
    expect(await project.ask('content_verify')).toMatchObject({ ok: true });
  });

  it('one that adds large files, one that spares nothing: each file is whole or refused', async () => {
    const project = await openProject();
    const store = openEmbedded({ home: join(project.folder, '.cairn') });
    await project.ask('add', { name: 'first', content: 'x' });
    let done = false;
    const collecting = (async () => {
      // Contents stay; chunks that no content lists yet go, also those that are just arriving.
      while (!done) await store.objects.collect(() => true, { spareMs: 0, now: Date.now() + 1 });
    })();
    let stored = 0;
    for (let n = 0; n < 12; n++) {
      const lines = Array.from({ length: 30_000 }, (_, line) => sha(`${n} ${line}`));
      await project.put(`large-${n}.txt`, lines.join('\n'));
      const { result, error } = await project.server.ask('add', { path: `large-${n}.txt` });
      if (error === undefined) {
        stored++;
        expect(sha(lines.join('\n'))).toBe(result.hash);
      } else expect(error.message).toContain('collected as left over');
    }
    done = true;
    await collecting;
    expect((await project.ask('list')).total).toBe(stored + 1);
    expect(await project.ask('content_verify')).toMatchObject({ ok: true, checked: stored + 1 });
    await store.close();
  });
});

/** As if everything had been stored so long ago. */
function age(project: Project, milliseconds: number): void {
  const database = new DatabaseSync(join(project.folder, '.cairn/objects.db'));
  for (const table of ['content', 'chunk']) database.exec(`UPDATE ${table} SET created = created - ${milliseconds}`);
  database.close();
}
