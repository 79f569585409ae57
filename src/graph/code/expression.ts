/**
 * What a piece of source stands for, in one small notation for all languages, so that files can be read on their own and put together later.
 *
 *   open            what the file calls so: a symbol of its own, an import, or something built in
 *   #4              the symbol 4 of the outline
 *   @2              the module that the import 2 of the outline brings
 *   :Store          a value of the type Store; `:#4` of the type that symbol 4 is
 *
 * followed by steps: `.name` a member, `()` what a call gives, `[]` an element, `*` a list (or another holder) of such. A type that begins with `=>` is that of a function,
 * and goes on with what it gives. Promises and other wrappers of a single value count as the value.
 */

export interface Expression {
  readonly root: string;
  readonly steps: readonly string[];
}

const SHAPE = /^(:?[^.()[\]:*]+)((?:\.[^.()[\]:*]+|\(\)|\[\]|\*)*)$/;
const STEP = /\.[^.()[\]:*]+|\(\)|\[\]|\*/g;
/** Longer chains mean nothing to anybody, and cost time. */
const LONGEST = 200;

export function readExpression(text: string): Expression | undefined {
  if (text.length > LONGEST) return undefined;
  const [, root, steps = ''] = SHAPE.exec(text) ?? [];
  return root === undefined ? undefined : { root, steps: steps.match(STEP) ?? [] };
}

export function isName(text: string): boolean {
  return text !== '' && !/[.()[\]:*#@\s]/.test(text);
}
