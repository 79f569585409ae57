/** Everything that decision memory answers about itself, and what must hold of it whatever happened before. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Message } from '../support/cairn.ts';

export type Ask = (operation: string, params?: Message) => Promise<Message>;

export async function allDecisions(home: string, ask: Ask): Promise<Map<string, Message>> {
  const names = await readdir(join(home, 'decisions')).catch(() => []);
  const found = new Map<string, Message>();
  for (const name of names.filter((each) => each.endsWith('.md'))) {
    const { decision } = await ask('decision_get', { decision_id: name });
    expect(decision?.id, name).toBe(`decisions/${name}`);
    found.set(decision.id, decision);
  }
  return found;
}

export function truthsOf(decisions: Iterable<Message>): Map<string, string[]> {
  const truths = new Map<string, string[]>();
  for (const { kind, status, namespace, target, id } of decisions) {
    if (kind !== 'decision' || status !== 'active') continue;
    const place = `${namespace} ${target}`;
    truths.set(place, [...(truths.get(place) ?? []), id]);
  }
  return truths;
}

/** One truth a target, links that lead somewhere and back, chains that end in a truth, evidence for what is there. */
export async function expectSound(decisions: ReadonlyMap<string, Message>, ask: Ask, namespaces: readonly string[]) {
  for (const [place, ids] of truthsOf(decisions.values())) expect(ids, place).toHaveLength(1);
  for (const [id, each] of decisions) {
    const { kind, status, supersedes = [], superseded_by, converted_to, converted_from } = each;
    for (const old of supersedes) expect(decisions.get(old)?.superseded_by, `${old} of ${id}`).toBe(id);
    if (superseded_by !== undefined) expect(decisions.get(superseded_by)?.supersedes, id).toContain(id);
    if (kind === 'decision') expect(superseded_by !== undefined, `${id} is ${status}`).toBe(status === 'superseded');
    if (converted_to !== undefined) expect(decisions.get(converted_to)?.converted_from, id).toBe(id);
    if (converted_from !== undefined) expect(decisions.get(converted_from)?.converted_to, id).toBe(id);
    if (status === 'proposed') for (const old of each.suggested_supersedes ?? []) expect(decisions.has(old)).toBe(true);
    expect(endOf(each, decisions), id).toBe(superseded_by === undefined ? status : 'active');
  }
  for (const namespace of namespaces) {
    for (const { linked_to } of (await ask('event_list', { namespace, limit: 200 })).events) {
      for (const id of linked_to) expect(decisions.has(id), `evidence for ${id}`).toBe(true);
    }
  }
}

function endOf(from: Message, decisions: ReadonlyMap<string, Message>): string {
  let [here, steps] = [from, 0];
  for (; here.superseded_by !== undefined; steps++) {
    if (steps > decisions.size) return 'a circle';
    here = decisions.get(here.superseded_by) as Message;
  }
  return here.status;
}

/** All that the index answers. Equal scores have no order, so hits are compared by what they are, not where. */
export async function answers(ask: Ask, namespaces: readonly string[], queries: readonly string[]) {
  const told: Message[] = [];
  for (const namespace of namespaces) {
    told.push(await ask('get_memory_stats', { namespace }));
    told.push(await ask('target_list', { namespace, limit: 1000 }));
    told.push(byId((await ask('list_proposals', { namespace, proposal_status: 'all', limit: 100 })).proposals));
    for (const query of queries) {
      for (const mode of ['strict', 'balanced', 'audit']) {
        const { results, searched } = await allHits(ask, { query, namespace, mode });
        // Which of several equally good old ones is named as the match is open as well.
        const hits = results.map(({ matched, ...hit }: Message) => ({ ...hit, replaced: matched !== undefined }));
        told.push({ query, searched, hits: byId(hits) });
      }
    }
  }
  return told;
}

async function allHits(ask: Ask, params: Message): Promise<Message> {
  const results: Message[] = [];
  for (;;) {
    const page = await ask('search_decisions', { ...params, limit: 50, offset: results.length });
    results.push(...page.results);
    if (page.results.length < 50) return { results, searched: page.searched };
  }
}

function byId(items: Message[]): Message[] {
  return [...items].sort((a, b) => (a.id < b.id ? -1 : 1));
}
