/** Ranking of an instruction search: what contains the text and what holds its words, in one order. Pure. */
import type { TextMatch } from '../store/store.ts';
import type { Entry } from './entry.ts';

export interface Hit {
  readonly id: string;
  readonly matched: readonly string[];
  readonly score: number;
}

/** Reciprocal ranks of both lists added up, so that neither needs the other's scale; the more important entry wins a tie. */
export function rank(
  containing: readonly string[],
  matching: readonly TextMatch[],
  priorityOf: (id: string) => number | undefined,
): Hit[] {
  const hits = new Map<string, { matched: string[]; score: number }>();
  const note = (id: string, how: string, score: number) => {
    const hit = hits.get(id) ?? { matched: [], score: 0 };
    hit.matched.push(how);
    hit.score += score;
    hits.set(id, hit);
  };
  // What contains the text as it was typed is equally right, wherever it stands in the list.
  for (const id of containing) note(id, 'substring', SUBSTRING);
  for (const [position, { id }] of matching.entries()) note(id, 'keyword', 1 / (SMOOTHING + position));
  return [...hits]
    .map(([id, hit]) => ({ id, ...hit }))
    .filter(({ id }) => priorityOf(id) !== undefined)
    .sort((a, b) => b.score - a.score || (priorityOf(a.id) ?? 0) - (priorityOf(b.id) ?? 0) || (a.id < b.id ? -1 : 1));
}

const SMOOTHING = 60;
const SUBSTRING = 1 / SMOOTHING;

/** Words that nearly every text holds: they tell nothing apart and cost the most to look up. */
const everywhere = new Set(
  (
    'a about an and any are as at be by can do does for from has have how i if in into is it its me my not of on or our should so ' +
    'that the their them then there these they this to us use used was we what when where which who why will with you your'
  ).split(' '),
);
const MAX_WORDS = 32;

/** The words of a question that tell something; all of them where none does. */
export function words(text: string): string[] {
  const all = [...new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])];
  const telling = all.filter((word) => !everywhere.has(word));
  return (telling.length > 0 ? telling : all).slice(0, MAX_WORDS);
}

export interface Highlight {
  readonly id: string;
  readonly line: number;
  readonly snippet: string;
}

const SNIPPETS = 3;
const CONTEXT = 60;

/** Up to three places of an entry that hold the text, or else its first word that is found. */
export function highlight({ id, title, body }: Entry, text: string): Highlight[] {
  const whole = `${title}\n${body}`;
  const lower = whole.toLowerCase();
  const sought = [text.toLowerCase(), ...words(text)].find((one) => lower.includes(one));
  const found: Highlight[] = [];
  if (sought === undefined) return found;
  for (
    let at = lower.indexOf(sought);
    at !== -1 && found.length < SNIPPETS;
    at = lower.indexOf(sought, at + sought.length)
  ) {
    const start = Math.max(0, at - CONTEXT);
    const end = Math.min(whole.length, at + sought.length + CONTEXT);
    const snippet = `${start > 0 ? '…' : ''}${whole.slice(start, end)}${end < whole.length ? '…' : ''}`;
    found.push({ id, line: whole.slice(0, at).split('\n').length - 1, snippet: snippet.replaceAll('\n', ' ') });
  }
  return found;
}
