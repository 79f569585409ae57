/** The operations of the document store (S4), as steps of `query` and `execute` and as commands. */
import { add } from './add.ts';
import { remove, update } from './change.ts';
import { download } from './download.ts';
import { embed } from './embed.ts';
import { get } from './get.ts';
import { grep } from './grep.ts';
import { contentVerify, gc } from './keep.ts';
import { documentsImport } from './move-in.ts';
import { search } from './search.ts';
import { sessionOperations } from './session.ts';
import { listSnapshots, restore, snapshot, snapshotDiff } from './snapshots.ts';
import { list, listCollections, status } from './view.ts';

export const operations = [
  add,
  update,
  remove,
  restore,
  download,
  snapshot,
  search,
  grep,
  list,
  get,
  listCollections,
  listSnapshots,
  snapshotDiff,
  status,
  embed,
  gc,
  contentVerify,
  documentsImport,
  ...sessionOperations,
];
