import * as z from 'zod';
import { explain, toCairnError } from '../../errors.ts';
import { findings, isCurrent } from '../../graph/stale.ts';
import { type Context, nothing, operation } from '../../operations/operation.ts';
import type { EmbedderState } from '../../search/embed/embedder.ts';
import type { HistoryState, StoreReport } from '../../store/store.ts';
import { publicId } from '../record.ts';
import { readAliases } from '../target.ts';
import { currentLedger, memoryRead, success } from './shape.ts';

const SHOWN = 20;

const LOW_DISK_BYTES = 64 * 1024 * 1024;

export const getEnvironmentHealth = operation({
  ...memoryRead,
  name: 'get_environment_health',
  description:
    'Diagnoses the environment: the store, its lock, disk space, git, vectors, and files that need a person.',
  toolsets: ['memory', 'admin'],
  input: nothing,
  output: success({
    health: z.object({
      git_available: z.boolean(),
      git_configured: z.boolean().describe('Whether versions are committed to the history.'),
      storage_writable: z.boolean(),
      disk_space_ok: z.boolean(),
      repo_healthy: z.boolean(),
      vector_available: z.boolean(),
      storage_locked: z.boolean(),
      errors: z.array(z.string()),
      warnings: z.array(z.string()),
      storage_path: z.string(),
      storage_exists: z.boolean(),
      free_bytes: z.number().optional().describe('Absent where the store is on a server.'),
      unfinished_writes: z.number(),
      not_committed_yet: z.number().describe('Versions that are kept and wait to be committed.'),
    }),
  }),
  example: { input: {} },
  async run(_input, context) {
    const { store, config, embedder } = context;
    const state = await store.inspect();
    const vectors = embedder.state();
    const { history, inconsistent, failed } = await looked(context);
    return {
      status: 'success' as const,
      health: {
        git_available: history.git !== undefined,
        git_configured: config.history && (history.git !== undefined || history.keeper === 'database'),
        storage_writable: state.writable,
        disk_space_ok: hasRoom(state),
        repo_healthy: history.healthy && state.problems.length === 0,
        vector_available: vectors.state !== 'unavailable',
        storage_locked: state.locked,
        errors: [...errorsOf(state), ...failed.filter((problem) => !state.problems.includes(problem))],
        warnings: [...warningsOf(state, history, vectors), ...inconsistent],
        storage_path: state.location,
        storage_exists: state.exists,
        ...(state.freeBytes !== undefined && { free_bytes: state.freeBytes }),
        unfinished_writes: state.unfinished,
        not_committed_yet: history.waiting,
      },
    };
  },
});

/** A store that is damaged fails here too; health is what says so, and must not fail with it. */
async function looked(context: Context): Promise<{ history: HistoryState; inconsistent: string[]; failed: string[] }> {
  try {
    await currentLedger(context);
    const history = await context.store.history.state();
    const inconsistent = [...(await inconsistencies(context)), ...(await outOfDate(context))];
    return { history, inconsistent, failed: [] };
  } catch (thrown) {
    const history: HistoryState = { keeper: 'git', healthy: false, waiting: 0 };
    return { history, inconsistent: [], failed: [explain(toCairnError(thrown))] };
  }
}

function hasRoom({ freeBytes }: StoreReport): boolean {
  return freeBytes === undefined || freeBytes >= LOW_DISK_BYTES;
}

function errorsOf(state: StoreReport): string[] {
  const { problems, freeBytes = 0, location } = state;
  const full = `Only ${Math.round(freeBytes / 1024 / 1024)} MiB are free at ${location}.`;
  return [...problems, ...(hasRoom(state) ? [] : [full])];
}

function warningsOf(state: StoreReport, { keeper, git, problem }: HistoryState, { reason }: EmbedderState): string[] {
  const warnings: string[] = [];
  if (keeper === 'git' && git === undefined && state.problems.length === 0)
    warnings.push('git was not found on PATH: versions are kept, but not committed.');
  else if (problem !== undefined) warnings.push(`Not committed to the history yet: ${problem}`);
  if (reason !== undefined) warnings.push(`No vectors: ${reason}`);
  if (state.locked) warnings.push('Another process is writing to the store right now; writes wait for it.');
  if (!state.exists) warnings.push(`${state.location} does not exist yet; the first write creates it.`);
  if (state.unfinished > 0) warnings.push(`${state.unfinished} file changes wait for the next write to complete them.`);
  return warnings;
}

/** Decisions whose reasons may be gone: they cite files that have changed since. */
async function outOfDate(context: Context): Promise<string[]> {
  const { store } = context;
  const citing = await store.mentions.citing('decision');
  const facts = await store.decisions.get(citing.map(({ id }) => id));
  const found = await findings(
    context,
    citing.filter(({ id }) => isCurrent(facts.get(id)?.status)),
  );
  const count = new Set(found.map(({ id }) => id)).size;
  if (count === 0) return [];
  const subject = count === 1 ? '1 decision cites' : `${count} decisions cite`;
  return [`${subject} files that have changed since: stale_list says which.`];
}

/** What a person changed by hand, by merging or checking out, so that it no longer fits together. */
export async function inconsistencies({ store }: Context): Promise<string[]> {
  const bad = await store.decisions.problems();
  const contested = await store.decisions.contested(undefined);
  const found = [
    ...bad.map(({ file, problem }) => `decisions/${file} ${problem}`),
    ...contested.map(({ namespace, target, ids }) => {
      const all = ids.map(publicId).join(', ');
      return `Target '${target}' in '${namespace}' has ${ids.length} active decisions: ${all}. Supersede all but one.`;
    }),
  ];
  for (const { id, other, missing } of await store.decisions.brokenLinks()) {
    const how = missing ? 'which does not exist' : 'which does not link back as it should';
    found.push(
      `${publicId(id)} is linked to ${publicId(other)}, ${how}. Mend supersedes and superseded_by in both files.`,
    );
  }
  try {
    await readAliases(store.files);
  } catch (thrown) {
    found.push(thrown instanceof Error ? thrown.message : String(thrown));
  }
  const more = found.length - SHOWN;
  return more > 0 ? [...found.slice(0, SHOWN), `and ${more} more`] : found;
}
