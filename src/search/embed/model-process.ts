/**
 * The program that holds a model: the one in the folder that its arguments name, else the bundled one. Bundled as
 * dist/embedder.js. It loads at once, then answers until its parent is gone.
 */
import { loadFolderModel } from './folder-model.ts';
import { loadModel, type Model } from './model.ts';

export interface ToModel {
  readonly texts: readonly string[];
  readonly anyLanguage: boolean;
}

export type FromModel =
  | { readonly kind: 'ready'; readonly dimensions?: number }
  | { readonly kind: 'unavailable'; readonly reason: string }
  | { readonly kind: 'done'; readonly vectors: readonly (Float32Array | undefined)[] }
  | { readonly kind: 'failed'; readonly message: string };

const say = (message: FromModel) => process.send?.(message);
const messageOf = (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown));

// Also when the parent was killed: the channel closes with it.
process.on('disconnect', () => process.exit());
// A terminal sends it to the whole group; the parent still wants answers while it stops, and ends this process itself.
process.on('SIGINT', () => {});

const [folder, fingerprint = ''] = process.argv.slice(2);
try {
  const model: Model & { dimensions?: number } =
    folder === undefined ? await loadModel() : await loadFolderModel(folder, fingerprint);
  process.on('message', async ({ texts, anyLanguage }: ToModel) => {
    try {
      const vectors: (Float32Array | undefined)[] = [];
      for (const text of texts) vectors.push(await model.embed(text, anyLanguage));
      say({ kind: 'done', vectors });
    } catch (thrown) {
      say({ kind: 'failed', message: messageOf(thrown) });
    }
  });
  say({ kind: 'ready', ...(model.dimensions !== undefined && { dimensions: model.dimensions }) });
} catch (thrown) {
  say({ kind: 'unavailable', reason: messageOf(thrown) });
}
