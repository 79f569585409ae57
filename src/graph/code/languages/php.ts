/** PHP. Variables keep their dollar sign, so that they are never taken for functions or classes. */
import type { Node } from '../grammar.ts';
import type { SymbolKind } from '../outline.ts';
import type { Reader, Rules } from '../parse.ts';
import type { Sketch } from '../sketch.ts';

const kinds: Readonly<Record<string, SymbolKind>> = {
  class_declaration: 'class',
  interface_declaration: 'interface',
  trait_declaration: 'trait',
  enum_declaration: 'enum',
};

const rules: Rules = {
  namespace_definition(node, sketch) {
    sketch.namespace ??= sketch.textOfField(node, 'name');
  },
  namespace_use_declaration: readUse,
  require_expression: readRequire,
  require_once_expression: readRequire,
  include_expression: readRequire,
  include_once_expression: readRequire,
  class_declaration: readType,
  interface_declaration: readType,
  trait_declaration: readType,
  enum_declaration: readType,
  use_declaration(node, sketch) {
    const symbol = sketch.scope.symbol;
    if (symbol !== undefined) for (const base of node.namedChildren) inheritFrom(symbol, base, sketch);
  },
  function_definition(node, sketch) {
    readFunction(node, 'function', true, sketch);
  },
  method_declaration(node, sketch) {
    const type = sketch.scope.symbol;
    readFunction(node, 'method', isOpen(node, sketch), sketch);
    if (type !== undefined) sketch.bind('$this', `:#${type}`);
  },
  anonymous_function(node, sketch) {
    const outer = sketch.scope;
    openFunction(node, sketch);
    for (const used of node.namedChildren.find((child) => child?.type === 'anonymous_function_use_clause')
      ?.namedChildren ?? [])
      if (used !== null) sketch.bind(sketch.textOf(used).replace(/^&/, ''), sketch.close(sketch.textOf(used), outer));
  },
  arrow_function(node, sketch) {
    openFunction(node, sketch);
  },
  const_declaration(node, sketch) {
    for (const element of node.namedChildren) {
      const name = element?.type === 'const_element' ? element.firstNamedChild : null;
      if (name !== null)
        sketch.define({ name: sketch.textOf(name), kind: 'constant', node, exported: isOpen(node, sketch) });
    }
  },
  property_declaration(node, sketch) {
    const type = typeOf(node.childForFieldName('type'), sketch);
    for (const element of node.namedChildren) {
      const name = element?.type === 'property_element' ? sketch.textOfField(element, 'name') : undefined;
      if (name !== undefined)
        sketch.define({ name: name.slice(1), kind: 'field', node, exported: isOpen(node, sketch), type });
    }
  },
  assignment_expression: readAssignment,
  foreach_statement(node, sketch) {
    const [whole = null, element = null] = node.namedChildren;
    const value = meaningOf(whole, sketch);
    if (element?.type === 'variable_name')
      sketch.bind(sketch.textOf(element), value && `${value}[]`, sketch.functionScope);
  },
  function_call_expression(node, sketch) {
    const called = node.childForFieldName('function');
    if (called === null || !/^(name|qualified_name|variable_name)$/.test(called.type)) return;
    const text = sketch.textOf(called);
    sketch.call(lastPart(text), node, called.type === 'variable_name' ? undefined : text);
  },
  member_call_expression: readMemberCall,
  nullsafe_member_call_expression: readMemberCall,
  scoped_call_expression(node, sketch) {
    const name = node.childForFieldName('name');
    const scope = node.childForFieldName('scope');
    if (name?.type === 'name' && scope !== null)
      sketch.call(sketch.textOf(name), name, meaningOf(node, sketch)?.replace(/\(\)$/, ''), sketch.textOf(scope));
  },
  object_creation_expression(node, sketch) {
    const made = madeOf(node, sketch);
    if (made !== undefined) sketch.call(lastPart(madeText(node, sketch)), node, made);
  },
};

export const reader: Reader = { rules };

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('\\') + 1);
}

function readUse(node: Node, sketch: Sketch): void {
  const group = node.childForFieldName('body');
  const prefix = node.namedChildren.find((child) => child?.type === 'namespace_name');
  const before = prefix == null ? '' : `${sketch.textOf(prefix)}\\`;
  for (const clause of (group ?? node).namedChildren) {
    if (clause?.type !== 'namespace_use_clause') continue;
    const path = (before + sketch.textOf(clause.firstNamedChild ?? clause)).replace(/^\\/, '');
    const name = lastPart(path);
    sketch.import(path, node, [{ name, local: sketch.textOfField(clause, 'alias') ?? name }]);
  }
}

/** `require __DIR__ . '/file.php'` and `require 'file.php'`. */
function readRequire(node: Node, sketch: Sketch): void {
  const text = sketch
    .textOf(node)
    .replace(/^\w+\s*\(?\s*/, '')
    .replace(/\s*\)?$/, '');
  const [, here, path] = /^(__DIR__\s*\.\s*|dirname\(__FILE__\)\s*\.\s*)?['"]([^'"$]+)['"]$/.exec(text) ?? [];
  if (path !== undefined)
    sketch.import(here === undefined ? path : `.${path.startsWith('/') ? '' : '/'}${path}`, node, []);
}

function isOpen(node: Node, sketch: Sketch): boolean {
  const modifier = node.namedChildren.find((child) => child?.type === 'visibility_modifier');
  return modifier == null || sketch.textOf(modifier) !== 'private';
}

function readType(node: Node, sketch: Sketch): void {
  const name = sketch.textOfField(node, 'name') ?? '';
  const symbol = sketch.define({ name, kind: kinds[node.type] ?? 'class', node, exported: true });
  for (const clause of node.namedChildren)
    if (clause?.type === 'base_clause' || clause?.type === 'class_interface_clause')
      for (const base of clause.namedChildren) inheritFrom(symbol, base, sketch);
  sketch.open(node, 'type', symbol);
  sketch.bind('self', `#${symbol}`);
  sketch.bind('static', `#${symbol}`);
  sketch.bind('parent', `:#${symbol}.super`);
}

function inheritFrom(symbol: number, base: Node | null, sketch: Sketch): void {
  if (base !== null && /^(name|qualified_name)$/.test(base.type)) sketch.inherit(symbol, sketch.textOf(base));
}

function readFunction(node: Node, kind: 'function' | 'method', exported: boolean, sketch: Sketch): void {
  const name = sketch.textOfField(node, 'name') ?? '';
  const type = typeOf(node.childForFieldName('return_type'), sketch);
  openFunction(node, sketch, sketch.define({ name, kind, node, exported, type }));
}

function openFunction(node: Node, sketch: Sketch, symbol?: number): void {
  const type = sketch.enclosing?.kind === 'class' ? sketch.scope.symbol : undefined;
  sketch.open(node, 'function', symbol);
  for (const parameter of node.childForFieldName('parameters')?.namedChildren ?? []) {
    const name = parameter === null ? undefined : sketch.textOfField(parameter, 'name');
    if (name === undefined || parameter === null) continue;
    const known = typeOf(parameter.childForFieldName('type'), sketch);
    sketch.bind(name, known);
    // A constructor's parameter with a visibility is a field.
    if (parameter.type === 'property_promotion_parameter' && type !== undefined)
      sketch.define({
        name: name.slice(1),
        kind: 'field',
        node: parameter,
        exported: isOpen(parameter, sketch),
        type: known,
        parent: type,
        inner: true,
      });
  }
}

function readAssignment(node: Node, sketch: Sketch): void {
  const left = node.childForFieldName('left');
  if (left?.type !== 'variable_name') return;
  const name = sketch.textOf(left);
  const type = meaningOf(node.childForFieldName('right'), sketch);
  if (!sketch.atTop) sketch.bind(name, type, sketch.functionScope);
  else if (!sketch.scope.names.has(name)) sketch.define({ name, kind: 'variable', node, exported: false, type });
}

function readMemberCall(node: Node, sketch: Sketch): void {
  const name = node.childForFieldName('name');
  const object = node.childForFieldName('object');
  if (name?.type !== 'name' || object === null) return;
  sketch.call(sketch.textOf(name), name, meaningOf(node, sketch)?.replace(/\(\)$/, ''), sketch.textOf(object));
}

function madeText(node: Node, sketch: Sketch): string {
  const name = node.namedChildren.find((child) => child !== null && /^(name|qualified_name)$/.test(child.type));
  return name == null ? '' : sketch.textOf(name);
}

function madeOf(node: Node, sketch: Sketch): string | undefined {
  return madeText(node, sketch) || undefined;
}

function meaningOf(node: Node | null, sketch: Sketch): string | undefined {
  if (node === null || sketch.isLong(node)) return undefined;
  switch (node.type) {
    case 'variable_name':
    case 'name':
    case 'qualified_name':
    case 'relative_scope':
      return sketch.textOf(node);
    case 'member_access_expression':
    case 'nullsafe_member_access_expression':
      return memberOf(node, 'object', '', sketch);
    case 'member_call_expression':
    case 'nullsafe_member_call_expression':
      return memberOf(node, 'object', '()', sketch);
    case 'scoped_call_expression':
      return memberOf(node, 'scope', '()', sketch);
    case 'function_call_expression': {
      const called = meaningOf(node.childForFieldName('function'), sketch);
      return called && `${called}()`;
    }
    case 'object_creation_expression': {
      const made = madeOf(node, sketch);
      return made && `${made}()`;
    }
    case 'subscript_expression': {
      const whole = meaningOf(node.firstNamedChild, sketch);
      return whole && `${whole}[]`;
    }
    case 'parenthesized_expression':
      return meaningOf(node.firstNamedChild, sketch);
    default:
      return undefined;
  }
}

function memberOf(node: Node, field: string, after: string, sketch: Sketch): string | undefined {
  const object = meaningOf(node.childForFieldName(field), sketch);
  const name = node.childForFieldName('name');
  return object !== undefined && name?.type === 'name' ? `${object}.${sketch.textOf(name)}${after}` : undefined;
}

function typeOf(node: Node | null, sketch: Sketch): string | undefined {
  if (node === null || sketch.isLong(node)) return undefined;
  switch (node.type) {
    case 'named_type':
    case 'optional_type': {
      const inner = node.firstNamedChild;
      if (inner === null || inner.type === 'primitive_type') return undefined;
      const name = sketch.textOf(inner);
      return /^(self|static)$/.test(name) ? 'self()' : `:${name}`;
    }
    default:
      return undefined;
  }
}
