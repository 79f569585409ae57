/** Cairn with documents and the vectors of their passages. */
import type { Subject } from '../subject.ts';
import { documents } from './documents.ts';

export const search: Subject = {
  ...documents,
  name: 'cairn search',
  command: (home) => ({ ...documents.command(home), env: { CAIRN_EMBEDDINGS: 'bundled' } }),
};
