/**
 * Removing a decision for good. What it replaced and what replaced it are joined over the gap, so that no link leads
 * nowhere; where the truth itself is removed, what it had replaced is the truth again.
 */
import { activeFor, put, type Setting } from './change.ts';
import { headOf, readFrom } from './ledger.ts';
import { type Decision, fileOf } from './record.ts';
import { targetKey } from './target.ts';

export interface Forgotten {
  /** Other decisions whose links changed. */
  readonly repaired: readonly string[];
  /** The decision that is the truth again. */
  readonly restored?: string;
}

export async function forget(setting: Setting, decision: Decision): Promise<Forgotten> {
  const { change } = setting;
  const changed = new Map<string, Decision>();
  const load = async (id: string | undefined) =>
    id === undefined ? undefined : (changed.get(id) ?? (await readFrom(change.files, id)));
  const edit = async (id: string | undefined, revise: (present: Decision) => Decision) => {
    const present = await load(id);
    if (present !== undefined) changed.set(present.id, { ...revise(present), updated: setting.now });
  };

  const successor = (await load(decision.supersededBy)) ?? (await rival(setting, decision));
  const restored = await relink(decision, successor, { load, edit });
  await edit(decision.convertedFrom, ({ convertedTo: _gone, ...rest }) => rest);
  await edit(decision.convertedTo, ({ convertedFrom: _gone, ...rest }) => rest);
  for (const id of await suggesting(setting, decision)) {
    await edit(id, (proposal) => ({
      ...proposal,
      suggestedSupersedes: (proposal.suggestedSupersedes ?? []).filter((each) => each !== decision.id),
    }));
  }

  for (const each of changed.values()) await put(change, each);
  await change.files.remove('decisions', fileOf(decision.id));
  const heir = restored ?? successor?.id;
  if (heir !== undefined) await change.events.moveLinks(decision.id, heir);
  await change.events.unlink(decision.id);
  await change.events.removeSession(decision.namespace, decision.id);
  await moveTruth(setting, decision, restored);
  return { repaired: [...changed.keys()], ...(restored !== undefined && { restored }) };
}

/** Where a merge by hand left two truths, the other one takes the place: nothing is made a truth beside it. */
async function rival(
  { change, index }: Setting,
  { id, status, namespace, target }: Decision,
): Promise<Decision | undefined> {
  if (status !== 'active') return undefined;
  const active = await activeFor(change, index, namespace, targetKey(target));
  return active.findLast((each) => each.id !== id);
}

interface Links {
  load(id: string | undefined): Promise<Decision | undefined>;
  edit(id: string | undefined, revise: (present: Decision) => Decision): Promise<void>;
}

/** The id of the decision that becomes the truth, if one does. */
async function relink(
  gone: Decision,
  successor: Decision | undefined,
  { load, edit }: Links,
): Promise<string | undefined> {
  const before: Decision[] = [];
  for (const id of gone.supersedes) {
    const decision = await load(id);
    if (decision?.supersededBy === gone.id) before.push(decision);
  }
  const heir = successor ?? (gone.status === 'active' ? before.sort(byCreation).at(-1) : undefined);
  for (const { id } of before.filter(({ id }) => id !== heir?.id)) {
    await edit(id, ({ supersededBy: _gone, ...rest }) => ({ ...rest, ...(heir && { supersededBy: heir.id }) }));
  }
  const inherited = before.map(({ id }) => id).filter((id) => id !== heir?.id);
  await edit(heir?.id, ({ supersededBy, ...rest }) => ({
    ...rest,
    supersedes: [...new Set([...rest.supersedes.filter((id) => id !== gone.id), ...inherited])],
    ...(successor === undefined
      ? { status: 'active' as const }
      : supersededBy !== undefined && supersededBy !== gone.id && { supersededBy }),
  }));
  return successor === undefined ? heir?.id : undefined;
}

function byCreation(a: Decision, b: Decision): number {
  return a.created < b.created ? -1 : 1;
}

/** Proposals that would replace it. They are few: accepted and rejected ones do not count. */
async function suggesting({ index }: Setting, { id, namespace }: Decision): Promise<string[]> {
  const open = await index.list({ namespace, kind: 'proposal', statuses: ['proposed'] }, 10_000, 0);
  return open.filter((facts) => headOf(facts).suggestedSupersedes?.includes(id)).map((facts) => facts.id);
}

async function moveTruth(
  { change }: Setting,
  { id, namespace, target }: Decision,
  heir: string | undefined,
): Promise<void> {
  const key = targetKey(target);
  if (heir === undefined && (await change.truths.of(namespace, key)) !== id) return;
  await change.truths.release(namespace, key);
  if (heir !== undefined) await change.truths.claim(namespace, key, heir);
}
