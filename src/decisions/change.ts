/**
 * Every change of decisions, each as one transaction: the files, which decision is the truth of its target, and the evidence
 * change together or not at all. The caller holds the write lock while these run.
 */
import { CairnError } from '../errors.ts';
import type { Change, DecisionIndex, View } from '../store/store.ts';
import { serialize } from './file.ts';
import { readFrom } from './ledger.ts';
import { type Decision, fileOf, plainId, publicId } from './record.ts';
import { guardIsolation, missing } from './rules.ts';
import { targetKey } from './target.ts';

/** What a change needs to know besides what is in the store. */
export interface Setting {
  readonly change: Change;
  readonly index: DecisionIndex;
  readonly now: string;
}

export type Caller = Parameters<typeof guardIsolation>[1];

/**
 * The active decisions of a target: what the index found in the files, and what another process may just have written. Each
 * is read from its file again, which alone decides.
 */
export async function activeFor(
  { truths, files }: Pick<View, 'truths' | 'files'>,
  index: DecisionIndex,
  namespace: string,
  key: string,
): Promise<Decision[]> {
  const filter = { namespace, targetKey: key, kind: 'decision', statuses: ['active'] };
  const ids = new Set((await index.list(filter, 100, 0)).map(({ id }) => id));
  const claimed = await truths.of(namespace, key);
  if (claimed !== undefined) ids.add(claimed);
  const found: Decision[] = [];
  for (const id of ids) {
    const decision = await readFrom(files, id);
    if (decision !== undefined && isTruth(decision, namespace, key)) found.push(decision);
  }
  return found.sort((a, b) => (a.created < b.created ? -1 : 1));
}

function isTruth(decision: Decision, namespace: string, key: string): boolean {
  const { kind, status } = decision;
  return (
    kind === 'decision' && status === 'active' && decision.namespace === namespace && targetKey(decision.target) === key
  );
}

/** Writes a new decision in the place of others; with none, in an empty place. */
export async function enact(setting: Setting, decision: Decision, replaced: readonly Decision[]): Promise<string[]> {
  const { change, now } = setting;
  const key = targetKey(decision.target);
  for (const old of replaced) {
    await put(change, { ...old, status: 'superseded', supersededBy: decision.id, updated: now });
    await change.events.moveLinks(old.id, decision.id);
  }
  await change.truths.release(decision.namespace, key);
  await change.truths.claim(decision.namespace, key, decision.id);
  await put(change, { ...decision, supersedes: replaced.map(({ id }) => id) });
  return [decision.id, ...replaced.map(({ id }) => id)];
}

export async function put(change: Change, decision: Decision): Promise<void> {
  await change.files.put('decisions', fileOf(decision.id), serialize(decision));
}

/** The decisions that are to be replaced: there, active, of that target, and the caller's to replace. */
export async function replaceable(
  setting: Setting,
  given: readonly string[],
  { namespace, target }: Pick<Decision, 'namespace' | 'target'>,
  caller: Caller,
): Promise<Decision[]> {
  const key = targetKey(target);
  const found: Decision[] = [];
  for (const each of new Set(given.map(plainId))) {
    const decision = await readFrom(setting.change.files, each);
    if (decision === undefined) throw missing(publicId(each));
    const where = decision.namespace === namespace && targetKey(decision.target) === key;
    if (!where) {
      throw refused(
        decision,
        `is about '${decision.target}' in '${decision.namespace}', not '${target}' in '${namespace}'`,
      );
    }
    if (decision.kind !== 'decision') throw refused(decision, 'is a proposal: accept or reject it');
    if (decision.status !== 'active')
      throw refused(decision, `is ${decision.status}, not active`, decision.supersededBy);
    guardIsolation(decision, caller);
    found.push(decision);
  }
  const left = (await activeFor(setting.change, setting.index, namespace, key)).filter(
    ({ id }) => !found.some((one) => one.id === id),
  );
  if (left.length > 0) {
    const ids = left.map(({ id }) => publicId(id)).join(', ');
    throw new CairnError('conflict', `CONFLICT: Target '${target}' has other active decisions: [${ids}]`, {
      suggestion: 'Name every active decision of the target in old_decision_ids, so that one truth is left.',
    });
  }
  return found;
}

function refused({ id }: Decision, reason: string, successor?: string): CairnError {
  return new CairnError('validation_failed', `Decision ${publicId(id)} cannot be superseded: it ${reason}`, {
    ...(successor !== undefined && { superseded_by: publicId(successor) }),
  });
}
