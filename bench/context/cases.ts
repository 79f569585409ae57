/**
 * The signs of the questions marked "tune", as the program finds them: of the whole corpus, with politeness around the
 * question, so that length proves nothing, and of small parts of the corpus, so that few texts are no other matter. Neither
 * "check" nor "fresh" is read. What is drawn is drawn by hashes: always the same.
 */
import { createHash } from 'node:crypto';
import { tellingWords } from '../../src/decisions/search.ts';
import { stopWords } from '../../src/decisions/stop-words.ts';
import { elsewhere } from '../../src/search/elsewhere.ts';
import type { Embedder } from '../../src/search/embed/embedder.ts';
import { meaningsOf } from '../../src/search/meaning.ts';
import { type Signs, type Source, signsOf } from '../../src/search/relevance.ts';
import type { App } from '../../src/service/app.ts';
import type { VectorShelf } from '../../src/store/store.ts';
import { type Question, questions } from './corpus.ts';

export interface Case {
  readonly question: Question;
  readonly candidates: readonly Signs[];
}

export interface Group {
  readonly name: string;
  /** What the group counts for, however many cases it has. */
  readonly share: number;
  readonly cases: readonly Case[];
}

const POLITE = [
  (question: string) => `Hi, quick question from my side before I go on with the next task: ${question}`,
  (question: string) =>
    `${question} Please keep the answer short, I need it for a colleague who just asked me about it.`,
];
const PARTS = [
  { size: 20, times: 10 },
  { size: 100, times: 6 },
  { size: 400, times: 3 },
];

export async function groupsOf(app: App): Promise<Group[]> {
  const embedder = patient(app.embedder);
  const { sources, names } = await corpusOf(app);
  const { answerable, unanswerable } = questions();
  const tune = [...answerable, ...unanswerable].filter(({ split }) => split === 'tune');
  const polite = POLITE.flatMap((around) => tune.map((each) => ({ ...each, question: around(each.question) })));
  const groups = [
    { name: 'whole', share: 1, cases: await casesOf(sources, tune, embedder) },
    { name: 'polite', share: 0.5, cases: await casesOf(sources, polite, embedder) },
  ];
  const all = sources.map((source) => remembered(source, [...names.values()]));
  for (const { size, times } of PARTS) {
    const cases: Case[] = [];
    for (let time = 0; time < times; time++) {
      const kept = new Set(drawn(names.keys(), size, `${size} ${time}`));
      const ids = new Set([...kept].map((name) => names.get(name) ?? name));
      const parts = all.map((source) => partOf(source, ids));
      const own = tune.filter(({ expect }) => expect === undefined || expect.some((name) => kept.has(name)));
      cases.push(...(await casesOf(parts, own, embedder)));
    }
    groups.push({ name: `${size} texts`, share: 0.3, cases });
  }
  return groups;
}

async function casesOf(sources: readonly Source[], asked: readonly Question[], embedder: Embedder): Promise<Case[]> {
  for (const { vectors } of sources) await loaded(vectors, embedder);
  const cases: Case[] = [];
  for (const question of asked) {
    const words = tellingWords(question.question).filter((word) => !stopWords.has(word));
    const { signs, vectors } = await signsOf(sources, question.question, words, embedder);
    if (!vectors) throw new Error(`No vector for: ${question.question}`);
    cases.push({ question, candidates: signs.filter(({ similarity }) => similarity !== undefined) });
  }
  return cases;
}

/** A server's question would not wait for that. */
async function loaded(vectors: VectorShelf, embedder: Embedder): Promise<void> {
  const nowhere = new Float32Array(embedder.dimensions);
  const isThere = async () =>
    elsewhere(embedder) !== undefined && (await meaningsOf(vectors, embedder).nearest(nowhere, 1)).length > 0;
  // A part may hold no text of a kind, so there is an end to it.
  for (let tries = 0; tries < 50 && !(await isThere()); tries++) await new Promise((resume) => setTimeout(resume, 100));
}

/** Waits for the model, however busy the machine is. */
function patient(embedder: Embedder): Embedder {
  return { ...embedder, embed: (texts) => embedder.embed(texts) };
}

/** The whole corpus, and which text each name in `expect` is. */
async function corpusOf(app: App): Promise<{ sources: Source[]; names: Map<string, string> }> {
  const { decisions, instructions } = app.store;
  const filter = { namespace: 'default', kind: 'decision', statuses: ['active', 'superseded'] };
  const { model } = app.embedder;
  const names = new Map<string, string>();
  for (const [id, { target }] of await decisions.get(await idsIn(decisions.vectors, model))) names.set(target, id);
  for (const id of await idsIn(instructions.vectors, model)) names.set(id, id);
  const sources: Source[] = [
    {
      kind: 'decision',
      vectors: decisions.vectors,
      matching: (words, limit) => decisions.matching(words, filter, limit),
      coverage: (words, ids) => decisions.coverage(words, ids),
    },
    {
      kind: 'instruction',
      vectors: instructions.vectors,
      matching: (words, limit) => instructions.matching(words, limit),
      coverage: (words, ids) => instructions.coverage(words, ids),
    },
  ];
  return { sources, names };
}

async function idsIn(shelf: VectorShelf, model: string): Promise<string[]> {
  const ids = new Set<string>();
  for (let version = 0, more = true; more; ) {
    const page = await shelf.since(model, version);
    ({ version, more } = page);
    for (const { id } of page.vectors) ids.add(id);
  }
  return [...ids];
}

/** A source as if the store held nothing but these texts. */
function partOf(source: Source, ids: ReadonlySet<string>): Source {
  return {
    kind: source.kind,
    vectors: {
      ...source.vectors,
      since: async (model, version) => {
        const page = await source.vectors.since(model, version);
        return { ...page, vectors: page.vectors.filter(({ id }) => ids.has(id)) };
      },
    },
    matching: async (words, limit) =>
      (await source.matching(words, WIDE)).filter(({ id }) => ids.has(id)).slice(0, limit),
    coverage: async (words, asked) => {
      const { holds } = await source.coverage(words, []);
      const own = [...holds].filter(([id]) => ids.has(id));
      const frequencies = words.map((_, at) => own.filter(([, held]) => held.words[at]).length);
      return { texts: own.length, frequencies, holds: new Map(own.filter(([id]) => asked.includes(id))) };
    },
  };
}

/** Wide enough for all texts: what is left of them is decided afterwards. */
const WIDE = 1000;

/** Asked of all texts whatever is asked for, and once for each question: many parts want the same. */
function remembered(source: Source, ids: readonly string[]): Source {
  const matches = new Map<string, ReturnType<Source['matching']>>();
  const coverages = new Map<string, ReturnType<Source['coverage']>>();
  return {
    ...source,
    matching: (words) => once(matches, words.join(' '), () => source.matching(words, WIDE)),
    coverage: (words) => once(coverages, words.join(' '), () => source.coverage(words, ids)),
  };
}

function once<T>(known: Map<string, T>, key: string, make: () => T): T {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}

/** In an order that is chance, and yet always the same. */
function drawn(names: Iterable<string>, size: number, seed: string): string[] {
  const place = (name: string) => createHash('sha256').update(`${seed} ${name}`).digest('hex');
  return [...names]
    .map((name) => ({ name, place: place(name) }))
    .sort((a, b) => (a.place < b.place ? -1 : 1))
    .slice(0, size)
    .map(({ name }) => name);
}
