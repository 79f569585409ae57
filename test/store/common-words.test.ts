/** Words that a great many texts hold: they are answered by the newest, and what narrows still narrows. */
import { expect, it, onTestFinished } from 'vitest';
import type { PlaceFilter } from '../../src/store/document-index.ts';
import type { DocumentChange } from '../../src/store/documents.ts';
import { openEmbedded } from '../../src/store/embedded/engine.ts';
import { freshHome } from '../support/home.ts';

/** More than are ranked for one question. */
const TEXTS = 21_000;
const TITLED = 17;

const hashOf = (number: number) => String(number).padStart(64, '0');

function change(number: number): DocumentChange {
  const time = '2025-01-01T00:00:00.000Z';
  const document = {
    id: number,
    collection: number === 5 ? 'apart' : 'default',
    path: `${number}.txt`,
    hash: hashOf(number),
    size: 10,
    kind: 'text' as const,
    mime: 'text/plain',
    tags: [],
    metadata: {},
    created: time,
    modified: time,
    indexed: time,
  };
  return { seq: number, id: number, document };
}

function textOf(number: number): string {
  // All speak of tides; the last of harbours only, and one of whales.
  const words = number === TEXTS ? 'harbour' : 'tide and harbour';
  return number === 3 ? `${words} whale` : words;
}

async function filledStore() {
  const store = openEmbedded({ home: await freshHome() });
  onTestFinished(() => store.close());
  const changes = Array.from({ length: TEXTS }, (_, at) => change(at + 1));
  const texts = changes.map(({ id }) => ({
    hash: hashOf(id),
    text: textOf(id),
    ...(id === TITLED && { title: 'Tide and harbour' }),
    extracted: false,
    partial: false,
  }));
  expect(await store.documents.follow(0, changes, texts)).toBe(true);
  return store;
}

it('answers words that are everywhere by a title, then the newest; and narrowed, however old', {
  timeout: 120_000,
}, async () => {
  const store = await filledStore();
  const found = async (filter: PlaceFilter = {}, ...required: string[]) => {
    const terms = required.map((text) => ({ text, prefix: false }));
    const sought = { words: ['tide', 'harbour'], pairs: [], required: terms, excluded: [], names: 0 };
    const answer = await store.documents.matching(sought, filter, 10);
    return { ...answer, numbers: answer.found.map(({ hash }) => Number(hash)) };
  };
  const { numbers, atLeast, found: matches } = await found();
  expect(numbers).toEqual([TITLED, ...Array.from({ length: 9 }, (_, at) => TEXTS - 1 - at)]);
  expect(atLeast).toBe(true);
  expect(matches.map(({ score }) => score)).toEqual([1.5, ...Array(9).fill(1)]);
  expect((await found({ collection: 'apart' })).numbers).toEqual([5]);
  expect((await found({ fits: (path) => path === '9.txt' })).numbers).toEqual([9]);
  expect((await found({}, 'whale')).numbers).toEqual([3]);
});
