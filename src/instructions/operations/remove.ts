import * as z from 'zod';
import { CairnError } from '../../errors.ts';
import { operation } from '../../operations/operation.ts';
import { sha256 } from '../../store/hash.ts';
import { writeBackup } from '../backup.ts';
import { catalogOf } from '../catalog.ts';
import { fileOf } from '../entry.ts';
import type { InstructionShelf } from '../shelf.ts';
import { refreshed } from './add.ts';
import { catalogWrite, given } from './shape.ts';
import { viewCatalog } from './view.ts';

const CONFIRM_ABOVE = 10;

export const remove = operation({
  ...catalogWrite,
  name: 'instructions_remove',
  description:
    'Deletes instructions by id. More than ten at once need confirm; cascade takes along what depends on them.',
  spellings: ['instructions/remove'],
  destructive: true,
  idempotent: true,
  input: z.strictObject({
    ids: z.array(z.string().min(1).max(200)).min(1).max(10_000),
    confirm: z.boolean().default(false).describe('Needed for more than ten, what cascades included.'),
    cascade: z.boolean().default(false).describe('Also remove the entries that name one of these as a dependency.'),
  }),
  output: z.object({
    removed: z.number(),
    removedIds: z.array(z.string()),
    missing: z.array(z.string()),
    errorCount: z.number(),
    errors: z.array(z.object({ id: z.string(), error: z.string(), code: z.string() })),
    cascadeRemovals: z.array(z.string()).optional(),
    backup: z.string().optional().describe('What was there before, for backup_restore.'),
  }),
  example: { given, input: { ids: ['review-small'] } },
  async run({ ids, confirm, cascade }, context) {
    const { shelf } = await viewCatalog(context, true);
    const asked = [...new Set(ids)];
    const present = asked.filter((id) => shelf.has(id));
    const missing = asked.filter((id) => !shelf.has(id));
    const along = cascade ? dependentsOf(shelf, present) : [];
    const doomed = [...present, ...along];
    if (doomed.length > CONFIRM_ABOVE && !confirm) {
      throw new CairnError(
        'validation_failed',
        `This removes ${doomed.length} instructions; more than ${CONFIRM_ABOVE} need confirm: true`,
        {
          ids: doomed.slice(0, 100),
          suggestion: 'Look at the list, then send the call again with confirm: true.',
        },
      );
    }
    const gone: string[] = [];
    let backup: string | undefined;
    if (doomed.length > 0) {
      await context.write(async (change, audit) => {
        if (doomed.length > CONFIRM_ABOVE) {
          backup = (await writeBackup(change.files, `before removing ${doomed.length}`, new Date().toISOString())).name;
        }
        for (const id of doomed) {
          const text = await change.files.read('instructions', fileOf(id));
          if (text !== undefined && (await change.files.remove('instructions', fileOf(id)))) gone.push(id);
          if (doomed.length === 1 && text !== undefined) audit.hashes(sha256(text), undefined);
        }
        await change.usage.remove(gone);
        audit.subject(...gone);
      });
      await refreshed(context, doomed);
    }
    const errors = context.config.strictRemove
      ? missing.map((id) => ({ id, error: 'There is no such instruction.', code: 'not_found' }))
      : [];
    return {
      removed: gone.length,
      removedIds: gone,
      missing,
      errorCount: errors.length,
      errors,
      ...(cascade && { cascadeRemovals: along }),
      ...(backup !== undefined && { backup }),
    };
  },
});

/** Everything that depends on these, however indirectly. */
function dependentsOf(shelf: InstructionShelf, ids: readonly string[]): string[] {
  const dependents = new Map<string, string[]>();
  for (const { head } of shelf.values()) {
    for (const needed of head.dependencies ?? []) dependents.set(needed, [...(dependents.get(needed) ?? []), head.id]);
  }
  const found = new Set(ids);
  const queue = [...ids];
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    for (const dependent of dependents.get(id) ?? []) {
      if (found.has(dependent)) continue;
      found.add(dependent);
      queue.push(dependent);
    }
  }
  return [...found].filter((id) => !ids.includes(id)).sort();
}

export const reload = operation({
  ...catalogWrite,
  name: 'instructions_reload',
  description:
    'Looks at every instruction file again and brings the catalog up to date. Rarely needed: changes are seen by themselves.',
  spellings: ['instructions/reload'],
  idempotent: true,
  input: z.strictObject({}),
  output: z.object({ reloaded: z.boolean(), hash: z.string(), count: z.number() }),
  example: { input: {} },
  async run(_input, context) {
    const shelf = await catalogOf(context.store).reread();
    return { reloaded: true, hash: shelf.hash, count: shelf.size };
  },
});
