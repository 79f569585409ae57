import { execFileSync, spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { CairnError } from '../errors.ts';
import { packTar, type TarEntry, writeBundleFile } from './tar.ts';
import { readTar, type TarLimits } from './tar-read.ts';

const root = mkdtempSync(join(tmpdir(), 'cairn-tar-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const roomy: TarLimits = { maxBytes: 64 * 1024 * 1024, maxEntries: 1000, maxEntryBytes: 16 * 1024 * 1024 };

async function pack(entries: Iterable<TarEntry> | AsyncIterable<TarEntry>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of packTar(entries)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function unpack(source: Uint8Array | string, limits = roomy): Promise<Record<string, string>> {
  const files: [string, string][] = [];
  for await (const { name, data } of readTar(source, limits)) files.push([name, data.toString('latin1')]);
  return Object.fromEntries(files);
}

function latin(entries: readonly TarEntry[]): Record<string, string> {
  return Object.fromEntries(entries.map(({ name, data }) => [name, Buffer.from(data as string).toString('latin1')]));
}

const samples: readonly TarEntry[] = [
  { name: 'manifest.json', data: '{"version":1}\n', time: new Date('2026-02-01T10:00:00Z') },
  { name: 'empty', data: '' },
  { name: 'a/block', data: Buffer.alloc(512, 7) },
  { name: 'a/bytes', data: Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 256)) },
  { name: `${'folder/'.repeat(20)}${'n'.repeat(90)}.md`, data: 'long, but fits' },
  { name: `${'n'.repeat(200)}.md`, data: 'does not fit' },
  { name: `${'folder/'.repeat(80)}x.md`, data: 'does not fit either' },
  { name: 'décision 日本語 🪨.md', data: 'unicode' },
  { name: ' blanks = and % signs ', data: '=' },
];

/** A header made by hand, with whatever is wrong in it. */
function member(name: string, data = '', change: (header: Buffer) => void = () => {}, size = data.length): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write('0000644\x000000000\x000000000\0', 100, 'latin1');
  header.write(`${size.toString(8).padStart(11, '0')}\x0000000000000\0        0`, 124, 'latin1');
  header.write('ustar\x0000', 257, 'latin1');
  change(header);
  if (header[148] === 0x20) {
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  }
  const body = Buffer.from(data);
  return Buffer.concat([header, body, Buffer.alloc((512 - (body.length % 512)) % 512)]);
}

const end = Buffer.alloc(1024);
const archive = (...members: Buffer[]) => gzipSync(Buffer.concat([...members, end]));
const type = (flag: string) => (header: Buffer) => void header.write(flag, 156, 'latin1');
const pax = (records: string, flag = 'x') => member('PaxHeaders/x', records, type(flag));

describe('a bundle', () => {
  it('gives back the bytes that went in, in their order', async () => {
    const bundle = await pack(samples);
    expect(await unpack(bundle)).toEqual(latin(samples));
    expect(Object.keys(await unpack(bundle))).toEqual(samples.map(({ name }) => name));
  });

  it('is the same bytes for the same entries', async () => {
    expect((await pack(samples)).equals(await pack(samples))).toBe(true);
    expect((await pack(samples)).subarray(0, 10)).toEqual(Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]));
  });

  it('gives back any bytes under any name that is allowed', async () => {
    const part = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }).filter(isPart);
    const name = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('/'));
    const entry = fc.record({
      name,
      data: fc.uint8Array({ maxLength: 2000 }),
      time: fc.date({ noInvalidDate: false }),
    });
    const entries = fc.uniqueArray(entry, { selector: ({ name }) => name, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(entries, async (list) => {
        const allowed = list.filter(({ name }) => !/^[A-Za-z]:/.test(name));
        expect(await unpack(await pack(allowed))).toEqual(latin(allowed));
      }),
      { numRuns: 150 },
    );

    function isPart(text: string): boolean {
      return !/[\p{Cc}\\/]/u.test(text) && text !== '.' && text !== '..';
    }
  });

  it('takes entries as they come', async () => {
    async function* slowly() {
      for (const entry of samples) yield entry;
    }
    expect(await unpack(await pack(slowly()))).toEqual(latin(samples));
  });

  it.each(['', '/a', 'a/../b', '..', 'a//b', './a', 'a/', 'a\\b', 'a\0b', 'a\nb', 'C:x', '\ud800'])(
    'is not written with a name such as %j',
    async (name) => {
      await expect(pack([{ name, data: '' }])).rejects.toMatchObject({ kind: 'validation_failed' });
    },
  );

  it('is not written with a name without an end', async () => {
    await expect(pack([{ name: 'x'.repeat(5000), data: '' }])).rejects.toThrow('has a name of more than 4096 bytes');
  });

  it('is not written with a name twice', async () => {
    const twice = [1, 2].map(() => ({ name: 'a', data: '' }));
    await expect(pack(twice)).rejects.toThrow('Entry 2 ("a") of the bundle comes twice');
  });
});

describe('the file of a bundle', () => {
  it('is written as a whole, into a folder that is made for it', async () => {
    const path = join(root, 'new/folder/memory.tar.gz');
    expect(await writeBundleFile(path, samples)).toBe(statSync(path).size);
    expect(await unpack(path)).toEqual(latin(samples));
    expect(readdirSync(dirname(path))).toEqual(['memory.tar.gz']);
  });

  it('stays as it was when writing another fails', async () => {
    const path = join(root, 'kept.tar.gz');
    await writeBundleFile(path, [{ name: 'old', data: 'old' }]);
    async function* failing(): AsyncGenerator<TarEntry> {
      yield { name: 'new', data: Buffer.alloc(1_000_000) };
      throw new Error('the store went away');
    }
    await expect(writeBundleFile(path, failing())).rejects.toThrow('the store went away');
    expect(await unpack(path)).toEqual({ old: 'old' });
    expect(readdirSync(root).filter((name) => name.includes('kept'))).toEqual(['kept.tar.gz']);
  });

  it('must be a plain file', async () => {
    await writeBundleFile(join(root, 'plain.tar.gz'), samples);
    symlinkSync('plain.tar.gz', join(root, 'link.tar.gz'));
    await expect(unpack(join(root, 'missing.tar.gz'))).rejects.toMatchObject({ kind: 'not_found' });
    await expect(unpack(join(root, 'link.tar.gz'))).rejects.toMatchObject({ kind: 'not_found' });
    await expect(unpack(root)).rejects.toMatchObject({ kind: 'validation_failed' });
  });
});

const files: Readonly<Record<string, string>> = {
  'a.md': 'one\n',
  'sub/b.md': 'x'.repeat(3000),
  'sub/empty': '',
  'sub/ünïcode 日本.md': 'two',
  [`sub/${'l'.repeat(180)}.md`]: 'three',
  [`${'folder/'.repeat(30)}c.md`]: 'four',
};

function unpackedFiles(): string {
  const folder = mkdtempSync(join(root, 'files-'));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

const has = (command: string) => spawnSync(command, ['--version']).status === 0;

describe('other programs', () => {
  it.runIf(has('tar'))('unpack our bundles: tar', async () => {
    const folder = mkdtempSync(join(root, 'tar-'));
    writeFileSync(join(folder, 'x.tar.gz'), await pack(samples));
    mkdirSync(join(folder, 'out'));
    const { stderr, status } = spawnSync('tar', ['-xzf', '../x.tar.gz'], { cwd: join(folder, 'out') });
    expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: '' });
    for (const { name, data } of samples) {
      expect(readFileSync(join(folder, 'out', name)).equals(Buffer.from(data as string))).toBe(true);
    }
    const first = statSync(join(folder, 'out/manifest.json'));
    expect(first.mtime).toEqual(samples[0]?.time);
    expect(first.mode & 0o777).toBe(0o644);
  });

  it.runIf(has('python3'))('unpack our bundles: python', async () => {
    writeFileSync(join(root, 'py.tar.gz'), await pack(samples));
    const script = 'import sys,tarfile;[print(m.name) for m in tarfile.open(sys.argv[1])]';
    const env = { ...process.env, PYTHONIOENCODING: 'utf-8' };
    const names = execFileSync('python3', ['-c', script, join(root, 'py.tar.gz')], { env })
      .toString()
      .trimEnd();
    // The last name ends with a blank.
    expect(names.split('\n').map((name) => name.trim())).toEqual(samples.map(({ name }) => name.trim()));
  });

  const formats = ['gnu', 'posix', 'ustar', 'oldgnu'];
  it.runIf(has('tar')).each(formats)('make bundles that we read: tar --format=%s', async (format) => {
    const folder = unpackedFiles();
    // The older form has no room for a name of 180 letters.
    const leave = format === 'ustar' ? ['--exclude=*lll*'] : [];
    const expected = Object.fromEntries(
      Object.entries(files)
        .filter(([name]) => format !== 'ustar' || !name.includes('lll'))
        .map(([name, content]) => [name, Buffer.from(content).toString('latin1')]),
    );
    for (const what of [['.'], readdirSync(folder)]) {
      const bundle = execFileSync('tar', ['-cz', ...leave, `--format=${format}`, '-C', folder, ...what]);
      expect(await unpack(bundle)).toEqual(expected);
    }
  });

  it.runIf(has('bsdtar'))('make bundles that we read: bsdtar', async () => {
    const bundle = execFileSync('bsdtar', ['-cz', '--format', 'pax', '-f', '-', '-C', unpackedFiles(), '.']);
    expect(Object.keys(await unpack(bundle)).sort()).toEqual(Object.keys(files).sort());
  });

  it.runIf(has('python3')).each(['PAX', 'GNU'])('make bundles that we read: python, %s', async (format) => {
    const open = `tarfile.open(fileobj=sys.stdout.buffer, mode='w|gz', format=tarfile.${format}_FORMAT)`;
    const script = `import sys, tarfile\nwith ${open} as t: t.add('.')`;
    const bundle = execFileSync('python3', ['-c', script], { cwd: unpackedFiles() });
    expect(Object.keys(await unpack(bundle)).sort()).toEqual(Object.keys(files).sort());
  });
});

describe('a bundle that is not what it should be', () => {
  const wrong: readonly [what: string, bundle: Buffer, message: string][] = [
    [
      'a symbolic link',
      archive(member('a', '', type('2'))),
      'Entry 1 ("a") of the bundle is a symbolic link, not a file',
    ],
    ['a hard link', archive(member('ok'), member('a', '', type('1'))), 'Entry 2 ("a") of the bundle is a link'],
    ['a device', archive(member('a', '', type('3'))), 'is a device'],
    ['a pipe', archive(member('a', '', type('6'))), 'is a pipe'],
    ['something unknown', archive(member('a', '', type('Z'))), 'is of an unknown kind'],
    ['an absolute name', archive(member('/etc/passwd')), 'absolute'],
    ['a drive', archive(member('C:/x')), 'absolute'],
    ['a way out', archive(member('a/../../b')), 'leads out'],
    ['a way out behind a dot', archive(member('./../b')), 'leads out'],
    ['a folder on the way out', archive(member('../x/', '', type('5'))), 'leads out'],
    ['a backslash', archive(member('a\\b')), 'backslash'],
    ['a NUL', archive(member('a\0b')), 'NUL'],
    ['a NUL in a long name', archive(pax('12 path=a\0b\n'), member('x')), 'control character'],
    ['a line break', archive(member('a\nb')), 'control character'],
    ['no name', archive(member('')), 'has no name'],
    ['a name that is not UTF-8', archive(member('x', '', (header) => void header.writeUInt8(0xff, 0))), 'UTF-8'],
    ['the same name twice', archive(member('a', '1'), member('./a', '2')), 'Entry 2 ("a") of the bundle comes twice'],
    ['a folder of the name of a file', archive(member('a', '1'), member('a/', '', type('5'))), 'comes twice'],
    ['a folder with content', archive(member('a/', 'x', type('5'))), 'folder with content'],
    ['a file that is called a folder', archive(member('a/', 'x')), 'empty part'],
    ['a size too small', archive(member('a', 'hello', undefined, 3)), 'is longer than it says'],
    ['a size too large', archive(member('a', 'hello', undefined, 4000)), 'is cut off'],
    ['a size far too large', archive(member('a', 'hello', undefined, 2 ** 30)), 'are allowed'],
    ['a size in another notation', archive(member('a', '', (header) => void header.writeUInt8(0x80, 124))), 'size'],
    ['a size below zero', archive(member('a', '', (header) => void header.write('-0000000001', 124))), 'size'],
    ['two sizes', archive(pax('9 size=3\n'), member('a', 'hello')), 'two different sizes'],
    ['two names', archive(pax('9 path=b\n9 path=c\n'), member('a')), 'two names'],
    ['a name in both forms', archive(pax('9 path=b\n'), member('x', 'c\0', type('L')), member('a')), 'two names'],
    ['an endless row of headers', archive(pax('9 path=b\n'), pax('9 path=b\n'), member('a')), 'twice'],
    ['a name for all', archive(pax('9 path=b\n', 'g'), member('a')), 'counts for all'],
    ['a sparse file', archive(pax('22 GNU.sparse.major=1\n'), member('a')), 'GNU.sparse.major'],
    ['the target of a link', archive(pax('14 linkpath=b\n'), member('a')), 'linkpath'],
    ...['x path=b\n', '99 path=b\n', '3 path=b\n', '9 path=bc', '6 path\n', '0 \n', '\n', '9'].map(
      (records): [string, Buffer, string] => [
        `the extended header ${JSON.stringify(records)}`,
        archive(pax(records), member('a')),
        'extended header that cannot be read',
      ],
    ),
    ['a wrong checksum', archive(member('a', '', (header) => void header.write('000001\0 ', 148))), 'checksum'],
    ['no checksum', archive(member('a', '', (header) => void header.write('\0\0\0\0\0\0\0\0', 148))), 'checksum'],
    ['another form', archive(member('a', '', (header) => void header.write('other', 257))), 'unknown form'],
    ['no end', gzipSync(member('a')), 'Entry 2 of the bundle is cut off'],
    ['half an end', gzipSync(Buffer.concat([member('a'), end.subarray(512)])), 'The bundle is cut off'],
    ['nothing in it', gzipSync(''), 'Entry 1 of the bundle is cut off'],
    ['more after its end', gzipSync(Buffer.concat([member('a'), end, member('b'), end])), 'goes on after its end'],
    ['one zero block in the middle', archive(member('a'), end.subarray(512), member('b')), 'goes on after its end'],
    ['bytes after it', Buffer.concat([archive(member('a')), Buffer.from('more')]), 'cannot be unpacked'],
    ['zeros after it', Buffer.concat([archive(member('a')), Buffer.alloc(5)]), 'goes on after its end'],
    ['a second bundle after it', Buffer.concat([archive(member('a')), archive(member('b'))]), 'goes on after its end'],
    ['no gzip', Buffer.from('hello, this is no bundle at all'), 'cannot be unpacked'],
    ['no bytes', Buffer.alloc(0), 'cannot be unpacked'],
  ];

  it.each(wrong)('is refused: %s', async (_, bundle, message) => {
    const reading = unpack(bundle);
    await expect(reading).rejects.toBeInstanceOf(CairnError);
    await expect(reading).rejects.toMatchObject({
      kind: 'validation_failed',
      message: expect.stringContaining(message),
    });
  });

  it('is refused wherever it is cut off', async () => {
    const bundle = await pack(samples);
    for (let length = 0; length < bundle.length; length += 13) {
      await expect(unpack(bundle.subarray(0, length))).rejects.toMatchObject({ kind: 'validation_failed' });
    }
    const plain = gunzipSync(bundle);
    for (let length = 0; length < plain.length; length += 256) {
      await expect(unpack(gzipSync(plain.subarray(0, length)))).rejects.toMatchObject({ kind: 'validation_failed' });
    }
  });

  it('is refused or read as it was, whatever bytes of the packed form are changed', async () => {
    const bundle = await pack(samples);
    await fc.assert(
      fc.asyncProperty(changesOf(bundle.length), (changes) => survives(changed(bundle, changes), true)),
      {
        numRuns: 400,
      },
    );
  });

  it('is refused or read, whatever bytes of the unpacked form are changed', async () => {
    const plain = gunzipSync(await pack(samples));
    await fc.assert(
      fc.asyncProperty(changesOf(plain.length), (changes) => survives(gzipSync(changed(plain, changes)), false)),
      {
        numRuns: 400,
      },
    );
  });

  type Changes = readonly (readonly [at: number, byte: number])[];

  function changesOf(length: number) {
    return fc.array(fc.tuple(fc.nat(length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 });
  }

  function changed(bytes: Buffer, changes: Changes): Buffer {
    const copy = Buffer.from(bytes);
    for (const [at, byte] of changes) copy[at] = byte;
    return copy;
  }

  async function survives(bundle: Buffer, same: boolean): Promise<void> {
    try {
      const read = await unpack(bundle);
      if (same) expect(read).toEqual(latin(samples));
    } catch (thrown) {
      if (!(thrown instanceof CairnError)) throw thrown;
      expect(thrown.kind).toBe('validation_failed');
    }
  }
});

describe('the limits of a bundle', () => {
  const entries = [1, 2, 3].map((index) => ({ name: `${index}`, data: 'x'.repeat(600) }));

  it('hold to the byte and the entry', async () => {
    const bundle = await pack(entries);
    const exact = { maxEntries: 3, maxEntryBytes: 600, maxBytes: 3 * (512 + 1024) + 1024 };
    expect(Object.keys(await unpack(bundle, exact))).toEqual(['1', '2', '3']);
    await expect(unpack(bundle, { ...exact, maxEntries: 2 })).rejects.toThrow(
      'Entry 3 ("3") of the bundle is one more',
    );
    await expect(unpack(bundle, { ...exact, maxEntryBytes: 599 })).rejects.toThrow(
      'Entry 1 ("1") of the bundle has 600',
    );
    await expect(unpack(bundle, { ...exact, maxBytes: exact.maxBytes - 1 })).rejects.toThrow(
      'more bytes than are allowed',
    );
  });

  it('stop a bomb before it goes off', async () => {
    // A gigabyte of zeros in a megabyte: gzip files in a row are one gzip file.
    const zeros = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    const bomb = (...first: Buffer[]) =>
      Buffer.concat([...first.map((bytes) => gzipSync(bytes)), ...Array(16).fill(zeros)]);
    const bombs = [
      bomb(),
      bomb(member('a', '', undefined, 2 ** 30)),
      bomb(member('a', '', undefined, 10 * 1024 * 1024)),
      bomb(member('x', '', type('x'), 2 ** 30)),
    ];
    for (const bytes of bombs) await expect(unpack(bytes)).rejects.toMatchObject({ kind: 'validation_failed' });

    const path = join(root, 'bomb.tar.gz');
    writeFileSync(path, bomb());
    const before = process.memoryUsage().rss;
    await expect(unpack(path, { ...roomy, maxBytes: 256 * 1024 * 1024 })).rejects.toThrow(
      'more bytes than are allowed',
    );
    expect(process.memoryUsage().rss - before).toBeLessThan(128 * 1024 * 1024);
  });

  it('leave nothing open when the reader stops early', async () => {
    const path = join(root, 'early.tar.gz');
    await writeBundleFile(path, entries);
    const open = () => readdirSync('/proc/self/fd').length;
    if (process.platform !== 'linux') return;
    const before = open();
    for (let round = 0; round < 20; round++) {
      for await (const { name } of readTar(path, roomy)) if (name === '1') break;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(open()).toBeLessThan(before + 5);
  });
});
