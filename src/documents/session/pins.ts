/** What is pinned to a session: contents, wherever they lie, and documents, whatever becomes of their content. */
import { CairnError } from '../../errors.ts';
import type { SessionPin } from '../../store/sessions.ts';
import type { View } from '../../store/store.ts';
import { matching, notFound, plainHash, wholeHash } from '../find.ts';
import { fitting, isPattern } from '../glob.ts';

export const MOST_PINS = 1000;

/** What a caller names: contents by hash, documents by path, the end of one, or a pattern. */
export interface Named {
  readonly hashes: readonly string[];
  readonly names: readonly string[];
  readonly collection?: string | undefined;
}

/** The hashes that rank first in a search within the session. */
export async function pinsOf({ sessions }: Pick<View, 'sessions'>, session: string): Promise<string[]> {
  return [...new Set((await sessions.pins(session)).map(({ hash }) => hash))];
}

/** A pin for everything that is named; one that names nothing is an error. */
export async function pinsFor(
  { documents }: Pick<View, 'documents'>,
  named: Named,
  now: string,
): Promise<SessionPin[]> {
  const pins: SessionPin[] = [];
  for (const given of named.hashes) {
    const hash = await wholeHash(documents, given);
    if (hash === undefined) throw notFound(given);
    pins.push({ hash, created: now });
  }
  for (const name of named.names) {
    const found = await matching(documents, [name], named.collection);
    if (found.length === 0) throw notFound(name);
    for (const { hash, collection, path } of found) pins.push({ hash, place: { collection, path }, created: now });
    if (pins.length > MOST_PINS) break;
  }
  if (pins.length <= MOST_PINS) return pins;
  throw new CairnError('limit_exceeded', `A session can have ${MOST_PINS} pins; these would be more`, {
    suggestion: 'Narrow the pattern, or give the collection.',
  });
}

/** Those of a session that are named. They are found even where the document is gone. */
export function chosen(pins: readonly SessionPin[], { hashes, names, collection }: Named): SessionPin[] {
  const prefixes = hashes.map(plainHash);
  const exact = new Set(names.map((name) => name.replace(/^(?:\.?\/)+/, '')));
  const fits = fitting(names.filter(isPattern));
  const patterned = names.some(isPattern);
  return pins.filter(({ hash, place }) => {
    if (collection !== undefined && place?.collection !== collection) return false;
    if (prefixes.some((prefix) => hash.startsWith(prefix))) return true;
    if (place === undefined) return false;
    return [...exact].some((name) => isAt(place.path, name)) || (patterned && fits(place.path));
  });
}

/** The path itself, or the end of it. */
function isAt(path: string, name: string): boolean {
  return path === name || path.endsWith(`/${name}`);
}
