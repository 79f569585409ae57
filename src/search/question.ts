/**
 * A question as it was typed: words, any of which may be found; "phrases", prefixes* and field:values, all of which must be;
 * and what must not, after a minus. Pure.
 */
import type { Term, Terms } from '../store/terms.ts';
import { isAsking, soughtWords, wordsIn } from './words.ts';

/** What a question is best answered by: an identifier or a path by its letters, a sentence by its meaning. */
export type Lean = 'letters' | 'words' | 'meaning';

export interface Question extends Terms {
  /** What is to be understood: without signs that are meant for the search. */
  readonly text: string;
  readonly words: readonly string[];
  /** Words that stand side by side, and say more together. */
  readonly pairs: readonly string[];
  /** Values of fields that narrow the search rather than being looked for in texts. */
  readonly filters: Readonly<Record<string, readonly string[]>>;
  readonly lean: Lean;
}

/** Fields that are looked for in, and fields that narrow. */
export interface Fields {
  readonly searched: readonly string[];
  readonly narrowing: readonly string[];
}

// A field, then a quoted text or anything without blanks. Every part is bounded by what follows it, so that no text takes long.
const part = /(-?)(?:([A-Za-z_]{1,30}):)?(?:"([^"]*)"|([^\s"]+))/g;
const MOST_TERMS = 32;

export function questionOf(text: string, { searched, narrowing }: Fields): Question {
  const plain: string[] = [];
  const required: Term[] = [];
  const excluded: Term[] = [];
  const filters: Record<string, string[]> = Object.create(null);
  for (const [whole, minus, field, quoted, bare] of text.matchAll(part)) {
    const value = quoted ?? bare ?? '';
    const known = field === undefined || searched.includes(field) || narrowing.includes(field);
    // `std::vector`, `http://…` and `error: why` are no fields of ours.
    if (!known) plain.push(whole);
    else if (field !== undefined && narrowing.includes(field) && minus === '') {
      filters[field] = [...(filters[field] ?? []), value];
    } else {
      const term = termOf(value, quoted !== undefined, field);
      if (term === undefined) plain.push(whole);
      else if (minus === '-') excluded.push(term);
      else if (quoted !== undefined || term.prefix || field !== undefined) required.push(term);
      else plain.push(whole);
    }
  }
  const left = plain.join(' ');
  const words = soughtWords(left);
  return {
    text: [left, ...required.map((term) => term.text)].join(' ').trim(),
    words,
    pairs: pairsIn(left, words),
    required: required.slice(0, MOST_TERMS),
    excluded: excluded.slice(0, MOST_TERMS),
    filters,
    lean: leanOf(left, required),
  };
}

/** Nothing where it has no letters: a lone minus, or `- list`. */
function termOf(value: string, quoted: boolean, field: string | undefined): Term | undefined {
  const prefix = !quoted && value.endsWith('*');
  const words = wordsIn(value);
  // A prefix of one letter is every word.
  if (words.length === 0 || (prefix && (words.at(-1)?.length ?? 0) < 2)) return undefined;
  return { text: words.join(' '), ...(prefix && { prefix }), ...(field !== undefined && { field }) };
}

/** Neighbours that were both kept; a name in one word is told apart by its parts. */
function pairsIn(text: string, words: readonly string[]): string[] {
  const kept = new Set(words);
  const all = wordsIn(text);
  const pairs = all.slice(1).flatMap((word, at) => {
    const before = all[at] ?? '';
    return before !== word && kept.has(before) && kept.has(word) ? [`${before} ${word}`] : [];
  });
  return [...new Set(pairs)];
}

const path = /[\w-]\/[\w.-]|(?:^|\s)[\w./-]*\w\.[a-z]{1,5}(?:$|\s)/;
const identifier = /[a-z][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]|::|\w\(\)|[a-z]\.[a-z]|\d[a-z]|[a-z]\d/;
const FEW = 3;

function leanOf(text: string, required: readonly Term[]): Lean {
  const words = wordsIn(text);
  if (required.length > 0 && words.length < FEW) return 'letters';
  const pieces = text.trim().split(/\s+/);
  if (pieces.length < FEW && (path.test(text) || identifier.test(text))) return 'letters';
  return (words.length > FEW && words.some(isAsking)) || /\?\s*$/.test(text) ? 'meaning' : 'words';
}
