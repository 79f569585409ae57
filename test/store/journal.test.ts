/** What a crash leaves between a decision and its files, built by hand, and how the next write deals with it. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { beforeEach, describe, expect, it } from 'vitest';
import { openEmbedded } from '../../src/store/embedded/engine.ts';
import { sha256 } from '../../src/store/hash.ts';
import type { Store } from '../../src/store/store.ts';
import { putFile, readFile as readShelf, refusal, stagedIn, useBench } from './bench.ts';
import { feedbackRecord } from './samples.ts';

describe('after a crash between the decision and the files', () => {
  const problems: string[] = [];
  const bench = useBench((home) => openEmbedded({ home, onProblem: (message) => problems.push(message) }));
  const inHome = (...path: string[]) => join(bench.folder, ...path);
  const target = () => inHome('decisions', 'd.md');
  const staged = () => inHome('decisions', '.d.md.0123456789ab.tmp');
  let store: Store;

  beforeEach(async () => {
    problems.length = 0;
    store = await bench.open();
    await putFile(store, 'decisions', 'd.md', 'before');
  });

  /** Writes down what a process decided just before it died. */
  function record(intent: { path: string; staged?: string; before?: string; after?: string }): void {
    const database = new DatabaseSync(inHome('state.db'));
    database
      .prepare('INSERT INTO file_intent (path, staged, before, after) VALUES (?, ?, ?, ?)')
      .run(intent.path, intent.staged ?? null, intent.before ?? null, intent.after ?? null);
    database.close();
  }
  const decidePut = async () => {
    await writeFile(staged(), 'after');
    record({ path: target(), staged: staged(), before: sha256('before'), after: sha256('after') });
  };
  const decideRemoval = () => record({ path: target(), before: sha256('before') });
  const nextWrite = () => store.write((change) => change.feedback.put(feedbackRecord()));
  const text = () => readShelf(store, 'decisions', 'd.md');
  const settledNames = async () => {
    expect(await store.inspect()).toMatchObject({ unfinished: 0 });
    return (await readdir(inHome('decisions'))).sort();
  };

  it('reports it as unfinished, and the next write puts the file in place', async () => {
    await decidePut();
    expect(await store.inspect()).toMatchObject({ unfinished: 1, problems: [] });
    expect(await text()).toBe('before');
    const generation = await store.generation();
    await nextWrite();
    expect(await text()).toBe('after');
    expect(await settledNames()).toEqual(['d.md']);
    expect(await store.generation()).toBeGreaterThan(generation);
    expect(problems).toEqual([]);
  });

  it('carries out nothing that a database from elsewhere names outside the shelves', async () => {
    const outside = inHome('..', 'mine.txt');
    await writeFile(outside, 'mine');
    await writeFile(inHome('decisions', '.mine.txt.0123456789ab.tmp'), 'theirs');
    record({ path: outside, before: sha256('mine') });
    record({ path: join('..', 'mine.txt'), staged: 'decisions/.mine.txt.0123456789ab.tmp', before: sha256('mine') });
    record({ path: 'state.db', before: sha256('') });
    record({ path: 'decisions/taken.md', staged: '../mine.txt' });
    await nextWrite();
    expect(await readFile(outside, 'utf8')).toBe('mine');
    expect(existsSync(inHome('state.db'))).toBe(true);
    expect(existsSync(inHome('decisions', 'taken.md'))).toBe(false);
    await rm(outside);
  });

  it('puts a new file in place whose folder held nothing of that name', async () => {
    await writeFile(inHome('decisions', '.new.md.0123456789ab.tmp'), 'new');
    const path = inHome('decisions', 'new.md');
    record({ path, staged: inHome('decisions', '.new.md.0123456789ab.tmp'), after: sha256('new') });
    await nextWrite();
    expect(await readFile(path, 'utf8')).toBe('new');
    expect(await settledNames()).toEqual(['d.md', 'new.md']);
  });

  it('finishes before the next write looks at the file', async () => {
    await decidePut();
    await store.write(({ files }) => files.put('decisions', 'd.md', 'later', sha256('after')));
    expect(await text()).toBe('later');
    expect(await settledNames()).toEqual(['d.md']);
  });

  it('finishes again without harm what was in place already', async () => {
    await decidePut();
    await rename(staged(), target());
    await nextWrite();
    expect(await text()).toBe('after');
    expect(await settledNames()).toEqual(['d.md']);
    expect(problems).toEqual([]);
  });

  it('finishes also when the write that finds it is rejected', async () => {
    await decidePut();
    await expect(store.write(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await text()).toBe('after');
    await nextWrite();
    expect(await text()).toBe('after');
    expect(await settledNames()).toEqual(['d.md']);
  });

  it.each(['edited', 'removed'])(
    'leaves a file that a person %s since, and keeps the written text aside',
    async (how) => {
      await decidePut();
      if (how === 'edited') await writeFile(target(), 'by hand');
      else await rm(target());
      await nextWrite();
      expect(await text()).toBe(how === 'edited' ? 'by hand' : undefined);
      const asides = (await settledNames()).filter((name) => name !== 'd.md');
      expect(asides).toEqual([expect.stringMatching(/^d\.md\.interrupted-\w+$/)]);
      expect(await readFile(inHome('decisions', asides[0] ?? ''), 'utf8')).toBe('after');
      expect(problems).toEqual([expect.stringContaining(asides[0] ?? '')]);
    },
  );

  it('leaves an edit alone when the written text was in place before it', async () => {
    await decidePut();
    await rename(staged(), target());
    await writeFile(target(), 'by hand, on top of after');
    await nextWrite();
    expect(await text()).toBe('by hand, on top of after');
    expect(await settledNames()).toEqual(['d.md']);
  });

  it('finishes a removal, and again without harm when the file is gone already', async () => {
    decideRemoval();
    expect(await store.inspect()).toMatchObject({ unfinished: 1 });
    await nextWrite();
    expect(await settledNames()).toEqual([]);
    decideRemoval();
    await nextWrite();
    expect(await settledNames()).toEqual([]);
    expect(problems).toEqual([]);
  });

  it('does not finish the removal of a file that a person edited since', async () => {
    decideRemoval();
    await writeFile(target(), 'by hand');
    await nextWrite();
    expect(await text()).toBe('by hand');
    expect(await settledNames()).toEqual(['d.md']);
  });

  it.each(['put', 'remove'])(
    'says so when a decided %s cannot be carried out, and completes it later',
    async (what) => {
      const stopped = decideButStop(what === 'put' ? 'put' : 'remove');
      const refused = await refusal(stopped, 'store_unavailable');
      expect(refused.message).toContain('decided');
      expect(refused.suggestion).toContain('next write');
      expect(await store.inspect()).toMatchObject({ unfinished: 1 });
      await rm(target(), { recursive: true });
      if (what === 'put') await writeFile(target(), 'before');
      await nextWrite();
      expect(await text()).toBe(what === 'put' ? 'decided' : undefined);
      expect(await stagedIn(bench.folder)).toEqual([]);
      expect(await store.inspect()).toMatchObject({ unfinished: 0 });
    },
  );

  it('finishes in the home where it is, also after the whole home was moved', async () => {
    await refusal(decideButStop('put'), 'store_unavailable');
    await rm(target(), { recursive: true });
    await writeFile(target(), 'before');
    await store.close();
    await rename(bench.folder, `${bench.folder}-moved`);
    const moved = openEmbedded({ home: `${bench.folder}-moved` });
    expect(await moved.inspect()).toMatchObject({ unfinished: 1 });
    await moved.write(async () => undefined);
    expect(await readShelf(moved, 'decisions', 'd.md')).toBe('decided');
    expect(await stagedIn(moved.location)).toEqual([]);
    await moved.close();
  });

  it('removes what was staged and never decided, once it is old and nothing names it', async () => {
    await mkdir(inHome('prompts'));
    const named = inHome('decisions', '.new.md.0123456789ab.tmp');
    const orphans = [inHome('decisions', '.d.md.aaaaaaaaaaaa.tmp'), inHome('prompts', '.p.md.bbbbbbbbbbbb.tmp')];
    const young = inHome('prompts', '.p.md.cccccccccccc.tmp');
    const foreign = inHome('prompts', '.editor.tmp');
    for (const path of [named, ...orphans, young, foreign]) await writeFile(path, 'staged');
    const twoHoursAgo = new Date(Date.now() - 2 * 3_600_000);
    for (const path of [named, ...orphans, foreign]) await utimes(path, twoHoursAgo, twoHoursAgo);
    record({ path: inHome('decisions', 'new.md'), staged: named, after: sha256('staged') });
    await (await bench.open()).write(async () => undefined);
    expect([...orphans, young, foreign].map((path) => existsSync(path))).toEqual([false, false, true, true]);
    expect(await readFile(inHome('decisions', 'new.md'), 'utf8')).toBe('staged');
    expect(problems).toEqual([]);
  });

  /** A folder in the place of the target stops a real write between its decision and its files. */
  function decideButStop(what: 'put' | 'remove'): Promise<void> {
    return store.write(async ({ files }) => {
      if (what === 'put') await files.put('decisions', 'd.md', 'decided');
      else await files.remove('decisions', 'd.md');
      await rm(target());
      await mkdir(target());
    });
  }
});
