import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sectionsOf } from './sections.ts';

const linesOf = (text: string) => text.split('\n').filter((line) => line.trim() !== '');

describe('taking a Markdown file apart', () => {
  it('splits at headings of the first two levels and keeps the heading in the body', () => {
    const sections = sectionsOf('Intro.\n\n# Build\nnpm test\n\n### Details\nmore\n\n## Style\nTabs.\n');
    expect(sections).toEqual([
      { body: 'Intro.' },
      { heading: 'Build', body: '# Build\nnpm test\n\n### Details\nmore' },
      { heading: 'Style', body: '## Style\nTabs.' },
    ]);
  });

  it('gives a text without headings as one section, and none for a blank one', () => {
    expect(sectionsOf('Be kind.\nBe brief.')).toEqual([{ body: 'Be kind.\nBe brief.' }]);
    expect(sectionsOf(' \n\n')).toEqual([]);
  });

  it.each([
    ['backticks', '```sh\n# not a heading\n```'],
    ['tildes', '~~~\n## not a heading\n~~~'],
    ['a longer fence around a shorter one', '````md\n```\n# not a heading\n```\n````'],
    ['a fence in a list', '- run\n  ```\n# not a heading\n  ```'],
    ['a fence that is never closed', '```\n# not a heading'],
    ['a comment', '<!--\n# not a heading\n-->'],
  ])('never splits inside %s', (_, block) => {
    expect(sectionsOf(`# One\n${block}`)).toEqual([{ heading: 'One', body: `# One\n${block}` }]);
  });

  it('does not take code in a line, hashtags or indented text for a fence or a heading', () => {
    const text = '# One\n```x``` is code\n#tag\n    # indented\n## Two\ntext';
    expect(sectionsOf(text).map(({ heading }) => heading)).toEqual(['One', 'Two']);
  });

  it('knows headings that are underlined', () => {
    const sections = sectionsOf('Title\n=====\n\ntext\n\nPart\n----\nmore\n\n- item\n---\nend');
    expect(sections.map(({ heading }) => heading)).toEqual(['Title', 'Part']);
  });

  it('reads the heading without its marks', () => {
    expect(sectionsOf('## **Use** `npm` and [docs](https://x.test) ##\ntext')[0]?.heading).toBe('Use npm and docs');
  });

  it('puts a heading that has nothing under it with the section below', () => {
    expect(sectionsOf('# Project\n---\n\n## Build\nmake')).toEqual([
      { heading: 'Build', body: '# Project\n---\n\n## Build\nmake' },
    ]);
    expect(sectionsOf('# Build\nmake\n# End')).toEqual([{ heading: 'Build', body: '# Build\nmake\n# End' }]);
    expect(sectionsOf('# Alone')).toEqual([{ heading: 'Alone', body: '# Alone' }]);
  });

  it('loses no line and changes no order, whatever the text', () => {
    const line = fc.oneof(
      fc.constantFrom('# A', '## B', '### C', '#', '```', '~~~', '````', '===', '---', '', '  ', 'text', '- item'),
      fc.constantFrom('> quote', '<!--', '-->', '1. one', '    # code', '\t```', '| a | b |', '****'),
      fc.string({ maxLength: 12 }).map((text) => text.replace(/[\r\n]/g, '')),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
        const text = lines.join('\n');
        const bodies = sectionsOf(text).map(({ body }) => body);
        expect(bodies.flatMap(linesOf)).toEqual(linesOf(text));
        expect(bodies.every((body) => body.trim() !== '')).toBe(true);
      }),
    );
  });
});
