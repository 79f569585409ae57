import * as z from 'zod';
import { CairnError } from '../../errors.ts';
import { type Context, operation } from '../../operations/operation.ts';
import type { Change } from '../../store/store.ts';
import { activeFor, put } from '../change.ts';
import { readFrom } from '../ledger.ts';
import { publicId } from '../record.ts';
import { contested, guardIsolation } from '../rules.ts';
import { ALIAS_FILE, aliased, readAliases, resolveTarget, serializeAliases, targetKey } from '../target.ts';
import { refuseSecrets } from './secrets.ts';
import { currentLedger, given, memoryRead, memoryWrite, namespace, success, target } from './shape.ts';

export const targetList = operation({
  ...memoryRead,
  name: 'target_list',
  description: 'The targets that decisions are about, with their aliases and how many decisions each has.',
  rest: 'Ask with a smaller limit, or go on with offset.',
  input: z.strictObject({
    namespace,
    limit: z.int().min(1).max(1000).default(100),
    offset: z.int().min(0).max(1_000_000).default(0),
  }),
  output: success({
    targets: z.array(
      z.object({
        target: z.string(),
        decisions: z.number(),
        active: z.number(),
        aliases: z.array(z.string()).optional(),
        conflict: z.boolean().optional().describe('More than one active decision: a person must choose.'),
      }),
    ),
    total: z.number(),
    namespace: z.string(),
  }),
  example: { given, input: {} },
  async run({ namespace: partition, limit, offset }, context) {
    await currentLedger(context);
    const targets = await context.store.decisions.targets(partition);
    const names = (await readAliases(context.store.files))[partition] ?? {};
    return {
      status: 'success' as const,
      targets: targets.slice(offset, offset + limit).map((each) => {
        const aliases = Object.keys(names).filter((name) => targetKey(names[name] ?? '') === each.targetKey);
        return {
          target: each.target,
          decisions: each.decisions,
          active: each.active,
          ...(aliases.length > 0 && { aliases }),
          ...(each.active > 1 && { conflict: true }),
        };
      }),
      total: targets.length,
      namespace: partition,
    };
  },
});

export const targetAlias = operation({
  ...memoryWrite,
  name: 'target_alias',
  shown: ['namespace'],
  description: 'Gives a target another name; decisions recorded or looked for under it are those of the target.',
  capability: 'supersede',
  idempotent: true,
  input: z.strictObject({ alias: target, target, namespace }),
  output: success({ alias: z.string(), target: z.string(), namespace: z.string() }),
  example: { given, input: { alias: 'sessions', target: 'session_storage' } },
  async run({ alias, target: wanted, namespace: partition }, context) {
    await refuseSecrets(alias, wanted);
    await currentLedger(context);
    const { decisions: index } = context.store;
    if ((await index.count({ namespace: partition, targetKey: targetKey(alias) })) > 0) {
      throw new CairnError('conflict', `'${alias}' is a target with decisions of its own`, {
        suggestion: `Join them with target_rename {"from": "${alias}", "to": "${wanted}"}.`,
      });
    }
    const stands = await context.write(async (change, audit) => {
      const aliases = await readAliases(change.files);
      const resolved = await resolveTarget(index, aliases, partition, wanted);
      if (resolved.key === targetKey(alias))
        throw new CairnError('validation_failed', 'A target needs no alias for itself');
      const stood = aliased(aliases, partition, targetKey(alias));
      if (stood !== undefined && targetKey(stood) !== resolved.key) await guardTruth(context, change, partition, stood);
      const others = Object.entries(aliases[partition] ?? {}).filter(([name]) => targetKey(name) !== targetKey(alias));
      const names = { ...Object.fromEntries(others), [alias]: resolved.target };
      await change.files.put('home', ALIAS_FILE, serializeAliases({ ...aliases, [partition]: names }));
      audit.subject(alias, resolved.target);
      return resolved.target;
    });
    return { status: 'success' as const, alias, target: stands, namespace: partition };
  },
});

/** A name that leads to what a person decided is theirs to give away. */
async function guardTruth(
  { store, principal }: Context,
  change: Change,
  partition: string,
  known: string,
): Promise<void> {
  const active = await activeFor(change, store.decisions, partition, targetKey(known));
  for (const decision of active) guardIsolation(decision, principal);
}

/** In one transaction, with a file each: more than this is work for a script and a backup. */
const MOST = 5000;

export const targetRename = operation({
  ...memoryWrite,
  name: 'target_rename',
  description:
    'Renames a target, or joins it to another: all its decisions move. The old name stays as an alias. Refused where both have an active decision.',
  capability: 'supersede',
  input: z.strictObject({ from: target, to: target, namespace }),
  output: success({ target: z.string(), moved: z.array(z.string()), namespace: z.string() }),
  example: { given, input: { from: 'session_storage', to: 'sessions/storage' } },
  async run({ from, to, namespace: partition }, context) {
    await refuseSecrets(to);
    const ledger = await currentLedger(context);
    const { decisions: index } = context.store;
    const [oldKey, newKey] = [targetKey(from), targetKey(to)];
    const done = await context.write(async (change, audit) => {
      const filter = { namespace: partition, targetKey: oldKey };
      const found = await index.list(filter, MOST + 1, 0);
      const active = await activeFor(change, index, partition, oldKey);
      if (found.length + active.length === 0) {
        throw new CairnError('not_found', `No decision is about '${from}' in '${partition}'`);
      }
      if (found.length > MOST) throw new CairnError('limit_exceeded', `'${from}' has more than ${MOST} decisions`);
      const there = newKey === oldKey ? [] : await activeFor(change, index, partition, newKey);
      if (active.length > 0 && there.length > 0)
        throw contested(to, there, [], `'${from}' has an active decision too.`);
      const moved: string[] = [];
      // What another process has just recorded may not be in the index yet; its truth is.
      for (const id of new Set([...found, ...active].map((each) => each.id))) {
        const decision = await readFrom(change.files, id);
        if (decision === undefined) continue;
        guardIsolation(decision, context.principal);
        await put(change, { ...decision, target: to.trim(), updated: new Date().toISOString() });
        moved.push(id);
      }
      await change.truths.release(partition, oldKey);
      const [truth] = active;
      if (truth !== undefined) await change.truths.claim(partition, newKey, truth.id);
      if (newKey !== oldKey) {
        const aliases = await readAliases(change.files);
        const stood = aliased(aliases, partition, newKey);
        if (stood !== undefined && targetKey(stood) !== oldKey) {
          throw new CairnError('conflict', `'${to}' is another name of '${stood}'`, {
            suggestion: `Join them with target_rename {"from": "${from}", "to": "${stood}"}, or choose another name.`,
          });
        }
        const names = Object.entries(aliases[partition] ?? {}).map(([name, stands]) => {
          return [name, targetKey(stands) === oldKey ? to : stands] as const;
        });
        const kept = names.filter(([name]) => targetKey(name) !== newKey);
        const next = { ...aliases, [partition]: { ...Object.fromEntries(kept), [from]: to } };
        await change.files.put('home', ALIAS_FILE, serializeAliases(next));
      }
      audit.subject(from, to, ...moved.slice(0, 20).map(publicId));
      return moved;
    });
    await ledger.refresh(done);
    return { status: 'success' as const, target: to, moved: done.map(publicId), namespace: partition };
  },
});
