/** Which documents a search or a grep looks at. */
import * as z from 'zod';
import type { Context } from '../../operations/operation.ts';
import type { PlaceFilter } from '../../store/document-index.ts';
import { fitting, isPattern, type PathFilter } from '../glob.ts';
import { collection } from './shape.ts';

export const placesShape = {
  collection: collection.optional(),
  paths: z
    .array(z.string().min(1).max(4096))
    .max(1000)
    .optional()
    .describe('Files, folders or patterns; all without it.'),
  extension: z.string().max(50).optional().describe('Such as ".py".'),
  tag: z.string().max(100).optional(),
};

interface Scope {
  readonly collection?: string | undefined;
  readonly paths?: readonly string[] | undefined;
  readonly extension?: string | undefined;
  readonly tag?: string | undefined;
}

/** Folders are looked up; patterns are compared path by path, by `folderOf`. */
export async function within(
  _context: Context,
  { collection: name, paths, extension, tag }: Scope,
): Promise<PlaceFilter> {
  return {
    ...(name !== undefined && { collection: name }),
    ...(paths !== undefined && !paths.some(isWide) && { below: paths.map(plainPath) }),
    ...(extension !== undefined && { extension: `.${extension.replace(/^\./, '').toLowerCase()}` }),
    ...(tag !== undefined && { tag }),
  };
}

export function folderOf({ paths }: Scope): PathFilter {
  return paths?.some(isPattern) && !paths.some((path) => plainPath(path) === '.')
    ? fitting(paths.map(plainPath))
    : () => true;
}

function isWide(path: string): boolean {
  return isPattern(path) || plainPath(path) === '.';
}

function plainPath(path: string): string {
  return path.replace(/^(?:\.?\/)+/, '').replace(/\/+$/, '') || '.';
}
