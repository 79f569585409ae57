/** Everything that Cairn knows about the code of a tree, one fact a line, sorted by document. */
import type { Outline } from '../../src/graph/code/outline.ts';
import { basesOf, callsOf, importsOf, type Target, type Tree } from '../../src/graph/code/resolve.ts';

export async function factsOf(tree: Tree, path: string): Promise<string[]> {
  const outline = await tree.outline(path);
  if (outline === undefined) return [];
  const { symbols } = outline;
  const defines = symbols.map(
    ({ kind, line, exported }, index) => `${exported ? '+' : '-'} ${kind} ${qualified(outline, index)} ${line}`,
  );
  const imports = (await importsOf(tree, path, outline)).map(
    ({ import: wanted, paths }) => `imports ${wanted.specifier} → ${paths.join(', ') || '?'}`,
  );
  const calls: string[] = [];
  for (const { call, target } of await callsOf(tree, path, outline)) {
    const caller = call.caller === undefined ? '' : `${qualified(outline, call.caller)} `;
    const called = call.receiver === undefined ? call.name : `${call.receiver}.${call.name}`;
    calls.push(`${caller}calls ${called} → ${await nameOf(tree, path, target)}`);
  }
  const bases: string[] = [];
  for (const { inheritance, target } of await basesOf(tree, path, outline)) {
    const type = qualified(outline, inheritance.symbol);
    bases.push(`${type} inherits ${inheritance.base} → ${await nameOf(tree, path, target)}`);
  }
  return [...defines, ...imports, ...bases, ...calls];
}

function qualified(outline: Outline, index: number): string {
  const symbol = outline.symbols[index];
  if (symbol === undefined) return '';
  if (symbol.owner !== undefined) return `(${symbol.owner}).${symbol.name}`;
  return symbol.parent === undefined ? symbol.name : `${qualified(outline, symbol.parent)}.${symbol.name}`;
}

async function nameOf(tree: Tree, from: string, target: Target | undefined): Promise<string> {
  const outline = target && (await tree.outline(target.path));
  if (outline === undefined || target === undefined) return '?';
  const name = qualified(outline, target.symbol);
  return target.path === from ? name : `${target.path} ${name}`;
}
