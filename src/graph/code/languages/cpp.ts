/** C and C++, both with the grammar of C++. */
import { isName } from '../expression.ts';
import type { Node } from '../grammar.ts';
import type { Reader, Rules } from '../parse.ts';
import type { Scope } from '../scope.ts';
import type { Sketch } from '../sketch.ts';
import { declaratorOf, meaningOf, typeOf } from './cpp-types.ts';

const rules: Rules = {
  preproc_include(node, sketch) {
    const path = node.childForFieldName('path');
    if (path !== null && /^["<]/.test(sketch.textOf(path))) sketch.import(sketch.textOf(path).slice(1, -1), node, []);
  },
  preproc_def(node, sketch) {
    const name = sketch.textOfField(node, 'name') ?? '';
    // A guard against being included twice has no value.
    if (sketch.atTop && node.childForFieldName('value') !== null)
      sketch.define({ name, kind: 'constant', node, exported: true });
  },
  preproc_function_def(node, sketch) {
    sketch.define({ name: sketch.textOfField(node, 'name') ?? '', kind: 'function', node, exported: true });
  },
  namespace_definition(node, sketch) {
    const name = sketch.textOfField(node, 'name');
    if (name === undefined) return sketch.open(node, 'type');
    sketch.open(node, 'type', sketch.define({ name: lastPart(name), kind: 'module', node, exported: true }));
  },
  class_specifier: readType,
  struct_specifier: readType,
  union_specifier: readType,
  enum_specifier(node, sketch) {
    const name = sketch.textOfField(node, 'name');
    if (name !== undefined && node.childForFieldName('body') !== null)
      sketch.define({ name, kind: 'enum', node, exported: isOpen(node, sketch) });
  },
  access_specifier(node, sketch) {
    // In the list of bases it has no colon behind it.
    if (/^\s*:(?!:)/.test(sketch.text.slice(node.endIndex, node.endIndex + 20)))
      closed.set(sketch.scope, sketch.textOf(node) === 'private');
  },
  alias_declaration(node, sketch) {
    const name = sketch.textOfField(node, 'name') ?? '';
    const type = typeOf(node.childForFieldName('type')?.childForFieldName('type') ?? null, sketch);
    if (sketch.atTop || sketch.scope.kind === 'type')
      sketch.define({ name, kind: 'type', node, exported: isOpen(node, sketch), type });
  },
  type_definition(node, sketch) {
    const type = typeOf(node.childForFieldName('type'), sketch);
    for (const declarator of node.childrenForFieldName('declarator')) {
      const name = declaratorOf(declarator, sketch)?.name;
      if (name !== undefined && sketch.scope.names.get(name) === undefined)
        sketch.define({ name, kind: 'type', node, exported: true, type });
    }
  },
  function_definition: readFunction,
  declaration: readDeclaration,
  field_declaration: readDeclaration,
  lambda_expression(node, sketch) {
    sketch.open(node, 'function');
    bindParameters(node.childForFieldName('declarator'), sketch);
  },
  compound_statement(node, sketch) {
    sketch.open(node, 'block');
  },
  for_statement(node, sketch) {
    sketch.open(node, 'block');
  },
  for_range_loop(node, sketch) {
    sketch.open(node, 'block');
    const name = declaratorOf(node.childForFieldName('declarator'), sketch)?.name;
    const whole = meaningOf(node.childForFieldName('right'), sketch);
    const type = typeOf(node.childForFieldName('type'), sketch);
    if (name !== undefined) sketch.bind(name, type ?? (whole && `${whole}[]`));
  },
  call_expression(node, sketch) {
    callTo(node.childForFieldName('function'), node, sketch);
  },
  new_expression(node, sketch) {
    const name = typeOf(node.childForFieldName('type'), sketch)?.slice(1);
    if (name !== undefined) sketch.call(lastPart(name), node, name);
  },
};

export const reader: Reader = { rules, bareMembers: true };

/** Bodies of types whose private part is being read. */
const closed = new WeakMap<Scope, boolean>();

function lastPart(name: string): string {
  return name.slice(Math.max(name.lastIndexOf('.'), name.lastIndexOf(':')) + 1);
}

function isOpen(node: Node, sketch: Sketch): boolean {
  if (sketch.scope.kind === 'type') return closed.get(sketch.scope) !== true;
  return !/^static\b/.test(sketch.text.slice(node.startIndex, node.startIndex + 10));
}

function readType(node: Node, sketch: Sketch): void {
  const name = sketch.textOfField(node, 'name');
  if (name === undefined || node.childForFieldName('body') === null) return;
  const kind = node.type === 'class_specifier' ? 'class' : 'struct';
  const symbol = sketch.define({ name: lastPart(name), kind, node, exported: isOpen(node, sketch) });
  const bases = node.namedChildren.find((child) => child?.type === 'base_class_clause');
  for (const base of bases?.namedChildren ?? []) {
    const named = typeOf(base, sketch);
    if (named !== undefined) sketch.inherit(symbol, named.slice(1));
  }
  sketch.open(node, 'type', symbol);
  closed.set(sketch.scope, kind === 'class');
  sketch.bind('this', `:#${symbol}`);
}

function inClass(sketch: Sketch): boolean {
  const kind = sketch.enclosing?.kind;
  return sketch.scope.kind === 'type' && (kind === 'class' || kind === 'struct');
}

function readFunction(node: Node, sketch: Sketch): void {
  const declared = declaratorOf(node.childForFieldName('declarator'), sketch);
  if (declared?.parameters === undefined) {
    sketch.open(node, 'function');
    return;
  }
  const { name, owner, parameters } = declared;
  const kind = owner !== undefined || inClass(sketch) ? 'method' : 'function';
  const type = typeOf(node.childForFieldName('type'), sketch);
  sketch.open(node, 'function', sketch.define({ name, kind, node, exported: isOpen(node, sketch), type, owner }));
  if (owner !== undefined) sketch.bind('this', `:${owner}`);
  bindParameters(parameters, sketch);
}

function bindParameters(declarator: Node | null, sketch: Sketch): void {
  for (const parameter of declarator?.childForFieldName('parameters')?.namedChildren ?? []) {
    const name = declaratorOf(parameter?.childForFieldName('declarator') ?? null, sketch)?.name;
    if (parameter !== null && name !== undefined)
      sketch.bind(name, typeOf(parameter.childForFieldName('type'), sketch));
  }
}

/** Of variables, fields and functions without their body. */
function readDeclaration(node: Node, sketch: Sketch): void {
  const annotated = node.childForFieldName('type');
  for (const declarator of node.childrenForFieldName('declarator')) {
    const declared = declaratorOf(declarator, sketch);
    if (declarator === null || declared === undefined || !isName(declared.name)) continue;
    const value = declarator.childForFieldName('value');
    const inferred = annotated?.type === 'placeholder_type_specifier';
    const type = inferred ? meaningOf(value, sketch) : typeOf(annotated, sketch);
    if (sketch.atTop || inClass(sketch)) defineDeclared(node, declared, type, sketch);
    else readLocal(declared.name, type, value, declarator, sketch);
  }
}

function defineDeclared(
  node: Node,
  declared: NonNullable<ReturnType<typeof declaratorOf>>,
  type: string | undefined,
  sketch: Sketch,
) {
  const member = inClass(sketch);
  const exported = isOpen(node, sketch);
  const { name } = declared;
  if (declared.parameters === undefined)
    sketch.define({ name, kind: member ? 'field' : constness(node, sketch), node, exported, type });
  else if (declared.owner === undefined)
    sketch.define({ name, kind: member ? 'method' : 'function', node, exported, type, signature: true });
}

function constness(node: Node, sketch: Sketch): 'constant' | 'variable' {
  return /^(?:\w+\s+)*?(const|constexpr)\b/.test(sketch.text.slice(node.startIndex, node.startIndex + 60))
    ? 'constant'
    : 'variable';
}

function readLocal(name: string, type: string | undefined, value: Node | null, declarator: Node, sketch: Sketch): void {
  sketch.bind(name, type);
  // `Circle circle(2.0);` makes one.
  const made = value?.type === 'argument_list' || value?.type === 'initializer_list' ? type?.slice(1) : undefined;
  if (made !== undefined && sketch.language === 'cpp' && !made.endsWith('*'))
    sketch.call(lastPart(made), declarator, made);
}

function callTo(called: Node | null, node: Node, sketch: Sketch): void {
  switch (called?.type) {
    case 'identifier':
      sketch.call(sketch.textOf(called), node, sketch.textOf(called));
      return;
    case 'template_function':
      callTo(called.childForFieldName('name'), node, sketch);
      return;
    case 'qualified_identifier': {
      const callee = meaningOf(called, sketch);
      const scope = called.childForFieldName('scope');
      const name = callee === undefined ? undefined : lastPart(callee);
      const receiver = scope === null ? undefined : sketch.textOf(scope);
      if (name !== undefined) sketch.call(name, called, callee, receiver);
      return;
    }
    case 'field_expression': {
      const field = called.childForFieldName('field');
      const object = called.childForFieldName('argument');
      if (field !== null && object !== null)
        sketch.call(sketch.textOf(field), field, meaningOf(called, sketch), sketch.textOf(object));
      return;
    }
    default:
      return;
  }
}
