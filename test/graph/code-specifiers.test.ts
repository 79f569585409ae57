/** Which document an import means: the rules of each language, case by case. */
import { describe, expect, it } from 'vitest';
import { outlineOf } from '../../src/graph/code/parse.ts';
import { callsOf, importsOf, keysOfImport, keysOfPath, type Tree } from '../../src/graph/code/resolve.ts';

/** A tree of these texts. */
function treeOf(files: Readonly<Record<string, string>>): Tree {
  return {
    has: async (path) => Object.hasOwn(files, path),
    text: async (path) => files[path],
    outline: async (path) => (files[path] === undefined ? undefined : outlineOf(path, files[path])),
    below: async (folder, limit) =>
      Object.keys(files)
        .filter((path) => folder === '' || path.startsWith(`${folder}/`))
        .slice(0, limit),
  };
}

/** What the imports of the first file mean; and each is found by its keys. */
async function meant(files: Readonly<Record<string, string>>): Promise<(readonly string[])[]> {
  const tree = treeOf(files);
  const [path = ''] = Object.keys(files);
  const outline = await tree.outline(path);
  const imports = outline === undefined ? [] : await importsOf(tree, path, outline);
  for (const { import: wanted, paths } of imports)
    for (const target of paths)
      expect(keysOfPath(target)).toEqual(expect.arrayContaining([expect.toBeOneOf(keysOfImport(wanted, path))]));
  return imports.map(({ paths }) => paths);
}

describe('specifiers of TypeScript', () => {
  it('are relative, with and without ending, to a file or to a folder', async () => {
    const files = {
      'a/main.ts':
        "import './one'; import './two.js'; import '..'; import './three'; import './gone'; import '../../out';",
      'a/one.ts': '',
      'a/two.tsx': '',
      'index.ts': '',
      'a/three/index.mts': '',
    };
    expect(await meant(files)).toEqual([['a/one.ts'], ['a/two.tsx'], ['index.ts'], ['a/three/index.mts'], [], []]);
  });

  it('prefer the file that is named to the source that it might be built from', async () => {
    const files = { 'main.ts': "import './a.js';", 'a.js': '', 'a.ts': '' };
    expect(await meant(files)).toEqual([['a.js']]);
  });

  it('are mapped by the nearest tsconfig, the most exact pattern first', async () => {
    const files = {
      'app/src/main.ts': "import '@/x'; import '@/deep/y'; import 'shared'; import 'src/z';",
      'app/tsconfig.json':
        '{ "compilerOptions": { "baseUrl": "./", /* "no": 1 */ "paths": { "@/*": ["src/*"], "@/deep/*": ["lib/*"], "shared": ["../shared/entry.ts"], }, }, } // "//"',
      'tsconfig.json': '{ "compilerOptions": { "paths": { "@/*": ["wrong/*"] } } }',
      'app/src/x.ts': '',
      'app/lib/y.ts': '',
      'shared/entry.ts': '',
      'app/src/z.ts': '',
      'wrong/x.ts': '',
    };
    expect(await meant(files)).toEqual([['app/src/x.ts'], ['app/lib/y.ts'], ['shared/entry.ts'], ['app/src/z.ts']]);
  });

  it('name packages of the workspace, and the package itself', async () => {
    const files = {
      'packages/app/main.ts':
        "import 'lib'; import 'lib/deep/a'; import 'old'; import 'app/own'; import 'zod'; import '#x/y';",
      'package.json': '{ "workspaces": ["packages/*"] }',
      'packages/app/package.json':
        '{ "name": "app", "exports": { "./own": "./own.ts" }, "imports": { "#x/*": "./inner/*.ts" } }',
      'packages/app/own.ts': '',
      'packages/app/inner/y.ts': '',
      'packages/lib/package.json':
        '{ "name": "lib", "exports": { ".": { "types": "./dist/index.d.ts", "import": "./dist/index.js" }, "./deep/*": "./dist/deep/*.js" } }',
      'packages/lib/src/index.ts': '',
      'packages/lib/src/deep/a.ts': '',
      'packages/old/package.json': '{ "name": "old", "main": "./start" }',
      'packages/old/start.js': '',
    };
    expect(await meant(files)).toEqual([
      ['packages/lib/src/index.ts'],
      ['packages/lib/src/deep/a.ts'],
      ['packages/old/start.js'],
      ['packages/app/own.ts'],
      [],
      ['packages/app/inner/y.ts'],
    ]);
  });
});

describe('specifiers of other languages', () => {
  it('follow packages of Python up and down', async () => {
    const files = {
      'src/app/web/views.py':
        'from .. import models\nfrom ..models import user\nfrom . import gone\nimport app.web.urls as u\nfrom tools import run',
      'src/app/__init__.py': '',
      'src/app/web/__init__.py': '',
      'src/app/models/__init__.py': '',
      'src/app/models/user.py': '',
      'src/app/web/urls.py': '',
      'src/tools.py': '',
    };
    expect(await meant(files)).toEqual([
      ['src/app/models/__init__.py'],
      ['src/app/models/user.py'],
      // What is not a module is taken from the package, whose own file this is.
      ['src/app/web/__init__.py'],
      ['src/app/web/urls.py'],
      ['src/tools.py'],
    ]);
  });

  it('take the module of Go whose path is the longest', async () => {
    const files = {
      'main.go': 'package main\nimport (\n"example.org/a/b"\n"example.org/a/tools/c"\n"fmt"\n)',
      'go.mod': 'module example.org/a\n',
      'b/b.go': 'package b',
      'b/b_test.go': 'package b',
      'other/go.mod': 'module example.org/a/tools // nested\n',
      'other/c/c.go': 'package c',
    };
    expect(await meant(files)).toEqual([['b/b.go'], ['other/c/c.go'], []]);
  });

  it('take an included file beside the file first, and none when several would do', async () => {
    const files = {
      'src/a/main.c': '#include "near.h"\n#include "far.h"\n#include "twice.h"\n#include <sys/x.h>',
      'src/a/near.h': '',
      'include/near.h': '',
      'include/far.h': '',
      'one/twice.h': '',
      'two/twice.h': '',
    };
    expect(await meant(files)).toEqual([['src/a/near.h'], ['include/far.h'], [], []]);
  });

  it('find crates of the workspace of Rust', async () => {
    const files = {
      'app/src/main.rs': 'use my_lib::deep::Thing;\nuse std::io;\nmod inner { use super::near::x; }\nmod near;',
      'app/Cargo.toml': '[package]\nname = "app"',
      'app/src/near.rs': '',
      'lib/Cargo.toml': '[package]\nversion = "1.0.0"\nname = "my-lib"',
      'lib/src/lib.rs': 'pub mod deep;',
      'lib/src/deep/mod.rs': '',
    };
    expect(await meant(files)).toEqual([['lib/src/deep/mod.rs'], [], ['app/src/near.rs'], ['app/src/near.rs']]);
  });
});

describe('names that hide others', () => {
  async function calls(text: string): Promise<string[]> {
    const tree = treeOf({ 'a.ts': text, 'b.ts': 'export function open() {}\nexport class Store { open() {} }' });
    const outline = await tree.outline('a.ts');
    const resolved = outline === undefined ? [] : await callsOf(tree, 'a.ts', outline);
    return resolved.map(
      ({ call, target }) => `${call.line} ${target === undefined ? '?' : `${target.path}#${target.symbol}`}`,
    );
  }

  it('are parameters, variables and functions of inner scopes', async () => {
    const text = `import { open, Store } from './b.ts';
open();
function one(open: () => void) { open(); }
function two() { const open = Math.random() > 1 ? one : two; open(); }
function three() { { function open() {} open(); } open(); }
class Four { open() { open(); this.open(); } }
for (const open of [one]) open();
[new Store()].map((open) => open.open());
const five = (store: Store, { open }: Four) => { store.open(); open(); };`;
    expect(await calls(text)).toEqual([
      '2 b.ts#0',
      '3 ?',
      '4 ?',
      '4 ?',
      '5 a.ts#3',
      '5 b.ts#0',
      '6 b.ts#0',
      '6 a.ts#5',
      '7 ?',
      '8 ?',
      '8 b.ts#1',
      '8 ?',
      '9 b.ts#2',
      '9 a.ts#5',
    ]);
  });
});
