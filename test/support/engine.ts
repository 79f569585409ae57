/**
 * Which engine the tests of the domains run on: the embedded one, or the PostgreSQL server that CAIRN_TEST_STORE names. Each home
 * then has a catalog of its own, so that two servers of one home serve the same.
 */
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';

export const onServer = (process.env.CAIRN_TEST_STORE ?? '') !== '';

type Env = Readonly<Record<string, string | undefined>>;

export function serverFor(args: readonly string[], env: Env = {}, cwd = process.cwd()): Env {
  const url = process.env.CAIRN_TEST_STORE;
  if (!url || env.CAIRN_STORE !== undefined || args.includes('--store')) return {};
  const named = args[args.indexOf('--home') + 1];
  const home = args.includes('--home') && named !== undefined ? named : (env.CAIRN_HOME ?? cwd);
  return { CAIRN_STORE: url, CAIRN_CATALOG: catalogOf(home) };
}

export function catalogOf(home: string): string {
  return `home-${createHash('sha256').update(resolve(home)).digest('hex').slice(0, 20)}`;
}
