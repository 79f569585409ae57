import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { languageOfPath, tokensOf } from './tokens.ts';

describe('the colours of code', () => {
  it('tell comments, strings, numbers and words of the language apart', () => {
    expect(tokensOf("const a = 'x'; // y 1", 'ts').filter(({ kind }) => kind !== 'plain')).toEqual([
      { kind: 'keyword', text: 'const' },
      { kind: 'string', text: "'x'" },
      { kind: 'comment', text: '// y 1' },
    ]);
    expect(tokensOf('{"a": 1}', 'json').map(({ kind }) => kind)).toEqual(['plain', 'name', 'plain', 'number', 'plain']);
  });

  it('lose no character of any text', () => {
    const languages = fc.constantFrom('ts', 'py', 'json', 'yaml', 'sql', 'html', 'sh', 'go', 'unknown');
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), languages, (text, language) => {
        expect(
          tokensOf(text, language)
            .map((token) => token.text)
            .join(''),
        ).toBe(text);
      }),
    );
  });

  it('know a language by the end of a path, and a file by its name', () => {
    expect([languageOfPath('src/a.test.ts'), languageOfPath('docker/Dockerfile')]).toEqual(['ts', 'dockerfile']);
  });
});
