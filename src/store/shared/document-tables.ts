/**
 * The tables of the search index of documents: what `../document-index.ts` promises, derived from the records and the contents.
 * A text has a row of words for each of its sections, and one of its runs of three letters.
 */
import { table, unique } from './tables.ts';
import { worded } from './word-tables.ts';

/** Shelves of words. */
export const SECTIONS = 'documents';
export const PATHS = 'paths';

export const documentTables = [
  table('document_text', {
    columns: `number BIGINT NOT NULL, hash TEXT NOT NULL, title TEXT, extracted BYTEA, partial INT NOT NULL, problem TEXT,
      sections INT NOT NULL`,
    key: 'number',
    rules: [unique('hash')],
  }),
  'CREATE INDEX document_text_partial ON cairn_data.document_text (catalog, number) WHERE partial = 1;',
  'CREATE INDEX document_text_problem ON cairn_data.document_text (catalog, number) WHERE problem IS NOT NULL;',
  // It is compressed by us already.
  'ALTER TABLE cairn_data.document_text ALTER extracted SET STORAGE EXTERNAL;',
  // Rows are deleted and inserted, never updated: what follows them by triggers relies on it.
  table('document_place', {
    columns: `id BIGINT NOT NULL, number BIGINT NOT NULL, collection TEXT NOT NULL, path TEXT NOT NULL,
      extension TEXT NOT NULL, kind TEXT NOT NULL, tags TEXT NOT NULL, modified TEXT NOT NULL`,
    key: 'id',
    indexes: ['number', 'collection, path'],
  }),
  table('document_words', {
    columns: 'number BIGINT NOT NULL, section INT NOT NULL, length INT NOT NULL, words TSVECTOR NOT NULL',
    key: 'number, section',
  }),
  worded('document_words', SECTIONS),
  table('document_paths', {
    columns: 'id BIGINT NOT NULL, length INT NOT NULL, words TSVECTOR NOT NULL',
    key: 'id',
  }),
  worded('document_paths', PATHS),
  table('document_letters', { columns: 'number BIGINT NOT NULL, threes INT[] NOT NULL', key: 'number' }),
  'CREATE INDEX document_letters_held ON cairn_data.document_letters USING gin (catalog, threes) WITH (gin_pending_list_limit = 1024);',
  table('document_word', {
    columns: 'length INT NOT NULL, letters INT NOT NULL, word TEXT NOT NULL',
    key: 'length, letters, word',
  }),
].join('\n');
