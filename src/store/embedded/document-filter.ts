/** Which places of documents a question is about, as SQL of index.db. */

import type { PlaceFilter } from '../document-index.ts';
import { conditions as conditionsWith } from '../records/place-filter.ts';
import { PATH_FITS } from './database.ts';

export function conditions(filter: PlaceFilter) {
  return conditionsWith(filter, `${PATH_FITS}(place.path)`);
}
