/** The worker of the real program reads sources: its bundle finds the grammars, which lie in a package beside it. */
import { expect, it, onTestFinished } from 'vitest';
import type {} from '../../src/graph/code/task.ts';
import { createWorkers } from '../../src/service/workers.ts';

it('reads sources of many languages in the built worker, in the order they are given', async () => {
  const workers = createWorkers(1, new URL('../../dist/worker.js', import.meta.url));
  onTestFinished(() => workers.close());
  const outlines = await workers.run('outline', {
    files: [
      { path: 'a.ts', text: "import { b } from './b.ts';\nexport function a() { b(); }" },
      { path: 'notes.md', text: '# Notes' },
      { path: 'b.py', text: 'def b():\n    return c()' },
      { path: 'c.go', text: 'package c\nfunc C() {}' },
    ],
  });
  expect(outlines.map((outline) => outline?.symbols.map(({ name }) => name))).toEqual([['a'], undefined, ['b'], ['C']]);
  expect(outlines[0]?.imports).toEqual([{ specifier: './b.ts', line: 1, names: [{ name: 'b', local: 'b' }] }]);
  expect(outlines[0]?.calls).toEqual([{ name: 'b', line: 2, caller: 0, callee: 'b' }]);
});
