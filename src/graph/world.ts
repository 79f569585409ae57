/** What the neighbours of a node are found in, and how much may be spent on finding them. */
import type { DocumentShelf } from '../store/documents.ts';
import type { EventLog, Store } from '../store/store.ts';
import type { CodeTree } from './tree.ts';

export interface World {
  readonly store: Store;
  readonly documents: DocumentShelf;
  readonly events: EventLog;
  readonly effort: Effort;
  /** Decisions, targets and events of others are not seen. */
  readonly namespace: string;
  /** The source files of a collection. */
  tree(collection: string): CodeTree;
}

/** Which relations are asked for. */
export type Wanted = (relation: string) => boolean;

/**
 * A name such as `get` is used in thousands of files, each of which may mean the one that is asked about. So many are looked at
 * for one question; then the answer says that it is not whole.
 */
export class Effort {
  #left: number;

  constructor(files: number) {
    this.#left = files;
  }

  /** `false` where nothing is left. */
  spend(): boolean {
    this.#left -= 1;
    return this.#left >= 0;
  }

  get exhausted(): boolean {
    return this.#left < 0;
  }
}
