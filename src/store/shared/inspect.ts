/** What `doctor`, `store status` and the health operations ask. A server that is away is an answer here, not an error. */
import { toCairnError } from '../../errors.ts';
import type { StoreReport } from '../store.ts';
import type { SharedDatabase } from './database.ts';
import { schemaVersion } from './migrations.ts';

export async function inspectDatabase(database: SharedDatabase): Promise<StoreReport> {
  const common = { engine: 'postgres', location: database.shown, unfinished: 0 } as const;
  try {
    const row = await database.rows.get(`SELECT (SELECT value FROM counter WHERE name = 'generation') AS generation,
      (SELECT max(version) FROM cairn_data.schema_version) AS schema, pg_is_in_recovery() AS replica,
      current_setting('transaction_read_only') = 'on' AS refusing`);
    const present = Number(row?.schema ?? 0);
    const writable = !isTrue(row?.replica) && !isTrue(row?.refusing);
    const generation = Number(row?.generation ?? 0);
    return {
      ...common,
      // A catalog that nobody wrote to is as good as none.
      exists: generation > 0,
      writable,
      locked: false,
      schemaVersion: present,
      newer: present > schemaVersion,
      generation,
      problems: writable ? [] : ['The database takes no writes: it is a replica, or was set to read only.'],
    };
  } catch (thrown) {
    const { message, kind } = toCairnError(thrown);
    return {
      ...common,
      exists: false,
      writable: false,
      locked: false,
      schemaVersion: 0,
      newer: kind === 'store_unavailable' && message.includes('newer Cairn'),
      generation: 0,
      problems: [message],
    };
  }
}

function isTrue(value: unknown): boolean {
  return value === true;
}
