/** What the kinds of symbols have in common. */
import type { SymbolKind } from './outline.ts';

const types: ReadonlySet<SymbolKind> = new Set(['class', 'interface', 'struct', 'trait', 'enum', 'type']);
const callables: ReadonlySet<SymbolKind> = new Set(['function', 'method', 'class', 'struct']);

/** It can be the type of a value. */
export function isTypeLike(kind: SymbolKind): boolean {
  return types.has(kind);
}

/** It can be called or made. */
export function isCallable(kind: SymbolKind): boolean {
  return callables.has(kind);
}
