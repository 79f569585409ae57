/** One PostgreSQL server for all tests that need one: the one that is given, or one out of the packages of the project. */
import type { TestProject } from 'vitest/node';
import { startPostgres } from './postgres.mjs';

declare module 'vitest' {
  interface ProvidedContext {
    postgres: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.CAIRN_TEST_POSTGRES;
  const server = given ? undefined : await startPostgres();
  project.provide('postgres', given ?? server?.url ?? '');
  return async () => server?.stop();
}
