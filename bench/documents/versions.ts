/** What people do to a source tree between two versions of it, the same in every run. Pure: files in, files out. */
import { below, type Random } from './random.ts';
import { wordOf } from './texts.ts';

/** Path to text. */
export type Files = ReadonlyMap<string, string>;

/** Of a hundred files. */
const EDITED = 2;
const MOST_LINES = 10;

/** A few files edited, one renamed, one new. */
export function nextVersion(files: Files, version: number, random: Random): Files {
  const next = new Map(files);
  const paths = [...files.keys()];
  const pick = () => paths[below(random, paths.length)] ?? '';
  for (let edit = 0; edit < Math.max(3, (paths.length * EDITED) / 100); edit++) {
    const path = pick();
    next.set(path, edited(files.get(path) ?? '', random));
  }
  const renamed = pick();
  const content = next.get(renamed) ?? '';
  next.delete(renamed);
  next.set(renamed.replace(/([^/]*)$/, `v${version}-$1`), content);
  next.set(`added-${version}.ts`, linesOf(20 + below(random, 100), random).join('\n'));
  return next;
}

/** In one to three places, each time lines put in, taken out or written anew. */
export function edited(text: string, random: Random): string {
  const lines = text.split('\n');
  for (let place = 0; place <= below(random, 3); place++) {
    const kind = below(random, 3);
    const out = kind === 0 ? 0 : 1 + below(random, MOST_LINES);
    const into = kind === 1 ? [] : linesOf(1 + below(random, MOST_LINES), random);
    lines.splice(below(random, lines.length), out, ...into);
  }
  return lines.join('\n');
}

function linesOf(count: number, random: Random): string[] {
  const word = () => wordOf(below(random, 5000));
  return Array.from({ length: count }, () => `  const ${word()} = ${word()}(${word()}, ${below(random, 100)});`);
}
