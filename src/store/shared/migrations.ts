/**
 * The tables, as migrations that are applied in order. One process at a time: the others wait at an advisory lock and find the
 * work done. Never edit one that shipped.
 */
import { CairnError } from '../../errors.ts';
import type { Sql } from './client.ts';
import { recordTables } from './record-tables.ts';

/** The same in every database: whoever migrates holds it. */
const MIGRATING = 7_233_041_526;

const foundations = `
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

const migrations: readonly string[] = [`${foundations}\n${recordTables}`];

export const schemaVersion = migrations.length;

/** Brings the tables up to date and gives the number of the catalog, which is made where it is new. */
export async function prepareCatalog(sql: Sql, name: string): Promise<number> {
  const present = await versionIn(sql);
  if (present < schemaVersion) await migrate(sql);
  refuseNewer(present);
  const known = await sql`SELECT id FROM cairn_data.catalog WHERE name = ${name}`;
  return Number(known[0]?.id ?? (await addCatalog(sql, name)));
}

async function migrate(sql: Sql): Promise<void> {
  await sql.begin(async (step) => {
    await step`SELECT pg_advisory_xact_lock(${MIGRATING})`;
    await step.unsafe(`CREATE SCHEMA IF NOT EXISTS cairn_data; CREATE SCHEMA IF NOT EXISTS cairn;
      CREATE TABLE IF NOT EXISTS cairn_data.schema_version (version INT PRIMARY KEY, applied TIMESTAMPTZ NOT NULL DEFAULT now())`);
    // Somebody else may have done it meanwhile.
    const present = await versionIn(step as unknown as Sql);
    for (let version = present; version < schemaVersion; version++) {
      await step.unsafe(migrations[version] ?? '');
      await step`INSERT INTO cairn_data.schema_version (version) VALUES (${version + 1})`;
    }
  });
}

async function versionIn(sql: Sql): Promise<number> {
  const [there] = await sql`SELECT to_regclass('cairn_data.schema_version') IS NOT NULL AS there`;
  if (there?.there !== true) return 0;
  const [row] = await sql`SELECT max(version) AS version FROM cairn_data.schema_version`;
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

async function addCatalog(sql: Sql, name: string): Promise<number> {
  return sql.begin(async (step) => {
    await step`SELECT pg_advisory_xact_lock(${MIGRATING})`;
    const [known] = await step`SELECT id FROM cairn_data.catalog WHERE name = ${name}`;
    if (known !== undefined) return Number(known.id);
    const [added] = await step`INSERT INTO cairn_data.catalog (name) VALUES (${name}) RETURNING id`;
    const id = Number(added?.id);
    await step.unsafe(`SELECT set_config('cairn.catalog', '${id}', true)`);
    await step.unsafe(catalogBeginnings);
    return id;
  });
}

const catalogBeginnings = `
  INSERT INTO cairn.counter (name, value) VALUES ('generation', 0), ('derived', 0);
  INSERT INTO cairn.audit_head VALUES (1, 0, '')`;
