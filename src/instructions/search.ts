/** The order of an instruction search: what contains the text, holds its words or means the same. Pure. */
import type { Ranked } from '../search/hybrid.ts';
import { soughtWords, wordsIn } from '../search/words.ts';
import type { Entry, Head } from './entry.ts';

export interface Hit {
  readonly id: string;
  readonly matched: readonly string[];
  readonly score: number;
  /** What the score is made of. */
  readonly parts: Readonly<Record<string, number>>;
}

/** It contains the text as it was typed. */
const SUBSTRING = 0.2;
/** The text is its id or its title. */
const NAMED = 0.3;
/** It no longer holds. */
const DEPRECATED = -0.1;
/** Of two that answer alike, the more important one. */
const IMPORTANT = 0.01;
const LEAST_IMPORTANT = 100;

type Known = Pick<Head, 'id' | 'title' | 'priority' | 'status'>;

/** What contains the text and what was ranked by words and meaning, in one order. `headOf` knows what there still is. */
export function inOrder(
  text: string,
  containing: readonly string[],
  ranked: readonly Ranked[],
  headOf: (id: string) => Known | undefined,
): Hit[] {
  const asked = wordsIn(text).join(' ');
  const holding = new Set(containing);
  const order = new Map(ranked.map((each) => [each.id, each]));
  return [...new Set([...containing, ...order.keys()])]
    .flatMap((id): Hit[] => {
      const head = headOf(id);
      if (head === undefined) return [];
      const { parts, score = 0 } = order.get(id) ?? {};
      const boosts = {
        ...(holding.has(id) && { substring: SUBSTRING }),
        ...([id, head.title].some((name) => wordsIn(name).join(' ') === asked) && { named: NAMED }),
        ...(head.status === 'deprecated' && { deprecated: DEPRECATED }),
        priority: IMPORTANT * (1 - head.priority / LEAST_IMPORTANT),
      };
      const lift = Object.values(boosts).reduce((sum, boost) => sum + boost, 0);
      const matched = [
        ...(holding.has(id) ? ['substring'] : []),
        ...((parts?.keyword ?? 0) > 0 ? ['keyword'] : []),
        ...((parts?.vector ?? 0) > 0 ? ['vector'] : []),
      ];
      return [{ id, matched, score: score + lift, parts: { ...parts, ...boosts } }];
    })
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
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
  const sought = [text.toLowerCase(), ...soughtWords(text)].find((one) => lower.includes(one));
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
