/**
 * The tables, as migrations that are applied in order. One process at a time: the others wait at an advisory lock and find the
 * work done. Never edit one that shipped.
 */
import { CairnError } from '../../errors.ts';
import { type Asker, all, run } from './client.ts';
import { documentTables } from './document-tables.ts';
import { indexCounters, indexTables } from './index-tables.ts';
import { objectTables } from './object-tables.ts';
import { recordTables } from './record-tables.ts';
import { wordTables } from './word-tables.ts';

/** The same in every database: whoever migrates holds it. */
const MIGRATING = 7_233_041_526;

const foundations = `
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  CREATE EXTENSION IF NOT EXISTS btree_gin;
  CREATE TABLE cairn_data.catalog (
    id INT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name TEXT NOT NULL UNIQUE, created TIMESTAMPTZ NOT NULL DEFAULT now());

  -- Gives the next number of a column within the catalog; one that is given is kept, and not given again.
  CREATE FUNCTION cairn_data.count_up() RETURNS trigger LANGUAGE plpgsql AS $body$
    DECLARE
      given BIGINT := (to_jsonb(NEW) ->> TG_ARGV[0])::bigint;
      next BIGINT;
    BEGIN
      INSERT INTO cairn_data.counter AS known (catalog, name, value)
        VALUES (NEW.catalog, TG_TABLE_NAME || '.' || TG_ARGV[0], coalesce(given, 1))
        ON CONFLICT (catalog, name) DO UPDATE SET value = greatest(known.value + (given IS NULL)::int, coalesce(given, 0))
        RETURNING value INTO next;
      IF given IS NULL THEN NEW := jsonb_populate_record(NEW, jsonb_build_object(TG_ARGV[0], next)); END IF;
      RETURN NEW;
    END $body$;

  -- A list that is kept as JSON, as rows.
  CREATE FUNCTION cairn.json_each(list TEXT) RETURNS TABLE (key BIGINT, value TEXT) LANGUAGE sql IMMUTABLE ROWS 10 AS
    $body$ SELECT ordinality - 1, item FROM jsonb_array_elements_text(list::jsonb) WITH ORDINALITY AS each (item, ordinality) $body$;`;

const migrations: readonly string[] = [
  `${foundations}\n${recordTables}\n${objectTables}\n${wordTables}\n${documentTables}\n${indexTables}`,
];

export const schemaVersion = migrations.length;

interface Connection extends Asker {
  query(config: Parameters<Asker['query']>[0]): ReturnType<Asker['query']>;
  query(text: string): Promise<unknown>;
}

/** Brings the tables up to date and gives the number of the catalog, which is made where it is new. */
export async function prepareCatalog(connection: Connection, name: string): Promise<number> {
  const present = await versionIn(connection);
  refuseNewer(present);
  if (present < schemaVersion) await alone(connection, () => migrate(connection));
  return (await catalogIn(connection, name)) ?? (await alone(connection, () => addCatalog(connection, name)));
}

async function alone<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  await connection.query('BEGIN');
  try {
    await connection.query(`SELECT pg_advisory_xact_lock(${MIGRATING})`);
    const result = await work();
    await connection.query('COMMIT');
    return result;
  } catch (thrown) {
    await connection.query('ROLLBACK').catch(() => {});
    throw thrown;
  }
}

async function migrate(connection: Connection): Promise<void> {
  await connection.query(`CREATE SCHEMA IF NOT EXISTS cairn_data; CREATE SCHEMA IF NOT EXISTS cairn;
    CREATE TABLE IF NOT EXISTS cairn_data.schema_version (version INT PRIMARY KEY, applied TIMESTAMPTZ NOT NULL DEFAULT now())`);
  // Somebody else may have done it meanwhile.
  for (let version = await versionIn(connection); version < schemaVersion; version++) {
    await connection.query(migrations[version] ?? '');
    await run(connection, 'INSERT INTO cairn_data.schema_version (version) VALUES (?)', [version + 1]);
  }
}

async function versionIn(connection: Connection): Promise<number> {
  const [found] = await all(connection, "SELECT to_regclass('cairn_data.schema_version')::text AS name");
  if (found?.name === null) return 0;
  const [row] = await all(connection, 'SELECT max(version) AS version FROM cairn_data.schema_version');
  return Number(row?.version ?? 0);
}

function refuseNewer(present: number): void {
  if (present <= schemaVersion) return;
  throw new CairnError(
    'store_unavailable',
    `The database was brought up to date by a newer Cairn (schema ${present}, this one knows ${schemaVersion})`,
    { suggestion: 'Update Cairn. Nothing was changed.' },
  );
}

async function catalogIn(connection: Connection, name: string): Promise<number | undefined> {
  const [row] = await all(connection, 'SELECT id FROM cairn_data.catalog WHERE name = ?', [name]);
  return row && Number(row.id);
}

async function addCatalog(connection: Connection, name: string): Promise<number> {
  const known = await catalogIn(connection, name);
  if (known !== undefined) return known;
  const [added] = await all(connection, 'INSERT INTO cairn_data.catalog (name) VALUES (?) RETURNING id', [name]);
  const id = Number(added?.id);
  await connection.query(`SELECT set_config('cairn.catalog', '${id}', true)`);
  await connection.query(catalogBeginnings);
  return id;
}

const catalogBeginnings = `
  INSERT INTO cairn.counter (name, value) VALUES ('generation', 0), ('document_seq', 0), ('document_number', 0), ('derived', 0), ('collections', 0), ('settled', 0);
  INSERT INTO cairn.counter (name, value) VALUES ${indexCounters.map((name) => `('${name}', 0)`).join(', ')};
  INSERT INTO cairn.audit_head VALUES (1, 0, '')`;
