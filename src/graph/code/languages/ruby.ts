/** Ruby. A call without receiver, arguments and brackets looks like a variable, and is not read as a call. */
import type { Node } from '../grammar.ts';
import type { Reader, Rules } from '../parse.ts';
import type { Sketch } from '../sketch.ts';

const rules: Rules = {
  module(node, sketch) {
    if (!node.isNamed) return;
    const symbol = sketch.define({ name: lastPart(node, sketch), kind: 'module', node, exported: true });
    openType(node, symbol, sketch);
  },
  class(node, sketch) {
    if (!node.isNamed) return;
    const symbol = sketch.define({ name: lastPart(node, sketch), kind: 'class', node, exported: true });
    const base = node.childForFieldName('superclass')?.firstNamedChild ?? null;
    if (base !== null && isConstant(base)) sketch.inherit(symbol, pathText(base, sketch));
    openType(node, symbol, sketch);
  },
  method(node, sketch) {
    readMethod(node, sketch, false);
  },
  singleton_method(node, sketch) {
    readMethod(node, sketch, true);
  },
  assignment: readAssignment,
  block: openBlock,
  do_block: openBlock,
  lambda: openBlock,
  call: readCall,
};

export const reader: Reader = { rules, bareMembers: true };

function isConstant(node: Node): boolean {
  return node.type === 'constant' || node.type === 'scope_resolution';
}

function pathText(node: Node, sketch: Sketch): string {
  return sketch.textOf(node).replace(/^::/, '').replaceAll('::', '.').replaceAll(/\s/g, '');
}

function lastPart(node: Node, sketch: Sketch): string {
  const name = sketch.textOfField(node, 'name') ?? '';
  return name.slice(name.lastIndexOf(':') + 1);
}

function openType(node: Node, symbol: number, sketch: Sketch): void {
  sketch.open(node, 'type', symbol);
  sketch.bind('self', `#${symbol}`);
}

function readMethod(node: Node, sketch: Sketch, singleton: boolean): void {
  const name = sketch.textOfField(node, 'name') ?? '';
  const type = sketch.scope.kind === 'type' ? sketch.scope.symbol : undefined;
  const symbol = sketch.define({ name, kind: type === undefined ? 'function' : 'method', node, exported: true });
  sketch.open(node, 'function', symbol);
  if (type !== undefined) sketch.bind('self', singleton ? `#${type}` : `:#${type}`);
  bindParameters(node, sketch);
}

function bindParameters(node: Node, sketch: Sketch): void {
  for (const parameter of node.childForFieldName('parameters')?.namedChildren ?? []) {
    if (parameter === null) continue;
    const name = parameter.type === 'identifier' ? sketch.textOf(parameter) : sketch.textOfField(parameter, 'name');
    if (name !== undefined) sketch.bind(name, undefined);
  }
}

function openBlock(node: Node, sketch: Sketch): void {
  // The words `do` and `{` carry the same names as the nodes.
  if (!node.isNamed) return;
  sketch.open(node, 'block');
  bindParameters(node, sketch);
}

function readAssignment(node: Node, sketch: Sketch): void {
  const left = node.childForFieldName('left');
  const type = meaningOf(node.childForFieldName('right'), sketch);
  if (left === null) return;
  const name = sketch.textOf(left);
  if (left.type === 'constant') sketch.define({ name, kind: 'constant', node, exported: true, type });
  else if (left.type === 'identifier') sketch.bind(name, type, sketch.functionScope);
  else if (left.type === 'instance_variable') readInstanceVariable(node, name, type, sketch);
}

function readInstanceVariable(node: Node, name: string, type: string | undefined, sketch: Sketch): void {
  const parent = sketch.enclosing?.parent;
  if (parent === undefined || sketch.symbolAt(parent)?.kind !== 'class') return;
  if (sketch.memberOf(parent, name) === undefined)
    sketch.define({ name, kind: 'field', node, exported: false, type, parent, inner: true });
}

function readCall(node: Node, sketch: Sketch): void {
  const method = node.childForFieldName('method');
  const receiver = node.childForFieldName('receiver');
  if (method === null) return;
  const name = sketch.textOf(method);
  if (receiver === null && readDirective(name, node, sketch)) return;
  const text = receiver === null ? undefined : sketch.textOf(receiver);
  sketch.call(name, method, calleeOf(node, sketch), text);
}

/** Calls that say something about the file or the class: true when it was one. */
function readDirective(name: string, node: Node, sketch: Sketch): boolean {
  const given = node.childForFieldName('arguments')?.namedChildren ?? [];
  const type = sketch.scope.kind === 'type' ? sketch.scope.symbol : undefined;
  if (name === 'require' || name === 'require_relative') {
    const [first = null] = given;
    if (first?.type !== 'string') return false;
    const path = sketch.textOf(first).slice(1, -1);
    const near = name === 'require_relative' && !/^\.{0,2}\//.test(path);
    sketch.import(near ? `./${path}` : path, node, []);
    return true;
  }
  if (type === undefined) return false;
  if (/^(include|extend|prepend)$/.test(name)) {
    for (const base of given) if (base !== null && isConstant(base)) sketch.inherit(type, pathText(base, sketch));
    return true;
  }
  if (!/^attr_(reader|accessor|writer)$/.test(name)) return false;
  for (const field of given)
    if (field?.type === 'simple_symbol')
      sketch.define({ name: sketch.textOf(field).slice(1), kind: 'field', node: field, exported: true });
  return true;
}

/** `new` of a class makes one: the class is what is called. */
function calleeOf(node: Node, sketch: Sketch): string | undefined {
  const name = sketch.textOfField(node, 'method') ?? '';
  const receiver = node.childForFieldName('receiver');
  if (receiver === null) return name === 'new' ? 'self' : name;
  const value = meaningOf(receiver, sketch);
  if (value === undefined) return undefined;
  return name === 'new' ? value : /^\w+[?!=]?$/.test(name) ? `${value}.${name}` : undefined;
}

function meaningOf(node: Node | null, sketch: Sketch): string | undefined {
  if (node === null || sketch.isLong(node)) return undefined;
  switch (node.type) {
    case 'identifier':
    case 'self':
      return sketch.textOf(node);
    case 'constant':
    case 'scope_resolution':
      return pathText(node, sketch);
    case 'instance_variable':
      return `self.${sketch.textOf(node)}`;
    case 'call': {
      const called = calleeOf(node, sketch);
      return called && `${called}()`;
    }
    case 'element_reference': {
      const whole = meaningOf(node.childForFieldName('object'), sketch);
      return whole && `${whole}[]`;
    }
    case 'parenthesized_statements':
      return meaningOf(node.firstNamedChild, sketch);
    default:
      return undefined;
  }
}
