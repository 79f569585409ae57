/** What of another system's decisions is taken, under which ids and with which links: decided on what is here already. */
import type { DecisionIndex, View } from '../../store/store.ts';
import { activeFor } from '../change.ts';
import { readDecision, serialize } from '../file.ts';
import type { Draft, Mapping } from '../foreign/ledgermind.ts';
import { mended } from '../foreign/links.ts';
import { readFrom } from '../ledger.ts';
import { type Decision, isId, type Provenance, publicId } from '../record.ts';
import { targetKey } from '../target.ts';

/** The field of an imported decision that says where it came from: by it a second run knows what it did. */
export const ORIGIN_FIELD = 'imported_from';

export interface Skipped {
  readonly item: string;
  readonly reason: string;
}

export interface Plan {
  readonly taken: readonly Decision[];
  readonly present: number;
  readonly skipped: readonly Skipped[];
  readonly mappings: readonly Mapping[];
  /** From the ids of the other system to those here, of all that are here afterwards. */
  readonly ids: ReadonlyMap<string, Pick<Decision, 'id' | 'namespace'>>;
}

type Ground = Pick<View, 'files' | 'truths'>;

interface Placed extends Decision {
  readonly path: string;
  readonly was: string;
  readonly here: boolean;
}

export async function planned(
  view: Ground,
  index: DecisionIndex,
  drafts: readonly Draft[],
  provenance: Provenance,
): Promise<Plan> {
  const placed = await placedIn(view, drafts, provenance);
  const whole = mended(placed);
  const { skipped, refused } = await contradictions(view, index, whole.decisions);
  // Links to what is not taken go with it.
  const { decisions, told } = mended(whole.decisions.filter(({ id }) => !refused.has(id)));
  const taken: Decision[] = [];
  for (const { path, was: _was, here, ...decision } of decisions) {
    if (here) continue;
    const reading = readDecision(decision.id, serialize(decision), decision.created);
    if ('problem' in reading) skipped.push({ item: path, reason: `it ${reading.problem}` });
    else taken.push(decision);
  }
  const pathOf = new Map(placed.map(({ id, path }) => [id, path]));
  const mappings = [
    ...placed
      .filter(({ was, id }) => was !== id)
      .map(({ path, was, id }) => mapping(path, 'id', was, id, 'the nearest id that is allowed and free')),
    ...[...whole.told, ...told].map(({ id, why }) => mapping(pathOf.get(id) ?? id, 'links', null, null, why)),
  ];
  const ids = new Map(decisions.map(({ was, id, namespace }) => [was, { id, namespace }]));
  return { taken, present: placed.filter(({ here }) => here).length, skipped, mappings, ids };
}

function mapping(path: string, field: string, from: unknown, to: unknown, why: string): Mapping {
  return { path, field, from, to, why };
}

/** Each with an id of its own; one that an earlier import brought keeps what it has. */
async function placedIn({ files }: Ground, drafts: readonly Draft[], provenance: Provenance): Promise<Placed[]> {
  const taken = new Set<string>();
  const ids = new Map<string, string>();
  const settled: { draft: Draft; id: string; here: boolean }[] = [];
  for (const draft of drafts) {
    const origin = originOf(draft);
    for (let number = 1; ; number++) {
      const id = numbered(draft.id, number);
      const present = taken.has(id) ? undefined : await readFrom(files, id);
      const here = present?.extra[ORIGIN_FIELD] === origin;
      const free = present === undefined && (await files.stamp('decisions', `${id}.md`)) === undefined;
      if (taken.has(id) || !(here || free)) continue;
      taken.add(id);
      if (!ids.has(draft.was)) ids.set(draft.was, id);
      settled.push({ draft, id, here });
      break;
    }
  }
  const linked = (was: string) => ids.get(was) ?? was;
  return settled.map(({ draft, id, here }) => {
    const { evidence: _, supersededBy, convertedTo, suggestedSupersedes, ...facts } = draft;
    const proposed = suggestedSupersedes?.flatMap((was) => ids.get(was) ?? []);
    const became = convertedTo === undefined ? undefined : ids.get(convertedTo);
    return {
      ...facts,
      id,
      here,
      supersedes: draft.supersedes.map(linked),
      ...(supersededBy !== undefined && { supersededBy: linked(supersededBy) }),
      ...(proposed !== undefined && proposed.length > 0 && { suggestedSupersedes: proposed }),
      ...(became !== undefined && { convertedTo: became }),
      provenance,
      extra: { [ORIGIN_FIELD]: originOf(draft) },
    };
  });
}

function originOf({ path }: Draft): string {
  return `ledgermind ${path.replaceAll('\\', '/')}`.slice(0, 500);
}

function numbered(id: string, number: number): string {
  if (number === 1) return id;
  const next = `${id.slice(0, 110)}-${number}`;
  return isId(next) ? next : `imported-${number}`;
}

/** One truth a target: what is here stays, and of two in the source the newer one is taken. */
async function contradictions(view: Ground, index: DecisionIndex, decisions: readonly Placed[]) {
  const skipped: Skipped[] = [];
  const refused = new Set<string>();
  const truths = new Map<string, string>();
  const newest = [...decisions].sort((a, b) => (a.created > b.created ? -1 : 1));
  for (const { id, path, kind, status, namespace, target, here } of newest) {
    if (kind !== 'decision' || status !== 'active') continue;
    const key = targetKey(target);
    const rival =
      truths.get(`${namespace} ${key}`) ??
      (await activeFor(view, index, namespace, key)).find((each) => each.id !== id)?.id;
    truths.set(`${namespace} ${key}`, rival ?? id);
    if (rival === undefined || here) continue;
    refused.add(id);
    skipped.push({ item: path, reason: `target '${target}' has an active decision already: ${publicId(rival)}` });
  }
  return { skipped, refused };
}
