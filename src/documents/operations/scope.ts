/** Which documents a search or a grep looks at. */
import * as z from 'zod';
import type { Context } from '../../operations/operation.ts';
import type { PlaceFilter } from '../../store/document-index.ts';
import { fitting, isPattern, type PathFilter } from '../glob.ts';
import { sessionNamed, sessionOf } from '../session/current.ts';
import { collection, sessionId } from './shape.ts';

export const placesShape = {
  collection: collection.optional(),
  paths: z
    .array(z.string().min(1).max(4096))
    .max(1000)
    .optional()
    .describe('Files, folders or patterns; all without it.'),
  extension: z.string().max(50).optional().describe('Such as ".py".'),
  tag: z.string().max(100).optional(),
  session: sessionId.optional().describe('Only what was added in this session or is pinned to it.'),
};

interface Scope {
  readonly collection?: string | undefined;
  readonly paths?: readonly string[] | undefined;
  readonly extension?: string | undefined;
  readonly tag?: string | undefined;
  readonly session?: string | undefined;
}

const MOST_IN_SESSION = 100_000;

/** Folders are looked up; patterns are compared path by path, by `folderOf`. */
export async function within(
  context: Context,
  { collection: name, paths, extension, tag, session }: Scope,
): Promise<PlaceFilter> {
  return {
    ...(name !== undefined && { collection: name }),
    ...(paths !== undefined && !paths.some(isWide) && { below: paths.map(plainPath) }),
    ...(extension !== undefined && { extension: `.${extension.replace(/^\./, '').toLowerCase()}` }),
    ...(tag !== undefined && { tag }),
    ...(session !== undefined && { ids: await documentsIn(context, session) }),
  };
}

async function documentsIn(context: Context, session: string): Promise<number[]> {
  const { id } = await sessionNamed(context, session);
  const sorting = { by: 'name', descending: false } as const;
  const found = await context.read(({ documents }) => documents.list({ session: id }, sorting, MOST_IN_SESSION, 0));
  return found.map((document) => document.id);
}

/** Pinned to the session that the call is part of; none without a session. */
export async function pinnedIds(context: Context, given: string | undefined): Promise<number[]> {
  const session = given ?? (await sessionOf(context));
  if (session === undefined) return [];
  return context.read(async ({ documents, sessions }) => {
    const ids: number[] = [];
    for (const { hash, place } of await sessions.pins(session)) {
      const found =
        place === undefined ? await documents.withHash(hash, 100) : [await documents.at(place.collection, place.path)];
      for (const document of found) if (document !== undefined) ids.push(document.id);
    }
    return ids;
  });
}

/** The same for an index that compares before it ranks; nothing where there is nothing to compare. */
export function pathFilterOf(scope: Scope): PathFilter | undefined {
  return scope.paths?.some(isPattern) ? folderOf(scope) : undefined;
}

export function folderOf({ paths }: Scope): PathFilter {
  return paths?.some(isPattern) ? lyingIn(paths) : () => true;
}

/** The same by comparing alone, where no index narrows the paths. */
export function lyingIn(paths: readonly string[]): PathFilter {
  // A name is meant as it is written too, whatever its signs could stand for: routes are called `[id]`.
  const places = paths.map(plainPath);
  const fits = fitting(paths.filter(isPattern).map(plainPath));
  return (path) =>
    places.some((place) => place === '.' || path === place || path.startsWith(`${place}/`)) || fits(path);
}

/** What was looked at, in words. */
export function scopeOf({ collection: name, paths, extension, tag, session }: Scope): string {
  return [
    name === undefined ? 'all collections' : `collection ${name}`,
    ...(paths === undefined ? [] : [`at ${paths.slice(0, SAID).join(', ')}${paths.length > SAID ? '…' : ''}`]),
    ...(extension === undefined ? [] : [`ending in ${extension}`]),
    ...(tag === undefined ? [] : [`tagged ${tag}`]),
    ...(session === undefined ? [] : [`of session ${session}`]),
  ].join(', ');
}

const SAID = 5;

function isWide(path: string): boolean {
  return isPattern(path) || plainPath(path) === '.';
}

function plainPath(path: string): string {
  return path.replace(/^(?:\.?\/)+/, '').replace(/\/+$/, '') || '.';
}
