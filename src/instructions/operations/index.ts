/** The operations of the instruction catalog. */
import { add } from './add.ts';
import { backupCreate, backupList, backupRestore } from './backup.ts';
import { dispatch } from './dispatch.ts';
import { categories, query, search } from './find.ts';
import { governanceUpdate, integrityVerify } from './govern.ts';
import { graphExport } from './graph.ts';
import { instructionHistory, instructionRestore } from './history.ts';
import { importEntries } from './import.ts';
import { enrich, groom, repair } from './maintain.ts';
import { get, getEnhanced, list, listScoped } from './read.ts';
import { reload, remove } from './remove.ts';
import { reset } from './reset.ts';
import { gatesEvaluate, promptReview } from './review.ts';
import { capabilities, health, inspect } from './status.ts';
import { diff, exportEntries, governanceHash } from './sync.ts';
import { flush, hotset, track, trackBatch } from './usage.ts';

export const operations = [
  dispatch,
  list,
  listScoped,
  get,
  getEnhanced,
  search,
  query,
  categories,
  diff,
  exportEntries,
  governanceHash,
  capabilities,
  health,
  inspect,
  add,
  importEntries,
  groom,
  repair,
  enrich,
  remove,
  reload,
  instructionHistory,
  instructionRestore,
  backupCreate,
  backupList,
  backupRestore,
  reset,
  governanceUpdate,
  integrityVerify,
  graphExport,
  promptReview,
  gatesEvaluate,
  track,
  trackBatch,
  hotset,
  flush,
];
