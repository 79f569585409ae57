/** C#. */
import { isName } from '../expression.ts';
import type { Node } from '../grammar.ts';
import type { SymbolKind } from '../outline.ts';
import type { Reader, Rules } from '../parse.ts';
import type { Sketch } from '../sketch.ts';

const lists =
  /^(List|IList|IEnumerable|ICollection|IReadOnlyList|IReadOnlyCollection|HashSet|ISet|Queue|Stack|IAsyncEnumerable)$/;
const maps = /^(Dictionary|IDictionary|IReadOnlyDictionary|ConcurrentDictionary)$/;
const wrappers = /^(Task|ValueTask|Lazy|Nullable|Func)$/;

const kinds: Readonly<Record<string, SymbolKind>> = {
  class_declaration: 'class',
  record_declaration: 'class',
  struct_declaration: 'struct',
  interface_declaration: 'interface',
  enum_declaration: 'enum',
  delegate_declaration: 'type',
};

const rules: Rules = {
  using_directive(node, sketch) {
    const alias = sketch.textOfField(node, 'name');
    const path = node.lastNamedChild;
    if (path !== null && /^(identifier|qualified_name|alias_qualified_name)$/.test(path.type))
      readUsing(sketch.textOf(path), alias, node, sketch);
  },
  namespace_declaration: readNamespace,
  file_scoped_namespace_declaration: readNamespace,
  class_declaration: readType,
  record_declaration: readType,
  struct_declaration: readType,
  interface_declaration: readType,
  enum_declaration: readType,
  delegate_declaration: readType,
  method_declaration: readMethod,
  constructor_declaration: readMethod,
  local_function_statement: readMethod,
  property_declaration(node, sketch) {
    const name = sketch.textOfField(node, 'name') ?? '';
    const type = typeOf(node.childForFieldName('type'), sketch);
    sketch.open(node, 'block', sketch.define({ name, kind: 'field', node, exported: isOpen(node, sketch), type }));
  },
  field_declaration(node, sketch) {
    const declaration = node.namedChildren.find((child) => child?.type === 'variable_declaration');
    for (const { name, type } of declared(declaration ?? null, sketch))
      sketch.define({ name, kind: 'field', node, exported: isOpen(node, sketch), type });
  },
  local_declaration_statement(node, sketch) {
    const declaration = node.namedChildren.find((child) => child?.type === 'variable_declaration');
    for (const { name, type } of declared(declaration ?? null, sketch)) sketch.bind(name, type);
  },
  foreach_statement(node, sketch) {
    sketch.open(node, 'block');
    const name = sketch.textOfField(node, 'left');
    const whole = meaningOf(node.childForFieldName('right'), sketch);
    const type = typeOf(node.childForFieldName('type'), sketch);
    if (name !== undefined && isName(name)) sketch.bind(name, type ?? (whole && `${whole}[]`));
  },
  lambda_expression(node, sketch) {
    sketch.open(node, 'function');
    bindParameters(node.childForFieldName('parameters'), sketch);
  },
  block(node, sketch) {
    sketch.open(node, 'block');
  },
  invocation_expression(node, sketch) {
    callTo(node.childForFieldName('function'), node, sketch);
  },
  object_creation_expression(node, sketch) {
    const name = typeOf(node.childForFieldName('type'), sketch)?.slice(1);
    if (name !== undefined) sketch.call(name.slice(name.lastIndexOf('.') + 1), node, name);
  },
  constructor_initializer(node, sketch) {
    if (/^:?\s*base\b/.test(sketch.textOf(node))) sketch.call('base', node, 'base');
  },
};

export const reader: Reader = { rules, bareMembers: true };

function readUsing(path: string, alias: string | undefined, node: Node, sketch: Sketch): void {
  const last = path.slice(path.lastIndexOf('.') + 1);
  if (alias !== undefined && alias !== path)
    sketch.import(path.slice(0, -last.length - 1) || path, node, [{ name: last, local: alias }]);
  else sketch.import(path, node, [{ name: '*', local: '*' }]);
}

function readNamespace(node: Node, sketch: Sketch): void {
  sketch.namespace ??= sketch.textOfField(node, 'name');
}

function isOpen(node: Node, sketch: Sketch): boolean {
  const outer = sketch.enclosing;
  const modifiers = node.namedChildren.filter((child) => child?.type === 'modifier');
  const said = modifiers.some((child) => child !== null && /^(public|protected|internal)$/.test(sketch.textOf(child)));
  return said || outer?.kind === 'interface';
}

function readType(node: Node, sketch: Sketch): void {
  const name = sketch.textOfField(node, 'name') ?? '';
  const kind = /^record\s+struct\b/.test(sketch.textOf(node)) ? 'struct' : (kinds[node.type] ?? 'class');
  const symbol = sketch.define({ name, kind, node, exported: isOpen(node, sketch) });
  const bases = node.namedChildren.find((child) => child?.type === 'base_list');
  for (const base of bases?.namedChildren ?? []) {
    const named = typeOf(base?.type === 'primary_constructor_base_type' ? base.firstNamedChild : base, sketch);
    if (named !== undefined) sketch.inherit(symbol, named.slice(1));
  }
  sketch.open(node, 'type', symbol);
  sketch.bind('this', `:#${symbol}`);
  sketch.bind('base', `:#${symbol}.super`);
}

function readMethod(node: Node, sketch: Sketch): void {
  const name = sketch.textOfField(node, 'name') ?? '';
  const kind = node.type === 'local_function_statement' ? 'function' : 'method';
  const type = typeOf(node.childForFieldName('returns') ?? node.childForFieldName('type'), sketch);
  sketch.open(node, 'function', sketch.define({ name, kind, node, exported: isOpen(node, sketch), type }));
  bindParameters(node.childForFieldName('parameters'), sketch);
}

function bindParameters(parameters: Node | null, sketch: Sketch): void {
  if (parameters?.type === 'implicit_parameter' || parameters?.type === 'identifier') {
    sketch.bind(sketch.textOf(parameters), undefined);
    return;
  }
  for (const parameter of parameters?.namedChildren ?? []) {
    const name = parameter === null ? '' : (sketch.textOfField(parameter, 'name') ?? '');
    if (parameter !== null && isName(name)) sketch.bind(name, typeOf(parameter.childForFieldName('type'), sketch));
  }
}

function declared(declaration: Node | null, sketch: Sketch): { name: string; type: string | undefined }[] {
  const annotated = declaration?.childForFieldName('type') ?? null;
  return (declaration?.namedChildren ?? []).flatMap((child) => {
    const name = child?.type === 'variable_declarator' ? (sketch.textOfField(child, 'name') ?? '') : '';
    if (child === null || !isName(name)) return [];
    const inferred = annotated?.type === 'implicit_type';
    return [{ name, type: inferred ? meaningOf(child.lastNamedChild, sketch) : typeOf(annotated, sketch) }];
  });
}

function callTo(called: Node | null, node: Node, sketch: Sketch): void {
  if (called === null) return;
  if (called.type === 'identifier' || called.type === 'generic_name') {
    const name = plainName(called, sketch);
    sketch.call(name, node, name);
    return;
  }
  if (called.type === 'conditional_access_expression') return;
  if (called.type !== 'member_access_expression') return;
  const name = called.childForFieldName('name');
  const object = called.childForFieldName('expression');
  if (name === null || object === null) return;
  sketch.call(plainName(name, sketch), name, meaningOf(called, sketch), sketch.textOf(object));
}

function plainName(node: Node, sketch: Sketch): string {
  return sketch.textOf(node.type === 'generic_name' ? (node.firstNamedChild ?? node) : node);
}

function meaningOf(node: Node | null, sketch: Sketch): string | undefined {
  if (node === null || sketch.isLong(node)) return undefined;
  switch (node.type) {
    case 'identifier':
    case 'generic_name':
      return plainName(node, sketch);
    case 'this':
    case 'this_expression':
      return 'this';
    case 'base':
    case 'base_expression':
      return 'base';
    case 'member_access_expression': {
      const object = meaningOf(node.childForFieldName('expression'), sketch);
      const name = node.childForFieldName('name');
      return object && name !== null ? `${object}.${plainName(name, sketch)}` : undefined;
    }
    case 'invocation_expression': {
      const called = meaningOf(node.childForFieldName('function'), sketch);
      return called && `${called}()`;
    }
    case 'element_access_expression': {
      const whole = meaningOf(node.childForFieldName('expression'), sketch);
      return whole && `${whole}[]`;
    }
    case 'object_creation_expression':
    case 'cast_expression':
      return typeOf(node.childForFieldName('type'), sketch);
    case 'await_expression':
    case 'parenthesized_expression':
      return meaningOf(node.firstNamedChild, sketch);
    default:
      return undefined;
  }
}

function typeOf(node: Node | null, sketch: Sketch): string | undefined {
  if (node === null || sketch.isLong(node)) return undefined;
  switch (node.type) {
    case 'identifier':
    case 'qualified_name':
      return `:${sketch.textOf(node)}`;
    case 'nullable_type':
      return typeOf(node.firstNamedChild, sketch);
    case 'array_type': {
      const element = typeOf(node.childForFieldName('type'), sketch);
      return element && `${element}*`;
    }
    case 'generic_name': {
      const [head = null, inner = null] = node.namedChildren;
      const name = head === null ? '' : sketch.textOf(head);
      const [first = null, second = null] = inner?.namedChildren ?? [];
      if (wrappers.test(name)) return typeOf(first, sketch);
      if (!lists.test(name) && !maps.test(name)) return `:${name}`;
      const held = typeOf(maps.test(name) ? second : first, sketch);
      return held && `${held}*`;
    }
    default:
      return undefined;
  }
}
