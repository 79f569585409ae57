/** Instructions, decisions and events found by their words: PostgreSQL answers what the embedded store answers, in its order. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventDraft, IndexedDecision, IndexedFile } from '../../src/store/store.ts';
import { noTerms, type Terms } from '../../src/store/terms.ts';
import { type TestServer, testServer } from '../support/postgres.ts';
import { Both, openDatabase, sharedIndexes } from '../support/two-engines.ts';

let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server?.stop());

const vocabulary = (
  'error errors wrapping wrapped cache caching cached token tokens rotate rotation deploy deployment deployed test testing tests ' +
  'database migration migrations schema query queries index indexing log logging retry retries timeout user users naïve café ' +
  'Straße Привет parseConfig http2 sha256 snake_case a an the of and to in is it for with on as by'
).split(' ');

/** The same numbers in every run. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

function textOf(next: () => number, words: number): string {
  // The first words are the rare ones.
  const pick = () => vocabulary[Math.floor(vocabulary.length * Math.sqrt(next()))] ?? 'error';
  return Array.from({ length: words }, pick).join(next() < 0.3 ? ', ' : ' ');
}

function instruction(next: () => number, at: number): IndexedFile {
  const [title, body] = [textOf(next, 3), textOf(next, 5 + Math.floor(next() * 80))];
  return {
    name: `i${at}.json`,
    id: `i${at}`,
    size: body.length,
    modifiedMs: at + 0.5,
    head: JSON.stringify({ head: { status: 'approved' } }),
    title,
    body,
    metaHash: `m${at}`,
  };
}

function decision(next: () => number, at: number): IndexedDecision {
  const [title, body] = [textOf(next, 4), textOf(next, 5 + Math.floor(next() * 60))];
  const target = `src/${vocabulary[at % 9]}/File_${at % 7}.ts`;
  const facts = {
    id: `d${String(at).padStart(4, '0')}`,
    kind: at % 5 === 0 ? 'note' : 'decision',
    status: at % 3 === 0 ? 'superseded' : 'active',
    namespace: at % 2 === 0 ? 'one' : 'two',
    target,
    targetKey: target.toLowerCase(),
    title,
    created: `2026-01-01T00:00:${String(at % 40).padStart(2, '0')}.000Z`,
    head: JSON.stringify({
      ...(at % 6 === 0 && { supersededBy: `d${String(at + 1).padStart(4, '0')}` }),
      ...(at % 6 === 1 && at % 4 === 1 && { supersedes: [`d${String(at - 1).padStart(4, '0')}`] }),
    }),
  };
  return { name: `${facts.id}.md`, size: body.length, modifiedMs: at, facts, body };
}

const questions: string[][] = [
  ['error', 'wrapped'],
  ['caches', 'tokens', 'rotating'],
  ['unknownword', 'deploying'],
  ['the'],
  ['naive', 'cafe', 'strasse'],
  ['sha256', 'snake', 'привет'],
  [],
];

const narrow: Terms[] = [
  noTerms,
  { required: [{ text: 'errors' }], excluded: [] },
  { required: [{ text: 'data', prefix: true }], excluded: [{ text: 'tests' }] },
  { required: [], excluded: [{ text: 'the' }, { text: 'query' }] },
  { required: [{ text: 'cache', field: 'title' }], excluded: [] },
  { required: [{ text: 'nowhere' }], excluded: [] },
];

describe('instructions on PostgreSQL', () => {
  it('are found and ranked as in the embedded store', async () => {
    const both = await Both.open(server.url);
    const next = chance(1);
    const files = Array.from({ length: 150 }, (_, at) => instruction(next, at));
    await both.same(({ instructions }) => instructions.version());
    await both.same(({ instructions }) => instructions.update(files, []));
    for (const words of questions)
      for (const terms of narrow) {
        // A score counts what must be there in its own way.
        const order = terms.required.length === 0 || words.length === 0;
        const found = await both.same(async ({ instructions }) => {
          const matches = await instructions.matching(words, 200, terms);
          return order && terms.required.length === 0 ? matches : matches.map(({ id }) => id).sort();
        });
        if (words[0] === 'error' && terms === noTerms) expect(found.length).toBeGreaterThan(10);
        await both.same(({ instructions }) => instructions.allowed(terms));
      }
    const phrase: Terms = { required: [{ text: 'the of' }], excluded: [] };
    const held = await both.same(async ({ instructions }) => [...((await instructions.allowed(phrase)) ?? [])].sort());
    expect(held.length).toBeGreaterThan(0);
    const chosen = { ...noTerms, ids: ['i3', 'i4', 'i999'] };
    await both.same(({ instructions }) => instructions.allowed(chosen));
    await both.same(({ instructions }) => instructions.matching(['the', 'errors'], 10, chosen));
    await both.same(({ instructions }) =>
      instructions.coverage(['wrapping', 'the', 'zzz', 'café'], ['i1', 'i2', 'gone']),
    );
  });

  it('follow their files, and say what changed since', async () => {
    const both = await Both.open(server.url);
    const next = chance(2);
    const files = Array.from({ length: 12 }, (_, at) => instruction(next, at));
    const changes = async (version: number) => both.same(({ instructions }) => instructions.changesSince(version));
    await both.same(({ instructions }) => instructions.update(files, []));
    expect((await changes(0)).files).toHaveLength(12);
    await both.same(({ instructions }) => instructions.keepCatalogHash(1, 'abc'));
    expect(await both.same(({ instructions }) => instructions.catalogHash())).toBe('abc');
    const broken: IndexedFile = { name: 'i2.json', size: 3, modifiedMs: 9, problem: 'no JSON' };
    const again = { ...instruction(next, 1), body: 'Quite another_text 100% of it\\ ÄRGER' };
    await both.same(({ instructions }) => instructions.update([broken, again], ['i3.json', 'never.json']));
    expect(await both.same(({ instructions }) => instructions.catalogHash())).toBeUndefined();
    expect(await changes(1)).toMatchObject({ version: 2, removed: ['i3.json'] });
    expect(await changes(2)).toEqual({ version: 2, files: [], removed: [] });
    await changes(0);
    const ids = files.map(({ id = '' }) => id);
    await both.same(async ({ instructions }) => [...(await instructions.bodies(ids))].sort());
    for (const text of ['another_text', 'another%text', '100% of', 'it\\', 'ärger', 'QUITE', 'x', 'no JSON', '']) {
      const found = await both.same(({ instructions }) => instructions.containing(text, 50));
      if (text === 'ärger' || text === '100% of') expect(found).toEqual(['i1']);
    }
    await both.same(async ({ instructions }) => instructions.matching(['another'], 5));
    const hash = (await both.same(({ graph }) => graph.instructions(3, 1)))[0]?.hash ?? '';
    expect(await both.same(({ instructions }) => instructions.withHash(hash.slice(0, 12), 5))).toHaveLength(1);
    await both.same(({ instructions }) => instructions.update([files[3] as IndexedFile], []));
    expect(await changes(2)).toMatchObject({ files: [{ name: 'i3.json' }], removed: [] });
  });

  it('that are common everywhere are looked for among the newest', async () => {
    const both = await Both.open(server.url);
    const files = Array.from({ length: 4100 }, (_, at) => ({
      ...instruction(chance(at + 1), at),
      title: `t${at}`,
      body: `common ${'word '.repeat(1 + (at % 7))}`,
    }));
    await both.same(({ instructions }) => instructions.update(files, []));
    const found = await both.same(({ instructions }) => instructions.matching(['common', 'words'], 20));
    expect(found).toHaveLength(20);
  });

  it('count every word once for each text that holds it, whoever comes and goes', async () => {
    const database = openDatabase(server.url);
    const { instructions } = sharedIndexes(database);
    const next = chance(3);
    const files = Array.from({ length: 40 }, (_, at) => instruction(next, at));
    await instructions.update(files, []);
    await instructions.update(files.slice(0, 10), ['i11.json', 'i12.json']);
    const wrong = await database.rows.all(`SELECT * FROM
      (SELECT stem, count(*) AS texts FROM instruction_words, unnest(tsvector_to_array(words)) AS stem GROUP BY 1) AS held
      FULL JOIN (SELECT stem, texts FROM word_count WHERE shelf = 'instructions') AS kept USING (stem)
      WHERE held.texts IS DISTINCT FROM kept.texts`);
    expect(wrong).toEqual([]);
    const all = await database.rows.get('SELECT count(*) AS texts, sum(length) AS length FROM instruction_words');
    const kept = await database.rows.get("SELECT texts, length FROM word_shelf WHERE shelf = 'instructions'");
    expect(kept).toEqual(all);
    await instructions.update(
      [],
      files.map(({ name }) => name),
    );
    expect(await database.rows.all('SELECT * FROM word_count')).toEqual([]);
  });

  it('take any text that can be written', async () => {
    const { instructions } = sharedIndexes(openDatabase(server.url));
    const bodies = [
      Array.from({ length: 80_000 }, (_, at) => `w${at}`).join(' '),
      `${'x'.repeat(100_000)} ${'ü'.repeat(5000)} after`,
      'repeated '.repeat(40_000),
      "quote's \\ back\\slash 'q':1A & | ! <-> :* \u0000 \ud800 end",
      '',
    ];
    const files = bodies.map((body, at) => ({ ...instruction(chance(1), at), title: '', body }));
    await instructions.update(files, []);
    expect((await instructions.matching(['w16000'], 5)).map(({ id }) => id)).toEqual(['i0']);
    expect((await instructions.matching(['after'], 5)).map(({ id }) => id)).toEqual(['i1']);
    expect((await instructions.matching(['repeats'], 5)).map(({ id }) => id)).toEqual(['i2']);
    expect((await instructions.matching(['end', "'q':1A & ("], 5)).map(({ id }) => id)).toEqual(['i3']);
  });
});

describe('decisions on PostgreSQL', () => {
  it('answer as in the embedded store', async () => {
    const both = await Both.open(server.url);
    const next = chance(4);
    const files = Array.from({ length: 120 }, (_, at) => decision(next, at));
    const problem: IndexedDecision = { name: 'bad.md', size: 1, modifiedMs: 1, problem: 'no front matter' };
    await both.same(({ decisions }) => decisions.version());
    await both.same(({ decisions }) => decisions.update([...files, problem], []));
    await both.same(({ decisions }) => decisions.update(files.slice(3, 9), ['d0010.md', 'gone.md']));
    await both.same(({ decisions }) => decisions.version());
    const filters = [
      {},
      { namespace: 'one' },
      { namespace: 'two', kind: 'decision', statuses: ['active'] },
      { statuses: ['active', 'superseded'] },
      { statuses: [] },
      { namespace: 'one', targetKey: 'src/error/file_0.ts' },
      { targetKey: 'src/error/file_0.ts' },
      { namespace: 'none' },
    ];
    for (const filter of filters) {
      await both.same(({ decisions }) => decisions.list(filter, 30, 0));
      await both.same(({ decisions }) => decisions.list(filter, 5, 7));
      await both.same(({ decisions }) => decisions.count(filter));
      await both.same(({ decisions }) => decisions.contested(filter.namespace));
      await both.same(({ decisions }) => decisions.targets(filter.namespace));
      for (const words of questions) {
        await both.same(({ decisions }) => decisions.matching(words, filter, 200));
        await both.same(async ({ decisions }) => (await decisions.holding(words, filter, 500)).sort());
      }
      for (const terms of narrow) {
        await both.same(({ decisions }) => decisions.allowed(filter, terms));
        await both.same(async ({ decisions }) =>
          (await decisions.matching(['errors', 'file'], filter, 200, terms)).map(({ id }) => id).sort(),
        );
      }
    }
    const broken = await both.same(({ decisions }) => decisions.brokenLinks());
    expect(broken.length).toBeGreaterThan(3);
    await both.same(({ decisions }) => decisions.problems());
    await both.same(({ decisions }) => decisions.stamp('d0003.md'));
    await both.same(async ({ decisions }) => [...(await decisions.stamps())].sort());
    await both.same(({ decisions }) => decisions.targetCount('one'));
    await both.same(({ decisions }) => decisions.targetsEnding('one', 'file_0.ts', 4));
    await both.same(({ decisions }) => decisions.get(['d0001', 'd0010', 'd0002']));
    await both.same(({ decisions }) => decisions.bodies(['d0001', 'd0010', 'd0002']));
    await both.same(({ decisions }) => decisions.coverage(['file', 'errors', 'zzz'], ['d0001', 'd0010']));
    const missing = await both.same(({ decisions }) => decisions.vectors.missing('m', 3));
    expect(missing).toHaveLength(3);
  });
});

describe('events on PostgreSQL', () => {
  it('are found by their words as in the embedded store, until they are deleted', async () => {
    const both = await Both.open(server.url);
    const next = chance(5);
    const drafts = Array.from(
      { length: 80 },
      (_, at): EventDraft => ({
        namespace: at % 2 === 0 ? 'one' : 'two',
        session: `s${at % 4}`,
        kind: at % 3 === 0 ? 'error' : 'interaction',
        source: 'test',
        subject: textOf(next, 4),
        detail: textOf(next, Math.floor(next() * 40)),
        targets: [],
        files: [],
        success: true,
        created: '2026-01-01T00:00:00.000Z',
      }),
    );
    await both.same(({ events }) =>
      events(async (book) => {
        const added = [];
        for (const draft of [...drafts, ...drafts.slice(0, 3)]) added.push(await book.add(draft));
        return added;
      }),
    );
    const ask = async () => {
      for (const words of questions)
        for (const filter of [{}, { namespace: 'one' }, { kind: 'error' as const, after: 30 }])
          await both.same(({ events }) => events((book) => book.matching(words, filter, 100)));
    };
    await ask();
    await both.same(({ events }) =>
      events((book) => book.matching(['errors'], {}, 100, { required: [], excluded: [{ text: 'the' }] })),
    );
    await both.same(({ events }) =>
      events(async (book) => {
        const terms = { required: [{ text: 'token', field: 'subject' }], excluded: [] };
        return (await book.matching(['errors'], {}, 100, terms)).map(({ event }) => event.id).sort();
      }),
    );
    await both.same(({ events }) => events((book) => book.removeSession('two', 's1')));
    const found = await both.same(({ events }) =>
      events((book) => book.matching(['cache', 'tokens'], { namespace: 'two' }, 9)),
    );
    expect(found.every(({ event }) => event.session === 's3')).toBe(true);
  });
});
