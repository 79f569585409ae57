/** Which model makes the vectors, as the settings say it. Pure: nothing is opened, and no network is touched. */
import { isAbsolute } from 'node:path';

export interface EmbeddingSettings {
  readonly embeddings: string;
  readonly embeddingsUrl: string;
  readonly embeddingsModel: string;
  readonly embeddingsKey: string;
  readonly embeddingsDimensions: number;
  readonly embeddingsQueryPrefix: string;
  readonly embeddingsTextPrefix: string;
}

/** What some models want before a question and before a text. */
export interface Prefixes {
  readonly query: string;
  readonly text: string;
}

export interface Endpoint {
  readonly provider: 'openai' | 'ollama';
  readonly url: URL;
  readonly model: string;
  readonly key: string;
  /** 0 where the model decides. */
  readonly dimensions: number;
}

export type EmbeddingChoice =
  | { readonly provider: 'none' }
  | { readonly provider: 'bundled' }
  | { readonly provider: 'onnx'; readonly folder: string; readonly prefixes: Prefixes }
  | (Endpoint & { readonly prefixes: Prefixes });

const FOLDER = 'onnx:';
const OLLAMA = 'http://127.0.0.1:11434';

export function isProvider(text: string): boolean {
  if (text.startsWith(FOLDER)) return isAbsolute(text.slice(FOLDER.length));
  return ['bundled', 'none', 'openai', 'ollama'].includes(text);
}

/** A password in it would be printed with it; there is a setting for the key, which is not. */
export function isEndpointUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hash } = new URL(text);
  return ['http:', 'https:'].includes(protocol) && username === '' && password === '' && hash === '';
}

/** What a choice needs beside itself: one complaint for each setting that is missing. */
export function missingFor({ embeddings, embeddingsUrl, embeddingsModel }: EmbeddingSettings): string[] {
  const complaints: string[] = [];
  if (embeddings === 'openai' && embeddingsUrl === '') {
    complaints.push('CAIRN_EMBEDDINGS is openai, which needs CAIRN_EMBEDDINGS_URL: texts go nowhere by default.');
  }
  if ((embeddings === 'openai' || embeddings === 'ollama') && embeddingsModel === '') {
    complaints.push(`CAIRN_EMBEDDINGS is ${embeddings}, which needs CAIRN_EMBEDDINGS_MODEL, the name of the model.`);
  }
  return complaints;
}

export function choiceOf(settings: EmbeddingSettings): EmbeddingChoice {
  const { embeddings: provider } = settings;
  const prefixes = { query: settings.embeddingsQueryPrefix, text: settings.embeddingsTextPrefix };
  if (provider === 'none' || provider === 'bundled') return { provider };
  if (provider === 'openai' || provider === 'ollama') {
    return {
      provider,
      url: new URL(settings.embeddingsUrl || OLLAMA),
      model: settings.embeddingsModel,
      key: settings.embeddingsKey,
      dimensions: settings.embeddingsDimensions,
      prefixes,
    };
  }
  return { provider: 'onnx', folder: provider.slice(FOLDER.length), prefixes };
}
