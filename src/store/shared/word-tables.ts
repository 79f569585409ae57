/**
 * How many texts hold a word, and how long texts are, for each shelf of texts: what a ranking needs to know. Kept by the
 * server with every change of a table of words, a statement at a time, whoever makes it.
 */
import { table } from './tables.ts';

export const wordTables = [
  table('word_count', {
    columns: 'shelf TEXT NOT NULL, stem TEXT NOT NULL, texts BIGINT NOT NULL',
    key: 'shelf, stem',
  }),
  table('word_shelf', {
    columns: 'shelf TEXT NOT NULL, texts BIGINT NOT NULL, length BIGINT NOT NULL',
    key: 'shelf',
  }),
  // Room beside each row for what it becomes: most words are counted often.
  'ALTER TABLE cairn_data.word_count SET (fillfactor = 70);',
  `CREATE FUNCTION cairn_data.count_words() RETURNS trigger LANGUAGE plpgsql AS $body$
    BEGIN
      IF TG_OP <> 'INSERT' THEN
        UPDATE cairn_data.word_count AS known SET texts = known.texts - less.texts
          FROM (SELECT catalog, stem, count(*) AS texts FROM gone, unnest(tsvector_to_array(words)) AS stem GROUP BY 1, 2) AS less
          WHERE known.catalog = less.catalog AND known.shelf = TG_ARGV[0] AND known.stem = less.stem COLLATE "C";
        DELETE FROM cairn_data.word_count AS known
          USING (SELECT DISTINCT catalog, stem FROM gone, unnest(tsvector_to_array(words)) AS stem) AS less
          WHERE known.catalog = less.catalog AND known.shelf = TG_ARGV[0] AND known.stem = less.stem COLLATE "C" AND known.texts <= 0;
        UPDATE cairn_data.word_shelf AS known SET texts = known.texts - less.texts, length = known.length - less.length
          FROM (SELECT catalog, count(*) AS texts, sum(length) AS length FROM gone GROUP BY 1) AS less
          WHERE known.catalog = less.catalog AND known.shelf = TG_ARGV[0];
      END IF;
      IF TG_OP <> 'DELETE' THEN
        INSERT INTO cairn_data.word_count AS known (catalog, shelf, stem, texts)
          SELECT catalog, TG_ARGV[0], stem, count(*) FROM fresh, unnest(tsvector_to_array(words)) AS stem GROUP BY 1, 3 ORDER BY 3
          ON CONFLICT (catalog, shelf, stem) DO UPDATE SET texts = known.texts + excluded.texts;
        INSERT INTO cairn_data.word_shelf AS known (catalog, shelf, texts, length)
          SELECT catalog, TG_ARGV[0], count(*), sum(length) FROM fresh GROUP BY 1
          ON CONFLICT (catalog, shelf) DO UPDATE SET texts = known.texts + excluded.texts, length = known.length + excluded.length;
      END IF;
      RETURN NULL;
    END $body$;`,
].join('\n');

/**
 * For a table with the columns `words TSVECTOR NOT NULL, length INT NOT NULL`: found by its words, and counted as a shelf.
 * Rows stay as they are up to a page: a ranking looks into each several times, and would unpack it every time. What waits to be
 * sorted into the index is read by every question, so not much may wait.
 */
export function worded(name: string, shelf: string): string {
  const counted = `FOR EACH STATEMENT EXECUTE FUNCTION cairn_data.count_words('${shelf}');`;
  return `CREATE INDEX ${name}_words ON cairn_data.${name} USING gin (catalog, words) WITH (gin_pending_list_limit = 1024);
    ALTER TABLE cairn_data.${name} SET (toast_tuple_target = 8160);
    CREATE TRIGGER ${name}_worded AFTER INSERT ON cairn_data.${name} REFERENCING NEW TABLE AS fresh ${counted}
    CREATE TRIGGER ${name}_unworded AFTER DELETE ON cairn_data.${name} REFERENCING OLD TABLE AS gone ${counted}
    CREATE TRIGGER ${name}_reworded AFTER UPDATE ON cairn_data.${name}
      REFERENCING OLD TABLE AS gone NEW TABLE AS fresh ${counted}`;
}
