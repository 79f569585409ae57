/** Go. What begins with a capital letter is exported; files of a folder are one package. */
import type { Node } from '../grammar.ts';
import type { Reader, Rules } from '../parse.ts';
import type { Sketch } from '../sketch.ts';

const rules: Rules = {
  import_spec(node, sketch) {
    const specifier = (sketch.textOfField(node, 'path') ?? '').slice(1, -1);
    const alias = sketch.textOfField(node, 'name');
    const local = alias === '.' ? '*' : (alias ?? packageName(specifier));
    sketch.import(specifier, node, local === '_' ? [] : [{ name: '*', local }]);
  },
  function_declaration(node, sketch) {
    const name = sketch.textOfField(node, 'name') ?? '';
    openFunction(
      node,
      sketch,
      sketch.define({ name, kind: 'function', node, exported: isOpen(name), type: given(node, sketch) }),
    );
  },
  method_declaration: readMethod,
  method_elem(node, sketch) {
    const name = sketch.textOfField(node, 'name') ?? '';
    if (inType(sketch))
      sketch.define({ name, kind: 'method', node, exported: isOpen(name), type: given(node, sketch) });
  },
  type_elem(node, sketch) {
    const symbol = sketch.scope.symbol;
    const [base = null, ...more] = node.namedChildren;
    if (symbol !== undefined && base !== null && more.length === 0 && inType(sketch) && isNamed(base))
      sketch.inherit(symbol, sketch.textOf(base));
  },
  type_spec: readType,
  type_alias: readType,
  field_declaration: readField,
  const_spec: readVariable,
  var_spec: readVariable,
  short_var_declaration(node, sketch) {
    bindAll(node.childForFieldName('left'), node.childForFieldName('right'), sketch);
  },
  range_clause(node, sketch) {
    const whole = meaningOf(node.childForFieldName('right'), sketch);
    const names = node.childForFieldName('left')?.namedChildren ?? [];
    for (const [place, name] of names.entries())
      if (name !== null)
        sketch.bind(sketch.textOf(name), place === 1 && whole !== undefined ? `${whole}[]` : undefined);
  },
  func_literal(node, sketch) {
    openFunction(node, sketch);
  },
  block(node, sketch) {
    sketch.open(node, 'block');
  },
  if_statement: openBlock,
  for_statement: openBlock,
  call_expression: readCall,
};

export const reader: Reader = { rules };

/** The last part of the path, without a version. */
function packageName(specifier: string): string {
  const parts = specifier.split('/');
  const last = parts.pop() ?? '';
  return (/^v\d+$/.test(last) ? (parts.pop() ?? last) : last).replace(/^go-|\.v\d+$/g, '');
}

function isOpen(name: string): boolean {
  return /^\p{Lu}/u.test(name);
}

function inType(sketch: Sketch): boolean {
  return sketch.scope.kind === 'type';
}

function isNamed(node: Node): boolean {
  return node.type === 'type_identifier' || node.type === 'qualified_type';
}

function openBlock(node: Node, sketch: Sketch): void {
  sketch.open(node, 'block');
}

function readMethod(node: Node, sketch: Sketch): void {
  const name = sketch.textOfField(node, 'name') ?? '';
  const receiver = node.childForFieldName('receiver')?.firstNamedChild ?? null;
  const type = receiver === null ? undefined : typeOf(receiver.childForFieldName('type'), sketch);
  const owner = type?.replace(/^:/, '');
  const symbol = sketch.define({
    name,
    kind: 'method',
    node,
    exported: isOpen(name),
    type: given(node, sketch),
    owner,
  });
  openFunction(node, sketch, symbol);
  const self = receiver === null ? undefined : sketch.textOfField(receiver, 'name');
  if (self !== undefined) sketch.bind(self, type);
}

function openFunction(node: Node, sketch: Sketch, symbol?: number): void {
  sketch.open(node, 'function', symbol);
  for (const parameter of node.childForFieldName('parameters')?.namedChildren ?? []) {
    if (parameter === null) continue;
    const type = typeOf(parameter.childForFieldName('type'), sketch);
    const held = parameter.type === 'variadic_parameter_declaration' ? type && `${type}*` : type;
    for (const name of parameter.childrenForFieldName('name'))
      if (name !== null) sketch.bind(sketch.textOf(name), held);
  }
}

/** What a function gives; of several results the first, which is the one that errors come along with. */
function given(node: Node, sketch: Sketch): string | undefined {
  const result = node.childForFieldName('result');
  const first =
    result?.type === 'parameter_list' ? (result.firstNamedChild?.childForFieldName('type') ?? null) : result;
  return typeOf(first, sketch);
}

function readType(node: Node, sketch: Sketch): void {
  const name = sketch.textOfField(node, 'name') ?? '';
  const value = node.childForFieldName('type');
  const kind = value?.type === 'struct_type' ? 'struct' : value?.type === 'interface_type' ? 'interface' : 'type';
  const type = kind === 'type' ? typeOf(value, sketch) : undefined;
  sketch.open(node, 'type', sketch.define({ name, kind, node, exported: isOpen(name), type }));
}

function readField(node: Node, sketch: Sketch): void {
  const symbol = sketch.scope.symbol;
  if (!inType(sketch) || symbol === undefined) return;
  const type = typeOf(node.childForFieldName('type'), sketch);
  const names = node.childrenForFieldName('name');
  // A field without a name embeds its type, and is called like it.
  if (names.length === 0 && type?.startsWith(':')) {
    sketch.inherit(symbol, type.slice(1));
    const name = type.slice(type.lastIndexOf('.') + 1).replace(/^:/, '');
    sketch.define({ name, kind: 'field', node, exported: isOpen(name), type });
  }
  for (const name of names) {
    const text = name === null ? '' : sketch.textOf(name);
    sketch.define({ name: text, kind: 'field', node, exported: isOpen(text), type });
  }
}

function readVariable(node: Node, sketch: Sketch): void {
  const annotated = typeOf(node.childForFieldName('type'), sketch);
  const values = node.childForFieldName('value')?.namedChildren ?? [];
  const kind = node.type === 'const_spec' ? 'constant' : 'variable';
  for (const [place, node_] of node.childrenForFieldName('name').entries()) {
    const name = node_ === null ? ',' : sketch.textOf(node_);
    if (name === ',' || name === '_') continue;
    const value = values[place] ?? null;
    const type = annotated ?? meaningOf(value, sketch);
    if (!sketch.atTop) sketch.bind(name, type);
    else if (value?.type === 'func_literal')
      sketch.open(
        node,
        'block',
        sketch.define({ name, kind: 'function', node, exported: isOpen(name), type: given(value, sketch) }),
      );
    else sketch.define({ name, kind, node, exported: isOpen(name), type });
  }
}

function bindAll(left: Node | null, right: Node | null, sketch: Sketch): void {
  const values = right?.namedChildren ?? [];
  for (const [place, name] of (left?.namedChildren ?? []).entries()) {
    // Several names for one call: the first is the result, the others come along.
    const value = place < values.length ? (values[place] ?? null) : null;
    if (name?.type === 'identifier') sketch.bind(sketch.textOf(name), meaningOf(value, sketch));
  }
}

function readCall(node: Node, sketch: Sketch): void {
  const called = node.childForFieldName('function');
  if (called?.type === 'identifier') {
    sketch.call(sketch.textOf(called), node, sketch.textOf(called));
    return;
  }
  if (called?.type !== 'selector_expression') return;
  const field = called.childForFieldName('field');
  const operand = called.childForFieldName('operand');
  if (field !== null && operand !== null)
    sketch.call(sketch.textOf(field), field, meaningOf(called, sketch), sketch.textOf(operand));
}

function meaningOf(node: Node | null, sketch: Sketch): string | undefined {
  if (node === null || sketch.isLong(node)) return undefined;
  switch (node.type) {
    case 'identifier':
      return sketch.textOf(node);
    case 'selector_expression': {
      const operand = meaningOf(node.childForFieldName('operand'), sketch);
      return operand && `${operand}.${sketch.textOfField(node, 'field')}`;
    }
    case 'call_expression': {
      const called = meaningOf(node.childForFieldName('function'), sketch);
      return called && `${called}()`;
    }
    case 'index_expression': {
      const whole = meaningOf(node.childForFieldName('operand'), sketch);
      return whole && `${whole}[]`;
    }
    case 'unary_expression':
      return meaningOf(node.childForFieldName('operand'), sketch);
    case 'parenthesized_expression':
      return meaningOf(node.firstNamedChild, sketch);
    case 'composite_literal':
    case 'type_assertion_expression':
      return typeOf(node.childForFieldName('type'), sketch);
    default:
      return undefined;
  }
}

function typeOf(node: Node | null, sketch: Sketch): string | undefined {
  if (node === null || sketch.isLong(node)) return undefined;
  switch (node.type) {
    case 'type_identifier':
    case 'qualified_type':
      return `:${sketch.textOf(node)}`;
    case 'pointer_type':
    case 'parenthesized_type':
      return typeOf(node.firstNamedChild, sketch);
    case 'generic_type':
      return typeOf(node.childForFieldName('type'), sketch);
    case 'slice_type':
    case 'array_type': {
      const element = typeOf(node.childForFieldName('element'), sketch);
      return element && `${element}*`;
    }
    case 'map_type':
    case 'channel_type': {
      const value = typeOf(node.childForFieldName('value'), sketch);
      return value && `${value}*`;
    }
    case 'function_type':
      return `=>${given(node, sketch) ?? ''}`;
    default:
      return undefined;
  }
}
