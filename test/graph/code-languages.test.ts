/** A small project in each language, and the whole truth about it: what it defines, imports, builds on and calls. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { languageOf } from '../../src/graph/code/language.ts';
import { importsOf, keysOfImport, keysOfPath } from '../../src/graph/code/resolve.ts';
import { diskTree } from './code-disk-tree.ts';
import { factsOf } from './code-facts.ts';

const fixtures = join(import.meta.dirname, 'fixtures');
const projects = ['typescript', 'javascript', 'python', 'go', 'rust', 'java', 'c', 'cpp', 'csharp', 'ruby', 'php'];

describe.each(projects)('a project in %s', (project) => {
  const tree = diskTree(join(fixtures, project), (path) => path !== 'facts.txt');

  it('is known as it is', async () => {
    const lines: string[] = [];
    for (const path of tree.paths) {
      const facts = await factsOf(tree, path);
      if (facts.length > 0) lines.push(path, ...facts.map((fact) => `  ${fact}`));
    }
    expect(lines).toEqual(
      readFileSync(join(fixtures, project, 'facts.txt'), 'utf8')
        .trimEnd()
        .split('\n'),
    );
  });

  it('finds each import by the keys of what it means', async () => {
    let imports = 0;
    for (const path of tree.paths.filter((each) => languageOf(each) !== undefined)) {
      const outline = await tree.outline(path);
      for (const { import: wanted, paths } of outline === undefined ? [] : await importsOf(tree, path, outline)) {
        const keys = keysOfImport(wanted, path);
        for (const target of paths) {
          imports++;
          expect(
            keysOfPath(target).some((key) => keys.includes(key)),
            `${path} imports ${wanted.specifier}: ${keys.join()} and ${keysOfPath(target).join()} of ${target}`,
          ).toBe(true);
        }
      }
    }
    expect(imports).toBeGreaterThan(0);
  });
});
