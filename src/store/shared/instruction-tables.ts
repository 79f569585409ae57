/** The tables of the index of instructions. */
import { table, unique } from './tables.ts';
import { worded } from './word-tables.ts';

export const INSTRUCTIONS = 'instructions';

export const instructionTables = [
  table('catalog_hash', { columns: 'version BIGINT NOT NULL, hash TEXT NOT NULL', key: 'version' }),
  // A removed file stays as a row without content until it comes back, so that others learn of the removal.
  table('instruction', {
    columns: `number BIGINT NOT NULL, name TEXT NOT NULL, id TEXT, size BIGINT NOT NULL, modified_ms DOUBLE PRECISION NOT NULL,
      head TEXT, meta_hash TEXT, problem TEXT, removed INT NOT NULL, version BIGINT NOT NULL`,
    key: 'number',
    rules: [unique('name')],
    indexes: ['version', 'id'],
  }),
  table('instruction_text', {
    columns: `number BIGINT NOT NULL, id TEXT, title TEXT NOT NULL, body TEXT NOT NULL, folded TEXT NOT NULL,
      hash TEXT NOT NULL, body_hash TEXT NOT NULL`,
    key: 'number',
    indexes: ['id', 'body_hash'],
  }),
  'CREATE INDEX instruction_text_letters ON cairn_data.instruction_text USING gin (catalog, folded gin_trgm_ops);',
  table('instruction_words', {
    columns: 'number BIGINT NOT NULL, words TSVECTOR NOT NULL, length INT NOT NULL',
    key: 'number',
  }),
  worded('instruction_words', INSTRUCTIONS),
].join('\n');

export const instructionCounters = ['instructions', 'instruction_number'] as const;
