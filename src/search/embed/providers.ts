/** The embedder for each choice of the settings. */
import type { EmbeddingChoice } from './choice.ts';
import { type Embedder, noEmbedder } from './embedder.ts';
import { createEndpointEmbedder } from './endpoint.ts';
import { bundledProgram, createProcessEmbedder } from './process-embedder.ts';

export interface ProviderFacts {
  readonly script: URL;
  /** What its vectors are kept as. */
  readonly model: string;
  /** Of the folder, where there is one. */
  readonly fingerprint: string;
}

export function createProvider(choice: EmbeddingChoice, { script, model, fingerprint }: ProviderFacts): Embedder {
  switch (choice.provider) {
    case 'none':
      return noEmbedder();
    case 'bundled':
      return createProcessEmbedder(bundledProgram(script));
    case 'onnx':
      return createProcessEmbedder({
        script,
        model,
        dimensions: 0,
        folder: { path: choice.folder, fingerprint },
        remedy: 'Mend what it says, or choose another model with CAIRN_EMBEDDINGS; then start Cairn again.',
      });
    default:
      return createEndpointEmbedder(choice, model);
  }
}
