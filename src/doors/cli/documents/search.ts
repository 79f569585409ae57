/** `cairn search`: what was found, best first, with the words that found it. */
import { badUsage } from '../arguments.ts';
import { counted, numberText } from '../figures.ts';
import { type Line, type Piece, toned } from '../terminal.ts';
import type { Order } from './verb.ts';

interface Hit {
  readonly key: string;
  readonly title: string;
  /** Of documents only. */
  readonly path?: string;
  readonly collection?: string;
  readonly snippet: string;
  readonly line?: number;
  readonly before?: readonly string[];
  readonly after?: readonly string[];
  readonly passages?: readonly { readonly line: number; readonly snippet: string }[];
  readonly pinned?: boolean;
  readonly state?: string;
  readonly stale?: { readonly reason: string; readonly ref: string };
  readonly explain?: Readonly<Record<string, number>>;
}

interface Answer {
  readonly total: number;
  readonly execution_time_ms: number;
  readonly results?: readonly Hit[];
  readonly paths?: readonly string[];
  readonly searched: string;
  readonly indexes: { readonly keyword: string; readonly vector?: string };
  readonly spelling?: Readonly<Record<string, readonly string[]>>;
  readonly pending?: number;
}

export async function searchDocuments({ words, input, human, call, show }: Order): Promise<number> {
  if (words.length === 0 && input.query === undefined && input.hash === undefined)
    throw badUsage('search needs words, as in cairn search how sessions expire');
  if (words.length > 0 && input.query !== undefined)
    throw badUsage(`${JSON.stringify(words[0])} is one word too many beside --query`, hint(words));
  const query = words.length > 0 ? words.join(' ') : input.query;
  const answer = await call<Answer>('search', {
    ...(human && { line_numbers: true }),
    ...input,
    ...(query !== undefined && { query }),
  });
  show(answer, () => linesOf(answer, String(query ?? ''), Number(input.offset ?? 0)));
  return 0;
}

/** Another operation may be meant, whose name begins with the verb. */
function hint(words: readonly string[]): string {
  return `For another operation, join its name: cairn search_${words[0]} --query …`;
}

function linesOf(answer: Answer, query: string, offset: number): Line[] {
  const { total, execution_time_ms, results = [], paths, searched, indexes, spelling = {}, pending = 0 } = answer;
  const sought = matcher([query, ...Object.values(spelling).flat()].flatMap(wordsIn));
  const several = new Set(results.map(({ collection }) => collection)).size > 1;
  const shown = paths?.length ?? results.length;
  const what = results.some(({ path }) => path === undefined) ? 'result' : 'document';
  return [
    ...Object.entries(spelling).map(
      ([word, meant]): Line => [
        `${JSON.stringify(word)} was not found; searched for `,
        toned('strong', meant.join(', ')),
      ],
    ),
    ...(paths?.map((path): Line => [path]) ?? []),
    ...results.flatMap((hit, at) => hitLines(hit, offset + at + 1, several, sought)),
    [toned('faint', summary(total, shown, what, searched, execution_time_ms))],
    ...(offset + shown < total ? [[toned('change', `go on with --offset ${offset + shown}`)]] : []),
    ...(indexes.vector === undefined || indexes.vector === 'ready'
      ? []
      : [
          [
            toned(
              'faint',
              `by meaning: ${indexes.vector}${indexes.vector.endsWith('%') ? '; cairn embed completes it' : ''}`,
            ),
          ],
        ]),
    ...(pending > 0 ? [[toned('change', `${counted(pending, 'change')} cannot be found yet`)]] : []),
  ];
}

function summary(total: number, shown: number, what: string, searched: string, milliseconds: number): string {
  const count = total === 0 ? 'Nothing found' : `${shown} of ${counted(total, what)}`;
  return `${count} (${numberText(milliseconds)} ms; searched ${searched})`;
}

function hitLines(hit: Hit, rank: number, several: boolean, sought: RegExp | undefined): Line[] {
  const { key, title, path, collection, snippet, line, before = [], after = [], passages = [], pinned, stale } = hit;
  const number = String(rank).padStart(2);
  const called = title !== '' && !path?.endsWith(title) ? [`  ${title}`] : [];
  return [
    [
      `${number}  `,
      ...(several && collection !== undefined ? [toned('faint', `${collection}/`)] : []),
      toned('name', path ?? key),
      ...(line === undefined ? [] : [':', toned('number', String(line))]),
      ...called,
      ...(pinned ? ['  ', toned('change', 'pinned')] : []),
      ...(hit.state === undefined || hit.state === 'active' || hit.state === 'approved'
        ? []
        : ['  ', toned('change', hit.state)]),
      ...(stale === undefined ? [] : ['  ', toned('change', `stale: ${stale.ref} ${stale.reason}`)]),
    ],
    ...before.map((each): Line => ['    ', toned('faint', each)]),
    ...(snippet.trim() === '' ? [] : [['    ', ...highlighted(snippet.trim(), sought)]]),
    ...after.map((each): Line => ['    ', toned('faint', each)]),
    ...passages.map((each): Line => ['    ', toned('faint', `${each.line}: ${each.snippet.trim()}`)]),
    ...(hit.explain === undefined ? [] : [['    ', toned('faint', partsText(hit.explain))]]),
  ];
}

function partsText(parts: Readonly<Record<string, number>>): string {
  return Object.entries(parts)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

/** The longest ending that a word may have besides: `caching` is found by `cache`. */
const STEM = 4;

function wordsIn(query: string): string[] {
  return query.match(/[\p{L}\p{N}]+/gu) ?? [];
}

function matcher(words: readonly string[]): RegExp | undefined {
  const stems = words
    .filter((word) => [...word].length > 1)
    .map((word) => (word.length > STEM + 1 ? word.slice(0, Math.max(STEM, word.length - 3)) : word));
  return stems.length === 0 ? undefined : new RegExp(`(?<![\\p{L}\\p{N}])(?:${stems.join('|')})[\\p{L}\\p{N}]*`, 'giu');
}

export function highlighted(text: string, sought: RegExp | undefined): Piece[] {
  if (sought === undefined) return [text];
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: match, index } of text.matchAll(sought)) {
    if (match === '') continue;
    pieces.push(text.slice(end, index), toned('match', match));
    end = index + match.length;
  }
  return [...pieces, text.slice(end)];
}
