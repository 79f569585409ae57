/**
 * Text to the token numbers of an uncased BERT: no accents, lower case, ideographs and punctuation each a word, and each
 * word the longest pieces that the vocabulary has. Marks such as [SEP] are plain text here: a text cannot end itself.
 */

export interface Encoding {
  /** With [CLS] in front and [SEP] behind. */
  readonly ids: readonly number[];
  /** How many of the pieces' words hold a letter or a digit, and what they weigh: see `isEnglishLike`. */
  readonly words: number;
  readonly weight: number;
}

export interface WordPiece {
  encode(text: string, limit: number): Encoding;
}

const UNKNOWN = '[UNK]';
/** A longer word counts as unknown, as it did when the model was trained. */
const WORD_LIMIT = 100;
/** What the model was trained on breaks into 1.1 to 1.5 pieces a word; other languages break into more. */
const PIECES_A_WORD = 2.2;
/** An ideograph or an unknown word is one piece, and yet says that the text is not English. */
const FOREIGN = 3;

const IDEOGRAPHS =
  '\\u4E00-\\u9FFF\\u3400-\\u4DBF\\u{20000}-\\u{2A6DF}\\u{2A700}-\\u{2CEAF}\\uF900-\\uFAFF\\u{2F800}-\\u{2FA1F}';
const ALONE = `\\p{P}$+<=>^\`|~${IDEOGRAPHS}`;
const WORDS = new RegExp(`[${ALONE}]|[^\\s${ALONE}]+`, 'gu');
const IDEOGRAPH = new RegExp(`^[${IDEOGRAPHS}]`, 'u');
const MEANINGFUL = /[\p{L}\p{N}]/u;
/** Not \p{C}: that has the unassigned characters too, which differ from one version of Node to the next. */
const CONTROL = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\uFFFD]/gu;
const PLAIN = /^[\t\n\r -~]*$/;

export function createWordPiece(vocabulary: Readonly<Record<string, number>>): WordPiece {
  const numbers = new Map(Object.entries(vocabulary));
  const longest = Math.max(...Object.keys(vocabulary).map((piece) => piece.length));
  const [start, end, unknown] = ['[CLS]', '[SEP]', UNKNOWN].map((mark) => numbers.get(mark) ?? 0) as [
    number,
    number,
    number,
  ];

  function piecesOf(word: string): readonly number[] {
    // Characters, not code units: the limit and the pieces of letters beyond the first plane are counted so.
    const characters = PLAIN.test(word) ? word : [...word];
    if (characters.length > WORD_LIMIT) return [unknown];
    const pieces: number[] = [];
    for (let from = 0; from < characters.length; ) {
      const prefix = from === 0 ? '' : '##';
      let to = Math.min(characters.length, from + longest);
      let number: number | undefined;
      for (; to > from; to--) {
        const part = characters.slice(from, to);
        number = numbers.get(prefix + (typeof part === 'string' ? part : part.join('')));
        if (number !== undefined) break;
      }
      if (number === undefined) return [unknown];
      pieces.push(number);
      from = to;
    }
    return pieces;
  }

  return {
    encode(text, limit) {
      const ids = [start];
      let words = 0;
      let weight = 0;
      for (const [word] of plain(text).matchAll(WORDS)) {
        if (ids.length >= limit - 1) break;
        const pieces = piecesOf(word);
        for (const piece of pieces.slice(0, limit - 1 - ids.length)) ids.push(piece);
        if (!MEANINGFUL.test(word)) continue;
        words++;
        weight += pieces[0] === unknown || IDEOGRAPH.test(word) ? FOREIGN : pieces.length;
      }
      ids.push(end);
      return { ids, words, weight };
    },
  };
}

/** Whether the model, which learned English, has something to say about a text; it has not about one without words. */
export function isEnglishLike({ words, weight }: Encoding): boolean {
  return words > 0 && weight / words <= PIECES_A_WORD;
}

function plain(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  const stripped = text
    .replace(CONTROL, '')
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '');
  // Alone, because JavaScript lowers a sigma at the end of a word to another letter; the vocabulary expects this one.
  return stripped.replaceAll('Σ', 'σ').toLowerCase();
}
