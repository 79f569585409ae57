import * as z from 'zod';
import { CairnError } from '../../errors.ts';
import { operation } from '../../operations/operation.ts';
import { type Meanings, meaningsOf } from '../../search/meaning.ts';
import { followed } from '../follow.ts';
import { documentMeanings } from '../meanings.ts';
import { documentRead, given } from './shape.ts';

const PATIENCE_MS = 600_000;
const counts = z.object({ done: z.number(), of: z.number() });

export const embed = operation({
  ...documentRead,
  name: 'embed',
  description:
    'Makes the vectors that search by meaning needs, for everything that has none yet, and waits for them. A server does this by itself, more slowly, beside its other work.',
  input: z.strictObject({
    wait: z.boolean().default(true).describe('false: only say how far it is.'),
  }),
  output: z.object({
    model: z.string(),
    state: z.string(),
    reason: z.string().optional(),
    documents: counts,
    instructions: counts,
    decisions: counts,
  }),
  example: { given, input: { wait: false } },
  async run({ wait }, context) {
    const { store, embedder, signal } = context;
    const shelves = {
      documents: documentMeanings(store, embedder),
      instructions: meaningsOf(store.instructions.vectors, embedder),
      decisions: meaningsOf(store.decisions.vectors, embedder),
    };
    const progress = async () => ({
      documents: await counted(shelves.documents),
      instructions: await counted(shelves.instructions),
      decisions: await counted(shelves.decisions),
    });
    if (wait) {
      if (embedder.model === 'none')
        throw new CairnError('validation_failed', 'Embeddings are switched off', {
          suggestion: 'Choose a model with CAIRN_EMBEDDINGS.',
        });
      await followed(context, PATIENCE_MS);
      const report = async () => {
        signal.throwIfAborted();
        const all = Object.values(await progress());
        const sum = (which: 'done' | 'of') => all.reduce((total, each) => total + each[which], 0);
        context.progress({ done: sum('done'), total: sum('of'), message: 'texts have vectors' });
      };
      for (const shelf of Object.values(shelves)) await shelf.filled(0, report);
    }
    const { state, reason } = embedder.state();
    return { model: embedder.model, state, ...(reason !== undefined && { reason }), ...(await progress()) };
  },
});

async function counted(meanings: Meanings): Promise<{ done: number; of: number }> {
  const { done, of } = await meanings.progress();
  return { done, of };
}
