/**
 * The ids of what was read: each allowed, each once, and references between the entries following along. An id that is
 * allowed as it stands is never given up for one that had to be repaired.
 */
import { isId, repairedId } from '../entry.ts';
import type { Change, Draft } from './catalog.ts';

const MAX_ID_LENGTH = 120;

export function withSettledIds(drafts: readonly Draft[]): Draft[] {
  const ids = settle(drafts.map(({ facts }) => facts.id));
  const renamed = new Map<string, string>();
  drafts.forEach(({ facts }, index) => {
    if (!renamed.has(facts.id)) renamed.set(facts.id, ids[index] ?? facts.id);
  });
  return drafts.map((draft, index) => {
    const id = ids[index] ?? draft.facts.id;
    const changes: Change[] = id === draft.facts.id ? [] : [renaming(draft.facts.id, id)];
    const follow = (field: string, reference: string) => {
      const target = renamed.get(reference) ?? (isId(reference) ? reference : repairedId(reference));
      if (target !== reference) changes.push({ field, from: reference, to: target, why: 'follows the id it names' });
      return target;
    };
    const { supersedes, deprecatedBy, dependencies } = draft.facts;
    const facts = {
      ...draft.facts,
      id,
      supersedes: supersedes === undefined ? undefined : follow('supersedes', supersedes),
      deprecatedBy: deprecatedBy === undefined ? undefined : follow('deprecatedBy', deprecatedBy),
      dependencies: dependencies?.map((reference) => follow('dependencies', reference)),
    };
    return { ...draft, facts, changes: [...changes, ...draft.changes] };
  });
}

function renaming(from: string, to: string): Change {
  const why = isId(from) ? 'another entry has the id already' : 'the nearest id that is allowed and free';
  return { field: 'id', from, to, why };
}

function settle(wanted: readonly string[]): string[] {
  const first = new Map<string, number>();
  wanted.forEach((id, index) => {
    if (isId(id) && !first.has(id)) first.set(id, index);
  });
  const taken = new Set(first.keys());
  const lastNumber = new Map<string, number>();
  return wanted.map((id, index) => {
    if (first.get(id) === index) return id;
    const base = isId(id) ? id : repairedId(id);
    let free = base;
    for (let number = lastNumber.get(base) ?? 2; taken.has(free); number++) {
      free = numbered(base, number);
      lastNumber.set(base, number + 1);
    }
    taken.add(free);
    return free;
  });
}

function numbered(base: string, number: number): string {
  const suffix = `-${number}`;
  return `${base.slice(0, MAX_ID_LENGTH - suffix.length).replace(/[^a-z0-9]+$/, '')}${suffix}`;
}
