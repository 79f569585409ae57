/** Members of classes, interfaces and objects. */
import type { Node } from '../grammar.ts';
import type { Sketch } from '../sketch.ts';
import { isTypeLike } from '../symbols.ts';
import { isFunction, openFunction, unwrapped } from './typescript-functions.ts';
import { typeOf } from './typescript-types.ts';
import { isMemberName, meaningOf, stringText } from './typescript-values.ts';

function memberName(node: Node, field: string, sketch: Sketch): string | undefined {
  const name = node.childForFieldName(field);
  if (name === null) return undefined;
  const text = name.type === 'string' ? stringText(name, sketch) : sketch.textOf(name);
  return isMemberName(text) ? text : undefined;
}

function isPrivate(node: Node, name: string, sketch: Sketch): boolean {
  return (
    name.startsWith('#') || /^(?:@\w+\s+)?private\b/.test(sketch.text.slice(node.startIndex, node.startIndex + 40))
  );
}

export function readField(node: Node, sketch: Sketch): void {
  const name = memberName(node, node.type === 'field_definition' ? 'property' : 'name', sketch);
  if (name === undefined) return;
  const value = unwrapped(node.childForFieldName('value'));
  const exported = sketch.scope.kind === 'type' && !isPrivate(node, name, sketch);
  const callable = value !== null && isFunction(value);
  const annotated = node.childForFieldName('type');
  const type = callable
    ? typeOf(value.childForFieldName('return_type'), sketch)
    : annotated === null
      ? meaningOf(value, sketch)
      : typeOf(annotated, sketch);
  sketch.open(node, 'block', sketch.define({ name, kind: callable ? 'method' : 'field', node, exported, type }));
}

/** Of a class, an interface or an object. */
export function readMethod(node: Node, sketch: Sketch): void {
  const name = memberName(node, 'name', sketch);
  const inType = sketch.scope.kind === 'type';
  const signature = node.type !== 'method_definition';
  const outer = sketch.enclosing;
  if (name === undefined || (signature && (outer === undefined || !inType))) {
    openFunction(node, sketch);
    return;
  }
  const exported = (inType ? sketch.scope.kind === 'type' : objectExported(sketch)) && !isPrivate(node, name, sketch);
  const type = typeOf(node.childForFieldName('return_type'), sketch);
  const kind = /^(?:\w+\s+)*get\s/.test(sketch.text.slice(node.startIndex, node.startIndex + 60)) ? 'field' : 'method';
  const symbol = sketch.define({ name, kind, node, exported, type, signature });
  openFunction(node, sketch, symbol);
  if (!inType) sketch.bind('this', undefined);
  if (name === 'constructor') readParameterProperties(node, sketch);
}

/** `constructor(private readonly store: Store)` */
function readParameterProperties(node: Node, sketch: Sketch): void {
  const type = sketch.enclosing?.parent;
  for (const parameter of node.childForFieldName('parameters')?.namedChildren ?? []) {
    if (parameter === null || type === undefined) continue;
    const [modifier] = /^(?:public|private|protected|readonly|override)\b/.exec(sketch.textOf(parameter)) ?? [];
    const name = sketch.textOfField(parameter, 'pattern');
    if (modifier === undefined || name === undefined) continue;
    const known = typeOf(parameter.childForFieldName('type'), sketch);
    const exported = modifier !== 'private';
    sketch.define({ name, kind: 'field', node: parameter, exported, type: known, parent: type, inner: true });
  }
}

function objectExported(sketch: Sketch): boolean {
  const outer = sketch.enclosing;
  return sketch.scope.kind === 'block' && outer !== undefined && outer.kind !== 'function' && outer.kind !== 'method';
}

export function readProperty(node: Node, sketch: Sketch): void {
  const name = memberName(node, 'name', sketch);
  const outer = sketch.enclosing;
  if (name === undefined || outer === undefined || sketch.scope.kind !== 'type') return;
  if (!isTypeLike(outer.kind) && outer.kind !== 'field') return;
  const type = typeOf(node.childForFieldName('type'), sketch);
  const symbol = sketch.define({ name, kind: 'field', node, exported: true, type });
  sketch.open(node, 'type', symbol);
}

export function readPair(node: Node, sketch: Sketch): void {
  const value = unwrapped(node.childForFieldName('value'));
  if (value === null || !isFunction(value)) return;
  const name = memberName(node, 'key', sketch);
  if (name === undefined) return;
  const type = typeOf(value.childForFieldName('return_type'), sketch);
  sketch.open(node, 'block', sketch.define({ name, kind: 'method', node, exported: objectExported(sketch), type }));
}
