import { describe, expect, it } from 'vitest';
import { spansOf } from './markdown-spans.ts';

const text = (words: string) => ({ kind: 'text', text: words });

describe('the inside of a paragraph', () => {
  it('knows emphasis, code and links', () => {
    expect(spansOf('a *b* **c** ~~d~~ `e*f*`')).toEqual([
      text('a '),
      { kind: 'emphasis', spans: [text('b')] },
      text(' '),
      { kind: 'strong', spans: [text('c')] },
      text(' '),
      { kind: 'struck', spans: [text('d')] },
      text(' '),
      { kind: 'code', text: 'e*f*' },
    ]);
    expect(spansOf('see [the *docs*](https://example.com "t")')).toEqual([
      text('see '),
      {
        kind: 'link',
        href: 'https://example.com',
        spans: [text('the '), { kind: 'emphasis', spans: [text('docs')] }],
      },
    ]);
  });

  it('leaves names with underscores, single stars and escaped marks alone', () => {
    expect(spansOf('snake_case_name')).toEqual([text('snake_case_name')]);
    expect(spansOf('2 * 3 * 4')).toEqual([text('2 * 3 * 4')]);
    expect(spansOf('\\*not\\*')).toEqual([text('*not*')]);
  });

  it('finds bare addresses, without the point behind them', () => {
    expect(spansOf('at https://example.com/a.')).toEqual([
      text('at '),
      { kind: 'link', href: 'https://example.com/a', spans: [text('https://example.com/a')] },
      text('.'),
    ]);
  });

  it('makes no link of an address that could run', () => {
    for (const address of [
      'javascript:x',
      'JaVaScRiPt:x',
      'data:text/html,x',
      'vbscript:x',
      '//evil.example',
      '/api',
      'x',
    ]) {
      const spans = spansOf(`[a](${address}) <${address}>`);
      expect(spans.filter(({ kind }) => kind === 'link')).toEqual([]);
    }
  });

  it('takes no longer than the text is long', () => {
    const started = performance.now();
    for (const piece of ['*a ', '[', '`', '**', '![a](', '_a_', '<http://', 'http://a', '_a ', '[a](b '])
      spansOf(piece.repeat(20_000));
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});
