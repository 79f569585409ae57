/** Java. */
import { isName } from '../expression.ts';
import type { Node } from '../grammar.ts';
import type { SymbolKind } from '../outline.ts';
import type { Reader, Rules } from '../parse.ts';
import type { Sketch } from '../sketch.ts';

const lists = /^(List|ArrayList|LinkedList|Set|HashSet|TreeSet|Collection|Iterable|Iterator|Stream|Queue|Deque)$/;
const maps = /^(Map|HashMap|TreeMap|LinkedHashMap|ConcurrentHashMap)$/;
const wrappers = /^(Optional|CompletableFuture|Future|Supplier)$/;

const kinds: Readonly<Record<string, SymbolKind>> = {
  class_declaration: 'class',
  record_declaration: 'class',
  interface_declaration: 'interface',
  annotation_type_declaration: 'interface',
  enum_declaration: 'enum',
};

const rules: Rules = {
  package_declaration(node, sketch) {
    const name = node.namedChildren.find(
      (child) => child?.type === 'scoped_identifier' || child?.type === 'identifier',
    );
    if (name != null) sketch.namespace = sketch.textOf(name);
  },
  import_declaration(node, sketch) {
    const path = node.namedChildren.find(
      (child) => child?.type === 'scoped_identifier' || child?.type === 'identifier',
    );
    if (path == null) return;
    const text = sketch.textOf(path).replaceAll(/\s/g, '');
    const all = node.namedChildren.some((child) => child?.type === 'asterisk');
    const last = text.slice(text.lastIndexOf('.') + 1);
    const member = /^import\s+static\b/.test(sketch.textOf(node)) && !all;
    const specifier = member ? text.slice(0, -last.length - 1) : text;
    sketch.import(specifier, node, all ? [{ name: '*', local: '*' }] : [{ name: last, local: last }]);
  },
  class_declaration: readType,
  record_declaration: readType,
  interface_declaration: readType,
  annotation_type_declaration: readType,
  enum_declaration: readType,
  method_declaration: readMethod,
  constructor_declaration: readMethod,
  compact_constructor_declaration: readMethod,
  field_declaration(node, sketch) {
    const type = typeOf(node.childForFieldName('type'), sketch);
    for (const declarator of node.childrenForFieldName('declarator')) {
      const name = declarator === null ? undefined : sketch.textOfField(declarator, 'name');
      if (name !== undefined) sketch.define({ name, kind: 'field', node, exported: isOpen(node, sketch), type });
    }
  },
  local_variable_declaration(node, sketch) {
    const annotated = node.childForFieldName('type');
    const inferred = annotated !== null && sketch.textOf(annotated) === 'var';
    for (const declarator of node.childrenForFieldName('declarator')) {
      const name = declarator === null ? undefined : sketch.textOfField(declarator, 'name');
      const value = declarator?.childForFieldName('value') ?? null;
      if (name !== undefined) sketch.bind(name, inferred ? meaningOf(value, sketch) : typeOf(annotated, sketch));
    }
  },
  enhanced_for_statement(node, sketch) {
    sketch.open(node, 'block');
    const name = sketch.textOfField(node, 'name');
    const whole = meaningOf(node.childForFieldName('value'), sketch);
    const type = typeOf(node.childForFieldName('type'), sketch);
    if (name !== undefined) sketch.bind(name, type === ':var' ? whole && `${whole}[]` : type);
  },
  lambda_expression(node, sketch) {
    sketch.open(node, 'function');
    const parameters = node.childForFieldName('parameters');
    if (parameters?.type === 'identifier') sketch.bind(sketch.textOf(parameters), undefined);
    else bindParameters(parameters, sketch);
  },
  block(node, sketch) {
    sketch.open(node, 'block');
  },
  for_statement(node, sketch) {
    sketch.open(node, 'block');
  },
  method_invocation: readCall,
  object_creation_expression(node, sketch) {
    const name = typeOf(node.childForFieldName('type'), sketch)?.slice(1);
    if (name !== undefined) sketch.call(name.slice(name.lastIndexOf('.') + 1), node, name);
  },
  explicit_constructor_invocation(node, sketch) {
    if (sketch.textOfField(node, 'constructor') === 'super') sketch.call('super', node, 'super');
  },
};

export const reader: Reader = { rules, bareMembers: true };

function modifiers(node: Node, sketch: Sketch): string {
  const first = node.firstNamedChild;
  return first?.type === 'modifiers' ? sketch.textOf(first) : '';
}

/** Members of interfaces are public; what says nothing is seen in its package only. */
function isOpen(node: Node, sketch: Sketch): boolean {
  const outer = sketch.enclosing;
  const said = /\b(public|protected)\b/.test(modifiers(node, sketch));
  return said || outer?.kind === 'interface';
}

function readType(node: Node, sketch: Sketch): void {
  const name = sketch.textOfField(node, 'name') ?? '';
  const symbol = sketch.define({ name, kind: kinds[node.type] ?? 'class', node, exported: isOpen(node, sketch) });
  const clauses = [node.childForFieldName('superclass'), node.childForFieldName('interfaces')];
  const extended = node.namedChildren.find((child) => child?.type === 'extends_interfaces') ?? null;
  for (const clause of [...clauses, extended])
    for (const base of baseNames(clause, sketch)) sketch.inherit(symbol, base);
  sketch.open(node, 'type', symbol);
  sketch.bind('this', `:#${symbol}`);
  sketch.bind('super', `:#${symbol}.super`);
  if (node.type === 'record_declaration') readComponents(node, sketch);
}

function baseNames(clause: Node | null, sketch: Sketch): string[] {
  return (clause?.namedChildren ?? []).flatMap((child) => {
    if (child?.type === 'type_list') return baseNames(child, sketch);
    const name = typeOf(child, sketch)?.slice(1);
    return name === undefined ? [] : [name];
  });
}

/** A record's components are its fields, and are read by methods of the same name. */
function readComponents(node: Node, sketch: Sketch): void {
  for (const component of node.childForFieldName('parameters')?.namedChildren ?? []) {
    const name = component === null ? undefined : sketch.textOfField(component, 'name');
    if (name === undefined || component === null) continue;
    const type = typeOf(component.childForFieldName('type'), sketch);
    sketch.define({ name, kind: 'method', node: component, exported: true, type });
  }
}

function readMethod(node: Node, sketch: Sketch): void {
  const name = sketch.textOfField(node, 'name') ?? '';
  const type = typeOf(node.childForFieldName('type'), sketch);
  sketch.open(node, 'function', sketch.define({ name, kind: 'method', node, exported: isOpen(node, sketch), type }));
  bindParameters(node.childForFieldName('parameters'), sketch);
}

function bindParameters(parameters: Node | null, sketch: Sketch): void {
  for (const parameter of parameters?.namedChildren ?? []) {
    if (parameter === null) continue;
    const name =
      sketch.textOfField(parameter, 'name') ?? (parameter.type === 'identifier' ? sketch.textOf(parameter) : '');
    if (isName(name)) sketch.bind(name, typeOf(parameter.childForFieldName('type'), sketch));
  }
}

function readCall(node: Node, sketch: Sketch): void {
  const name = node.childForFieldName('name');
  const object = node.childForFieldName('object');
  if (name === null) return;
  const receiver = object === null ? undefined : sketch.textOf(object);
  sketch.call(sketch.textOf(name), name, calleeOf(node, sketch), receiver);
}

function calleeOf(node: Node, sketch: Sketch): string | undefined {
  const name = sketch.textOfField(node, 'name');
  const object = node.childForFieldName('object');
  if (object === null) return name;
  const value = meaningOf(object, sketch);
  return value && `${value}.${name}`;
}

function meaningOf(node: Node | null, sketch: Sketch): string | undefined {
  if (node === null || sketch.isLong(node)) return undefined;
  switch (node.type) {
    case 'identifier':
    case 'this':
    case 'super':
      return sketch.textOf(node);
    case 'field_access': {
      const object = meaningOf(node.childForFieldName('object'), sketch);
      return object && `${object}.${sketch.textOfField(node, 'field')}`;
    }
    case 'method_invocation': {
      const called = calleeOf(node, sketch);
      return called && `${called}()`;
    }
    case 'array_access': {
      const whole = meaningOf(node.childForFieldName('array'), sketch);
      return whole && `${whole}[]`;
    }
    case 'object_creation_expression':
      return typeOf(node.childForFieldName('type'), sketch);
    case 'cast_expression':
      return typeOf(node.childForFieldName('type'), sketch);
    case 'parenthesized_expression':
      return meaningOf(node.firstNamedChild, sketch);
    default:
      return undefined;
  }
}

function typeOf(node: Node | null, sketch: Sketch): string | undefined {
  if (node === null || sketch.isLong(node)) return undefined;
  switch (node.type) {
    case 'type_identifier':
    case 'scoped_type_identifier':
      return `:${sketch.textOf(node).replaceAll(/\s/g, '')}`;
    case 'array_type': {
      const element = typeOf(node.childForFieldName('element'), sketch);
      return element && `${element}*`;
    }
    case 'generic_type': {
      const [head = null, inner = null] = node.namedChildren;
      const name = head === null ? '' : sketch.textOf(head);
      const [first = null, second = null] = inner?.namedChildren ?? [];
      if (wrappers.test(name)) return typeOf(first, sketch);
      if (!lists.test(name) && !maps.test(name)) return typeOf(head, sketch);
      const held = typeOf(maps.test(name) ? second : first, sketch);
      return held && `${held}*`;
    }
    default:
      return undefined;
  }
}
