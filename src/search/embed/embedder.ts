/** Texts to vectors: the port that every provider of them fits, and what stands there where none is wanted. */
import { CairnError } from '../../errors.ts';

/** A unit vector, or none where the model has nothing to say: a text without words, or not in its language. */
export type Embedding = Float32Array | undefined;

export interface EmbedderState {
  readonly state: 'idle' | 'loading' | 'ready' | 'unavailable';
  /** Why it is unavailable. */
  readonly reason?: string;
  /** What to do about it. */
  readonly remedy?: string;
}

export interface EmbedOptions {
  readonly signal?: AbortSignal;
  /** What the texts are; some models want to know. A text unless said otherwise. */
  readonly as?: 'query' | 'text';
  /** Also what does not look like the language of the model: a short question full of names looks like none. */
  readonly anyLanguage?: boolean;
}

export interface Embedder {
  /** Kept with each vector: those of two models are never compared. */
  readonly model: string;
  /** 0 as long as they are not known: a folder or an endpoint tells them with its first answer. They never change then. */
  readonly dimensions: number;
  /** How long a question should wait for its vector. */
  readonly patienceMs?: number;
  /** In the order given. Rejects with a CairnError, and soon, where the model cannot run. */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Embedding[]>;
  /** Never throws, and loads nothing. What is unavailable may be idle again later: an endpoint is tried again. */
  state(): EmbedderState;
  close(): Promise<void>;
}

/** Where embeddings are switched off. */
export function noEmbedder(reason = 'Embeddings are switched off'): Embedder {
  const state: EmbedderState = { state: 'unavailable', reason, remedy: 'Choose a model with CAIRN_EMBEDDINGS.' };
  return {
    model: 'none',
    dimensions: 0,
    embed: async () => {
      throw unavailable(state);
    },
    state: () => state,
    close: async () => {},
  };
}

export function unavailable({ reason = '', remedy }: EmbedderState): CairnError {
  return new CairnError('internal_error', `The embedding model is unavailable: ${reason}`, {
    suggestion: remedy ?? 'Search by keywords works without it.',
  });
}

export function failure(reason: string): CairnError {
  return new CairnError('internal_error', `The embedding model failed: ${reason}`);
}

export function cancelled(message: string): CairnError {
  return new CairnError('cancelled', message);
}
