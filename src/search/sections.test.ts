import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { documentWindows, MOST_PASSAGES } from './passages.ts';
import { sectionsOf } from './sections.ts';

describe('sections', () => {
  it('are one where the text is short', () => {
    expect(sectionsOf('')).toEqual([{ line: 1, text: '' }]);
    expect(sectionsOf('# A\n\nb\n')).toEqual([{ line: 1, text: '# A\n\nb\n' }]);
  });

  it('begin at headings, and know their line', () => {
    const chapter = (name: string) => `# ${name}\n\n${'One line of it.\n'.repeat(150)}`;
    const text = ['One', 'Two', 'Three'].map(chapter).join('');
    expect(sectionsOf(text).map((section) => [section.line, section.text.split('\n')[0]])).toEqual([
      [1, '# One'],
      [153, '# Two'],
      [305, '# Three'],
    ]);
  });

  it('begin where something is defined, in code', () => {
    const define = (name: string) => `def ${name}():\n${'    step()\n\n'.repeat(200)}    return 1\n\n`;
    const text = ['first', 'second', 'third'].map(define).join('');
    expect(sectionsOf(text).map((section) => section.text.split('\n')[0])).toEqual([
      'def first():',
      'def second():',
      'def third():',
    ]);
  });

  it('are the text again when they are put together, and never too many or too long', () => {
    const line = fc.oneof(
      fc.string({ maxLength: 80 }),
      fc.constantFrom('', '# heading', '}', 'def f():', `${'x'.repeat(9000)}`),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 300 }), (lines) => {
        const text = lines.join('\n');
        const sections = sectionsOf(text);
        expect(sections.map((section) => section.text).join('')).toBe(text);
        for (const section of sections) expect(section.text.length).toBeLessThanOrEqual(5500);
        let at = 0;
        for (const section of sections) {
          expect(section.line).toBe(text.slice(0, at).split('\n').length);
          at += section.text.length;
        }
      }),
      { numRuns: 60 },
    );
    expect(sectionsOf('x'.repeat(5_000_000)).length).toBeLessThan(4096);
    expect(sectionsOf('# a\n'.repeat(1_250_000)).length).toBeLessThan(4096);
  });
});

describe('windows of a document', () => {
  it('know the line where they begin, and are bounded', () => {
    const text = Array.from({ length: 400 }, (_, at) => `Line number ${at + 1} of the text.`).join('\n');
    for (const { line, text: own } of documentWindows(text)) expect(own.startsWith(`Line number ${line} `)).toBe(true);
    expect(documentWindows('word '.repeat(100_000)).length).toBe(MOST_PASSAGES);
    expect(documentWindows('\n\n \n')).toEqual([]);
  });
});
