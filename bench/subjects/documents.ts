/** Cairn with documents: Markdown of 1–2 KB each, stored and indexed for words and letters. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { followed } from '../../src/documents/follow.ts';
import { type App, createApp } from '../../src/service/app.ts';
import { resolveConfig } from '../../src/service/config.ts';
import type { Ask } from '../command.ts';
import { commonWords, documentNumber, middlingWords, pathOf } from '../documents/texts.ts';
import type { Seeded, Subject } from '../subject.ts';
import { feedback } from './feedback.ts';

/** The model would take a core from what is measured; documents are found by words so far. */
const env = { CAIRN_EMBEDDINGS: 'none' };
const EPOCH = Date.UTC(2026, 0, 1);
export const BATCH = 1_000;
export const INDEX_LIMIT_MS = 3_600_000;

const middleOf = (entries: number) => Math.floor(entries / 2);

/** Through the ports of the store: many in one transaction, where the files would have to be written and read first. */
async function seed(home: string, entries: number): Promise<string> {
  const config = resolveConfig({ home: { path: home, source: 'bench' }, flags: {}, env });
  const app = createApp(config, pathToFileURL(resolve('dist/worker.js')));
  try {
    let middle = '';
    for (let from = 0; from < entries; from += BATCH) {
      const hashes = await put(app, from, Math.min(entries, from + BATCH));
      middle = hashes[middleOf(entries) - from] ?? middle;
    }
    if (entries > 0) await followed(app, INDEX_LIMIT_MS);
    return middle;
  } finally {
    await app.close();
  }
}

/** Stored, and not yet indexed. */
export async function put({ store }: App, from: number, to: number): Promise<string[]> {
  const contents: { hash: string; size: number; path: string; time: string }[] = [];
  for (let number = from; number < to; number++) {
    const { path, text } = documentNumber(number);
    const { hash, size } = await store.objects.put(Buffer.from(text), { later: true });
    contents.push({ hash, size, path, time: new Date(EPOCH + number * 60_000).toISOString() });
  }
  await store.objects.settle();
  await store.write(async ({ documents }) => {
    for (const { time, ...content } of contents) {
      const dates = { created: time, modified: time, indexed: time };
      const facts = { collection: 'bench', kind: 'text', mime: 'text/markdown', tags: [], metadata: {} } as const;
      await documents.put({ ...content, ...facts, ...dates });
    }
  });
  return contents.map(({ hash }) => hash);
}

const get = (id: string): Ask => ({ label: 'get by hash', tool: 'get', input: { hash: id }, proof: `"hash":"${id}"` });

/** Of the document that `id` is the hash of. */
const pathIn = ({ entries }: Seeded) => pathOf(middleOf(entries));
const rareIn = ({ entries }: Seeded) => documentNumber(middleOf(entries)).rare;

function search(label: string, words: readonly string[], proof: string): Ask {
  return { label: `search, ${label}`, tool: 'search', input: { query: words.join(' ') }, proof };
}

export const documents: Subject = {
  ...feedback,
  name: 'cairn documents',
  command: (home) => ({ ...feedback.command(home), env }),
  seed,
  sizes: { full: [1_000, 10_000, 100_000], quick: [1_000, 10_000] },
  reads: [
    ({ id }) => get(id),
    (home) => ({ label: 'get by name', tool: 'get', input: { name: pathIn(home) }, proof: `"hash":"${home.id}"` }),
    (home) => ({
      label: 'get by name, content',
      tool: 'get',
      input: { name: pathIn(home), include_content: true },
      proof: '"content":"# ',
    }),
    () => ({ label: 'list(10)', tool: 'list', input: { limit: 10 }, proof: '"documents":[{"id"' }),
    () => ({
      label: 'list(10) by modified',
      tool: 'list',
      input: { limit: 10, sort_by: 'modified', sort_order: 'desc' },
      proof: '"documents":[{"id"',
    }),
    (home) => search('two rare words', rareIn(home), `"path":"${pathIn(home)}"`),
    () => search('two middling words', middlingWords, '"results":[{"id"'),
    () => search('two common words', commonWords, '"results":[{"id"'),
    (home) => ({
      label: 'grep, a rare literal',
      tool: 'grep',
      input: { pattern: rareIn(home)[0] },
      proof: `"path":"${pathIn(home)}"`,
    }),
  ],
  get,
  write: (number) => {
    const { path, text } = documentNumber(number);
    return { tool: 'add', input: { name: `new/${path}`, content: text }, proof: '"added":1' };
  },
};
