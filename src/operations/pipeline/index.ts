/** The composite operations of seed 004: several reads, or several writes, in one call. */
import { execute } from './execute.ts';
import { query } from './query.ts';

export const operations = [query, execute];
