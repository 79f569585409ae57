/**
 * Vectors for documents that no model has seen: to embed a hundred thousand texts takes hours, and a scan costs the same
 * whatever they say. They lie around the vectors of real questions, so that questions find some that are near.
 */
import { encode, unit } from '../../src/search/vector.ts';
import type { App } from '../../src/service/app.ts';
import { type Random, randomFrom } from '../documents/random.ts';
import { question } from './questions.ts';

const CENTRES = 64;
const AT_ONCE = 1000;
/** How far they are strewn: about 0.6 is left of the likeness to the centre. */
const STREWN = 0.07;

/** One for each document that has none yet. */
export async function putVectors({ store, embedder }: App): Promise<number> {
  const questions = Array.from({ length: CENTRES }, (_, number) => question(number * 3));
  const centres = (await embedder.embed(questions)).filter((each) => each !== undefined);
  if (centres.length === 0) throw new Error('The model has no vectors for the questions');
  const random = randomFrom(11);
  const { vectors } = store.documents;
  let put = 0;
  for (;;) {
    const missing = await vectors.missing(embedder.model, AT_ONCE);
    if (missing.length === 0) return put;
    const texts = missing.map(({ id, hash }) => ({
      id,
      hash,
      codes: [encode(around(centres[put++ % centres.length] as Float32Array, random))],
    }));
    await vectors.put(embedder.model, texts);
  }
}

function around(centre: Float32Array, random: Random): Float32Array {
  return unit(centre.map((value) => value + STREWN * normal(random)));
}

/** The sum of a few draws is as good as normal here. */
function normal(random: Random): number {
  return random() + random() + random() + random() + random() + random() - 3;
}
