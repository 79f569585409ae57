/** The text of one symbol of a source file, to tell whether it changed while the rest of the file did. */
import type { Workers } from '../service/workers.ts';
import { sha256 } from '../store/hash.ts';
import type { Outline } from './code/outline.ts';
// For its declaration of the task.
import type {} from './code/task.ts';
import { Memory } from './memory.ts';
import { qualifiedNames } from './qualified.ts';

const KEPT = 20_000;
const PARSE_MS = 20_000;

/** By content, path and symbol: what a content says does not change. */
const hashes = new Memory<string | undefined>(KEPT);

export interface Source {
  readonly path: string;
  readonly content: string;
  /** What the store has read of it already. */
  outline(): Promise<Outline | undefined>;
  /** The bytes, read only where nobody has asked for this symbol of this content before. */
  read(): Promise<Buffer | undefined>;
}

/**
 * The hash of the lines of a symbol; `undefined` where the file has no such symbol. A file that is written in no language we read
 * is cited as a whole.
 */
export function symbolHash(workers: Workers, source: Source, symbol: string): Promise<string | undefined> {
  const { path, content } = source;
  return hashes.of(`${content}\0${path}\0${symbol}`, async () => {
    const text = (await source.read())?.toString('utf8');
    if (text === undefined) return content;
    const outline = (await source.outline()) ?? (await outlineOf(workers, path, text));
    if (outline === undefined || outline.symbols.length === 0) return content;
    const lines = linesOf(outline, symbol, text.split('\n'));
    return lines === undefined ? undefined : sha256(lines);
  });
}

async function outlineOf(workers: Workers, path: string, text: string): Promise<Outline | undefined> {
  const [outline] = await workers.run(
    'outline',
    { files: [{ path, text }] },
    { signal: AbortSignal.timeout(PARSE_MS) },
  );
  return outline;
}

/** Of all that are called so: a function may have several signatures. The outermost count, unless the name says more. */
function linesOf(outline: Outline, symbol: string, lines: readonly string[]): string | undefined {
  const names = qualifiedNames(outline).map((name) => name.replace(/~\d+$/, ''));
  const wanted = symbol.replace(/::|#/g, '.');
  const fits = (test: (name: string) => boolean) => outline.symbols.filter((_, index) => test(names[index] ?? ''));
  const exact = fits((name) => name === wanted);
  const found = exact.length > 0 ? exact : fits((name) => name.endsWith(`.${wanted}`));
  if (found.length === 0) return undefined;
  return found.map(({ line, endLine }) => lines.slice(line - 1, endLine).join('\n')).join('\n');
}
