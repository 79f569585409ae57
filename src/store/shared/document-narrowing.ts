/** Which contents may be answered at all, as SQL. */
import type { PlaceFilter, Sought } from '../document-index.ts';
import type { Value } from '../rows.ts';
import { conditions } from './document-places.ts';
import { anyOf, type FieldWeights, queryOf } from './words.ts';

/** Which label the words of a section have. */
export const fields: FieldWeights = { title: 'A', body: 'B', parts: 'C' };

export interface Narrowing {
  /** Of the number of a content; `true` where all are meant. */
  readonly where: (number: string) => string;
  readonly values: readonly Value[];
  readonly isOpen: boolean;
}

/** What must or must not be there counts for the whole content, whichever of its sections holds it. */
export function narrowing({ required, excluded }: Sought, filter: PlaceFilter): Narrowing {
  const place = conditions(filter);
  const holding = (number: string) =>
    `EXISTS (SELECT 1 FROM document_words AS other WHERE other.number = ${number} AND other.words @@ ?::tsquery)`;
  const ways = [
    ...required.map(() => holding),
    ...(excluded.length === 0 ? [] : [(number: string) => `NOT ${holding(number)}`]),
    ...(place.where === '' ? [] : [lying(place.where)]),
  ];
  return {
    where: (number) => ways.map((way) => way(number)).join(' AND ') || 'true',
    values: [
      ...required.map((term) => queryOf(term, fields)),
      ...(excluded.length === 0 ? [] : [anyOf(excluded.map((term) => queryOf(term, fields)))]),
      ...place.values,
    ],
    isOpen: ways.length === 0,
  };
}

function lying(where: string): (number: string) => string {
  return (number) => `EXISTS (SELECT 1 FROM document_place AS place WHERE place.number = ${number} ${where})`;
}
