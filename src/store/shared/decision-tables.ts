/** The tables of the index of decisions. */
import { table, unique } from './tables.ts';
import { worded } from './word-tables.ts';

export const DECISIONS = 'decisions';

export const decisionTables = [
  table('decision', {
    columns: `number BIGINT NOT NULL, name TEXT NOT NULL, size BIGINT NOT NULL, modified_ms DOUBLE PRECISION NOT NULL,
      problem TEXT, id TEXT, kind TEXT, status TEXT, namespace TEXT, target TEXT, target_key TEXT, reversed_key TEXT, title TEXT,
      created TEXT, head TEXT`,
    key: 'number',
    rules: [unique('name'), unique('id')],
    indexes: [
      'namespace, target_key, status',
      'namespace, reversed_key',
      'namespace, kind, status, created DESC, id DESC',
      'namespace, created DESC, id DESC',
      'created DESC, id DESC',
    ],
  }),
  'CREATE INDEX decision_problem ON cairn_data.decision (catalog, name) WHERE problem IS NOT NULL;',
  table('decision_text', {
    columns:
      'number BIGINT NOT NULL, title TEXT NOT NULL, target TEXT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL',
    key: 'number',
  }),
  table('decision_words', {
    columns: 'number BIGINT NOT NULL, words TSVECTOR NOT NULL, length INT NOT NULL',
    key: 'number',
  }),
  worded('decision_words', DECISIONS),
].join('\n');

export const decisionCounters = ['decisions', 'decision_number'] as const;
