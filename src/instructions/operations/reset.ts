import * as z from 'zod';
import { CairnError } from '../../errors.ts';
import { operation } from '../../operations/operation.ts';
import { writeBackup } from '../backup.ts';
import { idOfFile } from '../entry.ts';
import { builtInSeed } from '../seed.ts';
import { refreshed } from './add.ts';
import { catalogWrite, given } from './shape.ts';
import { readSource } from './source.ts';

const modes = ['empty', 'seed', 'empty-and-seed'] as const;

export const reset = operation({
  ...catalogWrite,
  name: 'instructions_reset',
  description:
    'Brings the catalog back to a known state: empty it, put a seed over it, or both. A backup is made first; backup_restore takes it back.',
  toolsets: ['admin'],
  capability: 'purge',
  destructive: true,
  idempotent: true,
  positional: ['mode'],
  input: z.strictObject({
    mode: z.enum(modes).describe('empty: no entries are left. seed: those of the seed replace theirs, others stay.'),
    source: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .describe('A seed of your own: anything that instructions/import takes.'),
    confirm: z.boolean().default(false).describe('Needed: this removes or replaces entries.'),
  }),
  output: z.object({
    removed: z.number(),
    seeded: z.number(),
    backup: z.string(),
    hash: z.string(),
    errors: z.array(z.record(z.string(), z.unknown())).optional(),
  }),
  example: { given, input: { mode: 'empty-and-seed', confirm: true } },
  async run({ mode, source, confirm }, context) {
    if (!confirm) throw new CairnError('validation_failed', `Resetting the catalog (${mode}) needs confirm: true`);
    const seed = { ...(source === undefined ? { entries: builtInSeed } : { source }), mode: 'overwrite' };
    // A seed that cannot be taken must not be noticed after everything is gone.
    if (mode !== 'empty') await context.check('instructions_import', seed);
    if (source !== undefined && mode !== 'empty' && (await readSource(source, context)).entries.length === 0) {
      throw new CairnError('validation_failed', `${source} holds no entry to begin with. Nothing was changed.`);
    }
    const removed: string[] = [];
    const backup = await context.write(async (change, audit) => {
      const made = await writeBackup(change.files, `before reset (${mode})`, new Date().toISOString());
      for (const { name } of mode === 'seed' ? [] : await change.files.list('instructions')) {
        const id = idOfFile(name);
        if (id === undefined) continue;
        await change.files.remove('instructions', name);
        removed.push(id);
      }
      audit.subject(made.name);
      audit.note(`${mode}: ${removed.length} removed; what was there is in ${made.name}`);
      return made.name;
    });
    const hash = await refreshed(context, removed);
    if (mode === 'empty') return { removed: removed.length, seeded: 0, backup, hash };
    const taken = (await context.call('instructions_import', seed)) as Imported;
    return {
      removed: removed.length,
      seeded: taken.imported + taken.overwritten,
      backup,
      hash: taken.hash,
      ...(taken.errors.length > 0 && { errors: taken.errors }),
    };
  },
});

interface Imported {
  readonly hash: string;
  readonly imported: number;
  readonly overwritten: number;
  readonly errors: readonly Record<string, unknown>[];
}
