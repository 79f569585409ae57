/** Chains between imported decisions: each link returned by its other end, none to what is not there, and no circle. Pure. */
import type { Decision } from '../record.ts';

type Linked = Pick<Decision, 'id' | 'status' | 'supersedes' | 'supersededBy'>;

export interface Mended<T> {
  readonly decisions: readonly T[];
  readonly told: readonly { readonly id: string; readonly why: string }[];
}

export function mended<T extends Linked>(decisions: readonly T[]): Mended<T> {
  const told: { id: string; why: string }[] = [];
  const by = successors(decisions, told);
  const replaced = new Map<string, string[]>();
  for (const [old, next] of by) replaced.set(next, [...(replaced.get(next) ?? []), old]);
  const linked = decisions.map((decision) => {
    const { supersededBy: _, ...rest } = decision;
    const next = by.get(decision.id);
    const superseded = next !== undefined && decision.status === 'active';
    if (superseded) told.push({ id: decision.id, why: `it says that it is active, and ${next} that it replaced it` });
    return {
      ...rest,
      supersedes: (replaced.get(decision.id) ?? []).sort(),
      ...(next !== undefined && { supersededBy: next }),
      ...(superseded && { status: 'superseded' }),
    } as unknown as T;
  });
  return { decisions: linked, told };
}

/** Which one replaced which: what the older says goes before what the newer says. */
function successors(decisions: readonly Linked[], told: { id: string; why: string }[]): Map<string, string> {
  const known = new Set(decisions.map(({ id }) => id));
  const by = new Map<string, string>();
  const link = (old: string, next: string) => {
    if (!known.has(old) || !known.has(next)) {
      told.push({ id: known.has(old) ? old : next, why: `the link from ${old} to ${next} leads to what is not here` });
    } else if ((by.get(old) ?? next) !== next) told.push({ id: next, why: `${old} was replaced by ${by.get(old)}` });
    else if (leadsTo(by, next, old)) told.push({ id: old, why: `the link to ${next} closes a circle` });
    else by.set(old, next);
  };
  for (const { id, supersededBy } of decisions) if (supersededBy !== undefined) link(id, supersededBy);
  for (const { id, supersedes } of decisions) for (const old of supersedes) if (by.get(old) !== id) link(old, id);
  return by;
}

function leadsTo(by: ReadonlyMap<string, string>, from: string, to: string): boolean {
  for (let at: string | undefined = from; at !== undefined; at = by.get(at)) if (at === to) return true;
  return false;
}
