/** What JavaScript and TypeScript call, and what their calls hand to functions. */
import type { Node } from '../grammar.ts';
import type { Sketch } from '../sketch.ts';
import { isFunction } from './typescript-functions.ts';
import { firstString, importAt, meaningOf, plainChain } from './typescript-values.ts';

/** Methods that hand the elements of what they are called on to their first argument. */
const iterators = /^(map|flatMap|filter|forEach|find|findIndex|findLast|some|every|toSorted|sort)$/;

/** Function arguments, by node: what their first parameter stands for. */
const elements = new WeakMap<Sketch, Map<number, string>>();

/** What the first parameter of a function stands for, when the function is an argument. */
export function elementFor(node: Node, sketch: Sketch): string | undefined {
  return elements.get(sketch)?.get(node.id);
}

export function readCall(node: Node, sketch: Sketch): void {
  const called = node.childForFieldName('function');
  if (called === null) return;
  const text = sketch.textOf(called);
  if (text === 'import' || text === 'require') {
    const specifier = firstString(node, sketch);
    if (specifier !== undefined) importAt(node, specifier, sketch);
    return;
  }
  const name = callTo(called, node, sketch);
  if (name !== undefined && iterators.test(name)) noteElements(called, node, sketch);
}

/** Notes the call and gives its name, when what is called has one. */
export function callTo(called: Node | null, node: Node, sketch: Sketch): string | undefined {
  if (called === null) return undefined;
  const plain = plainChain(sketch.textOf(called));
  if (plain === undefined) return callToMember(called, sketch);
  // Most calls are names and dots, and asking the tree for each of them would take longer than parsing.
  const dot = plain.lastIndexOf('.');
  const name = plain.slice(dot + 1);
  if (dot < 0) sketch.call(name, node, name);
  else sketch.call(name, called, plain, plain.slice(0, dot));
  return name;
}

function callToMember(called: Node, sketch: Sketch): string | undefined {
  const property = called.type === 'member_expression' ? called.childForFieldName('property') : null;
  const object = called.childForFieldName('object');
  if (property === null || object === null) return undefined;
  const name = sketch.textOf(property);
  sketch.call(name, property, meaningOf(called, sketch), sketch.textOf(object));
  return name;
}

/** `stores.map((store) => …)`: the parameter stands for an element. */
function noteElements(called: Node, call: Node, sketch: Sketch): void {
  const argument = call.childForFieldName('arguments')?.firstNamedChild ?? null;
  if (argument === null || !isFunction(argument)) return;
  const whole = meaningOf(called.childForFieldName('object'), sketch);
  if (whole === undefined) return;
  const known = elements.get(sketch) ?? new Map<number, string>();
  elements.set(sketch, known.set(argument.id, `${whole}[]`));
}

/** A component in JSX is called; elements of the page are not. */
export function readElement(node: Node, sketch: Sketch): void {
  const name = node.childForFieldName('name');
  if (name !== null && /^[A-Z]/.test(sketch.textOf(name))) callTo(name, node, sketch);
}
