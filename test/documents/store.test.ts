/** The document store through the real program: what goes in comes out, and nothing else happens. */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Message, type StdioServer, serveStdio } from '../support/cairn.ts';

let project: string;
let server: StdioServer;

beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), 'cairn-documents-'));
  onTestFinished(() => rm(project, { recursive: true, force: true }));
  await mkdir(join(project, '.cairn'));
  server = start();
});

function start(...flags: string[]): StdioServer {
  return serveStdio(['--home', join(project, '.cairn'), ...flags]);
}

async function ask(op: string, params: object): Promise<Message> {
  const { result, error } = await server.ask(op, params);
  if (error !== undefined) throw new Error(error.message);
  return result;
}

async function put(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(join(project, path, '..'), { recursive: true });
  await writeFile(join(project, path), content);
}

const odd = {
  'empty.txt': '',
  'crlf.txt': 'one\r\ntwo\r\n',
  'ünïcode — 名前.md': '# Ünïcode\n\nemoji 🦉 and 名前\n',
  'deep/a/b/c/d/e/f/g/h.ts': 'export const deep = true;\n',
  'with space/and (brackets).txt': 'x',
  '-dash.txt': 'starts with a dash',
};

describe('a folder', () => {
  it('comes back byte for byte, odd names and binary files included', async () => {
    for (const [path, content] of Object.entries(odd)) await put(`tree/${path}`, content);
    const binary = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7919) & 255));
    await put('tree/binary.bin', binary);
    const added = await ask('add', { path: 'tree' });
    expect(added).toMatchObject({ added: 7, updated: 0, unchanged: 0, failed: 0, errors: [] });
    expect(added.snapshot_id).toEqual(expect.any(String));

    const restored = await ask('restore', { snapshot_id: added.snapshot_id, output_directory: 'out' });
    expect(restored).toMatchObject({ restored: 7, skipped: 0, failed: 0 });
    execFileSync('diff', ['-r', join(project, 'tree'), join(project, 'out/tree')]);
  });

  it('is not read again where nothing changed, and only what changed is new', async () => {
    await put('tree/a.txt', 'a'.repeat(50_000));
    await put('tree/b.txt', 'b');
    await ask('add', { path: 'tree' });
    expect(await ask('add', { path: 'tree' })).toMatchObject({ added: 0, updated: 0, unchanged: 2, new_bytes: 0 });
    await put('tree/b.txt', 'changed');
    expect(await ask('add', { path: 'tree' })).toMatchObject({ added: 0, updated: 1, unchanged: 1 });
  });

  it('is taken as .gitignore leaves it, narrowed by patterns', async () => {
    await put('tree/.gitignore', '*.log\nbuild/\n');
    for (const path of ['keep.ts', 'debug.log', 'build/out.js', 'docs/page.md', 'docs/draft.tmp'])
      await put(`tree/${path}`, path);
    await ask('add', { path: 'tree', exclude_patterns: ['*.tmp'], collection: 'ignored' });
    const { paths } = await ask('list', { collection: 'ignored', paths_only: true });
    expect(paths).toEqual(['tree/.gitignore', 'tree/docs/page.md', 'tree/keep.ts']);
    await ask('add', { path: 'tree', include_patterns: ['docs/**'], collection: 'docs' });
    expect((await ask('list', { collection: 'docs', paths_only: true })).paths).toEqual([
      'tree/docs/draft.tmp',
      'tree/docs/page.md',
    ]);
  });

  it('does not lead out through links', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'cairn-outside-'));
    onTestFinished(() => rm(outside, { recursive: true, force: true }));
    await writeFile(join(outside, 'secret.txt'), 'not yours');
    await put('tree/own.txt', 'own');
    await symlink(outside, join(project, 'tree/way-out'));
    await symlink(join(outside, 'secret.txt'), join(project, 'tree/link.txt'));
    expect(await ask('add', { path: 'tree' })).toMatchObject({ added: 1 });
    await expect(ask('add', { path: 'tree/link.txt' })).rejects.toThrow('outside the allowed folders');
    await expect(ask('add', { path: outside })).rejects.toThrow('outside the allowed folders');
    await expect(ask('add', { path: '.cairn' })).rejects.toThrow('outside the allowed folders');
  });
});

describe('a snapshot', () => {
  it('never changes, whatever becomes of the documents', async () => {
    await put('tree/a.txt', 'first');
    await put('tree/b.txt', 'stays');
    const first = await ask('add', { path: 'tree', label: 'first' });
    await put('tree/a.txt', 'second');
    const second = await ask('add', { path: 'tree', label: 'second' });
    await ask('delete', { name: 'tree/b.txt' });

    const diff = await ask('snapshot_diff', { from: first.snapshot_id, to: second.snapshot_id });
    expect(diff).toMatchObject({ added: [], changed: ['tree/a.txt'], removed: [], counts: { same: 1 } });
    expect(await ask('snapshot_diff', { from: second.snapshot_id })).toMatchObject({ removed: ['tree/b.txt'] });
    await ask('restore', { snapshot_id: first.snapshot_id, output_directory: 'out' });
    expect(await readFile(join(project, 'out/tree/a.txt'), 'utf8')).toBe('first');
    expect(await readFile(join(project, 'out/tree/b.txt'), 'utf8')).toBe('stays');
  });

  it('of equal trees has an equal root', async () => {
    await put('tree/a.txt', 'same');
    await ask('add', { path: 'tree', collection: 'one' });
    await ask('add', { path: 'tree', collection: 'two' });
    const { snapshots } = await ask('list_snapshots', {});
    expect(snapshots[0].root).toBe(snapshots[1].root);
    expect(snapshots[0]).toMatchObject({ files: 1, bytes: 4 });
  });
});

describe('a document', () => {
  it('is found by its hash, the beginning of it, its path and the end of it', async () => {
    await put('docs/guide.md', '# Guide\n');
    const { hash } = await ask('add', { path: 'docs/guide.md', tags: ['docs'], metadata: { author: 'Jane' } });
    for (const which of [
      { hash },
      { hash: hash.slice(0, 8) },
      { hash: `sha256-${hash}` },
      { name: 'docs/guide.md' },
      { name: 'guide.md' },
    ]) {
      const found = await ask('get', { ...which, include_content: true });
      expect(found).toMatchObject({
        hash,
        path: 'docs/guide.md',
        content: '# Guide\n',
        tags: ['docs'],
        metadata: { author: 'Jane' },
      });
    }
  });

  it('may lie under many paths, each deleted on its own', async () => {
    const { hash } = await ask('add', { name: 'a/same.txt', content: 'same bytes' });
    await ask('add', { name: 'b/same.txt', content: 'same bytes' });
    expect((await ask('get', { hash })).paths).toEqual(['default/a/same.txt', 'default/b/same.txt']);
    await expect(ask('get', { name: 'same.txt' })).rejects.toThrow('names several documents');
    await ask('delete', { name: 'a/same.txt' });
    expect((await ask('get', { hash })).paths).toEqual(['default/b/same.txt']);
  });

  it('comes in pages that join to its content, never in the middle of a character', async () => {
    const content = 'héllo wörld 🦉 '.repeat(3000);
    const { hash } = await ask('add', { name: 'long.txt', content });
    let text = '';
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const page: Message = await ask('get', { hash, include_content: true, offset, length: 1001 });
      expect(page.content).not.toContain('\ufffd');
      text += page.content;
      offset = page.next_offset;
    }
    expect(text).toBe(content);
  });

  it('takes metadata in both documented forms, and a dry run changes nothing', async () => {
    await ask('add', { name: 'notes.md', content: 'x' });
    expect(await ask('update', { name: 'notes.md', metadata: ['status=reviewed'], dry_run: true })).toMatchObject({
      matched: 1,
      updated: 1,
    });
    expect((await ask('get', { name: 'notes.md' })).metadata).toEqual({});
    await ask('update', { name: 'notes.md', metadata: ['status=reviewed', 'priority=a=b'], tags: ['t'] });
    await ask('update', { name: 'notes.md', metadata: { team: 'platform' }, remove_tags: ['t'] });
    expect(await ask('get', { name: 'notes.md' })).toMatchObject({
      metadata: { status: 'reviewed', priority: 'a=b', team: 'platform' },
      tags: [],
    });
  });

  it('is deleted by pattern, never more than matched, and a dry run shows exactly that', async () => {
    for (const name of ['a.tmp', 'x/b.tmp', 'x/c.md']) await ask('add', { name, content: name });
    const dry = await ask('delete', { name: '*.tmp', dry_run: true });
    expect(dry).toMatchObject({ deleted: 2, paths: ['default/a.tmp', 'default/x/b.tmp'] });
    expect((await ask('list', {})).total).toBe(3);
    expect(await ask('delete', { name: '*.tmp' })).toMatchObject({ deleted: 2, paths: dry.paths });
    expect((await ask('list', { paths_only: true })).paths).toEqual(['x/c.md']);
    expect(await ask('delete', { name: 'nobody.md' })).toMatchObject({ deleted: 0, not_found: ['nobody.md'] });
  });

  it.each(['../up.txt', '/etc/passwd', 'a/../../b', 'C:\\x', 'a\\b', '.git/config', 'x/.GIT/hooks', ''])(
    'cannot have the path %j',
    async (name) => {
      // A slash at the front is only the way from the root of the collection.
      if (name === '/etc/passwd') expect((await ask('add', { name, content: 'x' })).path).toBe('etc/passwd');
      else await expect(ask('add', { name, content: 'x' })).rejects.toThrow();
    },
  );
});

describe('restoring', () => {
  it('keeps what is there unless told otherwise, and a dry run says exactly what would happen', async () => {
    await ask('add', { name: 'a.txt', content: 'stored' });
    await ask('add', { name: 'b.txt', content: 'stored' });
    await put('out/a.txt', 'mine');
    const input = { collection: 'default', output_directory: 'out' };
    expect(await ask('restore', { ...input, dry_run: true })).toMatchObject({
      restored: 1,
      skipped: 1,
      paths: ['b.txt'],
    });
    await expect(stat(join(project, 'out/b.txt'))).rejects.toThrow();
    expect(await ask('restore', input)).toMatchObject({ restored: 1, skipped: 1, paths: ['b.txt'] });
    expect(await readFile(join(project, 'out/a.txt'), 'utf8')).toBe('mine');
    await ask('restore', { ...input, overwrite: true });
    expect(await readFile(join(project, 'out/a.txt'), 'utf8')).toBe('stored');
  });

  it('writes nothing through a link, and nothing outside of its folder', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'cairn-outside-'));
    onTestFinished(() => rm(outside, { recursive: true, force: true }));
    await writeFile(join(outside, 'victim.txt'), 'untouched');
    await ask('add', { name: 'dir/victim.txt', content: 'attack' });
    await ask('add', { name: 'victim.txt', content: 'attack' });
    await mkdir(join(project, 'out'));
    await symlink(outside, join(project, 'out/dir'));
    await symlink(join(outside, 'victim.txt'), join(project, 'out/victim.txt'));
    const done = await ask('restore', { collection: 'default', output_directory: 'out', overwrite: true });
    expect(done).toMatchObject({ restored: 1, failed: 1 });
    expect(await readFile(join(outside, 'victim.txt'), 'utf8')).toBe('untouched');
    await expect(ask('restore', { collection: 'default', output_directory: outside })).rejects.toThrow(
      'outside the allowed folders',
    );
  });
});

describe('the gate', () => {
  it('lets a viewer read and write nothing, not even through get', async () => {
    await ask('add', { name: 'a.txt', content: 'x' });
    server = start('--role', 'viewer');
    expect((await ask('list', {})).total).toBe(1);
    await expect(ask('add', { name: 'b.txt', content: 'x' })).rejects.toThrow("Capability 'write' is required");
    await expect(ask('get', { name: 'a.txt', outputPath: 'copy.txt' })).rejects.toThrow(
      "Capability 'write' is required",
    );
    await expect(stat(join(project, 'copy.txt'))).rejects.toThrow();
  });

  it('runs the documented pipelines through query and execute', async () => {
    await put('notes.md', '# Notes\n');
    const done = await ask('execute', {
      operations: [
        { op: 'add', params: { path: 'notes.md', tags: ['meeting'], metadata: { author: 'Jane' } } },
        { op: 'update', params: { name: 'notes.md', metadata: ['status=draft', 'team=platform'] } },
      ],
    });
    expect(done).toMatchObject({ totalOps: 2, succeeded: 2, failed: 0 });
    expect(done.results[0]).toMatchObject({ op: 'add', success: true, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(done.results[1]).toMatchObject({ op: 'update', success: true, matched: 1 });
    const piped = await ask('query', {
      steps: [
        { op: 'list', params: { limit: 1 } },
        { op: 'get', params: { hash: '$prev.documents[0].hash', include_content: true } },
      ],
    });
    expect(piped.steps[1].result).toMatchObject({ content: '# Notes\n' });
    expect(await ask('query', { steps: [{ op: 'list_collections' }] })).toEqual({
      collections: [{ name: 'default', documents: 1, bytes: 8 }],
    });
  });

  it('flags a secret in a document and stores it all the same', async () => {
    const key = [
      '-----BEGIN RSA ',
      'PRIVATE KEY-----\n',
      'MIIEowIBAAKCAQEA'.repeat(8),
      '\n-----END RSA ',
      'PRIVATE KEY-----\n',
    ].join('');
    await ask('add', { name: 'key.pem', content: key });
    expect((await ask('get', { name: 'key.pem' })).flagged).toEqual(expect.any(String));
  });
});

describe('status', () => {
  it('tells what sharing saves', async () => {
    const body = Array.from({ length: 20_000 }, (_, at) => `line ${at} ${(at * 7919) % 9973}\n`).join('');
    await put('tree/a.txt', body);
    await put('tree/b.txt', `${body}one more line\n`);
    await ask('add', { path: 'tree' });
    const found = await ask('status', { detailed: true, file_types: true });
    expect(found.total_objects).toBe(2);
    expect(found.total_bytes).toBe(Buffer.byteLength(body) * 2 + 14);
    expect(found.dedup_ratio).toBeGreaterThan(0.4);
    expect(found.deduplicated_bytes / found.total_bytes).toBeCloseTo(found.dedup_ratio, 3);
    expect(found.file_types).toEqual([{ extension: '.txt', kind: 'text', documents: 2, bytes: found.total_bytes }]);
  });

  it('counts a file again whose time was set back, and reads it', async () => {
    await put('tree/a.txt', 'one');
    await ask('add', { path: 'tree' });
    await put('tree/a.txt', 'two');
    await utimes(join(project, 'tree/a.txt'), new Date(0), new Date(0));
    expect(await ask('add', { path: 'tree' })).toMatchObject({ updated: 1 });
  });
});

describe('the text of a document', () => {
  it('is Markdown for a page, without what only a browser needs', async () => {
    const page =
      '<html><head><title>Guide</title><script>alert(1)</script></head><body><h1>Guide</h1><p>Use <b>one</b> store.</p></body></html>';
    await ask('add', { name: 'guide.html', content: page });
    const found = await ask('get', { name: 'guide.html', as_text: true });
    expect(found).toMatchObject({ type: 'text', mime: 'text/html', title: 'Guide' });
    expect(found.content).toContain('Use **one** store.');
    expect(found.content).not.toContain('alert');
  });

  it('is there in pages, and of a binary file there is none', async () => {
    await put('tree/noise.bin', Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * 7919) & 255)));
    await put('tree/long.md', '# Long\n\n'.concat('A line of text.\n'.repeat(500)));
    await ask('add', { path: 'tree' });
    const first = await ask('get', { name: 'long.md', as_text: true, length: 100 });
    expect(first).toMatchObject({ offset: 0, next_offset: 100 });
    expect(first.content).toHaveLength(100);
    expect(await ask('get', { name: 'noise.bin', as_text: true })).toMatchObject({ type: 'binary', content: '' });
  });
});
