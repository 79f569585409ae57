/** What seed 004 prints for these operations, as it is printed, over MCP and as raw JSON-RPC; fixture roots stand in for /tmp. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Message } from '../support/cairn.ts';
import { openProject, type Project } from './project.ts';

let project: Project;
const hash = expect.stringMatching(/^[0-9a-f]{64}$/);

beforeEach(async () => {
  project = await openProject();
  await project.server.initialize();
  await project.put('tmp/notes.md', '# Notes\n\nThe meeting of January.\n');
  await project.put('tmp/design.md', '# Design\n');
});

type Door = 'tools/call' | 'raw JSON-RPC';

/** The arguments as the seed shows them, through either door; a tool error fails the test. */
async function call(door: Door, name: 'query' | 'execute', args: object): Promise<Message> {
  if (door === 'raw JSON-RPC') return project.ask(name, args);
  const { result, error } = await project.server.ask('tools/call', { name, arguments: args });
  expect(error).toBeUndefined();
  expect(result.isError, JSON.stringify(result)).toBeUndefined();
  expect(result.content[0].text.length).toBeGreaterThan(0);
  return result.structuredContent;
}

describe.each<Door>(['tools/call', 'raw JSON-RPC'])('over %s', (door) => {
  const execute = (...operations: object[]) => call(door, 'execute', { operations });
  const query = (...steps: object[]) => call(door, 'query', { steps });
  const tmp = (name: string) => join(project.folder, 'tmp', name);

  it('add stores a file with tags and metadata', async () => {
    const done = await execute({
      op: 'add',
      params: { path: tmp('notes.md'), tags: ['meeting', '2024-01'], metadata: { author: 'Jane' } },
    });
    expect(done).toMatchObject({ totalOps: 1, succeeded: 1, failed: 0 });
    expect(done.results).toEqual([expect.objectContaining({ op: 'add', success: true, hash, added: 1 })]);
    const found = await query({ op: 'get', params: { hash: done.results[0].hash, include_content: true } });
    expect(found).toMatchObject({
      hash: done.results[0].hash,
      name: 'notes.md',
      path: 'tmp/notes.md',
      tags: ['meeting', '2024-01'],
      metadata: { author: 'Jane' },
      content: '# Notes\n\nThe meeting of January.\n',
    });
  });

  it('update takes the documented pairs, and stores keys rather than positions', async () => {
    await execute({ op: 'add', params: { path: tmp('notes.md') } });
    const done = await execute({
      op: 'update',
      params: { name: 'notes.md', metadata: ['status=reviewed', 'priority=high'] },
    });
    expect(done.results).toEqual([expect.objectContaining({ op: 'update', success: true, matched: 1 })]);
    const { metadata } = await query({ op: 'get', params: { name: 'notes.md' } });
    expect(metadata).toEqual({ status: 'reviewed', priority: 'high' });
  });

  it('delete takes a pattern', async () => {
    for (const name of ['a.tmp', 'deep/b.tmp', 'c.tmp.md']) await project.put(`tmp/${name}`, name);
    await execute({ op: 'add', params: { path: tmp('') } });
    const done = await execute({ op: 'delete', params: { name: '*.tmp' } });
    expect(done.results).toEqual([expect.objectContaining({ op: 'delete', success: true, deleted: 2 })]);
    const { paths } = await query({ op: 'list', params: { paths_only: true } });
    expect(paths).toEqual(['tmp/c.tmp.md', 'tmp/design.md', 'tmp/notes.md']);
  });

  it('restore of a collection as a dry run writes nothing and tells what it would', async () => {
    await execute({ op: 'add', params: { path: tmp(''), collection: 'docs' } });
    const params = { collection: 'docs', output_directory: tmp('restore'), dry_run: true };
    const preview = await execute({ op: 'restore', params });
    const paths = ['tmp/design.md', 'tmp/notes.md'];
    expect(preview.results).toEqual([
      expect.objectContaining({ op: 'restore', success: true, restored: 2, dry_run: true, paths }),
    ]);
    expect(await readdir(tmp(''))).not.toContain('restore');
    await execute({ op: 'restore', params: { ...params, dry_run: false } });
    expect(await project.read('tmp/restore/tmp/notes.md')).toBe('# Notes\n\nThe meeting of January.\n');
  });

  it('a batch adds a file, then tags it', async () => {
    const done = await execute(
      { op: 'add', params: { path: tmp('design.md') } },
      { op: 'update', params: { name: 'design.md', metadata: ['status=draft', 'team=platform'] } },
    );
    expect(done).toEqual({
      results: [
        expect.objectContaining({ op: 'add', success: true, hash }),
        expect.objectContaining({ op: 'update', success: true, matched: 1 }),
      ],
      totalOps: 2,
      succeeded: 2,
      failed: 0,
    });
  });

  it('list filters and sorts, and one step answers its bare result', async () => {
    for (const name of ['a.py', 'b.PY', 'c.ts']) await project.put(`tmp/${name}`, name);
    await execute({ op: 'add', params: { path: tmp('') } });
    const params = { extension: '.py', recent: 10, sort_by: 'modified', sort_order: 'desc' };
    const found = await query({ op: 'list', params });
    expect(found.total).toBe(2);
    expect(found.documents.map((each: Message) => each.name).sort()).toEqual(['a.py', 'b.PY']);
    expect(found).not.toHaveProperty('steps');
    expect(await query({ op: 'list_collections' })).toEqual({
      collections: [expect.objectContaining({ name: 'default', documents: 5 })],
    });
    expect((await query({ op: 'list_snapshots' })).snapshots).toHaveLength(1);
  });

  it('status has the figures of the seed, and they are consistent', async () => {
    await project.put('tmp/copy.md', '# Notes\n\nThe meeting of January.\n');
    await execute({ op: 'add', params: { path: tmp('') } });
    const status = await query({ op: 'status', params: { detailed: true } });
    expect(status).toMatchObject({ total_objects: 2, unique_blocks: 2, total_bytes: 75, deduplicated_bytes: 33 });
    expect(status.dedup_ratio).toBe(0.44);
    expect(Object.keys(await query({ op: 'status' }))).toEqual([
      'total_objects',
      'total_bytes',
      'unique_blocks',
      'deduplicated_bytes',
      'dedup_ratio',
    ]);
  });

  it('a pipeline hands results on, at any depth of the parameters', async () => {
    await execute({ op: 'add', params: { path: tmp('') } });
    const piped = await query(
      { op: 'list', params: { limit: 50, sort_by: 'modified', sort_order: 'desc' } },
      { op: 'get', params: { hash: '$prev.documents[0].hash', include_content: true } },
      { op: 'list', params: { collection: '$prev.collection', paths_only: true } },
      { op: 'get', params: { name: '$prev.paths[1]', include_content: true } },
    );
    expect(piped).toMatchObject({ totalSteps: 4, completedSteps: 4 });
    expect(piped.steps.map((each: Message) => [each.stepIndex, each.op])).toEqual([
      [0, 'list'],
      [1, 'get'],
      [2, 'list'],
      [3, 'get'],
    ]);
    expect(piped.steps[1].result.hash).toBe(piped.steps[0].result.documents[0].hash);
    expect(piped.steps[3].result).toMatchObject({
      path: 'tmp/notes.md',
      content: '# Notes\n\nThe meeting of January.\n',
    });
  });

  it('a reference in a nested list is filled in, and the result is checked again', async () => {
    await execute({ op: 'snapshot', params: { label: 'empty' } });
    await execute({ op: 'add', params: { path: tmp('') } });
    const id = (await query({ op: 'list_snapshots' })).snapshots.at(-1).id;
    const piped = await query(
      { op: 'list', params: { paths_only: true } },
      { op: 'snapshot_diff', params: { from: id, include_patterns: ['$prev.paths[0]', '$prev.paths[1]'] } },
    );
    expect(piped.steps[1].result.added).toEqual(['tmp/design.md', 'tmp/notes.md']);
    const wrong = await query(
      { op: 'list', params: { paths_only: true } },
      { op: 'get', params: { name: '$prev.paths[99]' } },
    );
    expect(wrong).toMatchObject({ totalSteps: 2, completedSteps: 1 });
    expect(wrong.steps[1].error).toMatchObject({ code: -32602 });
  });
});

describe('the envelope of execute', () => {
  const missing = { op: 'update', params: { name: 'nobody.md', metadata: ['a=b'] } };

  it('stops at the first failure and says what was not run', async () => {
    const add = { op: 'add', params: { path: 'tmp/notes.md' } };
    const done = await project.ask('execute', { operations: [missing, add] });
    expect(done).toMatchObject({ totalOps: 2, succeeded: 0, failed: 1, notRun: 1 });
    expect(done.results).toEqual([
      expect.objectContaining({ op: 'update', success: false, error: expect.any(String) }),
    ]);
    expect((await project.ask('list')).total).toBe(0);
  });

  it('goes on when it is told to, each operation whole or not at all', async () => {
    const operations = [
      missing,
      { op: 'add', params: { path: 'tmp/notes.md' } },
      { op: 'add', params: { path: 'tmp/notes.md', tags: [5] } },
      { op: 'update', params: { name: 'notes.md', metadata: ['ok=yes'] } },
    ];
    const done = await project.ask('execute', { operations, continueOnError: true });
    expect(done).toMatchObject({ totalOps: 4, succeeded: 2, failed: 2 });
    expect(done.results.map((each: Message) => each.success)).toEqual([false, true, false, true]);
    expect(done.results[2].code).toBe(-32602);
    expect(await project.ask('get', { name: 'notes.md' })).toMatchObject({ tags: [], metadata: { ok: 'yes' } });
  });

  it('refuses reads in execute and writes in query before anything runs', async () => {
    const add = { op: 'add', params: { path: 'tmp/notes.md' } };
    expect((await project.refusal('execute', { operations: [add, { op: 'list', params: {} }] })).code).toBe(-32602);
    expect((await project.refusal('query', { steps: [{ op: 'list' }, add] })).code).toBe(-32602);
    expect((await project.ask('list')).total).toBe(0);
  });
});

describe('a document that is larger than an answer', () => {
  const text = 'Ünïcode, and a line that ends.\n'.repeat(2000);

  async function joined(get: (offset: number) => Promise<Message>): Promise<string> {
    let whole = '';
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const page: Message = await get(offset);
      whole += page.content;
      offset = page.next_offset;
    }
    return whole;
  }

  it('comes whole through its pages as raw JSON-RPC', async () => {
    await project.ask('add', { name: 'long.txt', content: text });
    const input = { name: 'long.txt', include_content: true };
    expect(await joined((offset) => project.ask('get', { ...input, offset }))).toBe(text);
  });

  it('comes whole through its pages over tools/call', async () => {
    await project.ask('add', { name: 'long.txt', content: text });
    const get = async (offset: number) => {
      const params = { name: 'long.txt', include_content: true, offset };
      const args = { steps: [{ op: 'get', params }] };
      return (await project.server.ask('tools/call', { name: 'query', arguments: args })).result.structuredContent;
    };
    expect(await joined(get)).toBe(text);
  });
});
