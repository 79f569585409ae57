/**
 * The tables of contents. `body` is a number of its own for the bytes of a chunk each time they are written, so that whoever
 * wrote them knows its own; without `data` they lie in an object store, under the hash and that number. What may lie there
 * without a chunk that names it is in `chunk_leftover`: bytes on their way in, and bytes that are to be removed.
 */
import { table } from './tables.ts';

export const objectTables = [
  table('chunk', {
    columns: `hash BYTEA NOT NULL, body BIGINT NOT NULL, codec INT NOT NULL, size BIGINT NOT NULL, stored BIGINT NOT NULL,
      created BIGINT NOT NULL, damaged INT NOT NULL DEFAULT 0, data BYTEA`,
    key: 'hash',
  }),
  table('content', {
    columns: `hash BYTEA NOT NULL, size BIGINT NOT NULL, created BIGINT NOT NULL, seal TEXT NOT NULL,
      manifest BYTEA NOT NULL`,
    key: 'hash',
  }),
  table('chunk_leftover', {
    columns: 'hash BYTEA NOT NULL, body BIGINT NOT NULL, created BIGINT NOT NULL, doomed INT NOT NULL DEFAULT 0',
    key: 'hash, body',
  }),
  // Packed by us already. Bytes out of the row: to touch a chunk is then to write a small one.
  `ALTER TABLE cairn_data.chunk ALTER COLUMN data SET STORAGE EXTERNAL, SET (toast_tuple_target = 256, fillfactor = 80);
   ALTER TABLE cairn_data.content ALTER COLUMN manifest SET STORAGE EXTERNAL, SET (toast_tuple_target = 256, fillfactor = 80);`,
  // To know of damage without a look at every chunk.
  'CREATE INDEX chunk_damaged ON cairn_data.chunk (catalog) WHERE damaged = 1;',
].join('\n');
