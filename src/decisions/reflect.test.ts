import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventKind, EventLink, EventRecord } from '../store/store.ts';
import { type ProposalDraft, type ReflectionInput, type ReflectionRecord, reflect } from './reflect.ts';

const day = (number: number) => `2026-01-${String(number).padStart(2, '0')}T09:00:00.000Z`;

function event(id: number, subject: string, facts: Partial<EventRecord> = {}): EventRecord {
  return {
    id,
    namespace: 'default',
    session: `s${id}`,
    kind: 'commit',
    source: 'git',
    subject,
    detail: '',
    targets: [],
    files: [],
    success: true,
    created: day((id % 28) + 1),
    ...facts,
  };
}

function record(id: string, facts: Partial<ReflectionRecord> = {}): ReflectionRecord {
  return { id, kind: 'decision', status: 'active', title: id, target: 'database', text: '', ...facts };
}

const link = (number: number, decision: string): EventLink => ({ event: number, decision, created: day(1) });

const from = (events: readonly EventRecord[], facts: Partial<ReflectionInput> = {}) =>
  reflect({ events, links: [], records: [], targets: [], now: day(28), ...facts });

/** What a caller does with the answer: proposals and links are made, and their targets are known. */
function applied(input: ReflectionInput, withTargets = true): ReflectionInput {
  const { drafts, growth } = reflect(input);
  const made = drafts.map((draft, at) => ({ draft, id: `made_${input.records.length + at}` }));
  return {
    ...input,
    records: [...input.records, ...made.map(({ draft, id }) => proposal(id, draft))],
    links: [
      ...input.links,
      ...made.flatMap(({ draft, id }) => draft.evidence.map((number) => link(number, id))),
      ...growth.flatMap(({ proposal: id, evidence }) => evidence.map((number) => link(number, id))),
    ],
    targets: withTargets ? [...input.targets, ...drafts.map(({ target }) => target)] : input.targets,
  };
}

function proposal(id: string, { title, target, rationale }: ProposalDraft): ReflectionRecord {
  return { id, kind: 'proposal', status: 'proposed', title, target, text: rationale };
}

const pooling = [
  'Pool the postgres connections of the worker',
  'Worker: pool postgres connections, they ran out again',
  'Raise the pool of postgres connections for the worker',
];
const onDatabase = pooling.map((subject, at) => event(at + 1, subject, { targets: ['database'] }));

describe('events that say much the same', () => {
  it('become one proposal that lists them', () => {
    const { drafts, growth } = from(onDatabase);
    expect(growth).toEqual([]);
    expect(drafts).toEqual([
      {
        title: expect.stringContaining('postgres connections'),
        target: 'database',
        rationale: expect.stringMatching(/^3 events between 2026-01-02 and 2026-01-04 say much the same/),
        confidence: expect.any(Number),
        evidence: [1, 2, 3],
        suggestedSupersedes: [],
      },
    ]);
    expect(pooling).toContain(drafts[0]?.title);
    expect(drafts[0]?.rationale).toContain('- event 2 (commit, 2026-01-03): Worker: pool postgres connections');
    expect(drafts[0]?.rationale).toMatch(/Their common words: .*postgres/);
  });

  it('need to be three', () => {
    expect(from(onDatabase.slice(1))).toEqual({ drafts: [], growth: [] });
  });

  it('are kept apart by target, and by wording within one', () => {
    const elsewhere = pooling.map((subject, at) => event(at + 11, subject, { targets: ['reports'] }));
    const other = [
      'Rotate the signing keys weekly',
      'Signing keys: rotate weekly by cron',
      'Weekly rotate of signing keys',
    ];
    const third = other.map((subject, at) => event(at + 21, subject, { targets: ['Database'] }));
    const { drafts } = from([...onDatabase, ...elsewhere, ...third], { targets: ['database'] });
    expect(drafts.map(({ target, evidence }) => [target, evidence]).sort()).toEqual([
      ['database', [1, 2, 3]],
      ['database', [21, 22, 23]],
      ['reports', [11, 12, 13]],
    ]);
  });

  it('that are decisions are left out', () => {
    expect(from(onDatabase.map((each) => ({ ...each, kind: 'decision' as const }))).drafts).toEqual([]);
  });

  it.each([
    ['thanks', ['thanks', 'thanks a lot', 'ok thanks', 'thanks!']],
    ['short orders', ['go on please', 'ok, do it', 'yes do that', 'go on']],
    [
      'merges',
      ["Merge branch 'main' of host:team/tool", "Merge branch 'main' of host:team/tool"].flatMap((x) => [x, x]),
    ],
    ['hashes and numbers', ['deploy 1234567a 88 99 100', 'deploy 7654321b 88 99 100', 'deploy 1111111c 88 99 100']],
    ['what has nothing in common', ['alpha beta gamma delta', 'one red big house here', 'quick brown foxes jump']],
  ])('is more than chatter: %s', (_what, subjects) => {
    const events = subjects.map((subject, at) => event(at + 1, subject, { kind: 'interaction', targets: ['chat'] }));
    expect(from(events)).toEqual({ drafts: [], growth: [] });
  });

  it('are not alike because one person signed them', () => {
    const detail =
      'Body.\n\nSigned-off-by: Ada Lovelace <ada@example.org>\nCo-authored-by: Grace Hopper <g@example.org>';
    const subjects = ['Pool postgres connections early', 'Rotate signing keys weekly', 'Render charts without canvas'];
    const events = subjects.map((subject, at) => event(at + 1, subject, { detail, targets: ['house'] }));
    expect(from(events).drafts).toEqual([]);
  });
});

describe('the target of an event', () => {
  const targetOf = (facts: Partial<EventRecord>, targets: string[] = []) =>
    from(
      pooling.map((subject, at) => event(at + 1, subject, facts)),
      { targets },
    ).drafts.map(({ target }) => target);

  it('is the one it names, as it is known', () => {
    expect(targetOf({ targets: ['Data Base'] }, ['worker', 'data_base'])).toEqual(['data_base']);
  });

  it('is, of several, the one that most events name', () => {
    const events = pooling.map((subject, at) => event(at + 1, subject, { targets: [`a${at}`, 'shared'] }));
    expect(from(events).drafts.map(({ target }) => target)).toEqual(['shared']);
  });

  it('is else the longest known one that its text mentions', () => {
    expect(targetOf({}, ['postgres', 'Postgres_Connections', 'worke', 'pool of'])).toEqual(['Postgres_Connections']);
    expect(targetOf({ detail: 'See core/api.' }, ['core_api', 'post', 'the'])).toEqual(['core_api']);
  });

  it('is else the folder that holds most of its files', () => {
    expect(targetOf({ files: ['src/store/a/b.ts', 'src/store/c.ts', 'test/x.ts'] })).toEqual(['src/store']);
    expect(targetOf({ files: ['src/store/a.ts', 'src\\doors\\b.ts'] })).toEqual(['src']);
    expect(targetOf({ files: ['/../src/./store/a.ts'] })).toEqual(['src/store']);
  });

  it('is else made of what the events have in common', () => {
    const [target = ''] = targetOf({ files: ['README.md', 'a/b', 'c/d'] });
    expect(target).toMatch(/^\w+_\w+(_\w+)?$/);
    expect(target.split('_').every((word) => ['pool', 'postgres', 'connections', 'worker'].includes(word))).toBe(true);
  });

  it('is not taken from what objects carry by nature', () => {
    expect(targetOf({ targets: ['__proto__'] })).toEqual(['__proto__']);
  });
});

describe('a proposal', () => {
  const confidence = (events: EventRecord[]) => from(events).drafts[0]?.confidence ?? Number.NaN;
  const same = (count: number, facts: Partial<EventRecord> = {}) =>
    Array.from({ length: count }, (_, at) => event(at + 1, pooling[0] ?? '', { targets: ['database'], ...facts }));

  it('is surer with more events, less sure with failures and a wider wording', () => {
    expect(confidence(same(30))).toBeGreaterThan(confidence(same(3)));
    const failing = same(6).map((each) => ({ ...each, success: each.id > 2 }));
    expect(confidence(failing)).toBeLessThan(confidence(same(6)));
    expect(confidence(onDatabase)).toBeLessThan(confidence(same(3)));
    expect(confidence(same(30, { success: false }))).toBe(0.3);
    expect(confidence(same(2000))).toBeLessThanOrEqual(0.95);
  });

  it('suggests to replace the active decisions of its target that say the same', () => {
    const long =
      'A long reason about budgets, hosting, contracts, vendors, regions, audits, quotas and many other matters.';
    const records = [
      record('same', { title: 'Pool the postgres connections' }),
      record('reasoned', { title: 'Pool postgres connections of the worker', text: long, target: 'Database' }),
      record('different', { title: 'Keep backups for thirty days', text: 'The auditors ask for it.' }),
      record('elsewhere', { title: 'Pool the postgres connections', target: 'reports' }),
      record('open', { title: 'Pool the postgres connections', kind: 'proposal', status: 'proposed' }),
    ];
    expect(from(onDatabase, { records }).drafts[0]?.suggestedSupersedes).toEqual(['reasoned', 'same']);
  });

  it('takes what others wrote as data: one line, cut at a word, without control characters', () => {
    const nasty = `Pool postgres connections\n---\n# Heading \u0007\u202e\u2028 of the worker ${'again and '.repeat(40)}`;
    const events = [1, 2, 3].map((id) => event(id, nasty, { targets: ['database'] }));
    const [draft] = from(events).drafts;
    expect(draft?.title).toMatch(/^Pool postgres connections --- # Heading of the worker again .* (?:again|and)…$/);
    expect(draft?.title.length).toBeLessThanOrEqual(120);
    const lines = draft?.rationale.split('\n') ?? [];
    expect(lines).toHaveLength(5);
    expect(lines.slice(2).every((line) => line.startsWith('- event '))).toBe(true);
  });

  it('has a title where the events have no subject, and cuts no character in two', () => {
    const silent = pooling.map((detail, at) => event(at + 1, ' ', { detail, targets: ['database'] }));
    expect(from(silent).drafts[0]?.title).toMatch(/postgres/);
    const events = [1, 2, 3].map((id) => event(id, '😀'.repeat(200), { detail: pooling[0] ?? '', targets: ['x'] }));
    expect(from(events).drafts[0]?.title).toBe(`${'😀'.repeat(59)}…`);
  });

  it('shows five of many events', () => {
    expect(from(same(9)).drafts[0]?.rationale.match(/^- event /gm)).toHaveLength(5);
  });
});

describe('events that speak for something already', () => {
  const later = event(9, 'Pool postgres connections in the worker once more', { targets: ['database'] });
  const links = [1, 2, 3].map((id) => link(id, 'p'));
  const status = (given: string) => [record('p', { kind: 'proposal', status: given })];

  it('make no second proposal', () => {
    expect(from(onDatabase, { links, records: status('proposed') })).toEqual({ drafts: [], growth: [] });
    expect(from(onDatabase, { links: links.map((each) => ({ ...each, decision: 'gone' })) }).drafts).toEqual([]);
  });

  it('draw new ones to an open proposal, which is surer then', () => {
    const { drafts, growth } = from([...onDatabase, later], { links, records: status('proposed') });
    expect(drafts).toEqual([]);
    expect(growth).toEqual([{ proposal: 'p', evidence: [9], confidence: expect.any(Number) }]);
    expect(growth[0]?.confidence).toBeGreaterThan(from(onDatabase).drafts[0]?.confidence ?? 1);
  });

  it.each(['accepted', 'rejected'])('do not count where the proposal was %s', (given) => {
    const records = status(given);
    const fresh = [later, { ...later, id: 10 }, { ...later, id: 11 }];
    expect(from([...onDatabase, ...fresh.slice(1)], { links, records })).toEqual({ drafts: [], growth: [] });
    const { drafts } = from([...onDatabase, ...fresh], { links, records });
    expect(drafts.map(({ evidence }) => evidence)).toEqual([[9, 10, 11]]);
  });

  it('draw to the proposal that most of them speak for, the first by name of equals', () => {
    const records = ['a', 'b', 'c'].map((id) => record(id, { kind: 'proposal', status: 'proposed' }));
    const to = (...ids: string[]) => ids.map((id, at) => link(at + 1, id));
    const grown = (given: EventLink[]) =>
      from([...onDatabase, later], { records, links: given }).growth.map(({ proposal: id }) => id);
    expect(grown(to('a', 'c', 'c'))).toEqual(['c']);
    expect(grown(to('c', 'b', 'a').reverse())).toEqual(['a']);
  });
});

// ── whatever the events ──────────────────────────────────────────────────────────────────────────────────────────────

/** Few words and names, so that clusters form, overlap and mention each other's targets. */
const vocabulary = 'pool postgres worker key rotate sign chart render cache redis retry login timeout queue'.split(' ');
const few = (words: readonly string[], minLength: number, maxLength: number) =>
  fc.array(fc.constantFrom(...words), { minLength, maxLength }).map((chosen) => chosen.join(' '));
const topics = [vocabulary.slice(0, 5), vocabulary.slice(3, 8), vocabulary.slice(9)];
const sentence = fc.oneof(
  ...topics.map((topic) =>
    fc.tuple(few(topic, 4, 8), few([...vocabulary, 'the'], 0, 2)).map((parts) => parts.join(' ')),
  ),
  few(vocabulary, 1, 9),
  fc.string({ unit: 'grapheme' }),
);
const name = fc.constantFrom(
  'database',
  'pool_postgres',
  'Key Rotate',
  'src/store',
  'login-timeout',
  '__proto__',
  'chart',
);
const file = fc.constantFrom('src/store/a.ts', 'src/store/b.ts', 'src/doors/a.ts', 'docs/x.md', 'README.md', 'a\\b\\c');
const someEvent = fc.record({
  subject: sentence,
  detail: fc.oneof(fc.constant(''), sentence),
  kind: fc.constantFrom<EventKind>('interaction', 'commit', 'error', 'decision'),
  targets: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(name, { maxLength: 2 })),
  files: fc.oneof(fc.constant([]), fc.array(file, { maxLength: 3 })),
  success: fc.boolean(),
  day: fc.integer({ min: 1, max: 28 }),
});
const someInput = fc
  .record({
    drawn: fc.array(someEvent, { maxLength: 60, size: 'max' }),
    targets: fc.array(name, { maxLength: 3 }),
    statuses: fc.array(fc.constantFrom('proposed', 'accepted', 'rejected'), { maxLength: 4 }),
    decisions: fc.array(fc.record({ target: name, title: sentence }), { maxLength: 3 }),
    linked: fc.array(fc.tuple(fc.nat(59), fc.nat(7)), { maxLength: 15 }),
  })
  .map(({ drawn, targets, statuses, decisions, linked }): ReflectionInput => {
    const records = [
      ...statuses.map((status, at) => record(`p${at}`, { kind: 'proposal', status, target: vocabulary[at] ?? '' })),
      ...decisions.map((facts, at) => record(`d${at}`, facts)),
    ];
    return {
      events: drawn.map(({ day: on, ...facts }, at) => ({ ...event(at + 1, ''), ...facts, created: day(on) })),
      links: linked.map(([at, to]) => link(at + 1, records[to]?.id ?? 'forgotten')),
      records,
      targets,
      now: day(28),
    };
  });

describe('reflecting', () => {
  it('again on what came of it finds nothing', () => {
    let made = 0;
    fc.assert(
      fc.property(someInput, fc.boolean(), (input, withTargets) => {
        const after = applied(input, withTargets);
        made += after.records.length - input.records.length;
        expect(reflect(after)).toEqual({ drafts: [], growth: [] });
      }),
      { numRuns: 1000 },
    );
    expect(made).toBeGreaterThan(300);
  });

  it('does not depend on the order of anything', () => {
    const shuffled = someInput.chain((input) =>
      fc.record({
        input: fc.constant(input),
        other: fc.record({
          events: fc.shuffledSubarray([...input.events], { minLength: input.events.length }),
          links: fc.shuffledSubarray([...input.links], { minLength: input.links.length }),
          records: fc.shuffledSubarray([...input.records], { minLength: input.records.length }),
          targets: fc.shuffledSubarray([...input.targets], { minLength: input.targets.length }),
          now: fc.constant(input.now),
        }),
      }),
    );
    fc.assert(
      fc.property(shuffled, ({ input, other }) => {
        expect(reflect(other)).toEqual(reflect(input));
      }),
      { numRuns: 300 },
    );
  });

  it('uses fresh events only, each for one thing, three for a draft', () => {
    fc.assert(
      fc.property(someInput, (input) => {
        const { drafts, growth } = reflect(input);
        const used = [...drafts, ...growth].flatMap(({ evidence }) => evidence);
        expect(new Set(used).size).toBe(used.length);
        expect(used.filter((id) => input.links.some((each) => each.event === id))).toEqual([]);
        expect(used.filter((id) => input.events.some((each) => each.id === id && each.kind === 'decision'))).toEqual(
          [],
        );
        for (const { evidence, confidence, title, target } of drafts) {
          expect(evidence.length).toBeGreaterThanOrEqual(3);
          expect(confidence).toBeGreaterThanOrEqual(0.3);
          expect(confidence).toBeLessThanOrEqual(0.95);
          expect([title.trim(), target.trim()]).not.toContain('');
          expect(title.length).toBeLessThanOrEqual(120);
        }
        const open = input.records.filter(({ status }) => status === 'proposed').map(({ id }) => id);
        for (const { proposal: id } of growth) expect(open).toContain(id);
      }),
      { numRuns: 300 },
    );
  });

  it('looks at the newest two thousand', () => {
    const many = Array.from({ length: 2000 }, (_, at) =>
      event(at + 100, 'render charts without any canvas', { targets: ['ui'] }),
    );
    const { drafts } = from([...onDatabase, ...many]);
    expect(drafts.map(({ target, evidence }) => [target, evidence.length])).toEqual([['ui', 2000]]);
  });
});
