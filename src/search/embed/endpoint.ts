/**
 * Texts to vectors by an endpoint on the network. One that fails is left alone for a while and then tried again; meanwhile
 * requests fail at once, and search goes by words. Its dimensions are those of its first answer, and no others are taken.
 */
import { CairnError } from '../../errors.ts';
import type { Endpoint } from './choice.ts';
import { cancelled, type Embedder, type EmbedderState, type Embedding, unavailable } from './embedder.ts';
import { EndpointError, post, type Timing } from './endpoint-request.ts';
import { bodyOf, targetOf, vectorsIn } from './endpoint-wire.ts';
import { createTurns } from './turns.ts';

export interface EndpointTiming extends Timing {
  /** How long a failed endpoint is left alone, and at most when it asks for more. */
  readonly pauseMs: number;
  readonly longestPauseMs: number;
}

/** The first answer of a local endpoint waits until the model is loaded. */
const TIMING: EndpointTiming = {
  timeoutMs: 60_000,
  attempts: 3,
  backoffMs: 500,
  longestWaitMs: 20_000,
  pauseMs: 60_000,
  longestPauseMs: 600_000,
};

const AT_ONCE = 4;
const QUEUE_LIMIT = 1000;
const BATCH = 32;
const BATCH_CHARACTERS = 32_000;
const TEXT_LIMIT = 8000;
/** What is left of a text that is too long for the model. */
const SHORTENED = 1000;

export function createEndpointEmbedder(endpoint: Endpoint, model: string, timing = TIMING): Embedder {
  const url = targetOf(endpoint);
  const turns = createTurns(AT_ONCE);
  const ending = new AbortController();
  let state: EmbedderState = { state: 'idle' };
  let pausedUntil = 0;
  let dimensions = endpoint.dimensions;

  function current(): EmbedderState {
    if (state.state === 'unavailable' && performance.now() >= pausedUntil) state = { state: 'idle' };
    return state;
  }

  function leaveAlone({ message, remedy, pauseMs }: EndpointError): CairnError {
    pausedUntil = performance.now() + Math.min(timing.longestPauseMs, Math.max(timing.pauseMs, pauseMs));
    state = { state: 'unavailable', reason: message, remedy };
    return unavailable(state);
  }

  function checkRunning(): void {
    const now = current();
    if (now.state === 'unavailable') throw unavailable(now);
  }

  /** One request; its vectors are known to be of the right number and size. */
  async function ask(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]> {
    const done = await turns.take(texts.length, signal);
    try {
      checkRunning();
      if (state.state === 'idle') state = { state: 'loading' };
      const answer = await post({ url, body: bodyOf(endpoint, texts), key: endpoint.key, signal }, timing);
      const vectors = checked(answer, texts.length);
      state = { state: 'ready' };
      return vectors;
    } finally {
      done();
    }
  }

  function checked(answer: unknown, count: number): Float32Array[] {
    const remedy = 'Check that CAIRN_EMBEDDINGS, CAIRN_EMBEDDINGS_URL and CAIRN_EMBEDDINGS_MODEL fit together.';
    let vectors: Float32Array[];
    try {
      vectors = vectorsIn(answer, endpoint.provider, count);
    } catch (thrown) {
      const what = thrown instanceof Error ? thrown.message : thrown;
      throw new EndpointError(`The answer of ${url.host} cannot be used: ${what}`, remedy);
    }
    const length = vectors[0]?.length ?? 0;
    if (dimensions === 0) dimensions = length;
    if (length === dimensions) return vectors;
    throw new EndpointError(
      `${url.host} gives vectors of ${length} dimensions, not ${dimensions} as ${endpoint.dimensions > 0 ? 'asked for' : 'before'}`,
      endpoint.dimensions > 0
        ? 'Set CAIRN_EMBEDDINGS_DIMENSIONS to what the model gives, or leave it out.'
        : 'If another model is meant to answer there now, give it another name and start Cairn again.',
    );
  }

  /** A request that is refused is taken apart, until it is known which text is at fault. */
  async function vectorsOf(texts: readonly string[], signal: AbortSignal): Promise<Embedding[]> {
    try {
      return await ask(texts, signal);
    } catch (thrown) {
      if (!(thrown instanceof EndpointError && thrown.refused)) throw thrown;
      const [text = ''] = texts;
      if (texts.length === 1) return [await refusedText(text, signal, thrown)];
      const half = texts.length >> 1;
      const first = await vectorsOf(texts.slice(0, half), signal);
      return [...first, ...(await vectorsOf(texts.slice(half), signal))];
    }
  }

  /** Its beginning; else nothing, if the endpoint takes other texts: then this one is at fault. */
  async function refusedText(text: string, signal: AbortSignal, refusal: EndpointError): Promise<Embedding> {
    try {
      if (text.length > SHORTENED) return (await ask([wellFormed(text, SHORTENED)], signal))[0];
      await ask(['text'], signal);
      return undefined;
    } catch (thrown) {
      if (!(thrown instanceof EndpointError && thrown.refused)) throw thrown;
      if (text.length > SHORTENED) return refusedText(wellFormed(text, SHORTENED), signal, refusal);
      throw refusal;
    }
  }

  async function embedAll(texts: readonly string[], signal: AbortSignal): Promise<Embedding[]> {
    const vectors = texts.map((): Embedding => undefined);
    for (const batch of batchesOf(texts)) {
      const found = await vectorsOf(
        batch.map(({ text }) => text),
        signal,
      );
      for (const [at, { index }] of batch.entries()) vectors[index] = found[at];
    }
    return vectors;
  }

  function told(thrown: unknown): unknown {
    if (ending.signal.aborted) return cancelled('The server is stopping');
    if (thrown instanceof EndpointError) return leaveAlone(thrown);
    return thrown instanceof CairnError ? thrown : cancelled('The call was cancelled');
  }

  return {
    model,
    get dimensions() {
      return dimensions;
    },
    state: current,
    async embed(texts, { signal } = {}) {
      if (ending.signal.aborted) throw cancelled('The server is stopping');
      if (signal?.aborted) throw cancelled('The call was cancelled');
      checkRunning();
      if (turns.waiting >= QUEUE_LIMIT) {
        throw new CairnError('limit_exceeded', `More than ${QUEUE_LIMIT} requests for embeddings are waiting`);
      }
      const either = signal === undefined ? ending.signal : AbortSignal.any([signal, ending.signal]);
      try {
        return await embedAll(texts, either);
      } catch (thrown) {
        throw told(thrown);
      }
    },
    async close() {
      ending.abort();
    },
  };
}

interface Placed {
  readonly index: number;
  readonly text: string;
}

/** What is blank has no meaning, and is not sent. */
function batchesOf(texts: readonly string[]): Placed[][] {
  const batches: Placed[][] = [];
  let room = 0;
  for (const [index, whole] of texts.entries()) {
    if (whole.trim() === '') continue;
    const text = wellFormed(whole, TEXT_LIMIT);
    const last = batches.at(-1);
    if (last === undefined || last.length >= BATCH || text.length > room) {
      batches.push([{ index, text }]);
      room = BATCH_CHARACTERS - text.length;
    } else {
      last.push({ index, text });
      room -= text.length;
    }
  }
  return batches;
}

/** The beginning; half a character, which not every server reads, becomes the sign for one that is lost. */
function wellFormed(text: string, limit: number): string {
  return text.slice(0, limit).replace(/\p{Surrogate}/gu, '\uFFFD');
}
