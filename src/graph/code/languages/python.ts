/** Python. What begins with an underscore is its module's own. */
import { isName } from '../expression.ts';
import type { Node } from '../grammar.ts';
import type { ImportedName } from '../outline.ts';
import type { Reader, Rules } from '../parse.ts';
import type { Sketch } from '../sketch.ts';

const lists =
  /^(list|List|set|Set|frozenset|tuple|Tuple|Sequence|Iterable|Iterator|Collection|Generator|AsyncIterator|deque)$/;
const maps = /^(dict|Dict|Mapping|MutableMapping|defaultdict|OrderedDict)$/;
const wrappers = /^(Optional|Final|ClassVar|Annotated|Awaitable|Coroutine)$/;

const rules: Rules = {
  import_statement(node, sketch) {
    for (const child of node.childrenForFieldName('name')) {
      if (child === null) continue;
      const { name, local } = imported(child, sketch);
      sketch.import(name, node, [{ name: '*', local }]);
    }
  },
  import_from_statement(node, sketch) {
    const specifier = sketch.textOfField(node, 'module_name')?.replaceAll(/\s/g, '') ?? '';
    const names = node
      .childrenForFieldName('name')
      .flatMap((child) => (child === null ? [] : [imported(child, sketch)]));
    const all = node.namedChildren.some((child) => child?.type === 'wildcard_import');
    sketch.import(specifier, node, all ? [{ name: '*', local: '*' }] : names);
  },
  decorated_definition(node, sketch) {
    const decorators = node.namedChildren.filter((child) => child?.type === 'decorator');
    const text = decorators.map((child) => (child === null ? '' : sketch.textOf(child))).join(' ');
    const definition = node.childForFieldName('definition');
    if (definition !== null) marks.set(sketch, { id: definition.id, text });
  },
  class_definition: readClass,
  function_definition: readFunction,
  lambda(node, sketch) {
    sketch.open(node, 'function');
    bindParameters(node, sketch);
  },
  list_comprehension: openBlock,
  set_comprehension: openBlock,
  dictionary_comprehension: openBlock,
  generator_expression: openBlock,
  for_in_clause: readLoop,
  for_statement: readLoop,
  as_pattern(node, sketch) {
    const value = meaningOf(node.firstNamedChild, sketch);
    const alias = node.childForFieldName('alias');
    if (alias !== null) sketch.bind(sketch.textOf(alias), value, sketch.functionScope);
  },
  assignment: readAssignment,
  call: readCall,
};

export const reader: Reader = { rules };

/** The decorators of the definition that comes next. */
const marks = new WeakMap<Sketch, { readonly id: number; readonly text: string }>();

function decorators(node: Node, sketch: Sketch): string {
  const mark = marks.get(sketch);
  return mark?.id === node.id ? mark.text : '';
}

function imported(node: Node, sketch: Sketch): ImportedName {
  const name = (node.type === 'aliased_import' ? sketch.textOfField(node, 'name') : sketch.textOf(node)) ?? '';
  return { name, local: sketch.textOfField(node, 'alias') ?? name };
}

function openBlock(node: Node, sketch: Sketch): void {
  sketch.open(node, 'block');
}

function isOpen(name: string, sketch: Sketch): boolean {
  const outer = sketch.enclosing;
  const own = !name.startsWith('_') || /^__\w+__$/.test(name);
  return own && (outer === undefined || sketch.scope.kind === 'type');
}

function readClass(node: Node, sketch: Sketch): void {
  const name = sketch.textOfField(node, 'name') ?? '';
  const symbol = sketch.define({ name, kind: 'class', node, exported: isOpen(name, sketch) });
  for (const base of node.childForFieldName('superclasses')?.namedChildren ?? []) {
    const named = base?.type === 'subscript' ? base.childForFieldName('value') : base;
    if (named != null && /^(identifier|attribute)$/.test(named.type)) sketch.inherit(symbol, sketch.textOf(named));
  }
  sketch.open(node, 'type', symbol);
  sketch.bind('super', `:#${symbol}.super`);
}

function readFunction(node: Node, sketch: Sketch): void {
  const name = sketch.textOfField(node, 'name') ?? '';
  const method = sketch.scope.kind === 'type';
  const marked = decorators(node, sketch);
  const owner = method ? sketch.scope.symbol : undefined;
  const kind = !method ? 'function' : /@(\w+\.)*(cached_)?property\b/.test(marked) ? 'field' : 'method';
  const type = typeOf(node.childForFieldName('return_type'), sketch);
  sketch.open(node, 'function', sketch.define({ name, kind, node, exported: isOpen(name, sketch), type }));
  if (owner !== undefined && !marked.includes('@staticmethod')) {
    const first = node.childForFieldName('parameters')?.firstNamedChild ?? null;
    const self = first === null ? '' : sketch.textOf(first);
    if (isName(self)) sketch.bind(self, marked.includes('@classmethod') || self === 'cls' ? `#${owner}` : `:#${owner}`);
  }
  bindParameters(node, sketch, owner !== undefined && !marked.includes('@staticmethod') ? 1 : 0);
}

function bindParameters(node: Node, sketch: Sketch, from = 0): void {
  for (const parameter of node.childForFieldName('parameters')?.namedChildren.slice(from) ?? []) {
    if (parameter === null) continue;
    const named =
      parameter.childForFieldName('name') ?? (parameter.type === 'identifier' ? parameter : parameter.firstNamedChild);
    const type = parameter.childForFieldName('type');
    if (named !== null) sketch.bind(sketch.textOf(named).replace(/^\*+/, ''), typeOf(type, sketch));
  }
}

function readLoop(node: Node, sketch: Sketch): void {
  const left = node.childForFieldName('left');
  const whole = meaningOf(node.childForFieldName('right'), sketch);
  const scope = node.type === 'for_in_clause' ? sketch.scope : sketch.functionScope;
  if (left?.type === 'identifier') sketch.bind(sketch.textOf(left), whole && `${whole}[]`, scope);
  else
    for (const name of left?.namedChildren ?? []) if (name !== null) sketch.bind(sketch.textOf(name), undefined, scope);
}

function readAssignment(node: Node, sketch: Sketch): void {
  const left = node.childForFieldName('left');
  const right = node.childForFieldName('right');
  const annotated = node.childForFieldName('type');
  const type = annotated === null ? meaningOf(right, sketch) : typeOf(annotated, sketch);
  if (left?.type === 'attribute') {
    readSelfField(node, left, type, sketch);
    return;
  }
  if (left?.type !== 'identifier') {
    for (const part of left?.namedChildren ?? [])
      if (part?.type === 'identifier') sketch.bind(sketch.textOf(part), undefined, sketch.functionScope);
    return;
  }
  const name = sketch.textOf(left);
  const inType = sketch.scope.kind === 'type';
  if (!inType && !sketch.atTop) {
    sketch.bind(name, type, sketch.functionScope);
    return;
  }
  const lambda = right?.type === 'lambda';
  const plain = inType ? 'field' : /^[A-Z][A-Z0-9_]*$/.test(name) ? 'constant' : 'variable';
  const kind = lambda ? (inType ? 'method' : 'function') : plain;
  if (inType ? sketch.memberOf(sketch.scope.symbol ?? -1, name) !== undefined : sketch.scope.names.has(name)) return;
  sketch.define({ name, kind, node, exported: isOpen(name, sketch), type });
}

/** A field is declared where it is first assigned, in any method. */
function readSelfField(node: Node, left: Node, type: string | undefined, sketch: Sketch): void {
  const method = sketch.enclosing;
  const parent = method?.parent;
  if (sketch.textOfField(left, 'object') !== 'self' || parent === undefined) return;
  const name = sketch.textOfField(left, 'attribute') ?? '';
  if (sketch.symbolAt(parent)?.kind !== 'class' || sketch.memberOf(parent, name) !== undefined) return;
  sketch.define({ name, kind: 'field', node, exported: !name.startsWith('_'), type, parent, inner: true });
}

function readCall(node: Node, sketch: Sketch): void {
  const called = node.childForFieldName('function');
  if (called?.type === 'identifier') {
    const plain = sketch.textOf(called);
    // Only half of a call to the base.
    plain === 'super' ? undefined : sketch.call(plain, node, plain);
    return;
  }
  if (called?.type !== 'attribute') return;
  const name = called.childForFieldName('attribute');
  const object = called.childForFieldName('object');
  if (name !== null && object !== null)
    sketch.call(sketch.textOf(name), name, meaningOf(called, sketch), sketch.textOf(object));
}

function meaningOf(node: Node | null, sketch: Sketch): string | undefined {
  if (node === null || sketch.isLong(node)) return undefined;
  switch (node.type) {
    case 'identifier':
      return sketch.textOf(node);
    case 'attribute': {
      const object = meaningOf(node.childForFieldName('object'), sketch);
      return object && `${object}.${sketch.textOfField(node, 'attribute')}`;
    }
    case 'call': {
      const called = meaningOf(node.childForFieldName('function'), sketch);
      return called && `${called}()`;
    }
    case 'subscript': {
      const whole = meaningOf(node.childForFieldName('value'), sketch);
      return whole && `${whole}[]`;
    }
    case 'await':
    case 'parenthesized_expression':
      return meaningOf(node.firstNamedChild, sketch);
    default:
      return undefined;
  }
}

function typeOf(node: Node | null, sketch: Sketch): string | undefined {
  if (node === null || sketch.isLong(node)) return undefined;
  switch (node.type) {
    case 'type':
      return typeOf(node.firstNamedChild, sketch);
    case 'identifier':
    case 'attribute':
      return `:${sketch.textOf(node)}`;
    case 'string': {
      const text = sketch.textOf(node).replaceAll(/^['"]+|['"]+$/g, '');
      return /^[\w.]+$/.test(text) ? `:${text}` : undefined;
    }
    case 'binary_operator': {
      const parts = [node.childForFieldName('left'), node.childForFieldName('right')];
      const [only, ...more] = parts.filter((part) => part !== null && part.type !== 'none');
      return more.length === 0 ? typeOf(only ?? null, sketch) : undefined;
    }
    case 'generic_type':
    case 'subscript':
      return genericType(node, sketch);
    default:
      return undefined;
  }
}

function genericType(node: Node, sketch: Sketch): string | undefined {
  const [head = null, ...rest] = node.namedChildren;
  const name = head === null ? '' : sketch.textOf(head).replace(/^typing\./, '');
  const inner = rest.flatMap((part) => (part?.type === 'type_parameter' ? part.namedChildren : [part]));
  if (wrappers.test(name)) return typeOf(inner[0] ?? null, sketch);
  if (lists.test(name) || maps.test(name)) {
    const held = typeOf(inner[maps.test(name) ? 1 : 0] ?? null, sketch);
    return held && `${held}*`;
  }
  return name === 'Union' ? undefined : `:${name}`;
}
