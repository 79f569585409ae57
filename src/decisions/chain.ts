/** The history of a target as people tell it: what held from when to when, and what took its place. */
import type { DecisionHead } from './ledger.ts';

/** Oldest first, each after those that it replaced; what belongs to no chain stands where its time puts it. */
export function chronological<T extends Pick<DecisionHead, 'id' | 'created' | 'supersedes'>>(
  decisions: readonly T[],
): T[] {
  const byId = new Map(decisions.map((decision) => [decision.id, decision]));
  const told: T[] = [];
  const seen = new Set<string>();
  const tell = (decision: T) => {
    // A stack of its own: chains may be longer than the call stack is deep.
    const stack = [decision];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      seen.add(top.id);
      const next = top.supersedes.map((id) => byId.get(id)).find((each) => each !== undefined && !seen.has(each.id));
      if (next !== undefined) stack.push(next);
      else told.push(stack.pop() as T);
    }
  };
  const inOrder = [...decisions].sort((a, b) =>
    a.created === b.created ? (a.id < b.id ? -1 : 1) : a.created < b.created ? -1 : 1,
  );
  for (const decision of inOrder) if (!seen.has(decision.id)) tell(decision);
  return told;
}
