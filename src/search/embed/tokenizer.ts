/** Reads tokenizer.json as models are published with it, and refuses what would be cut into other tokens than the model learned. */
import { createWordPiece, UNCASED, type WordPiece, type WordPieceRules } from './wordpiece.ts';

type Fields = Readonly<Record<string, unknown>>;

const SUPPORTED =
  'Supported are the WordPiece tokenizers of BERT models (MiniLM, MPNet, BGE, E5, GTE, Nomic and their kin), not BPE (GPT, RoBERTa, ModernBERT, Qwen) and not Unigram or SentencePiece (XLM-RoBERTa, multilingual E5, T5).';

export function readTokenizer(text: string): WordPiece {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    throw new Error('tokenizer.json is not JSON');
  }
  const file = fields(read);
  const model = fields(file.model);
  const vocabulary = vocabularyOf(model);
  const rules = {
    ...normalising(only(file.normalizer, 'normalizers')),
    ...marks(fields(file.post_processor)),
    unknown: word(model.unk_token, UNCASED.unknown),
    inner: word(model.continuing_subword_prefix, UNCASED.inner),
    wordLimit: Number(model.max_input_chars_per_word ?? UNCASED.wordLimit),
  };
  const splitting = only(file.pre_tokenizer, 'pretokenizers').type;
  if (splitting !== 'BertPreTokenizer') throw refusal(`splits words by ${splitting ?? 'nothing'}`);
  for (const mark of [rules.start, rules.end, rules.unknown]) {
    if (!Object.hasOwn(vocabulary, mark)) throw new Error(`tokenizer.json has no ${mark} in its vocabulary`);
  }
  return createWordPiece(vocabulary, rules);
}

function vocabularyOf(model: Fields): Readonly<Record<string, number>> {
  // Older files do not name the type; only this one has such a prefix.
  const type = model.type ?? (typeof model.continuing_subword_prefix === 'string' ? 'WordPiece' : 'unknown');
  if (type !== 'WordPiece') throw refusal(`is of the type ${type}`);
  const vocabulary = Object.entries(fields(model.vocab));
  if (vocabulary.length === 0 || !vocabulary.every(([, number]) => Number.isInteger(number))) {
    throw new Error('tokenizer.json has no vocabulary of pieces and their numbers');
  }
  return Object.fromEntries(vocabulary) as Record<string, number>;
}

function normalising({
  type,
  clean_text,
  lowercase,
  strip_accents,
  handle_chinese_chars,
}: Fields): Pick<WordPieceRules, 'lowercase' | 'withoutAccents' | 'ideographsAlone'> {
  if (type !== 'BertNormalizer') throw refusal(`normalises by ${type ?? 'nothing'}`);
  if (clean_text === false) throw refusal('keeps control characters');
  const lower = lowercase !== false;
  return {
    lowercase: lower,
    withoutAccents: typeof strip_accents === 'boolean' ? strip_accents : lower,
    ideographsAlone: handle_chinese_chars !== false,
  };
}

/** One mark before and one behind the text. */
function marks(processor: Fields): Pick<WordPieceRules, 'start' | 'end'> {
  if (processor.type === 'TemplateProcessing' && Array.isArray(processor.single)) {
    const [start, text, end, ...more] = processor.single.map(fields);
    const names = [start, end].map((part) => fields(part?.SpecialToken).id);
    if (text?.Sequence !== undefined && more.length === 0 && names.every((name) => typeof name === 'string')) {
      return { start: String(names[0]), end: String(names[1]) };
    }
  }
  if (processor.type === 'BertProcessing' || processor.type === 'RobertaProcessing') {
    const [start, end] = [processor.cls, processor.sep].map((mark) => (Array.isArray(mark) ? mark[0] : undefined));
    return { start: word(start, UNCASED.start), end: word(end, UNCASED.end) };
  }
  throw refusal(`marks texts by ${processor.type ?? 'nothing'}`);
}

/** A part, also where it stands alone in a sequence of parts. */
function only(part: unknown, list: string): Fields {
  const outer = fields(part);
  const inside = outer.type === 'Sequence' ? outer[list] : undefined;
  return Array.isArray(inside) && inside.length === 1 ? fields(inside[0]) : outer;
}

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function word(value: unknown, usual: string): string {
  return typeof value === 'string' ? value : usual;
}

function refusal(what: string): Error {
  return new Error(`The tokenizer in tokenizer.json ${what}. ${SUPPORTED}`);
}
