/** The operations on what is out of date. */
import { contentDiff } from './content-diff.ts';
import { staleConfirm, staleList } from './stale.ts';

export const operations = [staleList, staleConfirm, contentDiff];
