import { describe, expect, it } from 'vitest';
import { excerpt } from './excerpt.ts';
import { snippetOf } from './snippet.ts';

const text = '\n# Title\n\nThe cache is cold.\nA cache of the database.\nCaching, again.\nEnd\n';

describe('the snippet of a text', () => {
  it('is the first line with the most of the words', () => {
    expect(snippetOf(text, ['database', 'cache'])).toMatchObject({ line: 5, text: 'A cache of the database.' });
    expect(snippetOf(text, ['cache'])).toMatchObject({ line: 4 });
    expect(snippetOf(text, ['again', 'caching'])).toMatchObject({ line: 6 });
  });

  it('is the beginning where no line has any', () => {
    expect(snippetOf(text, ['nothing'])).toMatchObject({ line: 2, text: '# Title' });
    expect(snippetOf(text, [])).toMatchObject({ line: 2 });
    expect(snippetOf('', ['a'])).toEqual({ line: 1, text: '', before: [], after: [] });
    expect(snippetOf('\n\n', ['a'], 1)).toMatchObject({ line: 1, text: '' });
  });

  it('finds words by their beginnings and parts, not inside others', () => {
    expect(snippetOf('concatenate\nthe cat\n', ['cat'])).toMatchObject({ line: 2 });
    expect(snippetOf('nothing\ncallParseHTML()\n', ['parse'])).toMatchObject({ line: 2 });
  });

  it('has the lines around it', () => {
    expect(snippetOf(text, ['database'], 2)).toMatchObject({
      before: ['', 'The cache is cold.'],
      after: ['Caching, again.', 'End'],
    });
    expect(snippetOf('only', ['only'], 5)).toMatchObject({ before: [], after: [] });
  });

  it('shows long lines around the word', () => {
    const { text: shown } = snippetOf(`${'x '.repeat(5000)}needle${' y'.repeat(5000)}`, ['needle']);
    expect(shown).toMatch(/^….*needle.*…$/);
    expect(shown.length).toBeLessThan(250);
  });

  it('hides the lines of a private key', () => {
    const key = '-----BEGIN PRIVATE KEY-----\nMIIEabcd\nefgh\n-----END PRIVATE KEY-----\nrest';
    const { after } = snippetOf(`needle\n${key}`, ['needle'], 10);
    expect(after).toEqual([
      '-----BEGIN PRIVATE KEY-----',
      '…[private-key]',
      '…[private-key]',
      '-----END PRIVATE KEY-----',
      'rest',
    ]);
  });
});

describe('an excerpt', () => {
  it('is the line itself where it is short', () => {
    expect(excerpt('short', 3, 10)).toBe('short');
  });

  it('never goes through a secret, which would not be known for one', () => {
    const token = `ghp_${'Ab1'.repeat(12)}`;
    for (let before = 0; before < 200; before++) {
      const line = `${'- '.repeat(200)}${token} ${'-'.repeat(before)} needle ${'-'.repeat(before)} ${token}${' -'.repeat(200)}`;
      const shown = excerpt(line, line.indexOf('needle'), 300).replaceAll(token, '');
      expect(shown).toContain('needle');
      expect(shown).not.toMatch(/Ab1|ghp/);
    }
  });

  it('never has half a letter', () => {
    for (let at = 0; at < 20; at++) expect(excerpt('😀'.repeat(500), 400 + at, 100 + at)).not.toMatch(/\p{Surrogate}/u);
  });
});
