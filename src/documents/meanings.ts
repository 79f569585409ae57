/** The meanings of documents: passages of each content, once however many paths name it. */
import type { Embedder } from '../search/embed/embedder.ts';
import { type Meanings, meaningsOf } from '../search/meaning.ts';
import { documentWindows, READ_CHARS } from '../search/passages.ts';
import type { Store } from '../store/store.ts';
import { beginningOf } from './letters.ts';

/** Letters take up to four bytes each. */
const READ_BYTES = 4 * READ_CHARS;

export function documentMeanings(store: Store, embedder: Embedder): Meanings {
  return meaningsOf(store.documents.vectors, embedder, async ({ hash, title }) => {
    const text = await readableText(store, hash);
    if (text === undefined) return undefined;
    const windows = documentWindows(text);
    // Not where the passage begins with it, as the first of a page with a heading does.
    const named = (passage: string) => {
      const plain = passage.replace(/^#{1,6}\s+/, '');
      return title === '' || plain.startsWith(title) ? plain : `${title}. ${passage}`;
    };
    return windows.length === 0 && title !== '' ? [title] : windows.map((window) => named(window.text));
  });
}

/** The beginning of a content as a reader sees it; `undefined` where nothing is there any more. */
export async function readableText(store: Store, hash: string, bytes = READ_BYTES): Promise<string | undefined> {
  const kept = await store.documents.kept(hash);
  if (kept?.text !== undefined) return kept.text;
  const document = await store.read(async ({ documents }) => (await documents.withHash(hash, 1))[0]);
  return document?.kind === 'text' ? beginningOf(store, document, bytes) : undefined;
}
