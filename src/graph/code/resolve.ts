/** Puts outlines together: which document an import means, which symbol a call runs, which type another one builds on. When unsure, nothing. */
import type { Target } from './entity.ts';
import { Evaluator } from './evaluate.ts';
import type { Call, Import, Inheritance, Outline } from './outline.ts';
import { remembering } from './remembered.ts';
import { pathsOf } from './specifier.ts';
import type { Tree } from './tree.ts';

export type { Target } from './entity.ts';
export { keysOfImport, keysOfPath } from './keys.ts';
export { remembering } from './remembered.ts';
export type { Tree } from './tree.ts';

export interface ResolvedImport {
  readonly import: Import;
  /** The documents that it means; none when they are not in the tree. */
  readonly paths: readonly string[];
}

export interface ResolvedCall {
  readonly call: Call;
  readonly resolved: boolean;
  readonly target?: Target;
}

export interface ResolvedBase {
  readonly inheritance: Inheritance;
  readonly resolved: boolean;
  readonly target?: Target;
}

const evaluators = new WeakMap<Tree, Evaluator>();

/** Work on many files of an unchanged tree shares what it finds when all of it is given the same `remembering(tree)`. */
function evaluatorOf(tree: Tree): Evaluator {
  const evaluator = evaluators.get(tree) ?? new Evaluator(tree);
  evaluators.set(tree, evaluator);
  return evaluator;
}

export async function importsOf(tree: Tree, path: string, outline: Outline): Promise<ResolvedImport[]> {
  const asked = { tree: remembering(tree), path, outline };
  const resolved: ResolvedImport[] = [];
  for (const wanted of outline.imports) resolved.push({ import: wanted, paths: await pathsOf(wanted, asked) });
  return resolved;
}

export async function callsOf(tree: Tree, path: string, outline: Outline): Promise<ResolvedCall[]> {
  const evaluator = evaluatorOf(remembering(tree));
  const resolved: ResolvedCall[] = [];
  for (const call of outline.calls) {
    const target = call.callee === '' ? undefined : await evaluator.called(path, call.callee, call.caller);
    resolved.push(target === undefined ? { call, resolved: false } : { call, resolved: true, target });
  }
  return resolved;
}

export async function basesOf(tree: Tree, path: string, outline: Outline): Promise<ResolvedBase[]> {
  const evaluator = evaluatorOf(remembering(tree));
  const resolved: ResolvedBase[] = [];
  for (const inheritance of outline.inherits) {
    const target = await evaluator.base(path, inheritance.base);
    resolved.push(target === undefined ? { inheritance, resolved: false } : { inheritance, resolved: true, target });
  }
  return resolved;
}
