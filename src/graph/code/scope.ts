/** Names of inner scopes, and expressions without them. */
import { readExpression } from './expression.ts';

/** What an inner name stands for: a symbol of the outline, or an expression in the words of the scope where it was bound. */
export type Bound = { readonly symbol: number } | { readonly means: string | undefined };

export type ScopeKind = 'file' | 'type' | 'function' | 'block';

export interface Scope {
  readonly kind: ScopeKind;
  readonly end: number;
  readonly outer?: Scope;
  /** The symbol whose body this is; inherited by inner scopes that are no symbol's. */
  readonly symbol?: number;
  readonly names: Map<string, Bound>;
}

/** Finds the member that a name inside of a type means without `this.`, in languages that have it so. */
export type BareMembers = (type: number, name: string) => number | undefined;

/** Names that stand for names that stand for names are followed so far. */
const DEEPEST = 8;

/** The expression with every name of an inner scope replaced by what it stands for. */
export function closed(text: string, scope: Scope, bare: BareMembers | undefined, depth = 0): string | undefined {
  if (text.startsWith('=>')) {
    const gives = closed(text.slice(2), scope, bare, depth);
    return gives === undefined ? '=>' : `=>${gives}`;
  }
  const expression = depth > DEEPEST ? undefined : readExpression(text);
  if (expression === undefined) return undefined;
  const { root, steps } = expression;
  if (root.startsWith('#') || root.startsWith('@') || root.startsWith(':#')) return text;
  const rest = steps.join('');
  const typed = root.startsWith(':');
  const found = lookUp(typed ? root.slice(1) : root, scope, typed, bare);
  if (found === undefined) return text;
  if ('symbol' in found) return `${typed ? ':' : ''}#${found.symbol}${rest}`;
  return found.means === undefined ? undefined : closed(found.means + rest, found.scope, bare, depth + 1);
}

/** Who a name belongs to, when that is an inner scope; names of the file itself stay as they are. */
function lookUp(
  name: string,
  from: Scope,
  typed: boolean,
  bare: BareMembers | undefined,
): { symbol: number } | { means: string | undefined; scope: Scope } | undefined {
  for (let scope: Scope | undefined = from; scope?.outer !== undefined; scope = scope.outer) {
    // Names of types that are bound to others, as `Self` is, are kept apart from those of values.
    const bound = (typed ? scope.names.get(`:${name}`) : undefined) ?? scope.names.get(name);
    if (typed && bound !== undefined && 'means' in bound && !scope.names.has(`:${name}`)) continue;
    if (bound === undefined) {
      const member =
        typed || scope.kind !== 'type' || scope.symbol === undefined ? undefined : bare?.(scope.symbol, name);
      if (member !== undefined) return { symbol: member };
      continue;
    }
    return 'symbol' in bound ? bound : { means: bound.means, scope };
  }
  return undefined;
}
