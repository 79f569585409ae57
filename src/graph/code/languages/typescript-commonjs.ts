/** What files without modules define and give by assigning it. */
import type { Node } from '../grammar.ts';
import type { Sketch } from '../sketch.ts';
import { isFunction, unwrapped } from './typescript-functions.ts';
import { meaningOf } from './typescript-values.ts';

/** Files without modules: `exports.name = …`, `module.exports = …`, and functions put on a prototype. */
export function readAssignment(node: Node, sketch: Sketch): void {
  const left = node.childForFieldName('left');
  if (left?.type !== 'member_expression') return;
  const target = sketch.textOf(left);
  const value = unwrapped(node.childForFieldName('right'));
  if (target === 'module.exports') {
    readModuleExports(value, sketch);
    return;
  }
  const [, owner, name] = /^(exports|module\.exports|this|[\w$]+\.prototype)\.([\w$]+)$/.exec(target) ?? [];
  if (owner === undefined || name === undefined || value === null) return;
  if (owner === 'this') {
    readThisField(node, name, value, sketch);
    return;
  }
  const callable = isFunction(value);
  if (owner.endsWith('.prototype')) {
    if (!callable) return;
    const type = owner.slice(0, -'.prototype'.length);
    sketch.open(node, 'block', sketch.define({ name, kind: 'method', node, exported: true, owner: type }));
  } else if (callable) sketch.open(node, 'block', sketch.define({ name, kind: 'function', node, exported: true }));
  else if (value.type === 'identifier') sketch.export(name, sketch.textOf(value));
}

function readModuleExports(value: Node | null, sketch: Sketch): void {
  if (value?.type === 'identifier') {
    sketch.export('default', sketch.textOf(value));
    return;
  }
  for (const child of value?.type === 'object' ? value.namedChildren : []) {
    if (child?.type === 'shorthand_property_identifier') sketch.export(sketch.textOf(child), sketch.textOf(child));
    const named = child?.type === 'pair' ? child.childForFieldName('value') : null;
    if (child !== null && named?.type === 'identifier')
      sketch.export(sketch.textOfField(child, 'key') ?? '', sketch.textOf(named));
  }
}

/** JavaScript declares fields by assigning them. */
function readThisField(node: Node, name: string, value: Node, sketch: Sketch): void {
  if (sketch.language !== 'javascript' || sketch.enclosing?.name !== 'constructor') return;
  const parent = sketch.enclosing.parent;
  if (parent !== undefined)
    sketch.define({ name, kind: 'field', node, exported: true, type: meaningOf(value, sketch), parent, inner: true });
}
