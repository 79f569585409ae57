import { describe, expect, it } from 'vitest';
import { subjectOf } from './markdown.ts';

describe('the subject of a Markdown text', () => {
  it.each([
    ['its first heading', '# Research workflow for MCP\n\nRead first.', 'Research workflow for MCP'],
    ['a heading after other text', 'Some words.\n\n## The title ##\n', 'The title'],
    ['a heading that ends in a sharp', '# Writing C#\n', 'Writing C#'],
    ['an underlined heading', 'The title\n=========\n\n## A part\n', 'The title'],
    [
      'its first line where there is no heading',
      '\n\n  Read the specification first.\nThen write.',
      'Read the specification first.',
    ],
    ['no comment in a fenced block', '```sh\n# not a title\n```\n\n# A title\n', 'A title'],
    ['nothing of another fence inside a block', '~~~\n```\n# not a title\n~~~\n# A title\n', 'A title'],
    ['nothing of its front matter', '---\nname: x\n# no\n---\nA line\n', 'A line'],
    ['the heading of a file with Windows line ends', '# A title\r\nText\r\n', 'A title'],
    ['no empty heading', '#\n##  \nText\n', 'Text'],
    ['no hashtag', '#tag and more\n', '#tag and more'],
  ])('is %s', (_, text, subject) => {
    expect(subjectOf(text)).toBe(subject);
  });

  it.each(['', '\n \n', '---\nname: x\n---\n', '```\ncode\n```', '---', '###'])('is not there in %j', (text) => {
    expect(subjectOf(text)).toBeUndefined();
  });

  it('is one line of at most 200 characters that show', () => {
    expect(subjectOf(`# ${'😀'.repeat(300)}`)).toBe(`${'😀'.repeat(199)}…`);
    expect(subjectOf('# right\u202eto left\u0007\n')).toBe('right to left');
    expect(subjectOf('one\u2028two')).toBe('one');
  });
});
