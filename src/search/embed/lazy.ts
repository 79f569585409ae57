/**
 * The embedder that a process holds from its start: it loads the code of its provider with the first text, adds the
 * prefixes that a model wants, and says once when the model is lost and when it is back.
 */
import type { EmbeddingChoice, Prefixes } from './choice.ts';
import type { Embedder, EmbedOptions } from './embedder.ts';
import { fingerprintOf } from './folder.ts';
import { dimensionsOf, modelOf } from './identity.ts';

export interface Tell {
  warn(message: string): void;
  info(message: string): void;
}

/** How long a question waits for a vector from the network. */
const NETWORK_MS = 2000;

/** `script` is the program of a model, dist/embedder.js. */
export function lazyEmbedder(choice: EmbeddingChoice, script: URL, tell: Tell): Embedder {
  const fingerprint = once(() => (choice.provider === 'onnx' ? fingerprintOf(choice.folder) : ''));
  const model = once(() => modelOf(choice, fingerprint));
  const prefixes: Prefixes = 'prefixes' in choice ? choice.prefixes : { query: '', text: '' };
  let made: Embedder | undefined;
  let lost = false;

  async function provider(): Promise<Embedder> {
    if (made !== undefined) return made;
    const { createProvider } = await import('./providers.ts');
    made ??= createProvider(choice, { script, model: model(), fingerprint: fingerprint() });
    return made;
  }

  /** Switched off is no loss. */
  function notice({ state, reason = '', remedy = '' }: ReturnType<Embedder['state']>): void {
    if (choice.provider === 'none' || lost === (state === 'unavailable')) return;
    if (state === 'unavailable') {
      lost = true;
      tell.warn(`Search goes by keywords alone: the embedding model is unavailable. ${reason}. ${remedy}`.trim());
    } else if (state === 'ready') {
      lost = false;
      tell.info('The embedding model answers again.');
    }
  }

  return {
    get model() {
      return model();
    },
    get dimensions() {
      return made?.dimensions ?? dimensionsOf(choice);
    },
    ...('url' in choice && { patienceMs: NETWORK_MS }),
    async embed(texts, options = {}) {
      const embedder = await provider();
      try {
        return await embedder.embed(withPrefix(texts, prefixes, options), options);
      } finally {
        notice(embedder.state());
      }
    },
    state() {
      if (made !== undefined) return made.state();
      return choice.provider === 'none' ? { state: 'unavailable', reason: 'Switched off' } : { state: 'idle' };
    },
    close: async () => made?.close(),
  };
}

/** A blank text stays one. */
function withPrefix(texts: readonly string[], prefixes: Prefixes, { as = 'text' }: EmbedOptions): readonly string[] {
  const prefix = prefixes[as];
  return prefix === '' ? texts : texts.map((text) => (text.trim() === '' ? '' : prefix + text));
}

function once<T>(make: () => T): () => T {
  let kept: { value: T } | undefined;
  return () => {
    kept ??= { value: make() };
    return kept.value;
  };
}
