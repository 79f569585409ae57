/** Anchors as a caller gives them, to any operation that takes some. */
import * as z from 'zod';
import { CairnError } from '../../errors.ts';
import { anchorFault, LONGEST_ANCHOR, MOST_ANCHORS } from '../anchors.ts';

export const anchors = z
  .array(z.string().min(1).max(LONGEST_ANCHOR))
  .max(MOST_ANCHORS)
  .describe('Files or symbols it cites (path, path#symbol, collection:path): stale once they change.');

export function refuseBadAnchors(refs: readonly string[] = []): void {
  for (const ref of refs) {
    const fault = anchorFault(ref);
    if (fault === undefined) continue;
    throw new CairnError('validation_failed', `The anchor ${JSON.stringify(ref.slice(0, 200))} ${fault}`, {
      suggestion: 'Name a file as the project does, for example src/store.ts or src/store.ts#open.',
    });
  }
}
