import { describe, expect, it } from 'vitest';
import { sourcesOf } from './sources.ts';

const cwd = '/home/ann/app';

function read(words: string[], there: string[] = []) {
  const { paths, patterns } = sourcesOf(words, cwd, (path) => there.includes(path));
  return { paths, patterns: Object.fromEntries(patterns) };
}

describe('what add is to take', () => {
  it('makes paths those of the working folder', () => {
    expect(read(['docs', '../other/a.md', '/etc/hosts']).paths).toEqual([
      '/home/ann/app/docs',
      '/home/ann/other/a.md',
      '/etc/hosts',
    ]);
  });

  it('looks for patterns from the working folder downwards', () => {
    expect(read(['*.md', 'src/**/*.ts', './docs/*']).patterns).toEqual({
      '/home/ann/app': ['/*.md', '/src/**/*.ts', '/docs/*'],
    });
  });

  it('looks for patterns elsewhere from where they begin', () => {
    expect(read(['../other/*.md', '/srv/data/**/x?.csv', '/*.txt']).patterns).toEqual({
      '/home/ann/other': ['/*.md'],
      '/srv/data': ['/**/x?.csv'],
      '/': ['/*.txt'],
    });
  });

  it('takes a file that is there for itself, whatever its name could stand for', () => {
    expect(read(['[id].tsx', '[no].tsx'], ['/home/ann/app/[id].tsx'])).toEqual({
      paths: ['/home/ann/app/[id].tsx'],
      patterns: { '/home/ann/app': ['/[no].tsx'] },
    });
  });

  it('makes patterns of alternatives, and no more than can be looked for', () => {
    expect(read(['src/*.{ts,md}', '{a,b}/c*']).patterns['/home/ann/app']).toEqual([
      '/src/*.ts',
      '/src/*.md',
      '/a/c*',
      '/b/c*',
    ]);
    expect(read([`*${'{a,b}'.repeat(30)}`]).patterns['/home/ann/app']?.length).toBeLessThanOrEqual(512);
  });

  it('leaves a brace without alternatives as it is', () => {
    expect(read(['a{b}*']).patterns['/home/ann/app']).toEqual(['/a{b}*']);
  });
});
