import * as z from 'zod';
import { CairnError } from '../../errors.ts';
import { operation } from '../../operations/operation.ts';
import type { History } from '../../store/store.ts';
import { fileOf, isId } from '../entry.ts';
import { readEntry } from '../file.ts';
import { catalogRead, catalogWrite, given, id } from './shape.ts';

export const versionShape = z.object({
  commit: z.string().describe('Name of the version; one that begins with waiting- is kept but not committed yet.'),
  time: z.string(),
  author: z.string(),
  message: z.string(),
  removed: z.boolean(),
});

export const instructionHistory = operation({
  ...catalogRead,
  name: 'instruction_history',
  description:
    'Earlier versions of an instruction, newest first: when, who, what. With commit, the text of that version.',
  positional: ['id'],
  rest: 'Ask with a smaller limit.',
  input: z.strictObject({
    id,
    commit: z.string().min(1).max(64).optional().describe('A version, as this operation lists them.'),
    limit: z.int().min(1).max(1000).default(20),
  }),
  output: z.object({
    id: z.string(),
    versions: z.array(versionShape).optional(),
    commit: z.string().optional(),
    entry: z.record(z.string(), z.unknown()).optional(),
  }),
  example: { given, input: { id: 'review-small' } },
  async run({ id: wanted, commit, limit }, { store }) {
    if (commit !== undefined) return { id: wanted, commit, entry: await versionOf(store.history, wanted, commit) };
    // What waits has a passing name, which somebody may want to restore a moment later.
    await store.history.settle();
    const versions = isId(wanted) ? await store.history.versions('instructions', fileOf(wanted), limit) : [];
    if (versions.length === 0) {
      throw new CairnError('not_found', `The history holds no version of ${wanted}`, {
        suggestion:
          'Versions are kept from the first change that Cairn makes; earlier ones may be in your project’s git.',
      });
    }
    return { id: wanted, versions };
  },
});

export const instructionRestore = operation({
  ...catalogWrite,
  name: 'instruction_restore',
  description:
    'Makes an earlier version of an instruction the present one, as a new version: nothing of the history is lost.',
  positional: ['id', 'commit'],
  failure: 'error',
  input: z.strictObject({
    id,
    commit: z.string().min(1).max(64).describe('The version, as instruction_history lists it.'),
  }),
  output: z.record(z.string(), z.unknown()),
  example: {
    given: [...given, { op: 'instruction_history', params: { id: 'review-small' } }],
    input: { id: 'review-small', commit: '$prev.versions[0].commit' },
  },
  async run({ id: wanted, commit }, context) {
    const old = await versionOf(context.store.history, wanted, commit);
    // What the catalog says of itself, and what it derives, goes on from where it is.
    const {
      priorityTier: _tier,
      version: _v,
      changeLog: _log,
      createdAt: _c,
      updatedAt: _u,
      sourceHash: _h,
      schemaVersion: _s,
      ...entry
    } = old;
    const answer = await context.call('instructions_add', { entry, overwrite: true, lax: true });
    const told = answer as Record<string, unknown>;
    return told.error === undefined ? { ...told, restored: commit } : told;
  },
});

async function versionOf(history: History, wanted: string, commit: string): Promise<Record<string, unknown>> {
  const text = isId(wanted) ? await history.text('instructions', fileOf(wanted), commit) : undefined;
  if (text === undefined) throw new CairnError('not_found', `${wanted} has no version ${commit}`);
  const reading = readEntry(wanted, text);
  if ('problem' in reading)
    throw new CairnError('integrity_error', `Version ${commit} of ${wanted} ${reading.problem}`);
  return { ...reading.entry };
}
