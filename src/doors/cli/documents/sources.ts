/**
 * What `add PATH…` means: paths that are there, and patterns that the shell left alone. Patterns are looked for from the
 * working folder downwards, so that its .gitignore counts.
 */
import { lstatSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';

export interface Sources {
  readonly paths: readonly string[];
  /** By the folder that they are looked for in, as `include_patterns` takes them. */
  readonly patterns: ReadonlyMap<string, readonly string[]>;
}

export function sourcesOf(words: readonly string[], folder: string, exists = isThere): Sources {
  const paths: string[] = [];
  const patterns = new Map<string, string[]>();
  for (const word of words) {
    const path = resolve(folder, word);
    // A file is meant as it is called, whatever its characters could stand for.
    if (!/[*?[{]/.test(word) || exists(path)) {
      paths.push(path);
      continue;
    }
    for (const each of alternatives(word)) {
      const { base, pattern } = anchored(each, folder);
      patterns.set(base, [...(patterns.get(base) ?? []), pattern]);
    }
  }
  return { paths, patterns };
}

/** What is in the working folder is looked for from there; else from the last folder that is no pattern. */
function anchored(word: string, folder: string): { base: string; pattern: string } {
  const parts = word.split('/');
  const fixed = parts.findIndex((part) => /[*?[]/.test(part));
  const at = fixed < 0 ? parts.length - 1 : fixed;
  const start = resolve(folder, parts.slice(0, at).join('/') || (isAbsolute(word) ? sep : '.'));
  const way = relative(folder, start);
  const rest = parts.slice(at).join('/');
  if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) return { base: start, pattern: `/${rest}` };
  return { base: folder, pattern: `/${escaped(join(way, '').split(sep).join('/'))}${rest}` };
}

/** The folders before the pattern stand for themselves. */
function escaped(way: string): string {
  if (way === './' || way === '.' || way === '') return '';
  return `${way.replace(/[\\*?[\]]/g, '\\$&').replace(/\/$/, '')}/`;
}

const MOST_ALTERNATIVES = 256;

/** `*.{ts,md}` is two patterns. */
function alternatives(word: string): string[] {
  let found = [word];
  while (found.length < MOST_ALTERNATIVES) {
    const next = found.flatMap((each) => {
      const [whole, list = ''] = /\{([^{}]*,[^{}]*)\}/.exec(each) ?? [];
      return whole === undefined ? [each] : list.split(',').map((part) => each.replace(whole, () => part));
    });
    if (next.length === found.length) return found;
    found = next;
  }
  return found;
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
