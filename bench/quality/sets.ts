/** The judged sets: texts, questions and which text answers which question. Read where they lie, never copied. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const data = resolve('../shared/data');
export const setNames = ['scifact', 'cranfield', 'cosqa'] as const;
export type SetName = (typeof setNames)[number];

export interface Text {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

export interface Query {
  readonly id: string;
  readonly text: string;
  /** How relevant each text is that is at all. */
  readonly judged: ReadonlyMap<string, number>;
}

export interface JudgedSet {
  readonly name: SetName;
  readonly texts: readonly Text[];
  readonly queries: readonly Query[];
  /** Of the texts. */
  readonly hash: string;
}

export function isHere(name: SetName): boolean {
  return existsSync(join(data, name, 'corpus.jsonl'));
}

export function readSet(name: SetName, mostQueries = Number.POSITIVE_INFINITY): JudgedSet {
  const corpus = readFileSync(join(data, name, 'corpus.jsonl'), 'utf8');
  const judged = judgmentsIn(readFileSync(join(data, name, 'qrels.tsv'), 'utf8'));
  const queries = rowsOf<{ _id: string; text: string }>(readFileSync(join(data, name, 'queries.jsonl'), 'utf8'))
    .map(({ _id: id, text }) => ({ id, text, judged: judged.get(id) ?? new Map<string, number>() }))
    .filter((query) => query.judged.size > 0);
  return {
    name,
    texts: rowsOf<{ _id: string; title: string; text: string }>(corpus).map(({ _id, title, text }) => ({
      id: _id,
      title: title.trim(),
      text,
    })),
    queries: spread(queries, mostQueries),
    hash: createHash('sha256').update(corpus).digest('hex'),
  };
}

/** Lines of `query-id, corpus-id, score` below a heading. */
export function judgmentsIn(tsv: string): Map<string, Map<string, number>> {
  const judged = new Map<string, Map<string, number>>();
  for (const line of tsv.trim().split(/\r?\n/).slice(1)) {
    const [query = '', text = '', score = '0'] = line.split('\t');
    const own = judged.get(query) ?? new Map<string, number>();
    if (Number(score) > 0) judged.set(query, own.set(text, Number(score)));
  }
  return judged;
}

/** So many from all over the list, not its beginning. */
export function spread<T>(items: readonly T[], most: number): T[] {
  const step = Math.max(1, items.length / most);
  return Array.from({ length: Math.min(items.length, most) }, (_, at) => items[Math.floor(at * step)] as T);
}

function rowsOf<T>(jsonl: string): T[] {
  return jsonl
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
}
