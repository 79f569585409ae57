/** Functions of JavaScript and TypeScript: which values are some, and the names that their parameters bind. */
import type { Node } from '../grammar.ts';
import type { Sketch } from '../sketch.ts';
import { typeOf } from './typescript-types.ts';
import { patternNames } from './typescript-values.ts';

const functions = new Set(['arrow_function', 'function_expression', 'generator_function', 'function']);

export function isFunction(node: Node): boolean {
  return functions.has(node.type);
}

export function unwrapped(value: Node | null): Node | null {
  const wrapped = value?.type === 'parenthesized_expression' || value?.type === 'satisfies_expression';
  return wrapped ? unwrapped(value.firstNamedChild) : value;
}

export function openFunction(node: Node, sketch: Sketch, symbol?: number, first?: string): void {
  sketch.open(node, 'function', symbol);
  const single = node.childForFieldName('parameter');
  if (single !== null) bindPattern(single, first, sketch);
  for (const [place, parameter] of (node.childForFieldName('parameters')?.namedChildren ?? []).entries())
    if (parameter !== null) bindParameter(parameter, place === 0 ? first : undefined, sketch);
}

function bindParameter(parameter: Node, means: string | undefined, sketch: Sketch): void {
  if (parameter.type !== 'required_parameter' && parameter.type !== 'optional_parameter') {
    bindPattern(parameter, means, sketch);
    return;
  }
  const type = parameter.childForFieldName('type');
  const known = type === null ? means : typeOf(type, sketch);
  bindPattern(parameter.childForFieldName('pattern'), known, sketch);
}

export function bindPattern(pattern: Node | null, means: string | undefined, sketch: Sketch): void {
  for (const name of patternNames(pattern, means, sketch)) sketch.bind(name.name, name.means);
}
