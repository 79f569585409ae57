/**
 * Anchors: the files and symbols that an instruction or decision cites, written as `path`, `path#symbol` or `collection:path`.
 * Somebody gives them, or the text mentions them; both are followed alike.
 */
import type { KeptMention } from '../store/mentions.ts';
import { type Mention, mentionsIn } from './mentions.ts';

export const MOST_ANCHORS = 50;
export const LONGEST_ANCHOR = 1200;

export interface Anchor {
  readonly collection?: string;
  readonly path: string;
  readonly symbol?: string;
}

export function anchorOf(ref: string): Anchor {
  const [, collection] = /^([A-Za-z0-9][A-Za-z0-9._-]{0,99}):(?!:)/.exec(ref) ?? [];
  const rest = collection === undefined ? ref : ref.slice(collection.length + 1);
  const cut = rest.indexOf('#');
  const path = (cut < 0 ? rest : rest.slice(0, cut)).replace(/^(?:\.\/)+/, '');
  const symbol = cut < 0 ? '' : rest.slice(cut + 1).replace(/\(\)$/, '');
  return { path, ...(collection !== undefined && { collection }), ...(symbol !== '' && { symbol }) };
}

export function refOf({ collection, path, symbol }: Anchor): string {
  return `${collection === undefined ? '' : `${collection}:`}${path}${symbol === undefined ? '' : `#${symbol}`}`;
}

/** The anchor that a mention of a file is; `undefined` for other mentions. */
export function anchorIn({ type, value, symbol, collection }: Mention): Anchor | undefined {
  if (type !== 'path') return undefined;
  return { path: value, ...(symbol !== undefined && { symbol }), ...(collection !== undefined && { collection }) };
}

/**
 * Why a reference cannot be an anchor. Threat: whoever writes an instruction must not learn by it whether a file outside of the
 * project has changed; links are judged where the file is read.
 */
export function anchorFault(ref: string): string | undefined {
  if (ref.length > LONGEST_ANCHOR) return `has more than ${LONGEST_ANCHOR} characters`;
  if (/[\p{Cc}\p{Cs}\\]/u.test(ref)) return 'has a control character, half of a character or a backslash';
  if (/^[A-Za-z]:\//.test(ref)) return 'is absolute: name it from the root of the project';
  const { path, symbol } = anchorOf(ref);
  if (path === '') return 'names no file';
  if (/^[/~]/.test(path)) return 'is absolute: name it from the root of the project';
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return 'has an empty part or a step upwards';
  if (symbol !== undefined && /\s/.test(symbol)) return 'names a symbol with a blank in it';
  return undefined;
}

/** Each once, in the order they were given. */
export function normalAnchors(refs: readonly string[]): string[] {
  return [...new Set(refs.map((ref) => refOf(anchorOf(ref))))];
}

/** Everything that an item names: its anchors, and what is found in its texts. It does not name itself. */
export function namedBy(
  id: string,
  texts: readonly (string | undefined)[],
  anchors: readonly string[] = [],
): KeptMention[] {
  const given = anchors.filter((ref) => anchorFault(ref) === undefined).map(anchorOf);
  const found = mentionsIn(texts.filter((text) => text !== undefined).join('\n\n'));
  const all: KeptMention[] = [
    ...given.map(({ path, ...rest }) => ({ type: 'path' as const, value: path, ...rest, given: true })),
    ...given.flatMap(({ symbol }) =>
      symbol === undefined ? [] : [{ type: 'symbol' as const, value: symbol, given: true }],
    ),
    ...found.filter(({ type, value }) => type !== 'id' || value !== id).map((each) => ({ ...each, given: false })),
  ];
  const unique = new Map<string, KeptMention>();
  for (const each of all) {
    const key = `${each.type}\0${each.collection ?? ''}\0${each.value}\0${each.symbol ?? ''}`;
    if (!unique.has(key)) unique.set(key, each);
  }
  return [...unique.values()];
}
