/** Restoring what was added gives the same tree, byte for byte, whatever its names and bytes are. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openProject, treeOf } from './project.ts';

const runs = process.env.CAIRN_TEST_FULL ? 200 : 15;

/** Names that file systems allow and programs stumble over. */
const oddName = fc.oneof(
  fc.constantFrom(
    'plain.txt',
    'e\u0301clair.md',
    '\u00e9clair.md',
    '🦉🦉.md',
    'two words.txt',
    ' leading',
    'trailing ',
    'trailing.',
    '...',
    '.hidden',
    '-rf',
    '--help',
    '[id].tsx',
    '(group)',
    '{a,b}',
    'a*b?c',
    `it's "quoted"`,
    '$HOME',
    '`id`',
    '!important',
    '#hash',
    'a&b;c|d',
    'con',
    'aux.txt',
    'NUL',
    '\u202etxt.exe',
    'zero\u200bwidth',
    '.gitkeep',
    '.gitmodules',
    'git~2',
    'UPPER.md',
    'upper.md',
    '名'.repeat(85),
    'x'.repeat(255),
    '🦉'.repeat(63),
    '%2e%2e',
    '__proto__',
    'constructor',
    'C',
    '~',
  ),
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    .filter(
      (name) =>
        !/[\p{Cc}\p{Cs}/\\]/u.test(name) &&
        !['.', '..'].includes(name) &&
        !/^[A-Za-z]:/.test(name) &&
        Buffer.byteLength(name) <= 255,
    ),
);

const content = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'grapheme', maxLength: 200 }).map((text) => Buffer.from(text)) },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 2000 }).map((bytes) => Buffer.from(bytes)) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('', '\r\n', 'a\r\nb\rc\n', '\ufeffBOM', '\0', 'no newline', '\n\n\n')
      .map((text) => Buffer.from(text)),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.uint8Array({ minLength: 1, maxLength: 64 }), fc.integer({ min: 1000, max: 5000 }))
      .map(([part, times]) => Buffer.alloc(part.length * times, part)),
  },
);

const tree = fc.uniqueArray(
  fc.tuple(
    fc.array(oddName, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/')),
    content,
  ),
  {
    selector: ([path]) => path,
    minLength: 1,
    maxLength: 12,
  },
);

/** Of paths where one lies inside another only the first can be made. */
async function plant(folder: string, files: readonly (readonly [string, Buffer])[]): Promise<void> {
  for (const [path, bytes] of files) {
    try {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), bytes, { flag: 'wx' });
    } catch (thrown) {
      const clash = ['EEXIST', 'ENOTDIR', 'EISDIR'].includes((thrown as NodeJS.ErrnoException).code ?? '');
      if (!clash) throw thrown;
    }
  }
}

describe('restore(add(tree)) is the tree', () => {
  it('for trees of odd names and bytes, from the collection and from the snapshot', async () => {
    const project = await openProject();
    let round = 0;
    await fc.assert(
      fc.asyncProperty(tree, async (files) => {
        const name = `t${++round}`;
        const folder = join(project.folder, name);
        await plant(folder, files);
        const planted = await treeOf(folder);
        const added = await project.ask('add', { path: folder, collection: name });
        expect(added).toMatchObject({ added: planted.size, failed: 0, errors: [] });
        for (const from of [{ collection: name }, { snapshot_id: added.snapshot_id }]) {
          const out = join(project.folder, `out-${name}`);
          const done = await project.ask('restore', { ...from, output_directory: out });
          expect(done).toMatchObject({ restored: planted.size, skipped: 0, failed: 0 });
          expect(await treeOf(join(out, name))).toEqual(planted);
          expect(await readdir(out)).toEqual([name]);
          await rm(out, { recursive: true });
        }
        expect(await project.ask('add', { path: folder, collection: name })).toMatchObject({
          added: 0,
          updated: 0,
          unchanged: planted.size,
          new_bytes: 0,
        });
      }),
      { numRuns: runs },
    );
    expect(await project.ask('content_verify')).toMatchObject({ ok: true, damaged: [] });
  });

  it('for folders 200 deep, and what lies deeper than a path may be long is named', async () => {
    const project = await openProject();
    const deep = Array.from({ length: 200 }, () => 'd').join('/');
    const deeper = Array.from({ length: 600 }, () => 'e').join('/');
    await project.put(`tree/${deep}/file.txt`, 'deep');
    await project.put(`tree/${deeper}/file.txt`, 'too deep');
    const added = await project.ask('add', { path: 'tree' });
    expect(added).toMatchObject({ added: 1, failed: 1 });
    expect(added.errors).toEqual([
      { path: expect.stringMatching(/^tree\/e\/e/), error: expect.stringContaining('more than 1024 characters') },
    ]);
    await project.ask('restore', { collection: 'default', output_directory: 'out' });
    expect(await project.read(`out/tree/${deep}/file.txt`)).toBe('deep');
  });

  it('but for empty folders, which are no documents, and names that cannot be paths elsewhere, which are named', async () => {
    const project = await openProject();
    await mkdir(join(project.folder, 'tree/empty/inside'), { recursive: true });
    for (const name of ['back\\slash', 'new\nline', 'tab\there', '.GIT', 'git~1', '.git ', '.git.', '.g\u200bit'])
      await project.put(`tree/${name}`, name);
    await writeFile(
      Buffer.concat([Buffer.from(`${join(project.folder, 'tree')}/not-utf8-`), Buffer.from([0xff, 0xfe])]),
      'x',
    );
    await project.put('tree/good.txt', 'good');
    const added = await project.ask('add', { path: 'tree' });
    expect(added).toMatchObject({ added: 1, failed: 9 });
    const restored = await project.ask('restore', { collection: 'default', output_directory: 'out' });
    expect(restored).toMatchObject({ restored: 1, paths: ['tree/good.txt'] });
    expect(await readdir(join(project.folder, 'out/tree'))).toEqual(['good.txt']);
  });

  it('and a file that cannot be opened is named with what the system says', async () => {
    const project = await openProject();
    await mkdir(join(project.folder, 'tree'));
    await writeFile(
      Buffer.concat([Buffer.from(`${join(project.folder, 'tree')}/not-utf8-`), Buffer.from([0xff, 0xfe])]),
      'x',
    );
    const { errors } = await project.ask('add', { path: 'tree' });
    expect(errors[0].error).toContain('ENOENT');
  });

  it('for spellings of one name that Unicode calls the same: each file keeps its own, and either spelling finds it', async () => {
    const project = await openProject();
    await project.put('both/e\u0301.md', 'decomposed');
    await project.put('both/\u00e9.md', 'composed');
    await project.put('both/A.md', 'upper');
    await project.put('both/a.md', 'lower');
    expect(await project.ask('add', { path: 'both' })).toMatchObject({ added: 4 });
    await project.ask('restore', { collection: 'default', output_directory: 'out' });
    expect(await treeOf(join(project.folder, 'out/both'))).toEqual(await treeOf(join(project.folder, 'both')));
    await project.put('one/o\u0302.md', 'decomposed');
    await project.ask('add', { path: 'one' });
    expect(await project.ask('get', { name: 'one/\u00f4.md' })).toMatchObject({ path: 'one/o\u0302.md' });
  });

  const large = process.env.CAIRN_TEST_FULL ? 1024 : 100;
  it(`for a file of ${large} MB, half noise and half repetition`, async () => {
    const project = await openProject();
    const source = await open(join(project.folder, 'large.bin'), 'w');
    const noise = Buffer.alloc(1_000_000);
    for (let at = 0; at < noise.length; at += 32) createHash('sha256').update(`noise ${at}`).digest().copy(noise, at);
    const whole = createHash('sha256');
    for (let n = 0; n < large; n++) {
      // Each megabyte is another one: shifted noise, or a line that says so.
      const part =
        n % 2 === 0
          ? Buffer.concat([noise.subarray(n * 997), noise.subarray(0, n * 997)])
          : Buffer.alloc(1_000_000, `line ${n}\n`);
      whole.update(part);
      await source.write(part);
    }
    await source.close();
    const hash = whole.digest('hex');
    expect(await project.ask('add', { path: 'large.bin' })).toMatchObject({ hash, bytes: large * 1_000_000 });
    const restored = await project.ask('restore', { collection: 'default', output_directory: 'out' });
    expect(restored).toMatchObject({ restored: 1, bytes: large * 1_000_000 });
    const back = createHash('sha256');
    for await (const piece of createReadStream(join(project.folder, 'out/large.bin'))) back.update(piece);
    expect(back.digest('hex')).toBe(hash);
    const { dedup_ratio } = await project.ask('status');
    expect(dedup_ratio).toBeGreaterThan(0.3);
  });
});

describe('the .gitignore files above a folder', () => {
  async function repository() {
    const project = await openProject();
    await mkdir(join(project.folder, '.git'));
    await project.put('.gitignore', '*.log\nbuild/\n/packages/a/private.txt\n');
    await project.put('packages/.gitignore', '!keep.log\n');
    for (const name of ['code.ts', 'x.log', 'keep.log', 'private.txt', 'build/out.js', 'deep/private.txt'])
      await project.put(`packages/a/${name}`, name);
    return project;
  }

  it('hold for it too, up to the root of the repository', async () => {
    const { ask } = await repository();
    await ask('add', { path: 'packages/a' });
    expect((await ask('list', { paths_only: true })).paths).toEqual([
      'packages/a/code.ts',
      'packages/a/deep/private.txt',
      'packages/a/keep.log',
    ]);
  });

  it('do not hold for a folder that is named although they leave it out', async () => {
    const { ask } = await repository();
    expect(await ask('add', { path: 'packages/a/build' })).toMatchObject({ added: 1 });
  });
});
