/** The tables of vectors. */
import { table } from './tables.ts';

export const vectorTables = [
  table('vector', {
    columns: `shelf TEXT NOT NULL, id TEXT NOT NULL, passage INT NOT NULL, hash TEXT NOT NULL, model TEXT NOT NULL, code BYTEA,
      version BIGINT NOT NULL`,
    key: 'shelf, id, passage',
    indexes: ['shelf, version, id, passage'],
  }),
  // Numbers that look like chance: nothing can be made shorter.
  'ALTER TABLE cairn_data.vector ALTER code SET STORAGE EXTERNAL;',
  // Texts that are gone for good, for those who hold their vectors in memory.
  table('vector_gone', {
    columns: 'shelf TEXT NOT NULL, id TEXT NOT NULL, version BIGINT NOT NULL',
    key: 'shelf, id',
    indexes: ['shelf, version'],
  }),
].join('\n');

export const vectorCounters = ['vectors', 'vector_lease'] as const;
