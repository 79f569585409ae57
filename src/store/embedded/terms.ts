/** What must be in a text, or must not, as conditions on the numbers of a full-text index. */
import type { Term, Terms } from '../terms.ts';
import type { Value } from './database.ts';
import { phrase } from './phrase.ts';

export interface Narrowing {
  /** Conditions that all must hold; none where all texts are meant. */
  readonly parts: readonly string[];
  readonly values: readonly Value[];
}

/** `column` is the number of a text, `number` the same in the index: a text may have several rows there. */
export function termConditions(index: string, column: string, number: string, terms: Terms): Narrowing {
  const holding = `SELECT ${number} FROM ${index} WHERE ${index} MATCH ?`;
  const { required, excluded } = terms;
  return {
    parts: [
      ...required.map(() => `${column} IN (${holding})`),
      ...(excluded.length === 0 ? [] : [`${column} NOT IN (${holding})`]),
    ],
    values: [...required.map(termOf), ...(excluded.length === 0 ? [] : [excluded.map(termOf).join(' OR ')])],
  };
}

export function termOf({ text, prefix, field }: Term): string {
  return `${field === undefined ? '' : `${field} : `}${phrase(text)}${prefix ? ' *' : ''}`;
}
