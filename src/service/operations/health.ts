import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as z from 'zod';
import { type Context, nothing, operation } from '../../operations/operation.ts';
import { version } from '../../version.ts';

export const healthCheck = operation({
  name: 'health_check',
  description: 'Says whether the server is up, its version and the time. Touches nothing on disk.',
  family: 'service',
  toolsets: ['admin'],
  spellings: ['health/check'],
  capability: 'read',
  writes: false,
  input: nothing,
  output: z.object({ status: z.string(), timestamp: z.string(), version: z.string() }),
  example: { input: {} },
  async run() {
    return { status: 'ok', timestamp: new Date().toISOString(), version };
  },
});

const LOW_DISK_BYTES = 64 * 1024 * 1024;

export const environmentHealth = operation({
  name: 'get_environment_health',
  description: 'Diagnoses the environment: git, the store, its lock, free disk space, and what is wrong with each.',
  family: 'memory',
  toolsets: ['memory', 'admin'],
  capability: 'read',
  writes: false,
  input: nothing,
  output: z.object({
    status: z.string(),
    health: z.object({
      git_available: z.boolean(),
      git_configured: z.boolean(),
      storage_writable: z.boolean(),
      disk_space_ok: z.boolean(),
      repo_healthy: z.boolean(),
      vector_available: z.boolean(),
      storage_locked: z.boolean(),
      errors: z.array(z.string()),
      warnings: z.array(z.string()),
      storage_path: z.string(),
      storage_exists: z.boolean(),
      free_bytes: z.number(),
      unfinished_writes: z.number(),
    }),
  }),
  example: { input: {} },
  async run(_input, context) {
    return { status: 'success', health: await environment(context) };
  },
});

async function environment({ store, signal }: Context) {
  const [state, gitVersion, gitName] = await Promise.all([
    store.inspect(),
    git(['--version'], signal),
    git(['config', 'user.name'], signal),
  ]);
  const errors = [...state.problems];
  const warnings: string[] = ['Vector search is not part of this version; nothing depends on it yet.'];
  const diskOk = state.freeBytes >= LOW_DISK_BYTES;
  if (!diskOk) errors.push(`Only ${Math.round(state.freeBytes / 1024 / 1024)} MiB are free at ${state.location}.`);
  if (gitVersion === undefined) warnings.push('git was not found on PATH.');
  if (state.locked) warnings.push('Another process is writing to the store right now; writes wait for it.');
  if (!state.exists) warnings.push(`${state.location} does not exist yet; the first write creates it.`);
  if (state.unfinished > 0) warnings.push(`${state.unfinished} file changes wait for the next write to complete them.`);
  return {
    git_available: gitVersion !== undefined,
    git_configured: gitName !== undefined && gitName !== '',
    storage_writable: state.writable,
    disk_space_ok: diskOk,
    repo_healthy: state.problems.length === 0,
    vector_available: false,
    storage_locked: state.locked,
    errors,
    warnings,
    storage_path: state.location,
    storage_exists: state.exists,
    free_bytes: state.freeBytes,
    unfinished_writes: state.unfinished,
  };
}

const run = promisify(execFile);

async function git(args: readonly string[], signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await run('git', args, { timeout: 5000, signal })).stdout.trim();
  } catch {
    return undefined;
  }
}
