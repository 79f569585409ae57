import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerSize, cap, jsonSize } from './cap.ts';
import { render } from './text.ts';

const KiB = 1024;
type Fields = Record<string, unknown>;
interface Omission {
  readonly path: string;
  readonly kept: number;
  readonly of: number;
}

const entries = (count: number, text = 'x'.repeat(100)) =>
  Array.from({ length: count }, (_, id) => ({ id: `entry-${id}`, title: text, priority: id % 100 }));

const capped = (result: unknown, limit: number, rest?: string) => cap(result, limit, answerSize, rest).result as Fields;
const omissions = (answer: Fields) => answer.omitted as Omission[];

/** What stands at a path such as `steps[0].result.text`. */
function at(value: unknown, path: string): unknown {
  const keys = path.split(/[.[\]]+/).filter((key) => key !== '');
  return keys.reduce<unknown>((inner, key) => (inner as Fields)[key], value);
}

const lengthOf = (value: unknown) => (Array.isArray(value) || typeof value === 'string' ? value.length : Number.NaN);

describe('an answer that fits', () => {
  it.each([{ a: 1 }, [], {}, [1, 2], { truncated: false, rest: 'own' }, null, 'text', 5, undefined])(
    '%j is the very result, unmarked',
    (result) => {
      const outcome = cap(result, 2 * KiB, answerSize);
      expect(outcome.result).toBe(result);
      expect(outcome.truncated).toBe(false);
    },
  );

  it('fits up to the last byte', () => {
    const result = { text: 'x'.repeat(1000) };
    const size = answerSize(result);
    expect(cap(result, size, answerSize).truncated).toBe(false);
    expect(cap(result, size - 1, answerSize).truncated).toBe(true);
  });
});

describe('the size of an answer', () => {
  it('is that of the JSON and the text together, in bytes', () => {
    const result = { name: 'Größe 🎉', list: [1, 2] };
    expect(answerSize(result)).toBe(Buffer.byteLength(JSON.stringify(result)) + Buffer.byteLength(render(result)));
    expect(jsonSize(result)).toBe(Buffer.byteLength(JSON.stringify(result)));
    expect(jsonSize(undefined)).toBe(0);
  });
});

describe('a list that is too long', () => {
  it('loses items from its end, and says how many of how many are there and how to get the rest', () => {
    const answer = capped({ entries: entries(1000), total: 1000 }, 8 * KiB, 'Ask with offset.');
    const kept = answer.entries as unknown[];
    expect(answer).toMatchObject({ total: 1000, truncated: true, rest: 'Ask with offset.' });
    expect(omissions(answer)).toEqual([{ path: 'entries', kept: kept.length, of: 1000 }]);
    expect(kept).toEqual(entries(1000).slice(0, kept.length));
  });

  it('keeps as much as there is room for', () => {
    const answer = capped({ entries: entries(1000) }, 16 * KiB);
    expect(answerSize(answer)).toBeGreaterThan(0.95 * 16 * KiB);
  });

  it('that is the result itself becomes a list of items', () => {
    const answer = capped(entries(1000), 4 * KiB);
    expect(omissions(answer)).toEqual([{ path: 'items', kept: (answer.items as unknown[]).length, of: 1000 }]);
  });

  it('has advice to offer even when the operation has none', () => {
    expect(capped({ entries: entries(1000) }, 4 * KiB).rest).toMatch(/limit and offset/);
  });

  it('is cut rather than the short one, the number or the text beside it', () => {
    const answer = capped({ long: entries(500), short: [1, 2, 3], note: 'kept', n: 5 }, 8 * KiB);
    expect(answer).toMatchObject({ short: [1, 2, 3], note: 'kept', n: 5 });
    expect(omissions(answer).map(({ path }) => path)).toEqual(['long']);
  });

  it('shares the room with another that is as long', () => {
    const answer = capped({ a: entries(500), b: entries(500) }, 16 * KiB);
    expect(lengthOf(answer.a)).toBeGreaterThan(5);
    expect(Math.abs(lengthOf(answer.a) - lengthOf(answer.b))).toBeLessThanOrEqual(1);
  });
});

describe('what is large within', () => {
  it('one large item of a list is cut itself, not dropped', () => {
    const answer = capped({ entries: [{ id: 'only', body: 'word '.repeat(10_000) }], total: 1 }, 8 * KiB);
    const body = String(at(answer, 'entries[0].body'));
    expect(at(answer, 'entries[0].id')).toBe('only');
    expect(body.length).toBeGreaterThan(2500);
    expect(omissions(answer)).toEqual([{ path: 'entries[0].body', kept: body.length, of: 50_000 }]);
  });

  it('a large step after small ones is cut, and they stay', () => {
    const steps = [
      { op: 'a', result: { n: 1 } },
      { op: 'b', result: { n: 2 } },
      { op: 'c', result: { list: entries(900) } },
    ];
    const answer = capped({ steps, totalSteps: 3 }, 8 * KiB);
    expect((answer.steps as unknown[]).slice(0, 2)).toEqual(steps.slice(0, 2));
    expect(omissions(answer)).toEqual([
      { path: 'steps[2].result.list', kept: lengthOf(at(answer, 'steps[2].result.list')), of: 900 },
    ]);
  });

  it('an item of ordinary size is whole or absent', () => {
    const answer = capped({ entries: entries(100, 'y'.repeat(400)) }, 8 * KiB);
    expect((answer.entries as { title: string }[]).filter(({ title }) => title.length !== 400)).toEqual([]);
  });

  it('a text is never cut to less than 200 characters, nor within one, and a shorter one not at all', () => {
    const hash = 'f'.repeat(64);
    const result = {
      hash,
      path: 'p'.repeat(200),
      bodies: Object.fromEntries(entries(4).map(({ id }) => [id, '🎉'.repeat(2000)])),
    };
    const answer = capped(result, 4 * KiB);
    expect([answer.hash, answer.path]).toEqual([hash, 'p'.repeat(200)]);
    for (const body of Object.values(answer.bodies as Record<string, string>)) {
      expect(body.length).toBeGreaterThanOrEqual(200);
      expect(body).toMatch(/^(?:🎉)+$/u);
    }
  });

  it('an object with too many fields keeps the smallest of them as the last resort', () => {
    const counts = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`field-${index}`, index]));
    const answer = capped({ counts: { ...counts, huge: 'h'.repeat(190) }, note: 'kept' }, 8 * KiB);
    const kept = Object.entries(answer.counts as Fields);
    expect(answer.note).toBe('kept');
    expect(answerSize(answer)).toBeLessThanOrEqual(8 * KiB);
    expect(omissions(answer)).toEqual([{ path: 'counts', kept: kept.length, of: 5001 }]);
    expect(kept.length).toBeGreaterThan(50);
    expect(kept.filter(([key, value]) => counts[key] !== value)).toEqual([]);
  });

  it('more places than can be named are counted', () => {
    const result = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`text${index}`, 'z'.repeat(9000)]));
    const answer = capped(result, 24 * KiB);
    expect(omissions(answer).length + Number(answer.omittedElsewhere)).toBe(30);
    expect(answerSize(answer)).toBeLessThanOrEqual(24 * KiB);
  });

  it('names of fields that a caller chose do not fill the answer', () => {
    const answer = capped({ list: [{ ['k'.repeat(9000)]: 'v'.repeat(9000) }], own: entries(50) }, 4 * KiB);
    expect(answerSize(answer)).toBeLessThanOrEqual(4 * KiB);
  });
});

describe('whatever the result', () => {
  const text = fc.oneof(
    fc.string(),
    fc.integer({ min: 150, max: 6000 }).map((length) => 'aé"🎉\n'.repeat(length / 5)),
  );
  const key = fc.stringMatching(/^[a-z]{1,8}$/);
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(text, fc.integer(), fc.double(), fc.boolean(), fc.constant(null)),
      fc.array(tie('value'), { maxLength: 12 }),
      fc.dictionary(key, tie('value'), { maxKeys: 6 }),
    ),
  }));
  const result = fc.dictionary(key, value, { minKeys: 1, maxKeys: 10 });
  const limit = fc.integer({ min: 2 * KiB, max: 24 * KiB });

  /** As little as cutting lists and texts can leave. */
  const least = (inner: unknown): unknown => {
    if (typeof inner === 'string') return inner.slice(0, 200);
    if (Array.isArray(inner)) return [];
    if (typeof inner !== 'object' || inner === null) return inner;
    return Object.fromEntries(Object.entries(inner).map(([name, item]) => [name, least(item)]));
  };

  it('the answer is within the cap, marked exactly when it is cut, right in its counts, and the result unharmed', () => {
    fc.assert(
      fc.property(result, limit, (whole, bytes) => {
        const before = JSON.stringify(whole);
        const { result: answer, truncated } = cap(whole, bytes, answerSize);
        expect(JSON.stringify(whole)).toBe(before);
        expect(truncated).toBe(answerSize(whole) > bytes);
        if (!truncated) {
          expect(answer).toBe(whole);
          return;
        }
        expect(answerSize(answer)).toBeLessThanOrEqual(bytes);
        expect(answer).toMatchObject({ truncated: true, rest: expect.any(String) });
        const plain = JSON.parse(before) as Fields;
        const places = omissions(answer as Fields);
        expect(places.length).toBeGreaterThan(0);
        for (const { path, kept, of } of places) {
          if (path === '' || (!Array.isArray(at(plain, path)) && typeof at(plain, path) !== 'string')) continue;
          expect([kept, of]).toEqual([lengthOf(at(answer, path)), lengthOf(at(plain, path))]);
          expect(kept).toBeLessThan(of);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('no field is lost while cutting lists and texts is enough', () => {
    fc.assert(
      fc.property(result, limit, (whole, bytes) => {
        const envelope = {
          truncated: true,
          omitted: Array(20).fill({ path: 'p'.repeat(100), kept: 9999, of: 99999 }),
          rest: 'r'.repeat(80),
        };
        fc.pre(answerSize(whole) > bytes && answerSize({ ...(least(whole) as Fields), ...envelope }) <= bytes);
        expect(Object.keys(capped(whole, bytes))).toEqual(expect.arrayContaining(Object.keys(whole)));
      }),
      { numRuns: 60 },
    );
  });
});

describe('the cost', () => {
  it.each([
    ['50,000 items', () => ({ entries: entries(50_000, 'x'.repeat(70)), total: 50_000 }), 24 * KiB],
    ['50,000 items in the whole of 1 MiB', () => ({ entries: entries(50_000, 'x'.repeat(70)) }), KiB * KiB],
    ['one text of 5 MB', () => ({ text: 'é"\n'.repeat(1_250_000) }), 24 * KiB],
    [
      '50,000 fields',
      () => ({ map: Object.fromEntries(entries(50_000, 'y').map((entry) => [entry.id, entry])) }),
      24 * KiB,
    ],
    ['lists in lists', () => ({ a: Array.from({ length: 200 }, () => ({ b: entries(200) })) }), 24 * KiB],
  ])('of capping %s is well under a second', (_, make, limit) => {
    const result = make();
    // Time of this process, not of the clock: the machine may have other things to do.
    const started = process.cpuUsage();
    const answer = capped(result, limit);
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(900);
    expect(answerSize(answer)).toBeLessThanOrEqual(limit);
    expect(answerSize(answer)).toBeGreaterThan(limit * 0.9);
  });
});
