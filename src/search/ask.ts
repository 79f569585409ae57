/** The vector of a question, where it can be had in time, and what the vectors of the texts are worth by now. */
import type { Embedder } from './embed/embedder.ts';
import type { Meanings } from './meaning.ts';

/** Once the model is there, its answer takes some milliseconds. */
const VECTOR_MS = 300;

/** Several words in Latin letters: names of things, if not English. One strange word is better looked up than guessed at. */
const names = /^[\x20-\x7e]*[a-z]{2}[\x20-\x7e]* [\x20-\x7e]*$/i;

export interface Understood {
  readonly vector?: Float32Array;
  /** Why there is none, in words. */
  readonly reason?: string;
}

/** `patienceMs`: how long to wait for a model that is not loaded yet. It goes on loading, whatever. */
export async function understand(text: string, embedder: Embedder, patienceMs: number): Promise<Understood> {
  const missing = lackOf(embedder);
  if (missing !== undefined) return { reason: missing };
  const wait = embedder.state().state === 'ready' ? (embedder.patienceMs ?? VECTOR_MS) : patienceMs;
  const signal = AbortSignal.timeout(Math.max(1, wait));
  const asked = embedder.embed([text], { signal, as: 'query', anyLanguage: names.test(text) });
  try {
    const [vector] = await asked;
    return vector === undefined ? { reason: 'the question is not in the language of the model' } : { vector };
  } catch {
    const { state } = embedder.state();
    return { reason: lackOf(embedder) ?? (state === 'ready' ? 'the model is busy' : 'the model is being loaded') };
  }
}

/** Why there will be no vectors, in words; nothing where there may be. */
export function lackOf(embedder: Embedder): string | undefined {
  const { state, reason = '' } = embedder.state();
  return state === 'unavailable' ? `unavailable: ${reason}` : undefined;
}

/** `ready`, or how much of the texts has vectors: `87 %`. */
export async function vectorProgress(meanings: Meanings): Promise<string> {
  const { done, of } = await meanings.progress();
  if (done >= of) return 'ready';
  return `${Math.min(99, Math.floor((100 * done) / of))} %`;
}
