/** JavaScript and TypeScript, with and without JSX. */
import type { Node } from '../grammar.ts';
import type { Reader, Rules } from '../parse.ts';
import type { Sketch } from '../sketch.ts';
import { callTo, elementFor, readCall, readElement } from './typescript-calls.ts';
import { readAssignment } from './typescript-commonjs.ts';
import { bindPattern, isFunction, openFunction, unwrapped } from './typescript-functions.ts';
import { isDefault, readExport, readImport, readRequire } from './typescript-imports.ts';
import { readField, readMethod, readPair, readProperty } from './typescript-members.ts';
import { typeOf } from './typescript-types.ts';
import { meaningOf } from './typescript-values.ts';

/** Where the export statement that was met last ends: what is declared before that, at the top, is exported. */
const exportedUntil = new WeakMap<Sketch, number>();

const rules: Rules = {
  import_statement: readImport,
  export_statement(node, sketch) {
    exportedUntil.set(sketch, node.endIndex);
    readExport(node, sketch);
    const value = node.childForFieldName('value');
    if (value !== null && isDefault(node) && (isFunction(value) || value.type === 'class')) {
      const kind = value.type === 'class' ? 'class' : 'function';
      sketch.open(node, 'block', sketch.define({ name: 'default', kind, node, exported: true }));
    }
  },
  function_declaration: readFunction,
  generator_function_declaration: readFunction,
  function_signature: readFunction,
  class_declaration: readClass,
  abstract_class_declaration: readClass,
  class(node, sketch) {
    if (node.isNamed) readClassBody(node, sketch, sketch.enclosing?.kind === 'class' ? sketch.scope.symbol : undefined);
  },
  interface_declaration(node, sketch) {
    const symbol = define(node, 'interface', sketch);
    if (symbol === undefined) return;
    sketch.open(node, 'type', symbol);
    const bases = node.namedChildren.find((child) => child?.type === 'extends_type_clause');
    for (const base of bases?.namedChildren ?? []) if (base !== null) sketch.inherit(symbol, baseName(base, sketch));
  },
  enum_declaration(node, sketch) {
    define(node, 'enum', sketch);
  },
  type_alias_declaration(node, sketch) {
    const symbol = define(node, 'type', sketch, typeOf(node.childForFieldName('value'), sketch));
    if (symbol !== undefined) sketch.open(node, 'type', symbol);
  },
  internal_module: readModule,
  module(node, sketch) {
    if (node.isNamed) readModule(node, sketch);
  },
  variable_declarator: readVariable,
  public_field_definition: readField,
  field_definition: readField,
  method_definition: readMethod,
  method_signature: readMethod,
  abstract_method_signature: readMethod,
  property_signature: readProperty,
  pair: readPair,
  arrow_function: readClosure,
  function_expression: readClosure,
  generator_function: readClosure,
  statement_block(node, sketch) {
    sketch.open(node, 'block');
  },
  for_statement(node, sketch) {
    sketch.open(node, 'block');
  },
  for_in_statement(node, sketch) {
    sketch.open(node, 'block');
    const whole = meaningOf(node.childForFieldName('right'), sketch);
    const element = whole === undefined || sketch.textOfField(node, 'operator') !== 'of' ? undefined : `${whole}[]`;
    bindPattern(node.childForFieldName('left'), element, sketch);
  },
  catch_clause(node, sketch) {
    sketch.open(node, 'block');
    bindPattern(node.childForFieldName('parameter'), undefined, sketch);
  },
  assignment_expression: readAssignment,
  call_expression: readCall,
  new_expression(node, sketch) {
    callTo(node.childForFieldName('constructor'), node, sketch);
  },
  jsx_opening_element: readElement,
  jsx_self_closing_element: readElement,
};

export const reader: Reader = { rules };

function isExported(node: Node, sketch: Sketch): boolean {
  return sketch.atTop ? (exportedUntil.get(sketch) ?? -1) >= node.endIndex : sketch.scope.kind === 'type';
}

function define(node: Node, kind: 'interface' | 'enum' | 'type' | 'class' | 'function', sketch: Sketch, type?: string) {
  const name = sketch.textOfField(node, 'name');
  if (name === undefined) return undefined;
  return sketch.define({ name, kind, node, exported: isExported(node, sketch), type });
}

function readModule(node: Node, sketch: Sketch): void {
  const name = node.childForFieldName('name');
  // `declare module '…'` adds to another module and defines none.
  if (name === null || name.type === 'string') return;
  const symbol = sketch.define({ name: sketch.textOf(name), kind: 'module', node, exported: isExported(node, sketch) });
  sketch.open(node, 'type', symbol);
}

function readFunction(node: Node, sketch: Sketch): void {
  const name = sketch.textOfField(node, 'name');
  const signature = node.type === 'function_signature';
  const type = typeOf(node.childForFieldName('return_type'), sketch);
  const symbol =
    name === undefined
      ? undefined
      : sketch.define({ name, kind: 'function', node, exported: isExported(node, sketch), type, signature });
  openFunction(node, sketch, symbol);
  sketch.bind('this', undefined);
}

function readClosure(node: Node, sketch: Sketch): void {
  const element = elementFor(node, sketch);
  // In the words of the scope outside, where a name may be that of the parameter.
  openFunction(node, sketch, undefined, element === undefined ? undefined : sketch.close(element, sketch.scope));
  if (node.type === 'arrow_function') return;
  sketch.bind('this', undefined);
  const name = sketch.textOfField(node, 'name');
  if (name !== undefined) sketch.bind(name, undefined);
}

function readClass(node: Node, sketch: Sketch): void {
  const symbol = define(node, 'class', sketch);
  readClassBody(node, sketch, symbol);
}

function readClassBody(node: Node, sketch: Sketch, symbol: number | undefined): void {
  sketch.open(node, 'type', symbol);
  if (symbol === undefined) return;
  sketch.bind('this', `:#${symbol}`);
  sketch.bind('super', `:#${symbol}.super`);
  const heritage = node.namedChildren.find((child) => child?.type === 'class_heritage');
  for (const clause of heritage?.namedChildren ?? []) {
    if (clause === null) continue;
    const bases = /^(extends|implements)_clause$/.test(clause.type) ? clause.namedChildren : [clause];
    for (const base of bases)
      if (base !== null && base.type !== 'type_arguments') sketch.inherit(symbol, baseName(base, sketch));
  }
}

function baseName(base: Node, sketch: Sketch): string {
  const named = base.type === 'generic_type' ? (base.childForFieldName('name') ?? base) : base;
  const name = sketch.textOf(named).replaceAll(/\s/g, '');
  return /^[\w$.]+$/.test(name) ? name : '';
}

/** A function bound to a name is one, wherever it stands; other values are symbols at the top only. */
function readVariable(node: Node, sketch: Sketch): void {
  if (readRequire(node, sketch)) return;
  const pattern = node.childForFieldName('name');
  const value = unwrapped(node.childForFieldName('value'));
  const annotated = node.childForFieldName('type');
  const type = annotated === null ? meaningOf(value, sketch) : typeOf(annotated, sketch);
  if (pattern?.type !== 'identifier') {
    bindPattern(pattern, type, sketch);
    return;
  }
  const name = sketch.textOf(pattern);
  const exported = isExported(node, sketch);
  if (value !== null && isFunction(value)) {
    const returned = typeOf(value.childForFieldName('return_type'), sketch) ?? type?.replace(/^=>/, '');
    const gives = returned === '' ? undefined : returned;
    sketch.open(node, 'block', sketch.define({ name, kind: 'function', node, exported, type: gives }));
  } else if (value?.type === 'class') {
    sketch.open(node, 'block', sketch.define({ name, kind: 'class', node, exported }));
  } else if (sketch.atTop) {
    const kind = isConstant(node, sketch) ? 'constant' : 'variable';
    sketch.open(node, 'block', sketch.define({ name, kind, node, exported, type }));
  } else sketch.bind(name, type);
}

function isConstant(declarator: Node, sketch: Sketch): boolean {
  const before = sketch.text.slice(Math.max(0, declarator.startIndex - 200), declarator.startIndex);
  return /\bconst\s[^;]*$/.test(before);
}
