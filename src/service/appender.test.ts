import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Appender, appendTo } from './appender.ts';

const root = mkdtempSync(join(tmpdir(), 'cairn-appender-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let count = 0;
const fresh = () => join(root, `case-${++count}`, 'lines.log');

/** Retires to FILE.1, FILE.2…, and gathers what goes wrong. */
function numbered(path: string, maxBytes: number): { file: Appender; errors: Error[]; all: () => string[] } {
  const errors: Error[] = [];
  let retired = 0;
  const file = appendTo(path, {
    maxBytes,
    retired: () => `${path}.${++retired}`,
    onError: (error) => errors.push(error),
  });
  const parts = () => [...Array.from({ length: retired }, (_, index) => `${path}.${index + 1}`), path];
  const all = () => parts().flatMap((part) => readFileSync(part, 'utf8').split('\n').slice(0, -1));
  return { file, errors, all };
}

describe('appending', () => {
  it('makes the folder, keeps the order and loses none of 10,000 lines', async () => {
    const path = fresh();
    const { file, errors, all } = numbered(path, 1 << 30);
    const lines = Array.from({ length: 10_000 }, (_, index) => `line ${index} ${'é'.repeat(index % 50)}`);
    for (const line of lines) file.append(line);
    await file.flush();
    expect(all()).toEqual(lines);
    expect(errors).toEqual([]);
  });

  it('goes on after what a file already holds', async () => {
    const path = fresh();
    const { file, all } = numbered(path, 1000);
    file.append('first');
    await file.flush();
    const again = numbered(path, 1000);
    again.file.append('second');
    await again.file.flush();
    expect(all()).toEqual(['first', 'second']);
  });

  it('writes lines that come while others are being written', async () => {
    const { file, all } = numbered(fresh(), 1 << 20);
    for (let index = 0; index < 200; index++) {
      file.append(`${index}`);
      if (index % 3 === 0) await new Promise(setImmediate);
    }
    await file.flush();
    expect(all()).toEqual(Array.from({ length: 200 }, (_, index) => `${index}`));
  });

  it('has nothing to wait for when nothing was said', async () => {
    const path = fresh();
    await numbered(path, 100).file.flush();
    expect(existsSync(path)).toBe(false);
  });
});

describe('a full file', () => {
  it('is renamed so that none is larger than the limit, in a burst too, and nothing is lost', async () => {
    const path = fresh();
    const { file, all } = numbered(path, 4096);
    const lines = Array.from({ length: 2000 }, (_, index) => `${index}:${'x'.repeat(index % 97)}`);
    for (const line of lines) file.append(line);
    await file.flush();
    expect(all()).toEqual(lines);
    const folder = join(path, '..');
    const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
    expect(sizes.length).toBeGreaterThan(20);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(4096);
    expect(sizes.filter((size) => size < 3900)).toHaveLength(1);
  });

  it('is renamed at the byte: what fits exactly stays, one more byte begins anew', async () => {
    const path = fresh();
    const { file } = numbered(path, 20);
    file.append('123456789');
    await file.flush();
    file.append('123456789');
    await file.flush();
    expect(existsSync(`${path}.1`)).toBe(false);
    file.append('é');
    await file.flush();
    expect(readFileSync(`${path}.1`, 'utf8')).toBe('123456789\n123456789\n');
    expect(readFileSync(path, 'utf8')).toBe('é\n');
  });

  it('holds a line that is larger than the limit alone', async () => {
    const path = fresh();
    const { file, all } = numbered(path, 20);
    for (const line of ['small', 'x'.repeat(100), 'small']) file.append(line);
    await file.flush();
    expect(all()).toEqual(['small', 'x'.repeat(100), 'small']);
    expect(readFileSync(`${path}.2`, 'utf8')).toBe(`${'x'.repeat(100)}\n`);
  });

  it('counts what it held before this process, and what another process adds', async () => {
    const path = fresh();
    const { file } = numbered(path, 100);
    file.append('mine');
    await file.flush();
    writeFileSync(path, 'z'.repeat(99), { flag: 'a' });
    file.append('mine again');
    await file.flush();
    expect(readFileSync(path, 'utf8')).toBe('mine again\n');
  });

  it('does not rename a file that somebody else has just begun anew', async () => {
    const path = fresh();
    const { file, errors } = numbered(path, 100);
    file.append('x'.repeat(90));
    await file.flush();
    renameSync(path, `${path}.other`);
    writeFileSync(path, 'young\n');
    file.append('y'.repeat(50));
    await file.flush();
    expect(readFileSync(path, 'utf8')).toBe(`young\n${'y'.repeat(50)}\n`);
    expect([existsSync(`${path}.1`), errors]).toEqual([false, []]);
  });
});

describe('trouble', () => {
  it('a removed folder is made again', async () => {
    const path = fresh();
    const { file, errors, all } = numbered(path, 1000);
    file.append('before');
    await file.flush();
    rmSync(join(path, '..'), { recursive: true });
    file.append('after');
    await file.flush();
    expect([all(), errors]).toEqual([['after'], []]);
  });

  it('a file that cannot be written is reported, never thrown, and later lines are tried again', async () => {
    const path = fresh();
    const { file, errors } = numbered(join(path, 'below'), 1000);
    const blocker = numbered(path, 1000);
    blocker.file.append('I am a file, not a folder.');
    await blocker.file.flush();
    file.append('lost');
    await file.flush();
    expect(errors.map(({ message }) => message)).toEqual([expect.stringMatching(/ENOTDIR|EEXIST/)]);
    rmSync(path);
    file.append('kept');
    await file.flush();
    expect(readFileSync(join(path, 'below'), 'utf8')).toBe('kept\n');
  });

  it('more than can be held in memory is dropped, and the number of lost lines is said at their place', async () => {
    const { file, all } = numbered(fresh(), 1 << 30);
    const line = 'x'.repeat(1023);
    for (let index = 0; index < 6000; index++) file.append(line);
    await file.flush();
    file.append('after');
    await file.flush();
    const lines = all();
    const kept = lines.filter((one) => one === line).length;
    expect(kept).toBeGreaterThan(4000);
    expect(lines.slice(kept)).toEqual([
      JSON.stringify({ level: 'warn', message: `${6000 - kept} lines dropped: the disk is too slow` }),
      'after',
    ]);
  });
});
