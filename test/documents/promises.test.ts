/** Properties that hold whatever was done before: pages, previews, snapshots. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sortKeys } from '../../src/store/documents.ts';
import type { Message } from '../support/cairn.ts';
import { openProject, type Project, treeOf } from './project.ts';

const full = process.env.CAIRN_TEST_FULL !== undefined;

/** Few names and few contents, so that paths, folders and bytes meet. */
const place = fc
  .array(fc.constantFrom('a', 'b', 'c.md', 'd.tmp', 'a.tmp', '[a]', 'é'), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join('/'));
const document = fc.record({
  name: place,
  collection: fc.constantFrom('default', 'other'),
  content: fc.constantFrom('', 'one', 'two', 'a longer one\n'.repeat(50)),
  tags: fc.subarray(['x', 'y']),
});
const pattern = fc.oneof(
  place,
  fc.constantFrom(
    '*',
    '*.tmp',
    '**',
    'a*',
    '?',
    '[ab]',
    'a/**',
    '*/b',
    '**/c.md',
    '!a',
    '#',
    '*.md ',
    '/a',
    'a/',
    '\\[a\\]',
    '[',
  ),
);

async function fill(project: Project, documents: readonly Message[]): Promise<void> {
  const operations = documents.map((params) => ({ op: 'add', params }));
  if (operations.length > 0) await project.ask('execute', { operations });
}

async function wipe(project: Project): Promise<void> {
  await project.ask('delete', { name: '**' });
  expect((await project.ask('list')).total).toBe(0);
}

const keyOf = ({ collection, path }: Message) => `${collection}/${path}`;

async function everything(project: Project): Promise<Message[]> {
  return (await project.ask('list', { limit: 1000 })).documents;
}

describe('pages of list', () => {
  it('visit every document exactly once, in order, with every sort, filter and size', async () => {
    const project = await openProject();
    const some = fc.sample(document, { numRuns: 90, seed: 4 });
    await fill(project, some);
    const all = await everything(project);
    expect(all.length).toBe(new Set(all.map(keyOf)).size);
    const filter = fc.record(
      {
        collection: fc.constantFrom('default', 'other', 'none'),
        extension: fc.constantFrom('.md', 'TMP', '.none'),
        tag: fc.constantFrom('x', 'y', 'z'),
        recent: fc.integer({ min: 1, max: 100 }),
      },
      { requiredKeys: [] },
    );
    const asked = fc.record({
      filter,
      sort_by: fc.constantFrom(...sortKeys),
      sort_order: fc.constantFrom('asc', 'desc'),
      limit: fc.integer({ min: 3, max: 60 }),
    });
    await fc.assert(
      fc.asyncProperty(asked, async ({ filter: { recent, ...narrow }, sort_by, sort_order, limit }) => {
        const input = { ...narrow, ...(recent && { recent }), sort_by, sort_order };
        const { total } = await project.ask('list', { ...input, limit: 1 });
        const seen: Message[] = [];
        for (let offset = 0; ; offset += limit) {
          const page = await project.ask('list', { ...input, limit, offset });
          expect(page.total).toBe(total);
          expect(page.documents.length).toBe(Math.max(0, Math.min(limit, total - offset)));
          seen.push(...page.documents);
          if (page.documents.length === 0) break;
        }
        expect(new Set(seen.map(keyOf)).size).toBe(seen.length);
        const fitting = all.filter(
          (each) =>
            (narrow.collection === undefined || each.collection === narrow.collection) &&
            (narrow.tag === undefined || each.tags.includes(narrow.tag)) &&
            (narrow.extension === undefined || each.path.endsWith(narrow.extension.toLowerCase().replace(/^\.?/, '.'))),
        );
        expect(total).toBe(Math.min(fitting.length, recent ?? fitting.length));
        if (recent === undefined) expect(seen.map(keyOf).sort()).toEqual(fitting.map(keyOf).sort());
        const key = sort_by === 'name' ? 'path' : sort_by;
        const bytes = (each: Message) =>
          typeof each[key] === 'string' ? Buffer.from(each[key]).toString('hex') : each[key];
        for (let at = 1; at < seen.length; at++) {
          const [before, after] = [bytes(seen[at - 1] as Message), bytes(seen[at] as Message)];
          expect(sort_order === 'asc' ? before <= after : before >= after).toBe(true);
        }
      }),
      { numRuns: full ? 200 : 20 },
    );
  });
});

describe('a preview', () => {
  it('of delete is what delete does, and delete removes nothing else', async () => {
    const project = await openProject();
    const input = fc.record({
      documents: fc.array(document, { maxLength: 12 }),
      names: fc.array(pattern, { minLength: 1, maxLength: 3 }),
      collection: fc.option(fc.constantFrom('default', 'other'), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(input, async ({ documents, names, collection }) => {
        await wipe(project);
        await fill(project, documents);
        const before = await everything(project);
        const params = { names, ...(collection && { collection }) };
        const preview = await project.server.ask('delete', { ...params, dry_run: true });
        expect(await everything(project)).toEqual(before);
        const done = await project.server.ask('delete', params);
        // Ambiguous names are an error of both, and then nothing goes.
        if (done.error !== undefined) {
          expect(preview.error).toEqual(done.error);
          expect(await everything(project)).toEqual(before);
          return;
        }
        expect({ ...preview.result, dry_run: undefined }).toEqual(done.result);
        const gone = new Set(done.result.paths);
        expect(gone.size).toBe(done.result.deleted);
        expect(await everything(project)).toEqual(before.filter((each) => !gone.has(keyOf(each))));
      }),
      { numRuns: full ? 200 : 15 },
    );
  });

  it('of update is what update does, and the contents stay', async () => {
    const project = await openProject();
    const input = fc.record({
      documents: fc.array(document, { minLength: 1, maxLength: 8 }),
      name: pattern,
      metadata: fc.array(fc.constantFrom('a=1', 'b=2=3', 'a=', 'é=ü'), { maxLength: 3 }),
      tags: fc.subarray(['x', 'n']),
      remove_tags: fc.subarray(['x', 'y']),
    });
    await fc.assert(
      fc.asyncProperty(input, async ({ documents, ...params }) => {
        await wipe(project);
        await fill(project, documents);
        const before = await everything(project);
        const preview = await project.server.ask('update', { ...params, dry_run: true });
        expect(await everything(project)).toEqual(before);
        const done = await project.server.ask('update', params);
        expect(preview.error).toEqual(done.error);
        if (done.error !== undefined) return;
        expect({ ...preview.result, dry_run: undefined }).toEqual(done.result);
        const after = await everything(project);
        expect(after.map(({ hash }) => hash)).toEqual(before.map(({ hash }) => hash));
        const changed = after.filter((each, at) => JSON.stringify(each) !== JSON.stringify(before[at]));
        expect(changed.map((each) => each.path).sort()).toEqual([...done.result.paths].sort());
        expect(changed.length).toBe(done.result.updated);
      }),
      { numRuns: full ? 200 : 15 },
    );
  });

  it('of restore is what restore does, also over what lies there already', async () => {
    const project = await openProject();
    const input = fc.record({
      documents: fc.array(document, { minLength: 1, maxLength: 10 }),
      there: fc.array(place, { maxLength: 4 }),
      overwrite: fc.boolean(),
      include_patterns: fc.array(pattern, { maxLength: 2 }),
      exclude_patterns: fc.array(pattern, { maxLength: 1 }),
    });
    await fc.assert(
      fc.asyncProperty(input, async ({ documents, there, ...params }) => {
        await wipe(project);
        await fill(project, [...documents, { name: 'always', content: 'x', collection: 'default' }]);
        await rm(join(project.folder, 'out'), { recursive: true, force: true });
        await project.put('out/mine', 'mine');
        for (const path of there) await project.put(`out/${path}`, 'mine').catch(() => {});
        const before = await treeOf(join(project.folder, 'out'));
        const asked = { collection: 'default', output_directory: 'out', ...params };
        const preview = await project.ask('restore', { ...asked, dry_run: true });
        expect(await treeOf(join(project.folder, 'out'))).toEqual(before);
        const { dry_run: _dry, ...promised } = preview;
        expect(await project.ask('restore', asked)).toEqual(promised);
        const after = await treeOf(join(project.folder, 'out'));
        const restored = new Set<string>(promised.paths);
        for (const [path, bytes] of before) if (!restored.has(path)) expect(after.get(path)).toEqual(bytes);
        expect([...after.keys()].sort()).toEqual([...new Set([...before.keys(), ...restored])].sort());
        if (!params.overwrite) for (const path of restored) expect(before.has(path)).toBe(false);
      }),
      { numRuns: full ? 200 : 15 },
    );
  });

  it('makes no home where there is none', async () => {
    const project = await openProject();
    for (const params of [
      { name: '*.tmp', dry_run: true },
      { names: ['a', 'b'], dry_run: true },
    ])
      expect(await project.ask('delete', params)).toMatchObject({ deleted: 0 });
    await project.refusal('update', { name: 'a', metadata: ['a=b'], dry_run: true });
    expect([...(await treeOf(join(project.folder, '.cairn'))).keys()]).toEqual([]);
  });
});

describe('a snapshot', () => {
  it('is the same after any later change', async () => {
    const project = await openProject();
    const step = fc.oneof(
      document.map((params) => ({ op: 'add', params })),
      pattern.map((name) => ({ op: 'delete', params: { name } })),
      fc
        .tuple(pattern, fc.constantFrom('a=1', 'b=2'))
        .map(([name, pair]) => ({ op: 'update', params: { name, metadata: [pair] } })),
      fc.constantFrom('default', 'other').map((collection) => ({ op: 'snapshot', params: { collection } })),
      fc.constant({ op: 'gc', params: {} }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(document, { minLength: 1, maxLength: 8 }),
        fc.array(step, { maxLength: 15 }),
        async (documents, steps) => {
          await fill(project, documents);
          const made = await project.ask('snapshot', { collection: 'default', label: 'kept' });
          const out = { output_directory: 'out', snapshot_id: made.id };
          await project.ask('restore', out);
          const before = await treeOf(join(project.folder, 'out'));
          await rm(join(project.folder, 'out'), { recursive: true });
          if (steps.length > 0) await project.ask('execute', { operations: steps, continueOnError: true });
          const { snapshots } = await project.ask('list_snapshots', { collection: 'default', limit: 1000 });
          expect(snapshots.find(({ id }: Message) => id === made.id)).toEqual(made);
          await project.ask('restore', out);
          expect(await treeOf(join(project.folder, 'out'))).toEqual(before);
          await rm(join(project.folder, 'out'), { recursive: true });
          expect(await project.ask('snapshot_diff', { from: made.id, to: made.id })).toMatchObject({
            counts: { added: 0, changed: 0, removed: 0, same: made.files },
          });
        },
      ),
      { numRuns: full ? 150 : 10 },
    );
    expect(await project.ask('content_verify')).toMatchObject({ ok: true });
  });
});
