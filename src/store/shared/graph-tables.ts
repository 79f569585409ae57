/**
 * The tables of the graph. What waits to be read and what is to be forgotten follows the documents by triggers: it is in the
 * same transaction, whoever places a document. They hold as long as rows are deleted and inserted, never updated.
 */
import { codeExtensions, languageOf } from '../../graph/code/language.ts';
import { table, unique } from './tables.ts';

const languages = codeExtensions.map((extension) => `('${extension}', '${languageOf(`x${extension}`)}')`).join(', ');

/** The same for all catalogs. */
const languageTable = `CREATE TABLE cairn_data.code_language (
    extension TEXT COLLATE "C" PRIMARY KEY, language TEXT COLLATE "C" NOT NULL);
  INSERT INTO cairn_data.code_language VALUES ${languages};
  CREATE VIEW cairn.code_language AS SELECT extension, language FROM cairn_data.code_language;`;

const triggers = `
  CREATE FUNCTION cairn_data.code_placed() RETURNS trigger LANGUAGE plpgsql AS $body$
    BEGIN
      INSERT INTO cairn_data.code_unread (catalog, place) SELECT catalog, id FROM fresh
        WHERE kind = 'text' AND extension IN (SELECT extension FROM cairn_data.code_language) ON CONFLICT DO NOTHING;
      RETURN NULL;
    END $body$;
  CREATE TRIGGER code_placed AFTER INSERT ON cairn_data.document_place REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION cairn_data.code_placed();

  CREATE FUNCTION cairn_data.code_left() RETURNS trigger LANGUAGE plpgsql AS $body$
    BEGIN
      DELETE FROM cairn_data.code_unread AS own USING gone WHERE own.catalog = gone.catalog AND own.place = gone.id;
      DELETE FROM cairn_data.code_import AS own USING gone WHERE own.catalog = gone.catalog AND own.place = gone.id;
      RETURN NULL;
    END $body$;
  CREATE TRIGGER code_left AFTER DELETE ON cairn_data.document_place REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION cairn_data.code_left();

  CREATE FUNCTION cairn_data.code_dropped() RETURNS trigger LANGUAGE plpgsql AS $body$
    BEGIN
      WITH dropped AS (DELETE FROM cairn_data.code_outline AS own USING gone
          WHERE own.catalog = gone.catalog AND own.number = gone.number RETURNING own.catalog, own.id),
        undefined AS (DELETE FROM cairn_data.code_definition AS own USING dropped
          WHERE own.catalog = dropped.catalog AND own.outline = dropped.id)
      DELETE FROM cairn_data.code_use AS own USING dropped WHERE own.catalog = dropped.catalog AND own.outline = dropped.id;
      RETURN NULL;
    END $body$;
  CREATE TRIGGER code_dropped AFTER DELETE ON cairn_data.document_text REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION cairn_data.code_dropped();`;

/** After those of the documents. */
export const graphTables = [
  table('link', {
    columns: 'source TEXT NOT NULL, relation TEXT NOT NULL, target TEXT NOT NULL, owner TEXT NOT NULL',
    key: 'source, relation, target, owner',
    indexes: ['target, relation', 'owner'],
  }),
  languageTable,
  table('code_outline', {
    columns:
      'id BIGINT NOT NULL, number BIGINT NOT NULL, language TEXT NOT NULL, symbols INT NOT NULL, outline BYTEA NOT NULL',
    key: 'id',
    rules: [unique('number, language')],
  }),
  // It is compressed by us already.
  'ALTER TABLE cairn_data.code_outline ALTER outline SET STORAGE EXTERNAL;',
  table('code_unread', { columns: 'place BIGINT NOT NULL', key: 'place' }),
  table('code_name', { columns: 'id BIGINT NOT NULL, name TEXT NOT NULL', key: 'id', rules: [unique('name')] }),
  table('code_definition', {
    columns: 'name BIGINT NOT NULL, outline BIGINT NOT NULL',
    key: 'name, outline',
    indexes: ['outline'],
  }),
  table('code_use', {
    columns: 'name BIGINT NOT NULL, outline BIGINT NOT NULL',
    key: 'name, outline',
    indexes: ['outline'],
  }),
  table('code_import', {
    columns: 'name BIGINT NOT NULL, place BIGINT NOT NULL',
    key: 'name, place',
    indexes: ['place'],
  }),
  triggers,
  table('mention', {
    columns: `kind TEXT NOT NULL, id TEXT NOT NULL, position INT NOT NULL, type TEXT NOT NULL, value TEXT NOT NULL, symbol TEXT,
      collection TEXT, given INT NOT NULL`,
    key: 'kind, id, position',
    // Values may be longer than what an index takes.
    indexes: ['type, md5(value)'],
  }),
].join('\n');

export const graphCounters = ['code', 'code_lease', 'code_outline', 'code_name'] as const;
