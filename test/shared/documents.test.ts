/** The search index of documents: what the embedded store promises, PostgreSQL keeps as well. Both answer the same questions here. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ContentText, DocumentIndex, PlaceFilter, Sought } from '../../src/store/document-index.ts';
import type { DocumentChange } from '../../src/store/documents.ts';
import { EmbeddedDocumentIndex } from '../../src/store/embedded/document-index.ts';
import { IndexDatabase } from '../../src/store/embedded/index-database.ts';
import { sha256 } from '../../src/store/hash.ts';
import { storeAddress } from '../../src/store/shared/address.ts';
import { SharedDatabase } from '../../src/store/shared/database.ts';
import { SharedDocumentIndex } from '../../src/store/shared/document-index.ts';
import { documentTexts, sharedVectors } from '../../src/store/shared/vectors.ts';
import { freshHome } from '../support/home.ts';
import { freshCatalog, type TestServer, testServer } from '../support/postgres.ts';

let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server?.stop());

function sharedIndex(catalog = freshCatalog()): SharedDocumentIndex {
  const address = storeAddress(server.url, catalog);
  const database = new SharedDatabase({ address, connections: 4, statementMs: 20_000, lockWaitMs: 20_000 });
  onTestFinished(() => database.close());
  return new SharedDocumentIndex(database, sharedVectors(database, documentTexts));
}

async function embeddedIndex(): Promise<EmbeddedDocumentIndex> {
  const database = new IndexDatabase(await freshHome(), 1000);
  onTestFinished(() => database.close());
  return new EmbeddedDocumentIndex(database);
}

const engines: [string, () => Promise<DocumentIndex>][] = [
  ['embedded', embeddedIndex],
  ['PostgreSQL', async () => sharedIndex()],
];

interface Written extends Partial<Omit<ContentText, 'hash' | 'text'>> {
  readonly path: string;
  readonly text: string;
  readonly collection?: string;
  readonly kind?: 'text' | 'binary';
  readonly tags?: readonly string[];
  readonly modified?: string;
}

const TIME = '2025-01-01T00:00:00.000Z';
const hashOf = ({ title = '', text }: Written) => sha256(`${title}\n${text}`);

function changeOf(seq: number, id: number, written: Written | undefined): DocumentChange {
  if (written === undefined) return { seq, id };
  const { path, collection = 'default', kind = 'text', tags = [], modified = TIME } = written;
  const hash = hashOf(written);
  const document = { id, collection, path, hash, size: 1, kind, mime: 'text/plain', tags, metadata: {} };
  return { seq, id, document: { ...document, created: TIME, modified, indexed: TIME } };
}

function textOf(written: Written): ContentText {
  const { title, text, extracted = false, letters, partial = false, problem } = written;
  return {
    hash: hashOf(written),
    text,
    extracted,
    partial,
    ...(title !== undefined && { title }),
    ...(letters !== undefined && { letters }),
    ...(problem !== undefined && { problem }),
  };
}

/** Documents with the ids 1, 2, … in one step. */
async function filled(open: () => Promise<DocumentIndex>, documents: readonly Written[]): Promise<DocumentIndex> {
  const index = await open();
  const changes = documents.map((each, at) => changeOf(at + 1, at + 1, each));
  expect(await index.follow(0, changes, documents.map(textOf))).toBe(true);
  return index;
}

const asked = (words: string, more: Partial<Sought> = {}): Sought => ({
  words: words === '' ? [] : words.split(' '),
  pairs: [],
  required: [],
  excluded: [],
  names: 0.5,
  ...more,
});

describe.each(engines)('the index of documents on %s', (_, open) => {
  it('follows changes from where it stands, and refuses any other step', async () => {
    const index = await open();
    const [one, two] = [
      { path: 'one.md', text: 'whales and tides' },
      { path: 'two.md', text: 'harbours' },
    ];
    expect(await index.seq()).toBe(0);
    expect(await index.follow(3, [changeOf(4, 1, one)], [textOf(one)])).toBe(false);
    expect(await index.follow(0, [changeOf(1, 1, one), changeOf(2, 2, two)], [textOf(one)])).toBe(false);
    expect(await index.counts()).toEqual({ contents: 0, problems: 0 });
    expect(await index.follow(0, [changeOf(1, 1, one), changeOf(2, 2, two)], [one, two].map(textOf))).toBe(true);
    expect(await index.follow(0, [changeOf(1, 1, one)], [textOf(one)])).toBe(false);
    expect(await index.seq()).toBe(2);
    expect(await index.lacking([hashOf(one), 'f'.repeat(64), hashOf(two), 'f'.repeat(64)])).toEqual(['f'.repeat(64)]);
    // A content that it has already needs no text.
    expect(await index.follow(2, [changeOf(3, 3, { ...one, path: 'copy.md' })], [])).toBe(true);
    expect(await index.follow(3, [], [])).toBe(true);
    expect(await index.seq()).toBe(3);
  });

  it('forgets a content with its last place, and moves one between paths in the same step', async () => {
    const one = { path: 'a.md', text: 'whales sing' };
    const index = await filled(open, [one, { ...one, path: 'b.md' }, { path: 'c.md', text: 'tides' }]);
    expect(await index.follow(3, [changeOf(4, 1, undefined)], [])).toBe(true);
    expect((await index.matching(asked('whales'), {}, 10)).total).toBe(1);
    // What the one leaves, the other takes up.
    const moved = [changeOf(5, 2, { path: 'b.md', text: 'tides' }), changeOf(6, 3, { ...one, path: 'c.md' })];
    expect(await index.follow(4, moved, [])).toBe(true);
    const places = await index.places([hashOf(one)], {}, 10);
    expect(places).toEqual([{ id: 3, hash: hashOf(one) }]);
    expect(await index.follow(6, [changeOf(7, 3, undefined)], [])).toBe(true);
    expect(await index.lacking([hashOf(one)])).toEqual([hashOf(one)]);
    expect(await index.unknown(['whales', 'tides'])).toEqual(['whales']);
    expect((await index.matching(asked('whales'), {}, 10)).found).toEqual([]);
    expect(await index.counts()).toEqual({ contents: 1, problems: 0 });
    await index.reset();
    expect(await index.seq()).toBe(0);
    expect(await index.counts()).toEqual({ contents: 0, problems: 0 });
    expect((await index.matching(asked('tides'), {}, 10)).total).toBe(0);
    expect(await index.unknown(['tides'])).toEqual(['tides']);
    const again = { path: 'c.md', text: 'tides' };
    expect(await index.follow(0, [changeOf(1, 1, again)], [textOf(again)])).toBe(true);
    expect((await index.matching(asked('tides'), {}, 10)).total).toBe(1);
  });

  it('keeps titles, extracted texts and problems, with characters that no database takes', async () => {
    const odd = 'a\0b \ud800 é 😀 \\ \' " {1,2}';
    const index = await filled(open, [
      { path: 'a.pdf', kind: 'binary', title: odd, text: odd, extracted: true, problem: `cut ${odd}`, partial: true },
      { path: 'b.txt', text: odd },
      { path: 'empty.txt', text: '' },
    ]);
    const kept = await index.kept(hashOf({ path: '', title: odd, text: odd }));
    const readable = odd.replace('\0', '\ufffd').replace('\ud800', '\ufffd');
    expect(kept?.title).toBe(readable);
    expect(kept?.problem).toBe(`cut ${readable}`);
    expect(kept?.text?.startsWith('a\0b')).toBe(true);
    expect(await index.kept(hashOf({ path: '', text: odd }))).toEqual({});
    expect(await index.kept('f'.repeat(64))).toBeUndefined();
    expect((await index.unreadable({}, 10)).map(({ path, problem }) => [path, problem])).toEqual([
      ['a.pdf', `cut ${readable}`],
    ]);
    expect(await index.unreadable({ collection: 'other' }, 10)).toEqual([]);
    expect(await index.counts()).toEqual({ contents: 3, problems: 1 });
  });

  it('narrows by everything that a place has, before it ranks', async () => {
    const index = await filled(open, [
      { path: 'src/a.ts', text: 'tide one', tags: ['x', "it's"] },
      { path: 'src/deep/b.md', text: 'tide two', collection: 'apart', modified: '2025-03-01T00:00:00.000Z' },
      { path: 'src0/c.MD', text: 'tide three', tags: ['y'] },
      { path: 'src', text: 'tide four', kind: 'binary', extracted: true },
    ]);
    const found = async (filter: PlaceFilter) => {
      const { found: matches, total } = await index.matching(asked('tide', { names: 0 }), filter, 10);
      const ids = (await index.places([...matches.map(({ hash }) => hash)].sort(), filter, 10)).map(({ id }) => id);
      expect(total).toBe(ids.length);
      const allowed = await index.allowed(asked('tide'), filter);
      expect(allowed === undefined ? 4 : allowed.size).toBe(ids.length);
      return ids.sort();
    };
    expect(await found({})).toEqual([1, 2, 3, 4]);
    expect(await found({ collection: 'apart' })).toEqual([2]);
    expect(await found({ kind: 'binary' })).toEqual([4]);
    expect(await found({ extension: '.md' })).toEqual([2, 3]);
    expect(await found({ tag: "it's" })).toEqual([1]);
    expect(await found({ below: ['src'] })).toEqual([1, 2, 4]);
    expect(await found({ below: [] })).toEqual([]);
    expect(await found({ below: ['src0', 'src/deep'] })).toEqual([2, 3]);
    expect(await found({ ids: [3, 1, 99] })).toEqual([1, 3]);
    expect(await found({ after: '2025-02-01' })).toEqual([2]);
    expect(await found({ before: '2025-02-01' })).toEqual([1, 3, 4]);
    expect(await found({ fits: (path) => path.endsWith('c.MD') || path === 'src' })).toEqual([3, 4]);
    expect(await found({ fits: (path) => path !== 'src', ids: [2, 4] })).toEqual([2]);
    expect(await index.places([], {}, 10)).toEqual([]);
  });

  it('finds phrases, prefixes and fields, and leaves out what is excluded', async () => {
    const index = await filled(open, [
      { path: '1', title: 'Harbour lights', text: 'the tide comes in' },
      { path: '2', text: `harbour lights are dim\n\n${'waves roll on. '.repeat(400)}\n\nand a whale sings` },
      { path: '3', text: 'lights of the harbour; configuration of parseHTMLPage' },
      { path: '4', text: 'configure the tides' },
    ]);
    const found = async (more: Partial<Sought>, words = '') => {
      const { found: matches } = await index.matching(asked(words, more), {}, 10);
      return (await index.places(matches.map(({ hash }) => hash).sort(), {}, 10)).map(({ id }) => id).sort();
    };
    expect(await found({ required: [{ text: 'harbour lights' }] })).toEqual([1, 2]);
    expect(await found({ required: [{ text: 'harbour lights', field: 'title' }] })).toEqual([1]);
    expect(await found({ required: [{ text: 'lights', field: 'body' }] })).toEqual([1, 2, 3].slice(1));
    expect(await found({ required: [{ text: 'conf', prefix: true }] })).toEqual([3, 4]);
    expect(await found({ required: [{ text: 'harbour li', prefix: true }] })).toEqual([1, 2]);
    expect(await found({ required: [{ text: '++' }] }, 'tide')).toEqual([]);
    // A section holds the one, another one the other.
    expect(await found({ required: [{ text: 'harbour' }, { text: 'whale' }] })).toEqual([2]);
    expect(await found({ excluded: [{ text: 'whale' }, { text: 'tide' }] }, 'harbour lights')).toEqual([3]);
    expect(await found({ excluded: [{ text: 'lights of' }] }, 'harbour')).toEqual([1, 2]);
    expect(await found({}, 'html')).toEqual([3]);
    expect(await found({}, 'nothing holds this')).toEqual([]);
    const allowed = await index.allowed(asked('', { required: [{ text: 'harbour' }] }), {});
    expect(allowed?.size).toBe(3);
    expect(await index.allowed(asked('tide'), {})).toBeUndefined();
  });

  it('ranks titles, neighbours and names, shows the best sections, and stops counting', async () => {
    const filler = (at: number) => ({ path: `filler/${at}.md`, text: `tide of many waters ${at}` });
    const index = await filled(open, [
      ...Array.from({ length: 1200 }, (_, at) => filler(at)),
      { path: 'x/harbour-master.md', text: 'nothing of it' },
      { path: 'y.md', title: 'Harbour master', text: 'who rules the port' },
      { path: 'z.md', text: `${'quiet waters. '.repeat(400)}\n\nthe harbour has a master\n\n${'calm. '.repeat(900)}` },
      { path: 'w.md', text: 'a harbour master decides' },
    ]);
    const sought = asked('harbour master', { pairs: ['harbour master'] });
    const { found, total, atLeast } = await index.matching(sought, {}, 10);
    expect(total).toBe(4);
    expect(atLeast).toBeUndefined();
    const ids = (
      await index.places(
        found.map(({ hash }) => hash),
        {},
        10,
      )
    ).map(({ id }) => id);
    expect(ids).toEqual([1202, 1204, 1201, 1203]);
    expect(found[0]?.parts.pairs).toBeGreaterThan(0);
    expect(found[2]?.parts.path).toBeGreaterThan(0.5);
    expect(found[3]?.sections[0]).toBeGreaterThan(0);
    const many = await index.matching(asked('tide'), {}, 10);
    expect(many.atLeast).toBe(true);
    expect(many.total).toBe(1000);
    expect(many.found).toHaveLength(10);
  });

  it('names the candidates of grep in order, page by page, and those it cannot rule out', async () => {
    const documents: Written[] = Array.from({ length: 60 }, (_, at) => ({
      path: `${String(at).padStart(3, '0')}.txt`,
      collection: at % 2 === 0 ? 'even' : 'odd',
      text: at % 3 === 0 ? `x${at} MARK_me(${at})` : `y${at}`,
    }));
    const index = await filled(open, [
      ...documents,
      { path: 'long.txt', text: 'beginning only', partial: true, collection: 'odd' },
      { path: 'p.html', text: 'read', letters: '<b>mark_ME(</b>', collection: 'odd' },
      { path: 'binary', text: 'mark_me(', kind: 'binary', collection: 'odd' },
    ]);
    const all: string[] = [];
    for (let after: { collection: string; path: string } | undefined; ; ) {
      const page = await index.holding([['mark_me(']], {}, after, 7);
      all.push(...page.map(({ path }) => path));
      after = page.at(-1);
      if (page.length < 7) break;
    }
    const fitting = (rest: number) =>
      documents.map(({ path }) => path).filter((_, at) => at % 3 === 0 && at % 2 === rest);
    expect(all).toEqual([...fitting(0), ...fitting(1), 'long.txt', 'p.html']);
    const names = async (alternatives: string[][], filter: PlaceFilter = { collection: 'odd' }) =>
      (await index.holding(alternatives, filter, undefined, 100)).map(({ path }) => path);
    expect(await names([['x3 ', 'mark_me'], ['x9 ']])).toEqual(['003.txt', '009.txt', 'long.txt']);
    expect(await names([['nowhere at all']])).toEqual(['long.txt']);
    expect(await names([['é'], ['mark']])).toHaveLength(32);
    expect(await names([['mark_me']], { fits: (path) => path < '005' })).toEqual(['000.txt', '003.txt']);
  });

  it('knows which words there are, and those that one may have meant', async () => {
    const index = await filled(open, [
      { path: 'notes/architecture.md', title: 'Zürich', text: 'The harbour harbours whales; parseHTMLPage' },
      { path: 'b.md', text: 'harbors and whales and Zürich' },
    ]);
    expect(await index.unknown(['harbour', 'whale', 'architecture', 'hrbour', 'zurich'])).toEqual(['hrbour']);
    expect(await index.spelledLike('whlaes', 10)).toEqual(['whales']);
    expect(await index.spelledLike('architechture', 10)).toEqual(['architecture']);
    expect(await index.spelledLike('zurich', 10)).toEqual(['zürich']);
    expect(await index.spelledLike('prase', 10)).toEqual(['parse']);
    expect(await index.spelledLike('qqqqqq', 10)).toEqual([]);
    expect(await index.follow(2, [changeOf(3, 1, undefined)], [])).toBe(true);
    expect(await index.spelledLike('architechture', 10)).toEqual([]);
  });
});

describe('the index of documents on PostgreSQL', () => {
  it('ranks as the embedded one does', async () => {
    const vocabulary = Array.from({ length: 400 }, (_, at) => `w${(at * 7919).toString(36)}`);
    let seed = 11;
    const chance = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    // Some words are common, most are rare, as in any text.
    const word = () => vocabulary[Math.floor(400 * chance() ** 3)] ?? '';
    const words = (count: number) => Array.from({ length: count }, word).join(' ');
    const documents = Array.from({ length: 300 }, (_, at) => ({
      path: `${words(1)}/${at}.md`,
      title: words(3),
      text: words(20 + Math.floor(200 * chance())),
    }));
    const [embedded, shared] = await Promise.all(engines.map(([, open]) => filled(open, documents)));
    let [same, all] = [0, 0];
    for (let at = 0; at < 60; at++) {
      const own = [...new Set(words(4).split(' '))];
      const sought = asked(own.join(' '), { pairs: own.slice(1).map((each, before) => `${own[before]} ${each}`) });
      const answers = await Promise.all([embedded, shared].map((index) => index?.matching(sought, {}, 300)));
      const [one = [], other = []] = answers.map((answer) => answer?.found.slice(0, 10).map(({ hash }) => hash));
      expect(answers[1]?.total).toBe(answers[0]?.total);
      all += one.length;
      same += one.filter((hash) => other.includes(hash)).length;
      const [best, like] = answers.map((answer) => answer?.found[0]?.score ?? 0);
      expect(Math.abs((like ?? 0) / (best ?? 1) - 1)).toBeLessThan(0.1);
    }
    expect(same / all).toBeGreaterThan(0.95);
  });

  it('misses no document that grep would find', async () => {
    const letter = fc.constantFrom(...'abAB_.\\\'"{}, %é\u212aſ\n0');
    const texts = fc.array(fc.string({ unit: letter, maxLength: 30 }), { minLength: 1, maxLength: 8 });
    const pieces = fc.array(fc.string({ unit: letter, minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(texts, pieces, async (written, alternatives) => {
        const unique = [...new Set(written)];
        const index = await filled(
          async () => sharedIndex(),
          unique.map((text, at) => ({ path: `${at}`, text })),
        );
        const candidates = await index.holding(
          alternatives.map((piece) => [piece]),
          {},
          undefined,
          100,
        );
        const found = new Set(candidates.map(({ path }) => Number(path)));
        for (const [at, text] of unique.entries())
          if (alternatives.some((piece) => new RegExp(escaped(piece), 'iu').test(text))) expect(found).toContain(at);
      }),
      { numRuns: 30 },
    );
  });

  it('answers words that are everywhere by a title, then the newest; and narrowed, however old', {
    timeout: 120_000,
  }, async () => {
    const [MANY, TITLED] = [21_000, 17];
    const documents = Array.from({ length: MANY }, (_, at) => ({
      path: `${at + 1}.txt`,
      collection: at === 4 ? 'apart' : 'default',
      // The last speaks of harbours only, and one of whales.
      text: `${at + 1 === MANY ? 'harbour' : 'tide and harbour'} ${at === 2 ? 'whale' : ''} n${at}`,
      ...(at + 1 === TITLED && { title: 'Tide and harbour' }),
    }));
    const index = await filled(async () => sharedIndex(), documents);
    const found = async (filter: PlaceFilter = {}, ...required: string[]) => {
      const sought = asked('tide harbour', { names: 0, required: required.map((text) => ({ text })) });
      const answer = await index.matching(sought, filter, 10);
      const hashes = answer.found.map(({ hash }) => hash);
      return { ...answer, ids: (await index.places(hashes, filter, 10)).map(({ id }) => id) };
    };
    const { ids, atLeast, found: matches } = await found();
    expect(ids).toEqual([TITLED, ...Array.from({ length: 9 }, (_, at) => MANY - 1 - at)]);
    expect(atLeast).toBe(true);
    expect(matches.map(({ score }) => score)).toEqual([1.5, ...Array(9).fill(1)]);
    expect((await found({ collection: 'apart' })).ids).toEqual([5]);
    expect((await found({ fits: (path) => path === '9.txt' })).ids).toEqual([9]);
    expect((await found({}, 'whale')).ids).toEqual([3]);
  });

  it('goes through all documents where very many hold the letters', { timeout: 120_000 }, async () => {
    const MANY = 11_000;
    const documents = Array.from({ length: MANY }, (_, at) => ({
      path: `${String(at).padStart(5, '0')}`,
      text: at % 20 === 0 ? `none ${at}` : `mark ${at}`,
    }));
    const index = await filled(async () => sharedIndex(), documents);
    const all: string[] = [];
    for (let after: { collection: string; path: string } | undefined; ; ) {
      const page = await index.holding([['MARK']], {}, after, 2500);
      all.push(...page.map(({ path }) => path));
      after = page.at(-1);
      if (page.length < 2500) break;
    }
    expect(all).toEqual(documents.filter(({ text }) => text.startsWith('mark')).map(({ path }) => path));
  });

  it('lets one of two followers make a step, and keeps catalogs apart', async () => {
    const catalog = freshCatalog();
    const [one, two, other] = [sharedIndex(catalog), sharedIndex(catalog), sharedIndex()];
    for (let at = 0; at < 10; at++) {
      const written = { path: `${at}.md`, text: `tide number ${at}` };
      const step = [changeOf(at + 1, at + 1, written)];
      const done = await Promise.all([one, two].map((index) => index.follow(at, step, [textOf(written)])));
      expect(done.filter((each) => each)).toHaveLength(1);
    }
    expect((await two.matching(asked('tide'), {}, 50)).total).toBe(10);
    expect(await other.counts()).toEqual({ contents: 0, problems: 0 });
    expect((await other.matching(asked('tide'), {}, 50)).total).toBe(0);
    expect(await other.spelledLike('numbre', 5)).toEqual([]);
    expect(await other.holding([['tide']], {}, undefined, 5)).toEqual([]);
  });
});

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
