/** What a value of JavaScript or TypeScript is, as an expression; and the names that a pattern binds to its parts. */
import { isName } from '../expression.ts';
import type { Node } from '../grammar.ts';
import type { ImportedName } from '../outline.ts';
import type { Sketch } from '../sketch.ts';
import { suffixed, typeOf } from './typescript-types.ts';

export function meaningOf(node: Node | null, sketch: Sketch): string | undefined {
  if (node === null || sketch.isLong(node)) return undefined;
  switch (node.type) {
    case 'identifier':
    case 'this':
    case 'super':
      return sketch.textOf(node);
    case 'member_expression':
      return plainChain(sketch.textOf(node)) ?? memberOf(node, sketch);
    case 'call_expression':
      return calledOf(node, sketch);
    case 'new_expression':
      return suffixed(meaningOf(node.childForFieldName('constructor'), sketch), '()');
    case 'subscript_expression':
      return suffixed(meaningOf(node.childForFieldName('object'), sketch), '[]');
    case 'await_expression':
    case 'parenthesized_expression':
    case 'non_null_expression':
    case 'satisfies_expression':
      return meaningOf(node.firstNamedChild, sketch);
    case 'as_expression':
      return castOf(node, sketch);
    case 'binary_expression':
      return /^(\?\?|\|\|)$/.test(sketch.textOfField(node, 'operator') ?? '')
        ? meaningOf(node.childForFieldName('left'), sketch)
        : undefined;
    default:
      return undefined;
  }
}

const CHAIN = /^[\w$]+(?:\??\.#?[\w$]+)*$/;

/** Names with dots between them are their own expression. */
export function plainChain(text: string): string | undefined {
  return text.length < 200 && CHAIN.test(text) && !/^\d/.test(text) ? text.replaceAll('?.', '.') : undefined;
}

function memberOf(node: Node, sketch: Sketch): string | undefined {
  const property = node.childForFieldName('property');
  const name = property === null ? '' : sketch.textOf(property);
  return isMemberName(name) ? suffixed(meaningOf(node.childForFieldName('object'), sketch), `.${name}`) : undefined;
}

/** Private names begin with the sign that marks symbols in expressions; as a member's name it cannot be mistaken. */
export function isMemberName(name: string): boolean {
  return isName(name.replace(/^#/, ''));
}

function calledOf(node: Node, sketch: Sketch): string | undefined {
  const called = node.childForFieldName('function');
  if (called?.type !== 'import') return suffixed(meaningOf(called, sketch), '()');
  const specifier = firstString(node, sketch);
  return specifier === undefined ? undefined : `@${importAt(node, specifier, sketch)}`;
}

const importsByNode = new WeakMap<Sketch, Map<number, number>>();

/** An import by a call, noted once however often its node is looked at. */
export function importAt(node: Node, specifier: string, sketch: Sketch, names: readonly ImportedName[] = []): number {
  const known = importsByNode.get(sketch) ?? new Map<number, number>();
  importsByNode.set(sketch, known);
  const index = known.get(node.id) ?? sketch.import(specifier, node, names);
  known.set(node.id, index);
  return index;
}

/** The text of a call's only argument, when that is a plain string. */
export function firstString(call: Node, sketch: Sketch): string | undefined {
  const first = call.childForFieldName('arguments')?.firstNamedChild ?? null;
  return first?.type === 'string' ? stringText(first, sketch) : undefined;
}

export function stringText(node: Node, sketch: Sketch): string {
  return sketch.textOf(node).slice(1, -1);
}

function castOf(node: Node, sketch: Sketch): string | undefined {
  const [value = null, type = null] = node.namedChildren;
  return type === null || sketch.textOf(type) === 'const' ? meaningOf(value, sketch) : typeOf(type, sketch);
}

/** Every name of a pattern, with what it stands for when the whole stands for `means`. */
export function patternNames(
  pattern: Node | null,
  means: string | undefined,
  sketch: Sketch,
): { name: string; means: string | undefined; key?: string }[] {
  if (pattern === null) return [];
  switch (pattern.type) {
    case 'identifier':
    case 'shorthand_property_identifier_pattern':
      return [{ name: sketch.textOf(pattern), means }];
    case 'object_pattern':
      return pattern.namedChildren.flatMap((child) => (child === null ? [] : propertyNames(child, means, sketch)));
    case 'array_pattern':
      return pattern.namedChildren.flatMap((child) => patternNames(child, suffixed(means, '[]'), sketch));
    case 'assignment_pattern':
    case 'object_assignment_pattern':
      return patternNames(pattern.childForFieldName('left'), means, sketch);
    case 'rest_pattern':
      return patternNames(pattern.firstNamedChild, undefined, sketch);
    default:
      return [];
  }
}

function propertyNames(child: Node, means: string | undefined, sketch: Sketch): ReturnType<typeof patternNames> {
  if (child.type === 'pair_pattern') {
    const key = sketch.textOfField(child, 'key') ?? '';
    const part = isName(key) ? suffixed(means, `.${key}`) : undefined;
    return patternNames(child.childForFieldName('value'), part, sketch).map((name) => ({ ...name, key }));
  }
  if (child.type === 'rest_pattern') return patternNames(child, undefined, sketch);
  const [bound] = patternNames(child, undefined, sketch);
  return bound === undefined ? [] : [{ name: bound.name, means: suffixed(means, `.${bound.name}`), key: bound.name }];
}
