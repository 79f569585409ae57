/**
 * The store port: everything Cairn keeps, behind typed repositories. Engines: embedded/ (files + SQLite), shared/ (PostgreSQL).
 * Every method is asynchronous, so that a database on another machine can stand behind the same words.
 *
 * A `read` sees one consistent snapshot and never creates anything; a `write` is one transaction, durable when its
 * promise resolves, and nothing of it is there when it rejects. Work that goes on after that is refused. Texts of
 * records come back as `storable` (text.ts) leaves them; files keep every character.
 */

import type { AnchorDesk, AnchorShelf } from './anchors.ts';
import type { DocumentIndex } from './document-index.ts';
import type { DocumentDesk, DocumentShelf } from './documents.ts';
import type { GraphIndex, Link } from './graph-index.ts';
import type { KeptMention, MentionIndex } from './mentions.ts';
import type { ObjectStore } from './objects.ts';
import type { SessionDesk, SessionShelf } from './sessions.ts';
import type { Terms } from './terms.ts';
import type { TextPlace } from './texts.ts';
import type { Transfer } from './transfer.ts';
import type { WebhookDesk, WebhookQueue, WebhookShelf } from './webhooks.ts';

export interface Store {
  readonly location: string;
  readonly textPlace: TextPlace;
  read<T>(work: (view: View) => Promise<T>): Promise<T>;
  write<T>(work: (change: Change) => Promise<T>): Promise<T>;
  /** Grows with every committed write of any process: a holder of derived data compares it to know when to refresh. */
  generation(): Promise<number>;
  /** The files as they are now: reading them needs no snapshot, for each is replaced whole. */
  readonly files: FileShelf;
  /** What is derived from the instruction files, so that nobody reads them all again. */
  readonly instructions: InstructionIndex;
  /** The same for the decision files. */
  readonly decisions: DecisionIndex;
  /** The same for the documents, to search them. */
  readonly documents: DocumentIndex;
  /** What is derived from all of them, to ask for what is connected with what. */
  readonly graph: GraphIndex;
  /** What instructions and decisions name. */
  readonly mentions: MentionIndex;
  /** The contents of documents, by their hash. */
  readonly objects: ObjectStore;
  /** Earlier versions of the files of the instructions and decisions. */
  readonly history: History;
  /** Everything that is true, as rows, to be moved into another store. */
  readonly transfer: Transfer;
  /** The work on webhooks. */
  readonly webhooks: WebhookQueue;
  /** Calls back with the name of each file of a shelf that somebody changed. `false` where there is nothing to watch yet. */
  watch(shelf: Shelf, onChange: (name: string) => void): Promise<boolean>;
  inspect(): Promise<StoreReport>;
  /** Reads the databases through, as far as that takes no minutes, and says what is damaged. Changes nothing. */
  examine(): Promise<DatabaseDamage[]>;
  /** Leaves nothing of what was removed in the engine's own files. */
  scrub(): Promise<void>;
  /** Work that must be done while the store can still be written. */
  beforeClose(work: () => Promise<void>): void;
  close(): Promise<void>;
}

export interface View {
  readonly audit: AuditTrail;
  readonly keys: KeyRing;
  readonly feedback: FeedbackBox;
  readonly usage: UsageCounts;
  readonly events: EventLog;
  readonly truths: Truths;
  readonly documents: DocumentShelf;
  readonly anchors: AnchorShelf;
  readonly sessions: SessionShelf;
  readonly webhooks: WebhookShelf;
  readonly files: FileShelf;
}

export interface Change {
  readonly audit: AuditLog;
  readonly keys: KeyRegister;
  readonly feedback: FeedbackDesk;
  readonly usage: UsageCounter;
  readonly events: EventBook;
  readonly truths: TruthRegister;
  readonly documents: DocumentDesk;
  readonly anchors: AnchorDesk;
  readonly sessions: SessionDesk;
  readonly webhooks: WebhookDesk;
  readonly files: FileDesk;
}

// ── audit ────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface AuditRecord {
  readonly time: string;
  readonly operation: string;
  readonly principal: string;
  readonly role: string;
  readonly door: string;
  readonly outcome: string;
  readonly ids: readonly string[];
  readonly before?: string;
  readonly after?: string;
  readonly note?: string;
}

export interface AuditEntry extends AuditRecord {
  readonly seq: number;
  readonly previous: string;
  readonly hash: string;
}

export interface AuditTrail {
  /** Newest first. */
  recent(limit: number): Promise<AuditEntry[]>;
  /** Oldest first, those with a `seq` above `after`. */
  page(after: number, limit: number): Promise<AuditEntry[]>;
  /** How many there are, and the last link of the chain as the store remembers it, apart from the rows. */
  head(): Promise<{ count: number; seq: number; hash: string }>;
}

export interface AuditLog extends AuditTrail {
  append(record: AuditRecord): Promise<AuditEntry>;
}

// ── API keys ─────────────────────────────────────────────────────────────────────────────────────────────────────

export interface StoredKey {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly digest: string;
  readonly created: string;
  readonly revoked?: string;
}

export interface KeyRing {
  list(): Promise<StoredKey[]>;
  byDigest(digest: string): Promise<StoredKey | undefined>;
}

export interface KeyRegister extends KeyRing {
  add(key: StoredKey): Promise<void>;
  revoke(id: string, time: string): Promise<boolean>;
}

// ── feedback ─────────────────────────────────────────────────────────────────────────────────────────────────────

export interface FeedbackRecord {
  readonly id: string;
  readonly type: string;
  readonly severity: string;
  readonly status: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly context?: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly submittedBy: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface FeedbackFilter {
  readonly type?: string;
  readonly severity?: string;
  readonly status?: string;
  readonly since?: string;
  readonly tags?: readonly string[];
}

export interface FeedbackBox {
  get(id: string): Promise<FeedbackRecord | undefined>;
  /** Newest first. */
  list(filter: FeedbackFilter, limit: number, offset: number): Promise<FeedbackRecord[]>;
  count(filter: FeedbackFilter): Promise<number>;
  tally(field: 'type' | 'severity' | 'status', filter: FeedbackFilter): Promise<Record<string, number>>;
}

export interface FeedbackDesk extends FeedbackBox {
  put(record: FeedbackRecord): Promise<void>;
}

// ── uses of instructions ──────────────────────────────────────────────────────────────────────────────────────────────

export interface Usage {
  readonly id: string;
  readonly count: number;
  readonly firstSeenTs: string;
  readonly lastUsedAt: string;
}

export interface UsageCounts {
  of(ids: readonly string[]): Promise<Map<string, Usage>>;
  /** Most used first, then the most recently used. */
  hottest(limit: number): Promise<Usage[]>;
}

export interface UsageCounter extends UsageCounts {
  /** Adds to what is there, whoever counted it: counters are exact across processes. */
  add(id: string, times: number, at: string): Promise<Usage>;
  remove(ids: readonly string[]): Promise<number>;
}

// ── files that people edit ───────────────────────────────────────────────────────────────────────────────────────

export type Shelf = 'instructions' | 'decisions' | 'prompts' | 'backups' | 'home';

export interface FileStamp {
  readonly name: string;
  readonly size: number;
  readonly modifiedMs: number;
}

export interface FileShelf {
  stamp(shelf: Shelf, name: string): Promise<FileStamp | undefined>;
  list(shelf: Shelf): Promise<FileStamp[]>;
  read(shelf: Shelf, name: string): Promise<string | undefined>;
  /** The first bytes, as they are: enough of a large file, and a way to see what is no text. */
  start(shelf: Shelf, name: string, limit: number): Promise<Uint8Array | undefined>;
}

export interface FileDesk extends FileShelf {
  /**
   * Replaces the file when the transaction commits. Other files of the same transaction appear with it or not at all,
   * also after a crash. `expect` refuses when the present text has another SHA-256 (`null`: must not exist).
   */
  put(shelf: Shelf, name: string, text: string, expect?: string | null): Promise<void>;
  remove(shelf: Shelf, name: string): Promise<boolean>;
}

// ── earlier versions ─────────────────────────────────────────────────────────────────────────────────────────────────

export interface FileVersion {
  readonly commit: string;
  readonly time: string;
  readonly author: string;
  readonly message: string;
  readonly removed: boolean;
}

export interface HistoryState {
  /** A database keeps the versions with the rest, and needs no git. */
  readonly keeper: 'git' | 'database';
  /** The version of git; absent where there is none, or it is not needed. */
  readonly git?: string;
  readonly healthy: boolean;
  /** Versions that are kept but not committed yet. */
  readonly waiting: number;
  readonly commits?: number;
  readonly problem?: string;
}

export interface History {
  /** Newest first, those that wait to be committed too. */
  versions(shelf: Shelf, name: string, limit: number): Promise<FileVersion[]>;
  text(shelf: Shelf, name: string, commit: string): Promise<string | undefined>;
  /** Removes every version of these files for good. */
  forget(shelf: Shelf, names: readonly string[]): Promise<void>;
  /** Commits what waits. Never fails; `state` says what could not be done. */
  settle(): Promise<void>;
  state(): Promise<HistoryState>;
}

// ── the index of the instruction files ───────────────────────────────────────────────────────────────────────────────

/** One file as the index knows it: derived data, rebuilt from the file whenever the stamp no longer fits. */
export interface IndexedFile {
  readonly name: string;
  readonly size: number;
  readonly modifiedMs: number;
  /** Absent where the file is no valid entry; then `problem` says why. */
  readonly id?: string;
  /** Everything but the body, as JSON. */
  readonly head?: string;
  readonly body?: string;
  readonly title?: string;
  readonly metaHash?: string;
  readonly problem?: string;
  /** What it is connected with, as it says itself. */
  readonly links?: readonly Link[];
  readonly mentions?: readonly KeptMention[];
}

export interface IndexChanges {
  readonly version: number;
  readonly files: readonly Omit<IndexedFile, 'body' | 'title' | 'links' | 'mentions'>[];
  readonly removed: readonly string[];
}

export interface TextMatch {
  readonly id: string;
  /** Higher is better; comparable within one answer. */
  readonly score: number;
}

/** How well texts answer a question: which of its words they hold, and how telling each word is. */
export interface Coverage {
  /** How many texts there are. */
  readonly texts: number;
  /** In how many of them each word occurs. */
  readonly frequencies: readonly number[];
  /** For each text asked about, which of the words it holds, and how many characters it has. */
  readonly holds: ReadonlyMap<string, { readonly words: readonly boolean[]; readonly length: number }>;
}

/** Vectors of texts, derived in the background. What is kept for a text that changed since no longer counts. */
export interface VectorShelf {
  /** Texts that have none of this model yet; without a body where it lies elsewhere. */
  missing(model: string, limit: number): Promise<{ id: string; hash: string; title: string; body?: string }[]>;
  /**
   * One for each passage of a text, in place of those it had; kept only where the text is still the one that was embedded.
   * No code: the model has nothing to say of the passage.
   */
  put(
    model: string,
    texts: readonly { id: string; hash: string; codes: readonly (Uint8Array | undefined)[] }[],
  ): Promise<void>;
  /**
   * Those that came after a version, each text with all of its own and the passages they are of; many are had in several
   * steps from 0 on.
   */
  since(
    model: string,
    version: number,
  ): Promise<{
    version: number;
    vectors: { id: string; codes: Uint8Array[]; passages: number[] }[];
    more: boolean;
  }>;
  /** How many texts have one, or need none. */
  progress(model: string): Promise<{ done: number; of: number }>;
  /** Lets one process at a time do the work: `true` where it is the caller's turn for so long. 0 ends the turn. */
  claim(forMs: number): Promise<boolean>;
}

export interface HashedText {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly hash: string;
}

export interface InstructionIndex {
  readonly vectors: VectorShelf;
  coverage(words: readonly string[], ids: readonly string[]): Promise<Coverage>;
  /** Grows with every update by any process. */
  version(): Promise<number>;
  /** The hash of the catalog as somebody computed it for the present version; absent once anything changed. */
  catalogHash(): Promise<string | undefined>;
  keepCatalogHash(version: number, hash: string): Promise<void>;
  /** What changed after a version; the whole index after version 0. */
  changesSince(version: number): Promise<IndexChanges>;
  update(files: readonly IndexedFile[], removed: readonly string[]): Promise<number>;
  bodies(ids: readonly string[]): Promise<Map<string, string>>;
  /** Entries whose body has a hash that begins so, as of the last update. */
  withHash(prefix: string, limit: number): Promise<HashedText[]>;
  /** Entries whose title or body contains the text, whatever its case. */
  containing(text: string, limit: number): Promise<string[]>;
  /** Entries that hold the words or their stems, best first. */
  matching(words: readonly string[], limit: number, terms?: Terms): Promise<TextMatch[]>;
  /** Entries that hold what must be there and nothing that must not; `undefined` where all do. */
  allowed(terms: Terms): Promise<ReadonlySet<string> | undefined>;
}

// ── the index of the decision files ──────────────────────────────────────────────────────────────────────────────────

/** What the index can be asked for; the rest of a decision is in `head`, as JSON. */
export interface DecisionFacts {
  readonly id: string;
  readonly kind: string;
  readonly status: string;
  readonly namespace: string;
  readonly target: string;
  /** The target as it is compared: one spelling for all that mean the same. */
  readonly targetKey: string;
  readonly title: string;
  readonly created: string;
  readonly head: string;
}

export interface IndexedDecision extends FileStamp {
  /** Absent where the file is no decision; then `problem` says why. */
  readonly facts?: DecisionFacts;
  readonly body?: string;
  readonly problem?: string;
  /** What it is connected with, as it says itself. */
  readonly links?: readonly Link[];
  readonly mentions?: readonly KeptMention[];
}

export interface DecisionFilter {
  readonly namespace?: string;
  readonly targetKey?: string;
  readonly kind?: string;
  readonly statuses?: readonly string[];
}

export interface TargetCount {
  readonly namespace: string;
  readonly target: string;
  readonly targetKey: string;
  readonly decisions: number;
  readonly active: number;
}

export interface DecisionIndex {
  readonly vectors: VectorShelf;
  coverage(words: readonly string[], ids: readonly string[]): Promise<Coverage>;
  /** Grows with every update by any process; 0 where nothing was indexed yet. */
  version(): Promise<number>;
  stamp(name: string): Promise<FileStamp | undefined>;
  stamps(): Promise<Map<string, FileStamp>>;
  update(files: readonly IndexedDecision[], removed: readonly string[]): Promise<void>;
  get(ids: readonly string[]): Promise<Map<string, DecisionFacts>>;
  bodies(ids: readonly string[]): Promise<Map<string, string>>;
  /** Newest first. */
  list(filter: DecisionFilter, limit: number, offset: number): Promise<DecisionFacts[]>;
  count(filter: DecisionFilter): Promise<number>;
  /** Best first. */
  matching(words: readonly string[], filter: DecisionFilter, limit: number, terms?: Terms): Promise<TextMatch[]>;
  /** All that fit the filter and hold what must be there and nothing that must not. */
  allowed(filter: DecisionFilter, terms: Terms): Promise<ReadonlySet<string>>;
  /** Some that hold all of the words, in no order: as many as asked for, and no look at the others. */
  holding(words: readonly string[], filter: DecisionFilter, limit: number): Promise<string[]>;
  targets(namespace: string | undefined): Promise<TargetCount[]>;
  targetCount(namespace: string): Promise<number>;
  /** Targets whose key ends in `/suffix`. */
  targetsEnding(namespace: string, suffix: string, limit: number): Promise<TargetCount[]>;
  /** Targets with more than one active decision: what a merge by hand can bring. */
  contested(namespace: string | undefined): Promise<{ namespace: string; target: string; ids: string[] }[]>;
  problems(): Promise<{ file: string; problem: string }[]>;
  /** Links between decisions that lead nowhere, or that the other end does not return. Looks at all of them. */
  brokenLinks(): Promise<{ id: string; other: string; missing: boolean }[]>;
}

// ── the one active decision of a target ──────────────────────────────────────────────────────────────────────────────

/**
 * Which decision is the truth of a target, as the writers know it. It lies beside the audit, not in the index, so that two
 * processes that record at once meet here; the files decide, and an entry that no longer fits them is replaced.
 */
export interface Truths {
  of(namespace: string, targetKey: string): Promise<string | undefined>;
}

export interface TruthRegister extends Truths {
  /** Refuses when another decision is the truth already. */
  claim(namespace: string, targetKey: string, id: string): Promise<void>;
  release(namespace: string, targetKey: string): Promise<void>;
}

// ── events ───────────────────────────────────────────────────────────────────────────────────────────────────────────

export const eventKinds = ['interaction', 'commit', 'error', 'decision'] as const;
export type EventKind = (typeof eventKinds)[number];

export interface EventDraft {
  readonly namespace: string;
  /** Where the same content counts once. */
  readonly session: string;
  readonly kind: EventKind;
  /** Who says so: the name of a client, `git`, `cairn`. */
  readonly source: string;
  readonly subject: string;
  readonly detail: string;
  readonly targets: readonly string[];
  readonly files: readonly string[];
  readonly success: boolean;
  readonly created: string;
}

export interface EventRecord extends EventDraft {
  readonly id: number;
}

export interface EventFilter {
  readonly namespace?: string;
  readonly kind?: EventKind;
  readonly after?: number;
}

export interface EventLink {
  readonly event: number;
  readonly decision: string;
  readonly created: string;
}

export interface EventLog {
  get(id: number): Promise<EventRecord | undefined>;
  /** Newest first. */
  list(filter: EventFilter, limit: number, offset: number): Promise<EventRecord[]>;
  /** Those that hold the words, best first. */
  matching(
    words: readonly string[],
    filter: EventFilter,
    limit: number,
    terms?: Terms,
  ): Promise<{ event: EventRecord; score: number }[]>;
  count(filter: EventFilter): Promise<number>;
  namespaces(): Promise<string[]>;
  /** Oldest first, those with an id above `after`, of all namespaces. */
  page(after: number, limit: number): Promise<EventRecord[]>;
  /** The evidence of a decision, oldest first. */
  of(decision: string): Promise<EventRecord[]>;
  links(filter: { readonly decision?: string; readonly event?: number }): Promise<EventLink[]>;
  /** How far the commits of a repository were taken in. */
  gitMark(namespace: string, repository: string): Promise<string | undefined>;
}

export interface EventBook extends EventLog {
  /**
   * The id of the event, and whether it is a new one: the same content in the same session is the same event. It gets the
   * id that is wanted where that is free.
   */
  add(event: EventDraft, wantedId?: number): Promise<{ id: number; added: boolean }>;
  link(event: number, decision: string, time: string): Promise<boolean>;
  /** What was evidence for one decision is evidence for another from now on. */
  moveLinks(from: string, to: string): Promise<number>;
  unlink(decision: string): Promise<number>;
  /** Removes the events of a session, and their links. */
  removeSession(namespace: string, session: string): Promise<number>;
  setGitMark(namespace: string, repository: string, mark: string): Promise<void>;
}

// ── health ───────────────────────────────────────────────────────────────────────────────────────────────────────

export interface DatabaseDamage {
  /** `state.db`, `index.db` or `objects.db`. */
  readonly file: string;
  readonly problem: string;
  /** Whether it is built again from what else there is. */
  readonly derived: boolean;
}

export interface StoreReport {
  readonly engine: string;
  readonly location: string;
  readonly exists: boolean;
  readonly writable: boolean;
  readonly locked: boolean;
  readonly schemaVersion: number;
  /** Whether a later version of Cairn wrote it. */
  readonly newer: boolean;
  readonly generation: number;
  /** Absent where it is not ours to know. */
  readonly freeBytes?: number;
  /** Writes that a crash interrupted after they were acknowledged to the database, and that the next write completes. */
  readonly unfinished: number;
  readonly problems: readonly string[];
}
