/** What the store keeps of documents: which content lies under which path, and what lay there when a snapshot was made. */

export interface DocumentRecord {
  readonly id: number;
  readonly collection: string;
  /** With slashes, below whatever the collection stands for; never absolute. */
  readonly path: string;
  readonly hash: string;
  readonly size: number;
  readonly kind: 'text' | 'binary';
  readonly mime: string;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly created: string;
  /** When the content was last changed, as its source says. */
  readonly modified: string;
  readonly indexed: string;
  /** The rule of a secret that was found in it. */
  readonly flagged?: string;
  /** The file it was taken from, as it was then: unchanged, it need not be read again. */
  readonly source?: { readonly path: string; readonly size: number; readonly modifiedMs: number };
}

export type DocumentDraft = Omit<DocumentRecord, 'id'>;

export const sortKeys = ['name', 'size', 'created', 'modified', 'indexed'] as const;
export type SortKey = (typeof sortKeys)[number];

export interface DocumentFilter {
  readonly collection?: string;
  readonly kind?: 'text' | 'binary';
  /** With its dot, in lower case. */
  readonly extension?: string;
  readonly tag?: string;
  /** Added in this session, or pinned to it. */
  readonly session?: string;
}

export interface Sorting {
  readonly by: SortKey;
  readonly descending: boolean;
}

export interface CollectionCount {
  readonly collection: string;
  readonly documents: number;
  readonly bytes: number;
}

export interface SnapshotRecord {
  readonly id: string;
  readonly collection: string;
  readonly label: string;
  readonly created: string;
  readonly files: number;
  readonly bytes: number;
  /** The hash of all paths and contents. */
  readonly root: string;
}

export interface SnapshotFile {
  readonly path: string;
  readonly hash: string;
  readonly size: number;
  readonly modified: string;
}

export interface DocumentChange {
  readonly seq: number;
  readonly id: number;
  readonly document?: DocumentRecord;
}

export interface DocumentShelf {
  get(id: number): Promise<DocumentRecord | undefined>;
  at(collection: string, path: string): Promise<DocumentRecord | undefined>;
  /** Documents of exactly this path, whatever their collection, in the order of collections. */
  atPath(path: string, limit: number): Promise<DocumentRecord[]>;
  /** The only document whose path ends in `/` and this; nothing where there are several. */
  endingOnly(path: string): Promise<DocumentRecord | undefined>;
  /** Every path that names a content, in the order of collection and path. */
  withHash(hash: string, limit: number): Promise<DocumentRecord[]>;
  /** Full hashes that begin so. */
  hashesFrom(prefix: string, limit: number): Promise<string[]>;
  /** Documents whose path is this, or ends in `/` and this; the shortest path first. */
  ending(path: string, collection: string | undefined, limit: number): Promise<DocumentRecord[]>;
  list(filter: DocumentFilter, sorting: Sorting, limit: number, offset: number): Promise<DocumentRecord[]>;
  count(filter: DocumentFilter): Promise<number>;
  /** In the order of their paths, after one of them: all of a collection, page by page. */
  page(collection: string | undefined, after: string, limit: number): Promise<DocumentRecord[]>;
  collections(): Promise<CollectionCount[]>;
  types(): Promise<{ extension: string; kind: string; documents: number; bytes: number }[]>;
  snapshots(collection: string | undefined, limit: number, offset: number): Promise<SnapshotRecord[]>;
  snapshot(id: string): Promise<SnapshotRecord | undefined>;
  snapshotFiles(id: string, after: string, limit: number): Promise<SnapshotFile[]>;
  /** What changed after a point, in order, each document once; one that is gone comes without its record. */
  changes(after: number, limit: number): Promise<DocumentChange[]>;
  lastChange(): Promise<number>;
  /** The paths that a content has in snapshots, each after the id of its snapshot and a slash. */
  inSnapshots(hash: string, limit: number): Promise<string[]>;
  /** Hashes that paths or snapshots need, in order, after one of them. */
  needed(after: string, limit: number): Promise<string[]>;
  /** Bytes of every content that lies at a path, now or in a snapshot: each once a path. */
  versionBytes(): Promise<number>;
  /** Whether a path, a snapshot, a pin of a running session or a citation still needs a content. */
  isNeeded(hash: string): Promise<boolean>;
}

export interface DocumentDesk extends DocumentShelf {
  /** In place of whatever lay at the same path. */
  put(document: DocumentDraft): Promise<number>;
  remove(id: number): Promise<boolean>;
  /** The documents of a collection as they are now; never changed afterwards. */
  takeSnapshot(snapshot: Omit<SnapshotRecord, 'files' | 'bytes' | 'root'>): Promise<SnapshotRecord>;
}
