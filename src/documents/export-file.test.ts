import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readExport } from './export-file.ts';

const one = { path: 'a.md', content: 'A' };

describe('documents written out as JSON', () => {
  it.each([
    ['a list', JSON.stringify([one, one])],
    ['an object with a list', JSON.stringify({ total: 2, documents: [one, one] })],
    ['a line each', `${JSON.stringify(one)}\n${JSON.stringify(one)}\n`],
  ])('may be %s', (_, text) => {
    expect(readExport(text)).toMatchObject({ documents: [{ path: 'a.md' }, { path: 'a.md' }], skipped: [] });
  });

  it('lie at paths below the collection, wherever they lay before', () => {
    const paths = ['/srv/x/a.md', 'C:\\notes\\a.md', './a.md', '../a.md', 'x/../../a.md', '', 'a\u0000b'];
    const reading = readExport(JSON.stringify(paths.map((path) => ({ path, content: '' }))));
    expect('documents' in reading && reading.documents.map(({ path }) => path)).toEqual([
      'srv/x/a.md',
      'notes/a.md',
      'a.md',
    ]);
    expect('skipped' in reading && reading.skipped).toHaveLength(4);
  });

  it('are read or refused, and never a reason to fail', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const reading = readExport(text);
        if ('problem' in reading) expect(reading.problem).not.toBe('');
        else for (const { path } of reading.documents) expect(path.split('/')).not.toContain('..');
      }),
    );
  });
});
