/** Decisions as both engines keep them in rows. */
import type { Row, Value } from './rows.ts';
import type { DecisionFacts, DecisionFilter, FileStamp } from './store.ts';

export function decisionConditions({ namespace, targetKey, kind, statuses }: DecisionFilter): {
  where: string;
  values: Value[];
} {
  // Only files that are decisions have a namespace: where that is asked for, the index alone can answer.
  const parts = namespace === undefined ? ['decision.id IS NOT NULL'] : [];
  const values: Value[] = [];
  for (const [column, wanted] of [
    ['namespace', namespace],
    ['target_key', targetKey],
    ['kind', kind],
  ] as const) {
    if (wanted === undefined) continue;
    parts.push(`decision.${column} = ?`);
    values.push(wanted);
  }
  if (statuses !== undefined) {
    parts.push(statuses.length === 0 ? '1 = 0' : `decision.status IN (${statuses.map(() => '?').join(', ')})`);
    values.push(...statuses);
  }
  return { where: parts.join(' AND '), values };
}

/** A file is called as its decision. */
export function decisionIdOf(name: string): string {
  return name.replace(/\.md$/, '');
}

export function reversedKey(key: string): string {
  return [...key].reverse().join('');
}

export function toStamp(row: Row): FileStamp {
  return { name: String(row.name), size: Number(row.size), modifiedMs: Number(row.modified_ms) };
}

export function toDecisionFacts(row: Row): DecisionFacts {
  return {
    id: String(row.id),
    kind: String(row.kind),
    status: String(row.status),
    namespace: String(row.namespace),
    target: String(row.target),
    targetKey: String(row.target_key),
    title: String(row.title),
    created: String(row.created),
    head: String(row.head),
  };
}

/** What was found for one version of an index, and is part of many answers: to find it is to go through all. */
export class VersionedAnswers<T> {
  readonly #most: number;
  readonly #known = new Map<string, T>();
  #version = -1;

  constructor(most: number) {
    this.#most = most;
  }

  async of(version: number, key: string, find: () => Promise<T>): Promise<T> {
    if (version !== this.#version) this.#known.clear();
    this.#version = version;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const found = await find();
    // Somebody may have gone on to another version meanwhile.
    if (version !== this.#version) return found;
    if (this.#known.size >= this.#most) this.#known.clear();
    this.#known.set(key, found);
    return found;
  }
}
