/** A PostgreSQL server for a file of tests: the one that is given, or one of its own. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { startPostgres } from './postgres.mjs';

export interface TestServer {
  readonly url: string;
  stop(): Promise<void>;
}

export async function testServer(): Promise<TestServer> {
  const given = process.env.CAIRN_TEST_POSTGRES;
  return given ? { url: given, stop: async () => {} } : startPostgres();
}

/** A catalog that nobody else has. */
export function freshCatalog(): string {
  return `test-${randomBytes(6).toString('hex')}`;
}

/** A connection that is none of Cairn's, until the test ends. */
export async function connectionTo(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.end().catch(() => {}));
  return client;
}
