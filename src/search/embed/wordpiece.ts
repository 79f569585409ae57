/**
 * Text to the token numbers of a BERT, uncased unless said otherwise: no accents, lower case, ideographs and punctuation
 * each a word, and each word the longest pieces that the vocabulary has. Marks such as [SEP] are plain text here: a text
 * cannot end itself.
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

/** What differs from one such model to another. */
export interface WordPieceRules {
  readonly lowercase: boolean;
  readonly withoutAccents: boolean;
  readonly ideographsAlone: boolean;
  /** The marks before and behind a text, and in place of a word that the vocabulary cannot spell. */
  readonly start: string;
  readonly end: string;
  readonly unknown: string;
  /** What a piece begins with that does not begin a word. */
  readonly inner: string;
  /** A longer word counts as unknown, as it did when the model was trained. */
  readonly wordLimit: number;
}

export const UNCASED: WordPieceRules = {
  lowercase: true,
  withoutAccents: true,
  ideographsAlone: true,
  start: '[CLS]',
  end: '[SEP]',
  unknown: '[UNK]',
  inner: '##',
  wordLimit: 100,
};

/** What the model was trained on breaks into 1.1 to 1.5 pieces a word; other languages break into more. */
const PIECES_A_WORD = 2.2;
/** An ideograph or an unknown word is one piece, and yet says that the text is not English. */
const FOREIGN = 4;

const IDEOGRAPHS =
  '\\u4E00-\\u9FFF\\u3400-\\u4DBF\\u{20000}-\\u{2A6DF}\\u{2A700}-\\u{2CEAF}\\uF900-\\uFAFF\\u{2F800}-\\u{2FA1F}';
const PUNCTUATION = '\\p{P}$+<=>^`|~';
const wordsBeside = (alone: string) => new RegExp(`[${alone}]|[^\\s${alone}]+`, 'gu');
const WORDS = wordsBeside(PUNCTUATION + IDEOGRAPHS);
const WORDS_WITH_IDEOGRAPHS = wordsBeside(PUNCTUATION);
const IDEOGRAPH = new RegExp(`^[${IDEOGRAPHS}]`, 'u');
const MEANINGFUL = /[\p{L}\p{N}]/u;
/** Not \p{C}: that has the unassigned characters too, which differ from one version of Node to the next. */
const CONTROL = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\uFFFD]/gu;
const PLAIN = /^[\t\n\r -~]*$/;

export function createWordPiece(vocabulary: Readonly<Record<string, number>>, rules = UNCASED): WordPiece {
  const { wordLimit, inner, ideographsAlone } = rules;
  const numbers = new Map(Object.entries(vocabulary));
  const longest = Object.keys(vocabulary).reduce((most, piece) => Math.max(most, piece.length), 0);
  const [start, end, unknown] = [rules.start, rules.end, rules.unknown].map((mark) => numbers.get(mark) ?? 0) as [
    number,
    number,
    number,
  ];

  function piecesOf(word: string): readonly number[] {
    // Characters, not code units: the limit and the pieces of letters beyond the first plane are counted so.
    const characters = PLAIN.test(word) ? word : [...word];
    if (characters.length > wordLimit) return [unknown];
    const pieces: number[] = [];
    for (let from = 0; from < characters.length; ) {
      const prefix = from === 0 ? '' : inner;
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
      for (const [word] of plain(text, rules).matchAll(ideographsAlone ? WORDS : WORDS_WITH_IDEOGRAPHS)) {
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

/** One long word proves nothing: who asks for `waterfowl` asks in English. */
const DOUBT = 1.5;

/** Whether the model, which learned English, has something to say about a text; it has not about one without words. */
export function isEnglishLike({ words, weight }: Encoding): boolean {
  return words > 0 && weight <= PIECES_A_WORD * words + DOUBT;
}

function plain(text: string, { lowercase, withoutAccents }: WordPieceRules): string {
  if (PLAIN.test(text)) return lowercase ? text.toLowerCase() : text;
  const clean = text.replace(CONTROL, '');
  const stripped = withoutAccents ? clean.normalize('NFD').replace(/\p{Mn}/gu, '') : clean;
  // Alone, because JavaScript lowers a sigma at the end of a word to another letter; the vocabulary expects this one.
  return lowercase ? stripped.replaceAll('Σ', 'σ').toLowerCase() : stripped;
}
