/** Imports go one way: doors → operations → domains → foundations. A file that needs the other way is in the wrong room. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../src');

const layers = ['program', 'doors', 'operations', 'domains', 'foundations', 'words'] as const;
type Layer = (typeof layers)[number];

/** What every layer may speak: errors and the version import nothing of ours. */
const words = new Set(['errors.ts', 'version.ts']);
const foundations = new Set(['service', 'store', 'search', 'graph']);

function layerOf(file: string): Layer {
  const [folder = ''] = file.split('/');
  if (words.has(file)) return 'words';
  if (!file.includes('/')) return 'program';
  if (folder === 'doors') return 'doors';
  // The operations of a domain stand beside it, and are the layer above it.
  if (folder === 'operations' || file.split('/')[1] === 'operations') return 'operations';
  return foundations.has(folder) ? 'foundations' : 'domains';
}

const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));

const imports = files.flatMap((file) => {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/(?:from|import\()\s*'(\.[^']+\.ts)'/g)].map(([, target = '']) => ({
    file,
    target: relative(root, normalize(join(root, dirname(file), target))).replaceAll('\\', '/'),
  }));
});

describe('the layers of the house', () => {
  it('has files in it, and imports between them', () => {
    expect(files.length).toBeGreaterThan(40);
    expect(imports.length).toBeGreaterThan(100);
  });

  it('imports from left to right only', () => {
    const wrong = imports.filter(({ file, target }) => layers.indexOf(layerOf(target)) < layers.indexOf(layerOf(file)));
    expect(wrong).toEqual([]);
  });

  it('lets no domain know another door, and no foundation but the engines of the store know SQL', () => {
    const sql = files.filter((file) =>
      /\b(SELECT|INSERT INTO|UPDATE \w+ SET|DELETE FROM)\b/.test(readFileSync(join(root, file), 'utf8')),
    );
    expect(sql.filter((file) => !/^store\/(embedded|shared|records)\//.test(file))).toEqual([]);
  });

  it('keeps one domain out of another', () => {
    const between = imports.filter(
      ({ file, target }) =>
        layerOf(file) === 'domains' && layerOf(target) === 'domains' && file.split('/')[0] !== target.split('/')[0],
    );
    expect(between).toEqual([]);
  });
});
