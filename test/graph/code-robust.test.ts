/** Sources are what people leave lying about: half written, binary, huge. Reading them never throws and never hangs. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Outline } from '../../src/graph/code/outline.ts';
import { languages } from '../../src/graph/code/outline.ts';
import { outlineOf } from '../../src/graph/code/parse.ts';
import { basesOf, callsOf, importsOf, type Tree } from '../../src/graph/code/resolve.ts';

const fixtures = join(import.meta.dirname, 'fixtures');
const extensions = ['ts', 'tsx', 'js', 'py', 'go', 'rs', 'java', 'c', 'cpp', 'cs', 'rb', 'php'];

const sources = extensions.flatMap((extension) =>
  readdirSync(fixtures, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(`.${extension}`))
    .map((path) => ({ extension, text: readFileSync(join(fixtures, path), 'utf8') })),
);

/** A tree of one document. */
function lonely(path: string, text: string, outline: Outline): Tree {
  return {
    has: async (asked) => asked === path,
    text: async (asked) => (asked === path ? text : undefined),
    outline: async (asked) => (asked === path ? outline : undefined),
    below: async () => [path],
  };
}

async function readAll(path: string, text: string): Promise<Outline> {
  const outline = await outlineOf(path, text);
  if (outline === undefined) throw new Error(`${path} has a language`);
  const tree = lonely(path, text, outline);
  await importsOf(tree, path, outline);
  await callsOf(tree, path, outline);
  await basesOf(tree, path, outline);
  expect(() => JSON.stringify(outline)).not.toThrow();
  for (const { parent } of outline.symbols) if (parent !== undefined) expect(outline.symbols[parent]).toBeDefined();
  for (const { caller } of outline.calls) if (caller !== undefined) expect(outline.symbols[caller]).toBeDefined();
  return outline;
}

describe('sources that are no good', () => {
  it('are read as far as they go, cut off anywhere', async () => {
    const cut = fc.record({ source: fc.constantFrom(...sources), from: fc.nat(100), to: fc.nat(100) });
    await fc.assert(
      fc.asyncProperty(cut, async ({ source: { extension, text }, from, to }) => {
        const [start, end] = [from, to].sort((a, b) => a - b).map((part) => Math.floor((text.length * part) / 100));
        await readAll(`a/file.${extension}`, text.slice(start, end));
      }),
      { numRuns: 250 },
    );
  });

  it('are read when pieces of them are mixed', async () => {
    const pieces = fc.array(fc.record({ source: fc.constantFrom(...sources), at: fc.nat(95) }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...extensions), pieces, async (extension, parts) => {
        const texts = parts.map(({ source: { text }, at }) => text.slice((text.length * at) / 100).slice(0, 60));
        await readAll(`file.${extension}`, texts.join(''));
      }),
      { numRuns: 200 },
    );
  });

  it('are read when they are noise', async () => {
    const noise = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.string({ unit: fc.constantFrom(...'(){}[]<>:;.,#@$%&*=+-/\\"\'`\n\t \u0000aZ9é😀'), maxLength: 300 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...extensions), noise, async (extension, text) => {
        await readAll(`file.${extension}`, text);
      }),
      { numRuns: 300 },
    );
  });

  it.each(extensions)('are read when they nest very deeply (%s)', async (extension) => {
    const pieces = [
      '(',
      '{',
      '[',
      'a.b(',
      'f(g => ',
      'class A { ',
      'a ? b : ',
      '-',
      'fn f() {',
      '<a>',
      '.a()',
      'const [',
      ': A<',
    ];
    for (const piece of pieces) {
      const outline = await readAll(`file.${extension}`, `x${piece.repeat(3000)}`);
      expect(languages).toContain(outline.language);
    }
  });
});

describe('the bounds of reading', () => {
  it('survive a text that makes the parser crash, and the next one is read', async () => {
    const deep = await outlineOf('a.ts', `const ${'['.repeat(9000)}a${']'.repeat(9000)} = b;`);
    expect(deep?.problem).toContain('nested too deeply');
    const next = await outlineOf('a.ts', 'export class Next {}');
    expect(next?.symbols.map(({ name }) => name)).toEqual(['Next']);
  });

  it('leave a text alone that is too long, and say so', async () => {
    const outline = await outlineOf('a.ts', 'export const a = 1;\n'.repeat(120_000));
    expect(outline?.symbols).toEqual([]);
    expect(outline?.problem).toContain('2000000 characters');
  });

  it('end a parse that takes too long, and the next one begins afresh', async () => {
    const long = 'export function a() { return b(c(d(1))); }\n'.repeat(20_000);
    const outline = await outlineOf('a.ts', long, { characters: 2_000_000, milliseconds: 20 });
    expect(outline).toMatchObject({ symbols: [], calls: [], problem: expect.stringContaining('20 ms') });
    const next = await outlineOf('a.ts', 'export function next() {}');
    expect(next?.problem).toBeUndefined();
    expect(next?.symbols.map(({ name }) => name)).toEqual(['next']);
  });

  it('know nothing of other files', async () => {
    expect(await outlineOf('notes.md', '# Notes')).toBeUndefined();
    expect(await outlineOf('constructor', '')).toBeUndefined();
    expect(await outlineOf('a.constructor', '')).toBeUndefined();
  });
});
