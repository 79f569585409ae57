import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { transform } from 'esbuild';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalName, editDistance, fold, nearest } from './names.ts';
import { surface } from './surface.ts';

describe('folding', () => {
  it.each([
    ['instructions/list', 'instructions_list'],
    ['instructions/listScoped', 'instructions_list_scoped'],
    ['mcp.echo', 'mcp_echo'],
    ['getEnhanced', 'get_enhanced'],
    ['instructions/governanceHash', 'instructions_governance_hash'],
    ['index_dispatch', 'instructions_dispatch'],
    ['index/list', 'instructions_list'],
    ['index.getEnhanced', 'instructions_get_enhanced'],
    ['graph-export', 'graph_export'],
    ['graph/export', 'graph_export'],
    ['usage/track', 'usage_track'],
    ['feedback list', 'feedback_list'],
    ['record_decision', 'record_decision'],
    ['HEALTH_CHECK', 'health_check'],
    ['health__check', 'health_check'],
    ['/health/check/', 'health_check'],
    ['sha256Hash', 'sha256_hash'],
    ['index', 'index'],
    ['indexes_list', 'indexes_list'],
    ['', ''],
    ['///', ''],
    ['größe', 'gr_e'],
  ])('%j becomes %j', (spelling, name) => {
    expect(fold(spelling)).toBe(name);
  });

  it('twice is folding once, whatever is folded', () => {
    const piece = fc.constantFrom('index', 'a', 'B', '_', '/', '.', '-', '9', 'Z', 'x'.repeat(50), 'aB'.repeat(60));
    const units = fc.array(fc.nat({ max: 0xffff })).map((codes) => String.fromCharCode(...codes));
    const spelling = fc.oneof(
      fc.string(),
      units,
      fc.array(piece).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(spelling, (one) => {
        expect(fold(fold(one))).toBe(fold(one));
        expect(fold(one)).toMatch(/^(?:[a-z0-9]+(?:_[a-z0-9]+)*)?$/);
      }),
      { numRuns: 1000 },
    );
  });

  it('of an enormous name is short and quick', () => {
    const started = process.cpuUsage();
    const folded = Array.from({ length: 20 }, (_, index) => fold(`${index}${'aB'.repeat(500_000)}`));
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(500);
    expect(Math.max(...folded.map(({ length }) => length))).toBeLessThanOrEqual(200);
  });

  it('of many enormous names does not remember them, so that a caller cannot fill the memory', async () => {
    const source = readFileSync(new URL('./names.ts', import.meta.url), 'utf8');
    const { code } = await transform(
      `${source}
      import { parentPort } from 'node:worker_threads';
      for (let index = 0; index < 400; index++) fold(index + 'x'.repeat(1_000_000));
      parentPort.postMessage('done');`,
      { loader: 'ts', format: 'esm' },
    );
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), {
      resourceLimits: { maxOldGenerationSizeMb: 64 },
    });
    const ending = await new Promise((resolve) => worker.once('message', resolve).once('error', resolve));
    expect(ending).toBe('done');
  });

  it('leaves every name of the table as it is, and leads every documented spelling to it', () => {
    for (const { name, spellings } of surface.entries) {
      expect(name).toMatch(canonicalName);
      expect(name).not.toContain('__');
      expect(fold(name)).toBe(name);
      for (const spelling of spellings) expect(surface.resolve(spelling).name).toBe(name);
    }
  });
});

describe('the nearest names', () => {
  const names = ['feedback_list', 'feedback_get', 'health_check', 'metrics_snapshot', 'mcp_echo', 'query'];

  it.each([
    ['feedback_lst', 'feedback_list'],
    ['feedbackList2', 'feedback_list'],
    ['helth_check', 'health_check'],
    ['check', 'health_check'],
    ['mcp/ehco', 'mcp_echo'],
    ['qurey', 'query'],
  ])('to %j begin with %j', (wrong, expected) => {
    expect(nearest(wrong, names)[0]).toBe(expected);
  });

  it('to what resembles nothing are none', () => {
    expect(nearest('zzzzzzzzzzzz', names)).toEqual([]);
    expect(nearest('', names)).toEqual([]);
  });

  it('never contain the name that was asked for, are of the list, differ, and are at most three', () => {
    const word = fc.constantFrom('get', 'list', 'add', 'health', 'x');
    const name = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join('_'));
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 20 }), fc.oneof(name, fc.string()), (all, wrong) => {
        const found = nearest(wrong, all);
        expect(found).not.toContain(fold(wrong));
        expect(found.length).toBeLessThanOrEqual(3);
        expect(new Set(found).size).toBe(found.length);
        expect(found.filter((one) => !all.includes(one))).toEqual([]);
      }),
    );
  });
});

describe('the edit distance', () => {
  /** The definition, without any cleverness. */
  function model(a: string, b: string): number {
    if (a === '' || b === '') return a.length + b.length;
    const [first, second] = [a.slice(1), b.slice(1)];
    if (a[0] === b[0]) return model(first, second);
    return 1 + Math.min(model(first, b), model(a, second), model(first, second));
  }

  const short = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 });

  it('is that of the definition, or the ceiling', () => {
    fc.assert(
      fc.property(short, short, fc.integer({ min: 1, max: 8 }), (a, b, ceiling) => {
        expect(editDistance(a, b, ceiling)).toBe(Math.min(model(a, b), ceiling));
      }),
    );
  });

  it.each([
    ['kitten', 'sitting', 3],
    ['', 'abc', 3],
    ['same', 'same', 0],
    ['ab', 'ba', 2],
  ])('of %j and %j is %d', (a, b, distance) => {
    expect(editDistance(a, b, 12)).toBe(distance);
  });
});
