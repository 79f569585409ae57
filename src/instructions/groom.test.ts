import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bodyHash, derive } from './derive.ts';
import { type GroomMode, type GroomPlan, planEnrich, planGroom, planRepair, type RawEntry } from './groom.ts';

const now = '2026-01-01T00:00:00.000Z';
const made = '2025-01-01T00:00:00.000Z';
const context = { now };

const stored = (facts: Partial<RawEntry> & { id: string }): RawEntry => ({
  ...derive(
    { body: `Body of ${facts.id}`, createdAt: made, ...facts },
    { now: made, canonical: false, owner: 'unowned', status: 'approved' },
  ),
  ...facts,
});
const applied = (entries: readonly RawEntry[], { rewrite, remove }: GroomPlan): RawEntry[] => {
  const written = new Map(rewrite.map((entry) => [entry.id, entry]));
  return entries.filter(({ id }) => !remove.includes(id)).map((entry) => written.get(entry.id) ?? entry);
};
const nothing = {
  repairedHashes: 0,
  normalizedCategories: 0,
  deprecatedRemoved: 0,
  duplicatesMerged: 0,
  usagePruned: 0,
  filesRewritten: 0,
  purgedScopes: 0,
};

describe('grooming without a mode', () => {
  it('leaves a catalog in order alone', () => {
    const plan = planGroom([stored({ id: 'a', categories: ['x', 'y'] }), stored({ id: 'b' })], {}, context);
    expect(plan).toEqual({ rewrite: [], remove: [], counters: { ...nothing, scanned: 2 }, notes: [] });
  });

  it('corrects hashes that do not fit the body, and keeps the body to the letter', () => {
    const body = 'Edited by hand.  \r\n';
    const plan = planGroom([stored({ id: 'a', body, sourceHash: 'old' }), stored({ id: 'b' })], {}, context);
    expect(plan.counters).toEqual({ ...nothing, scanned: 2, repairedHashes: 1, filesRewritten: 1 });
    expect(plan.rewrite).toMatchObject([
      { id: 'a', body, sourceHash: bodyHash(body), updatedAt: now, createdAt: made },
    ]);
  });

  it('puts categories in lower case, in order, each once and spelled as allowed', () => {
    const entry = stored({ id: 'a', categories: ['Zeta', 'build system', 'zeta'], primaryCategory: 'Build System' });
    const plan = planGroom([entry], {}, context);
    expect(plan.counters).toMatchObject({ normalizedCategories: 1, repairedHashes: 0, filesRewritten: 1 });
    expect(plan.rewrite[0]).toMatchObject({ categories: ['build-system', 'zeta'], primaryCategory: 'build-system' });
  });

  it('leaves scopes among the categories where they are', () => {
    const entry = stored({ id: 'a', categories: ['b', 'a', 'scope:user:Ann'] });
    expect(planGroom([entry], {}, context).rewrite[0]?.categories).toEqual(['a', 'b', 'scope:user:Ann']);
  });

  it('does neither where it is switched off, not even in passing', () => {
    const entries = [stored({ id: 'a', categories: ['B', 'scope:team:x'], sourceHash: 'old' })];
    const off = { normalizeCategories: false, updateHashes: false };
    expect(planGroom(entries, off, context).rewrite).toEqual([]);
    const { rewrite, counters } = planGroom(entries, { ...off, purgeLegacyScopes: true }, context);
    expect(rewrite[0]).toMatchObject({ categories: ['B'], sourceHash: 'old', teamIds: ['x'] });
    expect(counters).toMatchObject({ repairedHashes: 0, normalizedCategories: 0, purgedScopes: 1 });
  });
});

describe('merging duplicates', () => {
  const body = 'The same.';
  const twins = [
    stored({ id: 'c', body, createdAt: '2025-03-01T00:00:00Z', categories: ['z'], priority: 5, riskScore: 10 }),
    stored({ id: 'b', body, createdAt: '2025-02-01T00:00:00Z', categories: ['b', 'y'], priority: 60, riskScore: 99 }),
    stored({ id: 'a', body, createdAt: '2025-02-01T01:00:00+01:00', categories: ['x'], priority: 50, riskScore: 40 }),
  ];

  it('keeps the earliest, then the one with the smallest id, and joins what they say', () => {
    const plan = planGroom([...twins, stored({ id: 'other' })], { mergeDuplicates: true }, context);
    expect(plan.remove).toEqual(['c', 'b']);
    expect(plan.rewrite).toMatchObject([
      { id: 'a', body, categories: ['b', 'x', 'y', 'z'], priority: 5, riskScore: 99, priorityTier: 'P1' },
    ]);
    expect(plan.rewrite[0]?.reviewIntervalDays).toBe(30);
    expect(plan.counters).toEqual({ ...nothing, scanned: 4, duplicatesMerged: 2, filesRewritten: 1 });
    expect(plan.notes).toEqual(['merged:b->a', 'merged:c->a']);
  });

  it('goes by the body, not by the hash that is stored', () => {
    const lying = [
      stored({ id: 'a', body: 'one', sourceHash: 'x' }),
      stored({ id: 'b', body: 'two', sourceHash: 'x' }),
    ];
    expect(planGroom(lying, { mergeDuplicates: true }, context).remove).toEqual([]);
  });

  it('leads the references of others to the entry that stays, and none to itself', () => {
    const entries = [
      stored({ id: 'a', body, dependencies: ['b', 'z'], supersedes: 'b' }),
      stored({ id: 'b', body }),
      stored({ id: 'u', dependencies: ['b', 'a', 'z'], supersedes: 'b', deprecatedBy: 'b' }),
    ];
    const [a, u] = planGroom(entries, { mergeDuplicates: true }, context).rewrite;
    expect(a?.dependencies).toEqual(['z']);
    expect(a).not.toHaveProperty('supersedes');
    expect(u).toMatchObject({ dependencies: ['a', 'z'], supersedes: 'a', deprecatedBy: 'a' });
  });

  it('keeps apart what is told to others, or is deprecated here and in force there', () => {
    const entries = [
      stored({ id: 'a', body, workspaceId: 'one' }),
      stored({ id: 'b', body, categories: ['scope:workspace:two'] }),
      stored({ id: 'c', body, status: 'deprecated', deprecatedBy: 'a' }),
      stored({ id: 'd', body, categories: ['scope:workspace:one'] }),
    ];
    const plan = planGroom(entries, { mergeDuplicates: true }, context);
    expect(plan.remove).toEqual(['d']);
    expect(plan.rewrite).toEqual([]);
  });

  it('finds the successor of deprecated twins outside of them', () => {
    const status = 'deprecated';
    const entries = [
      stored({ id: 'a', body, status, deprecatedBy: 'b' }),
      stored({ id: 'b', body, status, deprecatedBy: 'new' }),
      stored({ id: 'new' }),
    ];
    expect(planGroom(entries, { mergeDuplicates: true }, context).rewrite).toMatchObject([
      { id: 'a', deprecatedBy: 'new' },
    ]);
  });
});

describe('removing what is deprecated', () => {
  const gone = { requirement: 'deprecated' } as const;
  const remove = (entries: readonly RawEntry[]) => planGroom(entries, { removeDeprecated: true }, context);

  it('takes only entries whose successor is there', () => {
    const entries = [
      stored({ id: 'a', ...gone, deprecatedBy: 'd' }),
      stored({ id: 'b', status: 'deprecated', deprecatedBy: 'd' }),
      stored({ id: 'c', ...gone, deprecatedBy: 'nowhere' }),
      stored({ id: 'd' }),
      stored({ id: 'e', ...gone }),
      stored({ id: 'f', deprecatedBy: 'd' }),
    ];
    const plan = remove(entries);
    expect(plan.remove).toEqual(['a', 'b']);
    expect(plan.counters).toMatchObject({ deprecatedRemoved: 2, filesRewritten: 0 });
    expect(plan.notes).toEqual(['removed-deprecated:a->d', 'removed-deprecated:b->d']);
  });

  it('follows chains to their end, and takes nobody of a circle', () => {
    const chain = [
      stored({ id: 'a', ...gone, deprecatedBy: 'b' }),
      stored({ id: 'b', ...gone, deprecatedBy: 'c' }),
      stored({ id: 'c', ...gone }),
      stored({ id: 'x', ...gone, deprecatedBy: 'y' }),
      stored({ id: 'y', ...gone, deprecatedBy: 'z' }),
      stored({ id: 'z', ...gone, deprecatedBy: 'y' }),
      stored({ id: 'self', ...gone, deprecatedBy: 'self' }),
    ];
    const expected = ['removed-deprecated:a->c', 'removed-deprecated:b->c', 'removed-deprecated:x->y'];
    expect(remove(chain).notes).toEqual(expected);
    expect(remove(chain.toReversed()).notes.toSorted()).toEqual(expected);
  });

  it('leads dependencies to the successor, and leaves to history what an entry superseded', () => {
    const entries = [
      stored({ id: 'old', ...gone, deprecatedBy: 'new' }),
      stored({ id: 'new', supersedes: 'old' }),
      stored({ id: 'user', dependencies: ['old', 'x'] }),
    ];
    const plan = remove(entries);
    expect(plan.rewrite).toMatchObject([{ id: 'user', dependencies: ['new', 'x'] }]);
  });

  it('counts the counters of use that go with the entries', () => {
    const entries = [stored({ id: 'a', ...gone, deprecatedBy: 'b' }), stored({ id: 'b' })];
    const plan = planGroom(entries, { removeDeprecated: true }, { now, used: new Set(['a', 'b']) });
    expect(plan.counters.usagePruned).toBe(1);
  });
});

describe('purging scopes among the categories', () => {
  it('moves them to their fields and counts them', () => {
    const entry = stored({
      id: 'a',
      categories: ['scope:team:x', 'scope:user:Ann', 'scope:other', 't'],
      teamIds: ['y'],
    });
    const plan = planGroom([entry], { purgeLegacyScopes: true }, context);
    expect(plan.counters).toMatchObject({ purgedScopes: 2, normalizedCategories: 0, filesRewritten: 1 });
    expect(plan.rewrite[0]).toMatchObject({ categories: ['scope:other', 't'], userId: 'Ann', teamIds: ['x', 'y'] });
  });
});

describe('any grooming', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
  const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
  const category = fc.oneof(
    fc.constantFrom('x', 'X', 'a b', 'scope:user:U', 'scope:team:t', 'scope:workspace:w', ' ', '日本', 'ß/İ'),
    fc.string({ unit: 'binary', maxLength: 6 }),
  );
  const raw: fc.Arbitrary<RawEntry> = fc.record({
    id,
    body: fc.constantFrom('one', 'two', 'two ', 'three'),
    sourceHash: maybe(fc.constantFrom('bad', bodyHash('one'), bodyHash('two'))),
    categories: maybe(fc.array(category, { maxLength: 4 })),
    primaryCategory: maybe(category),
    priority: maybe(fc.integer({ min: 1, max: 100 })),
    riskScore: maybe(fc.integer({ min: -30, max: 160 })),
    requirement: maybe(fc.constantFrom('optional', 'deprecated')),
    status: maybe(fc.constantFrom('approved', 'deprecated')),
    createdAt: maybe(fc.constantFrom(made, '2024-01-01T00:00:00.000Z', '2025-06-01T00:00:00+02:00')),
    workspaceId: maybe(fc.constantFrom('w', 'v')),
    deprecatedBy: maybe(id),
    supersedes: maybe(id),
    dependencies: maybe(fc.array(id, { maxLength: 3 })),
  });
  const catalog = fc.uniqueArray(raw, { selector: (entry) => entry.id, maxLength: 6 });
  const flag = maybe(fc.boolean());
  const mode: fc.Arbitrary<GroomMode> = fc.record({
    mergeDuplicates: flag,
    removeDeprecated: flag,
    normalizeCategories: flag,
    purgeLegacyScopes: flag,
    updateHashes: flag,
  });

  it('is at rest after one run', () => {
    fc.assert(
      fc.property(catalog, mode, (entries, how) => {
        const after = applied(entries, planGroom(entries, how, context));
        const again = planGroom(after, how, { now: '2027-01-01T00:00:00.000Z' });
        expect(again).toEqual({ rewrite: [], remove: [], counters: { ...nothing, scanned: after.length }, notes: [] });
      }),
      { numRuns: 1000 },
    );
  });

  it('plans the same when dry, but says it would', () => {
    fc.assert(
      fc.property(catalog, mode, (entries, how) => {
        const real = planGroom(entries, how, context);
        const dry = planGroom(entries, { ...how, dryRun: true }, context);
        expect(dry).toEqual({
          ...real,
          counters: { ...real.counters, filesRewritten: 0 },
          notes: [`would-rewrite:${real.rewrite.length}`, `would-remove:${real.remove.length}`, ...real.notes],
        });
        expect(real.counters.filesRewritten).toBe(real.rewrite.length);
      }),
    );
  });

  it('loses no text that is in force, and leaves no reference to what it removed', () => {
    fc.assert(
      fc.property(catalog, mode, (entries, how) => {
        const plan = planGroom(entries, how, context);
        const after = applied(entries, plan);
        const inForce = (all: readonly RawEntry[]) =>
          new Set(
            all
              .filter((entry) => entry.requirement !== 'deprecated' && entry.status !== 'deprecated')
              .map((e) => e.body),
          );
        expect(inForce(after)).toEqual(inForce(entries));
        const gone = new Set(plan.remove);
        const named = after.flatMap((entry) => [entry.deprecatedBy, ...(entry.dependencies ?? [])]);
        expect(named.filter((name) => name !== undefined && gone.has(name))).toEqual([]);
        const { deprecatedRemoved, duplicatesMerged } = plan.counters;
        expect(deprecatedRemoved + duplicatesMerged).toBe(plan.remove.length);
      }),
    );
  });
});

describe('repair', () => {
  it('names the entries whose hash is wrong or missing, and corrects nothing else', () => {
    const good = stored({ id: 'a', categories: ['B', 'scope:user:U'] });
    const entries = [good, { ...good, id: 'b', sourceHash: 'bad' }, { ...good, id: 'c', sourceHash: undefined }];
    const { updated, rewrite } = planRepair(entries, context);
    expect(updated).toEqual(['b', 'c']);
    expect(rewrite[0]).toMatchObject({ ...good, id: 'b', updatedAt: now, sourceHash: bodyHash(good.body) });
    expect(planRepair(rewrite, context)).toEqual({ updated: [], rewrite: [] });
  });
});

describe('enrichment', () => {
  const bare: RawEntry = { id: 'a', body: 'First line\nmore', priority: 10, categories: ['B'], createdAt: made };

  it('writes the governance fields that a file lacks, as of the day it was made', () => {
    const [enriched] = planEnrich([bare, stored({ id: 'b' })], { now, ownerOf: ({ id }) => `owner-of-${id}` });
    expect(enriched?.entry).toMatchObject({
      ...bare,
      version: '1.0.0',
      status: 'approved',
      owner: 'owner-of-a',
      classification: 'internal',
      priorityTier: 'P1',
      reviewIntervalDays: 30,
      lastReviewedAt: made,
      nextReviewDue: '2025-01-31T00:00:00.000Z',
      semanticSummary: 'First line',
      changeLog: [{ version: '1.0.0', changedAt: made, summary: 'created' }],
    });
    expect(enriched?.filled).toContain('owner');
    expect(enriched?.filled).not.toContain('createdAt');
  });

  it('takes blank for missing, and leaves what is there, even a wrong hash', () => {
    const entry = {
      ...stored({ id: 'a', sourceHash: 'bad', version: '2.0.0' }),
      owner: '',
      semanticSummary: '',
      changeLog: [],
    };
    const [enriched] = planEnrich([entry], context);
    expect(enriched?.filled).toEqual(['owner', 'changeLog', 'semanticSummary']);
    expect(enriched?.entry).toMatchObject({ owner: 'unowned', version: '2.0.0', sourceHash: 'bad' });
    expect(enriched?.entry.changeLog).toHaveLength(1);
  });

  it('has nothing left to do after one run', () => {
    const written = planEnrich([bare, { id: 'b', body: 'x' }], context).map(({ entry }) => entry);
    expect(written).toHaveLength(2);
    expect(planEnrich(written, context)).toEqual([]);
  });
});
