import { describe, expect, it } from 'vitest';
import { blocksOf } from './markdown-blocks.ts';

const paragraph = (text: string) => ({ kind: 'paragraph', text });

describe('Markdown blocks', () => {
  it('are headings, paragraphs, rules and code', () => {
    expect(blocksOf('# A #\n\none\ntwo\n\n---\n\n```TS\nlet a;\n```\n\n    indented\n')).toEqual([
      { kind: 'heading', level: 1, text: 'A' },
      paragraph('one\ntwo'),
      { kind: 'rule' },
      { kind: 'code', language: 'ts', text: 'let a;' },
      { kind: 'code', language: '', text: 'indented' },
    ]);
    expect(blocksOf('Title\n=====\ntext')).toEqual([{ kind: 'heading', level: 1, text: 'Title' }, paragraph('text')]);
    expect(blocksOf('```\nnever closed')).toEqual([{ kind: 'code', language: '', text: 'never closed' }]);
  });

  it('are lists in lists, with tasks, and quotes', () => {
    expect(blocksOf('- a\n  - b\n- [x] c\n\n3. d')).toEqual([
      {
        kind: 'list',
        ordered: false,
        start: 1,
        items: [
          {
            blocks: [paragraph('a'), { kind: 'list', ordered: false, start: 1, items: [{ blocks: [paragraph('b')] }] }],
          },
          { done: true, blocks: [paragraph('c')] },
        ],
      },
      { kind: 'list', ordered: true, start: 3, items: [{ blocks: [paragraph('d')] }] },
    ]);
    expect(blocksOf('> a\n> > b')).toEqual([
      { kind: 'quote', blocks: [paragraph('a'), { kind: 'quote', blocks: [paragraph('b')] }] },
    ]);
  });

  it('are tables, whose rows are as wide as their head', () => {
    expect(blocksOf('| a | b |\n|---|:-:|\n| 1 | x\\|y |\n| 2 |')).toEqual([
      {
        kind: 'table',
        head: ['a', 'b'],
        rows: [
          ['1', 'x|y'],
          ['2', ''],
        ],
      },
    ]);
  });

  it('end: deep nesting and odd marks cost no more than their length', () => {
    const started = performance.now();
    for (const line of [
      '> '.repeat(5000),
      '- '.repeat(5000),
      '|-'.repeat(20_000),
      '#'.repeat(50_000),
      '* * '.repeat(9000),
    ]) {
      blocksOf(`${line}\n`.repeat(3));
    }
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});
