/** Files made to hang, to lead out, to change under the reader or to burst: each is stored, named or left out, and the server lives. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, symlink, truncate, unlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { pdfOf, zipOf } from '../../src/documents/extract/samples.ts';
import { sha256 } from '../../src/store/hash.ts';
import type { Message } from '../support/cairn.ts';
import { contentOf, openProject, type Project, treeOf } from './project.ts';

let project: Project;
const full = process.env.CAIRN_TEST_FULL !== undefined;
const isRoot = process.getuid?.() === 0;

beforeEach(async () => {
  project = await openProject();
});

/** Of the server at its worst; where the system does not tell, nothing is claimed. */
function peakMemory(): number | undefined {
  const status = `/proc/${project.server.pid}/status`;
  if (!existsSync(status)) return undefined;
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(status, 'utf8'))?.[1]) / 1024;
}

/** Does something again and again while something else is done; how often. */
async function meanwhile(again: (n: number) => Promise<void>, work: () => Promise<void>): Promise<number> {
  let [done, times] = [false, 0];
  const repeating = (async () => {
    for (; !done; times++) await again(times);
  })();
  try {
    await work();
  } finally {
    done = true;
    await repeating;
  }
  return times;
}

describe('what is no plain file', () => {
  it('is left out of a folder and refused by name, and nothing waits for it', async () => {
    await project.put('tree/good.txt', 'good');
    await project.put('tree/sub/good.txt', 'also good');
    execFileSync('mkfifo', [join(project.folder, 'tree/pipe'), join(project.folder, 'tree/sub/.gitignore')]);
    const socket = createServer().listen(join(project.folder, 'tree/socket'));
    onTestFinished(() => void socket.close());
    await symlink('loop', join(project.folder, 'tree/loop'));
    await symlink('..', join(project.folder, 'tree/sub/up'));
    await symlink('/dev/zero', join(project.folder, 'tree/zero'));
    if (isRoot) execFileSync('mknod', [join(project.folder, 'tree/device'), 'c', '1', '5']);
    expect(await project.ask('add', { path: 'tree' })).toMatchObject({ added: 2, failed: 0 });
    for (const name of ['pipe', 'socket', 'zero', ...(isRoot ? ['device'] : [])])
      await project.refusal('add', { path: `tree/${name}` });
  });

  it.skipIf(isRoot)(
    'or may not be read is named, and the others are stored (as root everything may be read)',
    async () => {
      await project.put('tree/good.txt', 'good');
      await project.put('tree/closed.txt', 'closed');
      await project.put('tree/folder/inside.txt', 'inside');
      await project.put('tree/.gitignore', '*.log');
      for (const name of ['closed.txt', 'folder', '.gitignore'])
        execFileSync('chmod', ['000', join(project.folder, 'tree', name)]);
      onTestFinished(() => void execFileSync('chmod', ['700', join(project.folder, 'tree/folder')]));
      const done = await project.ask('add', { path: 'tree' });
      expect(done).toMatchObject({ added: 1, failed: 3 });
      const named = done.errors.map((each: Message) => each.path);
      expect(named).toEqual(['tree/.gitignore', 'tree/closed.txt', 'tree/folder']);
    },
  );
});

describe('files that change while they are read', () => {
  it('are stored as some bytes that verify, or named', async () => {
    const folder = join(project.folder, 'tree');
    const names = Array.from({ length: 12 }, (_, n) => join(folder, `${n}.txt`));
    await mkdir(folder);
    for (const name of names) await writeFile(name, 'start '.repeat(80_000));
    const change = async (n: number) => {
      const name = names[n % names.length] as string;
      if (n % 5 === 0) await unlink(name).catch(() => {});
      else if (n % 5 === 1) await truncate(name, (n * 7919) % 300_000).catch(() => {});
      else if (n % 5 === 2) await writeFile(name, 'more '.repeat(1000), { flag: 'a' });
      else await writeFile(name, `${n} again `.repeat((n * 31) % 40_000));
      await delay(2);
    };
    await meanwhile(change, async () => {
      for (let round = 0; round < 4; round++) {
        const { added, updated, unchanged, failed } = await project.ask('add', { path: 'tree' });
        expect(added + updated + unchanged + failed).toBeLessThanOrEqual(names.length);
      }
    });
    expect(await project.ask('content_verify')).toMatchObject({ ok: true });
    const { documents } = await project.ask('list', { limit: 1000 });
    for (const { hash, size } of documents) {
      const bytes = await contentOf(project, { hash });
      expect({ hash: sha256(bytes), size: bytes.length }).toEqual({ hash, size });
    }
    // When they rest, what is stored is what is there.
    await project.ask('add', { path: 'tree' });
    for (const { path } of (await project.ask('list', { limit: 1000 })).documents)
      if (existsSync(join(project.folder, path)))
        expect((await contentOf(project, { name: path })).equals(readFileSync(join(project.folder, path)))).toBe(true);
  });

  it('and folders that are swapped for links lead nowhere else', async () => {
    const outside = join(project.around, 'outside');
    await mkdir(outside);
    await mkdir(join(project.folder, 'tree'));
    for (let n = 0; n < 20; n++) {
      await project.put(`tree/real/${n}.txt`, 'own');
      await writeFile(join(outside, `${n}.txt`), 'secret');
    }
    const [real, aside] = [join(project.folder, 'tree/real'), join(project.folder, 'aside')];
    const swap = async () => {
      await rename(real, aside);
      await symlink(outside, real);
      await delay(1);
      await rm(real);
      await rename(aside, real);
      await delay(1);
    };
    let secrets = 0;
    const swaps = await meanwhile(swap, async () => {
      for (let round = 0; round < (full ? 200 : 15); round++) {
        await project.ask('add', { path: 'tree', tags: [`round-${round % 10}`] });
        const { documents } = await project.ask('list', { limit: 1000 });
        secrets += documents.filter(({ hash }: Message) => hash === sha256('secret')).length;
      }
    });
    expect(swaps).toBeGreaterThan(10);
    expect(secrets).toBe(0);
  });

  it('and folders that are swapped for links while they are restored to take nothing out', async () => {
    const outside = join(project.around, 'outside');
    await mkdir(outside);
    for (let n = 0; n < 20; n++) await project.put(`tree/real/${n}.txt`, `restored ${n}`);
    await project.ask('add', { path: 'tree' });
    const [real, aside] = [join(project.folder, 'out/tree/real'), join(project.folder, 'out/aside')];
    await mkdir(real, { recursive: true });
    await meanwhile(
      async () => {
        // A folder may have been made in the place of the one that is aside.
        await rename(real, aside).catch(() => {});
        await symlink(outside, real).catch(() => {});
        await delay(1);
        await unlink(real).catch(() => {});
        await rename(aside, real).catch(() => {});
        await delay(1);
      },
      async () => {
        for (let round = 0; round < (full ? 200 : 15); round++)
          await project.ask('restore', { collection: 'default', output_directory: 'out', overwrite: true });
      },
    );
    const escaped = (await treeOf(outside)).values();
    for (const bytes of escaped) expect(bytes.length).toBe(0);
  });
});

describe('files that are large or made to burst', () => {
  it(`in a folder of ${full ? 50_000 : 1500} are all stored, and an unchanged folder costs a look`, {
    timeout: 600_000,
  }, async () => {
    const count = full ? 50_000 : 1500;
    for (let n = 0; n < count; n++) await project.put(`many/${n % 50}/${n}.txt`, `file ${n}`);
    let total = 0;
    // A call has its time; what it stored is stored, and the next one goes on from there.
    for (let call = 0; call < 30 && total < count; call++) {
      project.server.write(JSON.stringify({ jsonrpc: '2.0', id: call, method: 'add', params: { path: 'many' } }));
      while (!project.server.unasked.some(({ id }) => id === call)) await delay(50);
      total = (await project.ask('list', { limit: 1 })).total;
    }
    expect(total).toBe(count);
    expect(await project.ask('add', { path: 'many' })).toMatchObject({ unchanged: count, new_bytes: 0, failed: 0 });
  });

  it('of one line are stored and come back, in bounded memory and time', async () => {
    const line = Buffer.alloc(50 * 1024 * 1024, 'all of this is one line, ');
    await project.put('tree/line.txt', line);
    await project.put('tree/hex.txt', sha256('x').repeat(4000));
    await project.put('tree/letters.txt', 'a'.repeat(250_000));
    expect(await project.ask('add', { path: 'tree' })).toMatchObject({ added: 3, failed: 0 });
    expect((await contentOf(project, { name: 'hex.txt' })).toString()).toBe(sha256('x').repeat(4000));
    const start = await project.ask('get', {
      name: 'line.txt',
      include_content: true,
      offset: 50_000_000,
      length: 100,
    });
    expect(start.content).toBe(line.subarray(50_000_000, 50_000_100).toString());
    const text = await project.server.ask('get', { name: 'line.txt', as_text: true, length: 100 });
    expect(text.result?.content ?? text.error.message).toEqual(expect.any(String));
    const memory = peakMemory();
    if (memory !== undefined) expect(memory).toBeLessThan(900);
  });

  it('as Word, page, notebook or PDF are stored, say what is wrong with their text, and come back whole', async () => {
    const body = (text: string) => [
      { name: '[Content_Types].xml', content: '<Types/>' },
      { name: 'word/document.xml', content: text },
    ];
    const bomb = zipOf(body(`<w:document>${'<w:p><w:t>x</w:t></w:p>'.repeat(4_000_000)}</w:document>`));
    const files: Record<string, Buffer | string> = {
      'bomb.docx': bomb,
      'lies.docx': zipOf(body('x').map((each) => ({ ...each, declared: 4_000_000_000 }))),
      'torn.docx': bomb.subarray(0, bomb.length / 2),
      'deep.html': `${'<div>'.repeat(200_000)}deep${'</div>'.repeat(200_000)}`,
      'attributes.html': `<p ${'a="b" '.repeat(100_000)}>x</p>`,
      'deep.ipynb': `${'['.repeat(300_000)}${']'.repeat(300_000)}`,
      'wrong.ipynb': '{"cells": {"length": 1e9}, "nbformat": "x"}',
      'garbage.pdf': Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(200_000, 'obj endobj << >> [ ')]),
      'loop.pdf': pdfOf(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [2 0 R] /Count 1000000000 >>']),
      'page.html': '\0\0\0<html>\ud800',
    };
    for (const [name, bytes] of Object.entries(files)) await project.put(`tree/${name}`, bytes);
    const added = await project.ask('add', { path: 'tree' });
    expect(added).toMatchObject({ added: Object.keys(files).length, failed: 0 });
    for (const [name, bytes] of Object.entries(files)) {
      const { result, error } = await project.server.ask('get', { name, as_text: true });
      if (error !== undefined) expect(error.data.name, name).toBe('limit_exceeded');
      else expect(result.content.length, name).toBeLessThanOrEqual(16_384);
      expect((await contentOf(project, { name })).equals(Buffer.from(bytes)), name).toBe(true);
    }
    expect(await project.ask('content_verify')).toMatchObject({ ok: true });
    const memory = peakMemory();
    if (memory !== undefined) expect(memory).toBeLessThan(1500);
  });
});
