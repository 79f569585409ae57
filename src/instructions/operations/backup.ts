import * as z from 'zod';
import { CairnError } from '../../errors.ts';
import { operation } from '../../operations/operation.ts';
import { entriesOf, readBackup, writeBackup } from '../backup.ts';
import { idOfFile } from '../entry.ts';
import { refreshed } from './add.ts';
import { catalogWrite, given } from './shape.ts';

const writes = { ...catalogWrite, toolsets: ['admin'] } as const;

const name = z.string().min(1).max(200).describe('The file name that backup_list shows.');

export const backupCreate = operation({
  ...writes,
  name: 'backup_create',
  shown: ['reason'],
  description:
    'Keeps a copy of all instructions in the home, to the letter. One is made by itself before every bulk removal.',
  input: z.strictObject({ reason: z.string().max(200).default('asked for') }),
  output: z.object({ backup: z.string(), entries: z.number() }),
  example: { given, input: { reason: 'before the spring clean' } },
  async run({ reason }, context) {
    return context.write(async (change, audit) => {
      const made = await writeBackup(change.files, reason, new Date().toISOString());
      audit.subject(made.name);
      return { backup: made.name, entries: made.entries };
    });
  },
});

export const backupList = operation({
  name: 'backup_list',
  description: 'The backups of the instructions, newest first.',
  family: 'instructions',
  toolsets: ['admin'],
  capability: 'read',
  writes: false,
  input: z.strictObject({}),
  output: z.object({ backups: z.array(z.object({ backup: z.string(), bytes: z.number(), modified: z.string() })) }),
  example: { given, input: {} },
  async run(_input, { store }) {
    const stamps = (await store.files.list('backups')).filter((stamp) => stamp.name.endsWith('.json'));
    const backups = stamps.map((stamp) => ({
      backup: stamp.name,
      bytes: stamp.size,
      modified: new Date(stamp.modifiedMs).toISOString(),
    }));
    return { backups: backups.reverse() };
  },
});

export const backupRestore = operation({
  ...writes,
  // It can bring back what an admin took away, approvals included.
  capability: 'purge',
  name: 'backup_restore',
  description:
    'Puts the instructions of a backup back as they were. With replace, what is not in the backup goes; a backup of the present state is made first.',
  destructive: true,
  idempotent: true,
  positional: ['backup'],
  input: z.strictObject({
    backup: name,
    replace: z.boolean().default(false).describe('Also remove what the backup does not have.'),
    confirm: z.boolean().default(false).describe('Needed with replace.'),
  }),
  output: z.object({
    restored: z.number(),
    unchanged: z.number(),
    removed: z.number(),
    unreadable: z.array(z.string()),
    guard: z.string().describe('The backup of what was there before.'),
    hash: z.string(),
  }),
  example: { given: [...given, { op: 'backup_create', params: {} }], input: { backup: '$prev.backup' } },
  async run({ backup, replace, confirm }, context) {
    if (replace && !confirm) {
      throw new CairnError(
        'validation_failed',
        'replace removes what the backup does not have, and needs confirm: true',
      );
    }
    const { files } = await readBackup(context.store.files, backup);
    const { unreadable, entries } = entriesOf({ files, createdAt: '', reason: '' });
    const touched: string[] = [];
    const tally = await context.write(async (change, audit) => {
      const guard = await writeBackup(change.files, `before restoring ${backup}`, new Date().toISOString());
      let unchanged = 0;
      for (const file of entries.keys()) {
        const text = files[file] ?? '';
        if ((await change.files.read('instructions', file)) === text) unchanged++;
        else {
          await change.files.put('instructions', file, text);
          touched.push(file);
        }
      }
      const restored = touched.length;
      for (const { name: file } of replace ? await change.files.list('instructions') : []) {
        if (idOfFile(file) === undefined || files[file] !== undefined) continue;
        await change.files.remove('instructions', file);
        touched.push(file);
      }
      audit.subject(backup);
      audit.note(`${restored} restored, ${touched.length - restored} removed; what was there is in ${guard.name}`);
      return { restored, unchanged, removed: touched.length - restored, guard: guard.name };
    });
    const hash = await refreshed(
      context,
      touched.map((file) => idOfFile(file) ?? ''),
    );
    return { ...tally, unreadable, hash };
  },
});
