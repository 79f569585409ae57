/** Patterns of paths as callers write them: `*.tmp` anywhere, `docs/**`, `src/*.ts`. In linear time, whatever they say. */
import { CairnError } from '../errors.ts';
import { isIgnored, parseIgnore } from '../store/gitignore.ts';

export type PathFilter = (path: string) => boolean;

const EFFORT = 100_000_000;

/** Whether a path fits one of the patterns, which mean what they mean in a `.gitignore`, but for `!`, `#` and blanks at the end. */
export function fitting(patterns: readonly string[]): PathFilter {
  const lines = patterns.map((pattern) =>
    pattern
      .replace(/^[!#]/, '\\$&')
      .replace(/[\r\n]/g, '?')
      .replace(/(?<![\\ ]) +$/, (blanks) => blanks.replaceAll(' ', '\\ ')),
  );
  const rules = parseIgnore(Buffer.from(lines.join('\n')));
  const effort = { left: EFFORT };
  return (path) => {
    const found = within(path).some(([part, isFolder]) => isIgnored([rules], part, isFolder, effort));
    if (effort.left < 0) throw new CairnError('limit_exceeded', 'The patterns take too long to compare with all paths');
    return found;
  };
}

/** A pattern that names a folder means all that is in it. */
function within(path: string): [string, boolean][] {
  const parts = path.split('/');
  return parts.map((_, at) => [parts.slice(0, at + 1).join('/'), at < parts.length - 1]);
}

export function isPattern(name: string): boolean {
  return /[*?[]/.test(name);
}

/** What is wanted and not left out; everything where nothing is said. */
export function selecting(include: readonly string[], exclude: readonly string[]): PathFilter {
  const [wanted, unwanted] = [fitting(include), fitting(exclude)];
  return (path) => (include.length === 0 || wanted(path)) && (exclude.length === 0 || !unwanted(path));
}
