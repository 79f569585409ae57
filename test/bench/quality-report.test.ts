import { describe, expect, it } from 'vitest';
import { randomFrom } from '../../bench/documents/random.ts';
import { stateOf } from '../../bench/quality/ask.ts';
import { verdict, verdictsOn } from '../../bench/quality/goals.ts';
import { fileOf, idOf, written } from '../../bench/quality/home.ts';
import { nameIn } from '../../bench/quality/memory.ts';
import type { Scores } from '../../bench/quality/metrics.ts';
import { misspelled } from '../../bench/quality/misspelling.ts';
import { lineOf, tableOfLines } from '../../bench/quality/report.ts';
import { typosIn } from '../../bench/quality/typos.ts';
import { question } from '../../bench/search/questions.ts';
import { editsBetween } from '../../src/search/spelling.ts';

const scores = (ndcg: number, mrr = ndcg): Scores => ({ ndcg, recall: ndcg, mrr, deep: 1 });

describe('the goals', () => {
  it('hold hybrid to its figure, keyword to the floor and hybrid to keyword', () => {
    const runs = new Map([
      ['floor', [scores(0.5)]],
      ['keyword', [scores(0.49)]],
      ['hybrid', [scores(0.6)]],
    ]);
    expect(verdictsOn('cranfield', runs).map(({ goal, kept }) => [goal, kept])).toEqual([
      ['cranfield: hybrid nDCG@10', true],
      ['cranfield: keyword against the floor', false],
      ['cranfield: hybrid against keyword', true],
    ]);
  });

  it('look at MRR for code', () => {
    const runs = new Map([['hybrid', [scores(0.9, 0.44), scores(0.9, 0.45)]]]);
    expect(verdictsOn('cosqa', runs)).toEqual([
      { goal: 'cosqa: hybrid MRR@10', reached: expect.closeTo(0.445), least: 0.45, kept: false },
    ]);
  });

  it('are judged as they are printed', () => {
    expect(verdict('x', 0.7396, 0.74).kept).toBe(true);
    expect(verdict('x', 0.7394, 0.74).kept).toBe(false);
  });
});

describe('the table of a set', () => {
  it('shows how far a run is above the floor, and how sure that is', () => {
    const floor = { name: 'floor', scores: [scores(0.5), scores(0.7)], ms: [] };
    const hybrid = { name: 'hybrid', scores: [scores(0.6), scores(0.8)], ms: [1, 3] };
    const table = tableOfLines('set', [lineOf(floor), lineOf(hybrid, floor)], 100);
    expect(table).toMatch(/floor +0\.600 +0\.600 +0\.600 +1\.000\n/);
    expect(table).toMatch(/hybrid +0\.700 +0\.700 +0\.700 +1\.000 +\+0\.100 \(\+0\.100 … \+0\.100\) +2\.0 +2\.9/);
  });
});

describe('the texts of a set', () => {
  const prose = { id: '7', title: 'A title', text: 'Some text.' };
  const code = { id: '8', title: '', text: 'def f(): pass' };

  it('are files as somebody would have them', () => {
    expect(written(prose, 'markdown')).toBe('# A title\n\nSome text.\n');
    expect(written(prose, 'txt')).toBe('A title\n\nSome text.\n');
    expect(written(code, 'markdown')).toBe('def f(): pass\n');
    expect([fileOf('scifact', prose, 'markdown'), fileOf('cosqa', code, 'content')]).toEqual(['7.md', '8.py']);
  });

  it('are known again by their paths', () => {
    expect(['texts/7.md', '8.py', 'a/b/docs-cli-reference.md'].map(idOf)).toEqual(['7', '8', 'docs-cli-reference']);
  });
});

describe('misspelled words', () => {
  it('are as many edits away as asked for at most, and no words themselves', () => {
    const random = randomFrom(5);
    for (let time = 0; time < 300; time++) {
      const wrong = misspelled('banana', 1, random, (word) => word === 'banan');
      expect(editsBetween(wrong, 'banana', 2)).toBe(1);
      expect(wrong).not.toBe('banan');
    }
  });

  it('are made of rare words alone, half with one edit, the same every time', () => {
    const texts = Array.from({ length: 8 }, (_, at) => ({
      id: `${at}`,
      title: '',
      text: `everywhere ${['giraffe', 'elephant', 'crocodile', 'leopard'][at % 4]}`,
    }));
    const typos = typosIn(texts, 4);
    expect(typos.map(({ meant }) => meant).sort()).toEqual(['crocodile', 'elephant', 'giraffe', 'leopard']);
    expect(typos.filter(({ edits }) => edits === 1).length).toBeGreaterThanOrEqual(2);
    for (const { right } of typos) expect(right).toHaveLength(2);
    expect(typosIn(texts, 4)).toEqual(typos);
  });
});

describe('answers and questions', () => {
  it('say what took part in either form', () => {
    expect(stateOf({ indexes: ['keyword'] })).toEqual(new Map([['keyword', 'ready']]));
    expect(stateOf({ indexes: { keyword: 'ready', vector: '87 %' } }).get('vector')).toBe('87 %');
    expect(stateOf({}).size).toBe(0);
  });

  it('name the instruction or the target of the decision they found', () => {
    const keys = [
      'instruction:langchain-python',
      'decision:decisions/2026-11-16_pep_598_54685131.md',
      'decision:x_pep_7_0a',
    ];
    expect(keys.map(nameIn)).toEqual(['langchain-python', 'pep-598', 'pep-7']);
  });

  it('are never the same twice in a row', () => {
    expect(new Set(Array.from({ length: 192 }, (_, number) => question(number))).size).toBe(192);
  });
});
