/** `use` declarations of Rust: each path of their tree is an import of one module. */
import type { Node } from '../grammar.ts';
import type { Sketch } from '../sketch.ts';

export function readUse(node: Node, sketch: Sketch): void {
  const given = node.firstNamedChild?.type === 'visibility_modifier';
  const byModule = new Map<string, { name: string; local: string }[]>();
  for (const { module, name, local } of leaves(node.childForFieldName('argument'), [], sketch)) {
    const names = byModule.get(module) ?? [];
    byModule.set(module, names);
    names.push({ name, local });
  }
  for (const [module, names] of byModule) sketch.import(inlined(module, sketch), node, names, given);
}

/** Inside of a module that is written in the file, `super` is the file, or one module further out. */
function inlined(module: string, sketch: Sketch): string {
  let depth = 0;
  for (let scope = sketch.scope; scope.outer !== undefined; scope = scope.outer)
    if (scope.kind === 'type' && sketch.symbolAt(scope.symbol ?? -1)?.kind === 'module') depth++;
  let path = module;
  for (; depth > 0 && /^super\b/.test(path); depth--) path = path.replace(/^super(::)?/, '') || 'self';
  return path.startsWith('super') || path === module || path === 'self' ? path : `self::${path}`;
}

interface Leaf {
  readonly module: string;
  readonly name: string;
  readonly local: string;
}

function leaves(node: Node | null, before: readonly string[], sketch: Sketch): Leaf[] {
  switch (node?.type) {
    case 'use_list':
      return node.namedChildren.flatMap((child) => leaves(child, before, sketch));
    case 'scoped_use_list':
      return leaves(
        node.childForFieldName('list'),
        [...before, ...parts(node.childForFieldName('path'), sketch)],
        sketch,
      );
    case 'use_wildcard':
      return [{ module: [...before, ...parts(node.firstNamedChild, sketch)].join('::'), name: '*', local: '*' }];
    case 'use_as_clause':
      return leaf([...before, ...parts(node.childForFieldName('path'), sketch)], sketch.textOfField(node, 'alias'));
    case 'identifier':
    case 'scoped_identifier':
    case 'self':
    case 'crate':
    case 'super':
      return leaf([...before, ...parts(node, sketch)]);
    default:
      return [];
  }
}

function leaf(path: readonly string[], alias?: string): Leaf[] {
  const whole = path.at(-1) === 'self' && path.length > 1 ? path.slice(0, -1) : undefined;
  const name = path.at(-1) ?? '';
  if (whole !== undefined) return [{ module: whole.join('::'), name: '*', local: alias ?? whole.at(-1) ?? '' }];
  if (path.length === 1) return [{ module: name, name: '*', local: alias ?? name }];
  return [{ module: path.slice(0, -1).join('::'), name, local: alias ?? name }];
}

function parts(node: Node | null, sketch: Sketch): string[] {
  return node === null ? [] : sketch.textOf(node).replaceAll(/\s/g, '').split('::').filter(Boolean);
}
