/** Wrong bytes in objects.db: named when they are met, listed when they are looked for, healed by adding the file again. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../src/store/hash.ts';
import type { Message } from '../support/cairn.ts';
import { openProject, type Project } from './project.ts';

/** Does not compress, so that its bytes stand in the file as they are. */
function noise(seed: string, bytes: number): Buffer {
  const parts: Buffer[] = [];
  for (let length = 0; length < bytes; length += 32) parts.push(Buffer.from(sha256(`${seed} ${length}`), 'hex'));
  return Buffer.concat(parts).subarray(0, bytes);
}

async function stop(project: Project): Promise<void> {
  project.server.kill('SIGTERM');
  await project.server.exited;
  sql(project, 'PRAGMA wal_checkpoint(TRUNCATE)');
}

function sql(project: Project, statement: string): Record<string, unknown>[] {
  const database = new DatabaseSync(join(project.folder, '.cairn/objects.db'));
  try {
    return database.prepare(statement).all() as Record<string, unknown>[];
  } finally {
    database.close();
  }
}

function flip(project: Project, bytes: Buffer): void {
  const path = join(project.folder, '.cairn/objects.db');
  const file = readFileSync(path);
  expect(file.includes(bytes)).toBe(true);
  for (let at = file.indexOf(bytes); at >= 0; at = file.indexOf(bytes, at + 1)) file[at + 3] = (file[at + 3] ?? 0) ^ 8;
  writeFileSync(path, file);
}

describe('a flipped byte', () => {
  it('is an integrity error that names the hash, is listed with its paths, spares the rest, and heals', async () => {
    const project = await openProject();
    const [bad, good] = [noise('bad', 3000), noise('good', 3000)];
    await project.put('tree/bad.bin', bad);
    await project.put('tree/copy/bad.bin', bad);
    await project.put('tree/good.bin', good);
    const { snapshot_id } = await project.ask('add', { path: 'tree' });
    const hash = sha256(bad);
    await stop(project);
    flip(project, bad.subarray(100, 140));
    project.server = project.start();

    for (const input of [
      { hash, include_content: true },
      { hash, as_text: true },
      { hash, outputPath: 'copy.bin' },
    ]) {
      const error = await project.refusal('get', input);
      expect(error).toMatchObject({ code: -32003, data: { name: 'integrity_error', hash } });
      expect(error.message).toContain(hash);
    }
    expect(await project.ask('get', { hash })).toMatchObject({ path: 'tree/bad.bin' });
    const restored = await project.ask('restore', { snapshot_id, output_directory: 'out' });
    expect(restored).toMatchObject({ restored: 1, failed: 2, paths: ['tree/good.bin'] });
    for (const each of restored.errors) expect(each.error).toContain(hash);
    expect(readFileSync(join(project.folder, 'out/tree/good.bin')).equals(good)).toBe(true);

    const found = await project.ask('content_verify');
    expect(found).toMatchObject({ ok: false, checked: 2 });
    expect(found.damaged).toEqual([
      { hash, problem: expect.stringContaining(hash), paths: ['default/tree/bad.bin', 'default/tree/copy/bad.bin'] },
    ]);
    for (const op of ['list', 'status', 'snapshot', 'gc', 'list_snapshots']) await project.ask(op, {});

    expect(await project.ask('add', { path: 'tree/bad.bin' })).toMatchObject({ hash, new_bytes: bad.length });
    expect(await project.ask('content_verify')).toEqual({ ok: true, checked: 2, damaged: [] });
    await project.ask('restore', { snapshot_id, output_directory: 'out' });
    expect(readFileSync(join(project.folder, 'out/tree/copy/bad.bin')).equals(bad)).toBe(true);
  });

  it('anywhere in the file never makes a wrong content: right bytes, or an error', async () => {
    const project = await openProject();
    for (let n = 0; n < 30; n++) await project.put(`tree/${n}.bin`, noise(String(n), 1000 + n * 700));
    await project.ask('add', { path: 'tree' });
    await stop(project);
    const path = join(project.folder, '.cairn/objects.db');
    const sound = readFileSync(path);
    let refused = 0;
    for (let round = 0; round < (process.env.CAIRN_TEST_FULL ? 60 : 6); round++) {
      const file = Buffer.from(sound);
      for (let n = 0; n < 40; n++) {
        const at = 100 + Math.floor(Math.random() * (file.length - 100));
        file[at] = (file[at] ?? 0) ^ (1 << Math.floor(Math.random() * 8));
      }
      writeFileSync(path, file);
      for (const side of ['-wal', '-shm']) rmSync(`${path}${side}`, { force: true });
      const server = project.start();
      for (let n = 0; n < 30; n++) {
        const input = { name: `tree/${n}.bin`, include_content: true, length: 100_000 };
        const { result, error } = await server.ask('get', input);
        if (error === undefined) {
          expect(Buffer.from(result.content, 'base64').equals(noise(String(n), 1000 + n * 700))).toBe(true);
        } else {
          refused++;
          expect(error.data.name, error.message).toMatch(/integrity_error|store_unavailable/);
        }
      }
      expect((await server.ask('list', {})).result.total).toBe(30);
      server.kill('SIGTERM');
      await server.exited;
    }
    expect(refused).toBeGreaterThan(0);
  });
});

describe('a content that is gone', () => {
  it('is damage that verify lists, also where only a snapshot names it, and comes back with the file', async () => {
    const project = await openProject();
    await project.ask('add', { name: 'a.txt', content: 'first' });
    await project.ask('add', { name: 'old.txt', content: 'only in the snapshot' });
    const { id } = await project.ask('snapshot', {});
    await project.ask('delete', { name: 'old.txt' });
    await stop(project);
    sql(project, 'DELETE FROM content');
    project.server = project.start();
    const error = await project.refusal('get', { name: 'a.txt', include_content: true });
    expect(error).toMatchObject({ code: -32003, message: expect.stringContaining(sha256('first')) });
    const { ok, damaged } = await project.ask('content_verify');
    expect(ok).toBe(false);
    const paths = new Map(damaged.map((each: Message) => [each.hash, each.paths]));
    expect(paths.get(sha256('first'))).toEqual(['default/a.txt']);
    expect(paths.get(sha256('only in the snapshot'))).toEqual([`snapshot ${id}/old.txt`]);
    await project.ask('add', { name: 'a.txt', content: 'first' });
    await project.ask('add', { name: 'old.txt', content: 'only in the snapshot' });
    expect(await project.ask('content_verify')).toMatchObject({ ok: true });
  });

  it('because all of objects.db is gone is said of every document, and adding brings all of it back', async () => {
    const project = await openProject();
    for (let n = 0; n < 5; n++) await project.put(`tree/${n}.txt`, `file ${n}`);
    await project.ask('add', { path: 'tree' });
    await stop(project);
    for (const side of ['', '-wal', '-shm']) rmSync(join(project.folder, `.cairn/objects.db${side}`), { force: true });
    project.server = project.start();
    expect((await project.ask('content_verify')).damaged).toHaveLength(5);
    for (let n = 0; n < 5; n++) await project.ask('add', { path: `tree/${n}.txt` });
    expect(await project.ask('content_verify')).toMatchObject({ ok: true, checked: 5 });
  });

  it('comes back when its folder is added again', async () => {
    const project = await openProject();
    await project.put('tree/a.txt', 'a');
    await project.ask('add', { path: 'tree' });
    await stop(project);
    sql(project, 'DELETE FROM content');
    project.server = project.start();
    await project.ask('content_verify');
    await project.ask('add', { path: 'tree' });
    expect(await project.ask('content_verify')).toMatchObject({ ok: true });
  });
});
