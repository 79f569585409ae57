/** What misspelled words may have meant, of the words that the documents hold. */
import { meantBy } from '../../search/spelling.ts';
import type { Store } from '../../store/store.ts';

const LOOKED_AT = 20;
const SPELLINGS = 3;

export async function spellingsOf({ documents }: Store, words: readonly string[], similarity: number) {
  const meant: Record<string, string[]> = Object.create(null);
  for (const word of await documents.unknown(words)) {
    const near = meantBy(word, await documents.spelledLike(word, LOOKED_AT), similarity, SPELLINGS);
    if (near.length > 0) meant[word] = near;
  }
  return meant;
}
