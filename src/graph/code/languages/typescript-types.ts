/** What a TypeScript annotation says about the value, as an expression; nothing where it says too much for that. */
import type { Node } from '../grammar.ts';
import type { Sketch } from '../sketch.ts';

const wrappers = new Set([
  'Promise',
  'PromiseLike',
  'Awaited',
  'Readonly',
  'Partial',
  'Required',
  'NonNullable',
  'Pick',
  'Omit',
  'Extract',
  'Exclude',
]);
const lists = new Set([
  'Array',
  'ReadonlyArray',
  'Set',
  'ReadonlySet',
  'Iterable',
  'AsyncIterable',
  'Iterator',
  'AsyncIterator',
  'Generator',
  'AsyncGenerator',
  'IterableIterator',
  'AsyncIterableIterator',
]);
const maps = new Set(['Map', 'ReadonlyMap', 'Record', 'WeakMap']);
const nothings = /^(undefined|null|void|never|false|true)$/;

/** Of `type_annotation` or of the type itself. */
export function typeOf(node: Node | null, sketch: Sketch): string | undefined {
  if (node === null || sketch.isLong(node)) return undefined;
  switch (node.type) {
    case 'type_annotation':
    case 'asserts_annotation':
    case 'parenthesized_type':
    case 'readonly_type':
      return typeOf(node.lastNamedChild, sketch);
    case 'type_identifier':
    case 'nested_type_identifier':
      return `:${sketch.textOf(node)}`.replaceAll(/\s/g, '');
    case 'this_type':
      return 'this';
    case 'generic_type':
      return genericType(node, sketch);
    case 'array_type':
      return suffixed(typeOf(node.firstNamedChild, sketch), '*');
    case 'union_type':
      return unionType(node, sketch);
    case 'intersection_type':
      return typeOf(node.firstNamedChild, sketch);
    case 'lookup_type':
      return lookupType(node, sketch);
    case 'type_query':
      return sketch.textOf(node).replace(/^typeof\s+/, '');
    case 'function_type':
      return `=>${typeOf(node.childForFieldName('return_type'), sketch) ?? ''}`;
    default:
      return undefined;
  }
}

function genericType(node: Node, sketch: Sketch): string | undefined {
  const name = sketch.textOfField(node, 'name') ?? '';
  const [first = null, second = null] = node.childForFieldName('type_arguments')?.namedChildren ?? [];
  if (wrappers.has(name)) return typeOf(first, sketch);
  if (lists.has(name)) return suffixed(typeOf(first, sketch), '*');
  if (maps.has(name)) return suffixed(typeOf(second, sketch), '*');
  if (name === 'ReturnType') return suffixed(typeOf(first, sketch), '()');
  return `:${name}`;
}

/** The one alternative that is a type of its own; `undefined` and the like do not count. */
function unionType(node: Node, sketch: Sketch): string | undefined {
  const real = alternatives(node).filter((child) => !nothings.test(sketch.textOf(child)));
  return real.length === 1 ? typeOf(real[0] ?? null, sketch) : undefined;
}

function alternatives(union: Node): Node[] {
  return union.namedChildren.flatMap((child) =>
    child === null ? [] : child.type === 'union_type' ? alternatives(child) : [child],
  );
}

function lookupType(node: Node, sketch: Sketch): string | undefined {
  const [object = null, index = null] = node.namedChildren;
  if (object === null || index === null) return undefined;
  const [, key] = /^['"](\w+)['"]$/.exec(sketch.textOf(index)) ?? [];
  if (sketch.textOf(index) === 'number') return suffixed(typeOf(object, sketch), '[]');
  return key === undefined ? undefined : suffixed(typeOf(object, sketch), `.${key}`);
}

export function suffixed(expression: string | undefined, suffix: string): string | undefined {
  return expression === undefined || expression.startsWith('=>') ? undefined : expression + suffix;
}
