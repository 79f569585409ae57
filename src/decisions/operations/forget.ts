import * as z from 'zod';
import { cite } from '../../graph/stale.ts';
import { operation } from '../../operations/operation.ts';
import { sha256 } from '../../store/hash.ts';
import type { Store } from '../../store/store.ts';
import { serialize } from '../file.ts';
import { forget } from '../forget.ts';
import { readFrom } from '../ledger.ts';
import { fileOf, isId, plainId, publicId } from '../record.ts';
import { missing } from '../rules.ts';
import { currentLedger, decisionId, given, memoryWrite, success } from './shape.ts';

export const forgetMemory = operation({
  ...memoryWrite,
  name: 'forget_memory',
  description:
    'Removes a decision or proposal for good. Its chain is joined over the gap; where it was the truth, what it had replaced is the truth again. Versions in the history stay unless rewrite_history is set.',
  capability: 'purge',
  destructive: true,
  positional: ['decision_id'],
  input: z.strictObject({
    decision_id: decisionId,
    rewrite_history: z.boolean().default(false).describe('Remove it from the history too; that cannot be undone.'),
  }),
  output: success({
    message: z.string(),
    repaired: z.array(z.string()).describe('Decisions whose links were joined over the gap.'),
    restored: z.string().optional().describe('The decision that is the truth again.'),
    history: z.string().describe('What is left of it in the history.'),
    namespace: z.string().optional(),
  }),
  example: { given, input: { decision_id: '$prev.decision_id' } },
  async run({ decision_id, rewrite_history }, context) {
    const ledger = await currentLedger(context);
    const { store } = context;
    const id = plainId(decision_id);
    const done = await context.write(async (change, audit) => {
      const decision = await readFrom(change.files, id);
      if (decision === undefined) {
        audit.skip();
        return undefined;
      }
      audit.subject(publicId(id));
      audit.hashes(sha256(serialize(decision)), undefined);
      const setting = { change, index: store.decisions, now: new Date().toISOString() };
      return { namespace: decision.namespace, ...(await forget(setting, decision)) };
    });
    // The history may still have to forget what an earlier call removed.
    if (done === undefined && !(rewrite_history && (await versionsOf(store, id)) > 0)) throw missing(decision_id);
    await ledger.refresh([id, ...(done?.repaired ?? [])]);
    // Nothing is cited by what is gone.
    await cite(context, 'decision', [id], { by: context.principal.name });
    const history = rewrite_history ? await rewritten(store, id) : await remaining(store, id);
    await store.scrub();
    return {
      status: 'success' as const,
      message: `Forgotten ${publicId(id)}`,
      repaired: (done?.repaired ?? []).map(publicId),
      ...(done?.restored !== undefined && { restored: publicId(done.restored) }),
      history: `${history} The audit keeps its id, its title and its hash.`,
      ...(done !== undefined && { namespace: done.namespace }),
    };
  },
});

async function rewritten({ history }: Store, id: string): Promise<string> {
  await history.forget('decisions', [fileOf(id)]);
  return 'Removed from the history of this home. Copies that others have, and the repository of your project, keep theirs.';
}

async function remaining(store: Store, id: string): Promise<string> {
  const versions = await versionsOf(store, id);
  if (versions === 0) return 'The history of this home holds no version of it.';
  return `${versions} earlier versions stay readable in the history; rewrite_history removes them.`;
}

async function versionsOf({ history }: Store, id: string): Promise<number> {
  return isId(id) ? (await history.versions('decisions', fileOf(id), 1000)).length : 0;
}
