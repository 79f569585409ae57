/** Rust. Methods stand in `impl` blocks, which name the type they are for. */
import { isName } from '../expression.ts';
import type { Node } from '../grammar.ts';
import type { SymbolKind } from '../outline.ts';
import type { Reader, Rules } from '../parse.ts';
import type { Scope } from '../scope.ts';
import type { Sketch } from '../sketch.ts';
import { meaningOf, pathText, typeOf } from './rust-types.ts';
import { readUse } from './rust-use.ts';

const typeKinds: Readonly<Record<string, SymbolKind>> = {
  struct_item: 'struct',
  union_item: 'struct',
  enum_item: 'enum',
  trait_item: 'trait',
};

const rules: Rules = {
  mod_item(node, sketch) {
    const name = sketch.textOfField(node, 'name') ?? '';
    if (node.childForFieldName('body') === null) {
      sketch.import(`self::${name}`, node, [{ name: '*', local: name }], isPublic(node));
      return;
    }
    sketch.open(node, 'type', sketch.define({ name, kind: 'module', node, exported: isPublic(node) }));
  },
  use_declaration: readUse,
  struct_item: readType,
  union_item: readType,
  enum_item: readType,
  trait_item: readType,
  type_item: readType,
  impl_item: readImpl,
  function_item: readFunction,
  function_signature_item: readFunction,
  const_item: readConstant,
  static_item: readConstant,
  macro_definition(node, sketch) {
    sketch.define({ name: `${sketch.textOfField(node, 'name')}!`, kind: 'function', node, exported: true });
  },
  field_declaration(node, sketch) {
    const name = sketch.textOfField(node, 'name') ?? '';
    const type = typeOf(node.childForFieldName('type'), sketch);
    if (sketch.scope.kind === 'type') sketch.define({ name, kind: 'field', node, exported: isPublic(node), type });
  },
  closure_expression(node, sketch) {
    sketch.open(node, 'function');
    bindParameters(node, sketch);
  },
  block(node, sketch) {
    sketch.open(node, 'block');
  },
  let_declaration(node, sketch) {
    const annotated = node.childForFieldName('type');
    const value = node.childForFieldName('value');
    bindPattern(
      node.childForFieldName('pattern'),
      annotated === null ? meaningOf(value, sketch) : typeOf(annotated, sketch),
      sketch,
    );
  },
  for_expression(node, sketch) {
    sketch.open(node, 'block');
    const whole = meaningOf(node.childForFieldName('value'), sketch);
    bindPattern(node.childForFieldName('pattern'), whole && `${whole}[]`, sketch);
  },
  call_expression(node, sketch) {
    callTo(node.childForFieldName('function'), node, sketch);
  },
  macro_invocation(node, sketch) {
    const name = sketch.textOfField(node, 'macro') ?? '';
    const last = name.slice(name.lastIndexOf(':') + 1);
    sketch.call(`${last}!`, node, `${name.replaceAll('::', '.')}!`);
  },
  token_tree: readTokens,
};

export const reader: Reader = { rules };

function isPublic(node: Node): boolean {
  return node.firstNamedChild?.type === 'visibility_modifier';
}

function readType(node: Node, sketch: Sketch): void {
  const name = sketch.textOfField(node, 'name') ?? '';
  const kind = typeKinds[node.type] ?? 'type';
  const type = kind === 'type' ? typeOf(node.childForFieldName('type'), sketch) : undefined;
  // `type Output = …` inside an implementation names no type of the file.
  if (node.type === 'type_item' && sketch.scope.kind === 'type') return;
  const symbol = sketch.define({ name, kind, node, exported: isPublic(node), type });
  for (const bound of node.childForFieldName('bounds')?.namedChildren ?? [])
    if (bound !== null && kind === 'trait') sketch.inherit(symbol, pathText(bound, sketch));
  sketch.open(node, 'type', symbol);
  sketch.bind('self', `:#${symbol}`);
  sketch.bind('Self', `#${symbol}`);
  sketch.bind(':Self', `:#${symbol}`);
}

function readImpl(node: Node, sketch: Sketch): void {
  const type = typeOf(node.childForFieldName('type'), sketch);
  const name = type?.replace(/^:/, '') ?? '';
  const trait = node.childForFieldName('trait');
  if (trait !== null && isName(name)) sketch.inheritByName(name, pathText(trait, sketch));
  sketch.open(node, 'type');
  if (!isName(name)) return;
  owners.set(sketch.scope, name);
  if (trait !== null) traits.add(sketch.scope);
  sketch.bind('self', type);
  sketch.bind('Self', name);
  sketch.bind(':Self', type);
}

/** The type that an `impl` block is for, by its scope. */
const owners = new WeakMap<Scope, string>();
/** Those that implement a trait: what they hold is as public as the trait. */
const traits = new WeakSet<Scope>();

function readFunction(node: Node, sketch: Sketch): void {
  const name = sketch.textOfField(node, 'name') ?? '';
  const owner = owners.get(sketch.scope);
  const outer = sketch.enclosing;
  const method =
    owner !== undefined || (sketch.scope.kind === 'type' && outer !== undefined && outer.kind !== 'module');
  const kind = method ? 'method' : 'function';
  const exported = isPublic(node) || outer?.kind === 'trait' || traits.has(sketch.scope);
  const type = typeOf(node.childForFieldName('return_type'), sketch);
  sketch.open(node, 'function', sketch.define({ name, kind, node, exported, type, owner }));
  bindParameters(node, sketch);
}

function bindParameters(node: Node, sketch: Sketch): void {
  for (const parameter of node.childForFieldName('parameters')?.namedChildren ?? []) {
    if (parameter === null || parameter.type === 'self_parameter') continue;
    const pattern = parameter.childForFieldName('pattern') ?? parameter;
    bindPattern(pattern, typeOf(parameter.childForFieldName('type'), sketch), sketch);
  }
}

function bindPattern(pattern: Node | null, means: string | undefined, sketch: Sketch): void {
  if (pattern === null) return;
  if (pattern.type === 'identifier') {
    sketch.bind(sketch.textOf(pattern), means);
    return;
  }
  if (/^(mut|ref|reference)_pattern$/.test(pattern.type)) {
    bindPattern(pattern.lastNamedChild, means, sketch);
    return;
  }
  for (const part of pattern.namedChildren)
    if (part?.type === 'identifier') sketch.bind(sketch.textOf(part), undefined);
}

function readConstant(node: Node, sketch: Sketch): void {
  const name = sketch.textOfField(node, 'name') ?? '';
  const owner = owners.get(sketch.scope);
  const kind = node.type === 'const_item' ? 'constant' : 'variable';
  const type = typeOf(node.childForFieldName('type'), sketch);
  if (sketch.atTop || owner !== undefined) sketch.define({ name, kind, node, exported: isPublic(node), type, owner });
}

function callTo(called: Node | null, node: Node, sketch: Sketch): void {
  switch (called?.type) {
    case 'identifier':
      sketch.call(sketch.textOf(called), node, sketch.textOf(called));
      return;
    case 'generic_function':
      callTo(called.childForFieldName('function'), node, sketch);
      return;
    case 'scoped_identifier':
    case 'field_expression': {
      const scoped = called.type === 'scoped_identifier';
      const name = called.childForFieldName(scoped ? 'name' : 'field');
      const receiver = called.childForFieldName(scoped ? 'path' : 'value');
      if (name !== null && receiver !== null)
        sketch.call(sketch.textOf(name), name, meaningOf(called, sketch), sketch.textOf(receiver));
      return;
    }
    default:
      return;
  }
}

/** Arguments of macros are not parsed: what looks like a call in them is one. */
function readTokens(node: Node, sketch: Sketch): void {
  const tokens = node.children;
  for (const [place, token] of tokens.entries()) {
    const next = tokens[place + 1];
    if (token?.type !== 'identifier' || next?.type !== 'token_tree' || sketch.text[next.startIndex] !== '(') continue;
    let from = place;
    while (
      from >= 2 &&
      /^(\.|::)$/.test(tokens[from - 1]?.type ?? '') &&
      /^(identifier|self)$/.test(tokens[from - 2]?.type ?? '')
    )
      from -= 2;
    // Behind something longer than names: a method of a value that is not known.
    if (/^(\.|::|!)$/.test(tokens[from - 1]?.type ?? '')) continue;
    const start = tokens[from]?.startIndex ?? token.startIndex;
    const callee = sketch.text.slice(start, token.endIndex).replaceAll('::', '.').replaceAll(/\s/g, '');
    const receiver = from === place ? undefined : sketch.text.slice(start, tokens[place - 1]?.startIndex);
    sketch.call(sketch.textOf(token), token, callee, receiver);
  }
}
