/** What is derived from the files and documents, besides the index of documents: tables, and the counters a catalog begins with. */
import { decisionCounters, decisionTables } from './decision-tables.ts';
import { eventWordTables } from './event-words.ts';
import { graphCounters, graphTables } from './graph-tables.ts';
import { instructionCounters, instructionTables } from './instruction-tables.ts';
import { vectorCounters, vectorTables } from './vector-tables.ts';

/** After those of records, words and documents. */
export const indexTables = [instructionTables, decisionTables, eventWordTables, vectorTables, graphTables].join('\n');

export const indexCounters = [
  ...instructionCounters,
  ...decisionCounters,
  ...vectorCounters,
  ...graphCounters,
] as const;
