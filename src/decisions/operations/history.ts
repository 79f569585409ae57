import * as z from 'zod';
import { CairnError } from '../../errors.ts';
import { operation } from '../../operations/operation.ts';
import { fileOf, isId, plainId, publicId } from '../record.ts';
import { decisionId, given, memoryRead, success } from './shape.ts';

export const decisionHistory = operation({
  ...memoryRead,
  name: 'decision_history',
  description: 'Earlier versions of the file of a decision, newest first. With commit, the text of that version.',
  positional: ['decision_id'],
  rest: 'Ask with a smaller limit.',
  input: z.strictObject({
    decision_id: decisionId,
    commit: z.string().min(1).max(64).optional().describe('A version, as this operation lists them.'),
    limit: z.int().min(1).max(1000).default(20),
  }),
  output: success({
    decision_id: z.string(),
    versions: z
      .array(
        z.object({
          commit: z.string(),
          time: z.string(),
          author: z.string(),
          message: z.string(),
          removed: z.boolean(),
        }),
      )
      .optional(),
    text: z.string().optional(),
  }),
  example: { given, input: { decision_id: '$prev.decision_id' } },
  async run({ decision_id, commit, limit }, { store }) {
    const id = plainId(decision_id);
    if (!isId(id)) throw unknown(decision_id);
    const answer = { status: 'success' as const, decision_id: publicId(id) };
    if (commit === undefined) {
      const versions = await store.history.versions('decisions', fileOf(id), limit);
      if (versions.length === 0) throw unknown(decision_id);
      return { ...answer, versions };
    }
    const text = await store.history.text('decisions', fileOf(id), commit);
    if (text === undefined) throw new CairnError('not_found', `${publicId(id)} has no version ${commit}`);
    return { ...answer, text };
  },
});

function unknown(given: string): CairnError {
  return new CairnError('not_found', `The history holds no version of ${given}`);
}
