/** The readable text of a stored content: HTML, PDF, Word and notebooks as Markdown, everything else as the letters it has. */
import { CairnError, toCairnError } from '../errors.ts';
import type { Workers } from '../service/workers.ts';
import type { ObjectStore } from '../store/objects.ts';
import { wholeContent } from './content.ts';
import type { Extracted } from './extract/index.ts';
// For its declaration of the task.
import type {} from './extract/task.ts';

const LARGEST = 64 * 1024 * 1024;
const LONGEST = 5_000_000;
const TIME_MS = 30_000;

export async function readText(
  { objects }: { readonly objects: ObjectStore },
  workers: Workers,
  { hash, path }: { readonly hash: string; readonly path: string },
  signal: AbortSignal,
): Promise<Extracted> {
  const bytes = await wholeContent(objects, hash, LARGEST);
  const limited = AbortSignal.any([signal, AbortSignal.timeout(TIME_MS)]);
  try {
    return await workers.run('extract', { name: path, bytes, maxTextChars: LONGEST }, { signal: limited });
  } catch (thrown) {
    signal.throwIfAborted();
    throw new CairnError('limit_exceeded', `The text of ${path} could not be had: ${toCairnError(thrown).message}`, {
      suggestion: 'Read its bytes instead, without as_text.',
    });
  }
}
