/**
 * The embedded engine: state.db in WAL mode and plain files, shared by any number of processes. Nothing is opened
 * before the first read or write, and only a write creates the home.
 */
import { join, resolve } from 'node:path';
import type { MentionIndex } from '../mentions.ts';
import type { ObjectStore } from '../objects.ts';
import { recordsIn } from '../records/records.ts';
import { webhookQueue } from '../records/webhooks.ts';
import type { Change, DatabaseDamage, FileShelf, Shelf, Store, StoreReport, View } from '../store.ts';
import type { TextPlace } from '../texts.ts';
import type { Transfer } from '../transfer.ts';
import type { WebhookQueue } from '../webhooks.ts';
import type { Database, Queries } from './database.ts';
import { EmbeddedDecisionIndex } from './decision-index.ts';
import { EmbeddedDocumentIndex, type FollowElsewhere } from './document-index.ts';
import { matchingEvents } from './event-words.ts';
import { examineDatabases } from './examine.ts';
import { messageOf } from './failure.ts';
import { type ShelfFolders, shelfIn } from './files.ts';
import { EmbeddedGraphIndex } from './graph-index.ts';
import { HistoryKeeper } from './history-keeper.ts';
import { IndexDatabase } from './index-database.ts';
import { inspectHome } from './inspect.ts';
import { EmbeddedInstructionIndex } from './instruction-index.ts';
import { KeptConnection } from './kept-connection.ts';
import { mentionsOfIndex } from './mentions.ts';
import { openObjects } from './objects/index.ts';
import { Readers } from './readers.ts';
import { generationIn } from './schema.ts';
import { embeddedTransfer } from './transfer.ts';
import { isCutOff } from './unsynced.ts';
import { watchFolder } from './watch.ts';
import { Writer } from './writer.ts';

export interface EmbeddedOptions {
  readonly home: string;
  readonly instructionsFolder?: string;
  readonly promptsFolder?: string;
  /** How long a write waits for other processes before it gives up. */
  readonly lockWaitMs?: number;
  readonly onProblem?: (message: string) => void;
  /** Where long texts are indexed, so that they hold nobody up; here where it is absent. */
  readonly indexThread?: FollowElsewhere;
  /** Whether versions of the files are kept in history.git. */
  readonly history?: boolean;
}

export function openEmbedded(options: EmbeddedOptions): Store {
  return new EmbeddedStore(options);
}

/** As a program opens it: what a loss of power cut off is put right before anybody reads. */
export async function openMended(options: EmbeddedOptions): Promise<Store> {
  const store = new EmbeddedStore(options);
  await store.mend();
  return store;
}

class EmbeddedStore implements Store {
  readonly location: string;
  readonly textPlace: TextPlace;
  readonly files: FileShelf;
  readonly instructions: EmbeddedInstructionIndex;
  readonly decisions: EmbeddedDecisionIndex;
  readonly documents: EmbeddedDocumentIndex;
  readonly graph: EmbeddedGraphIndex;
  readonly mentions: MentionIndex;
  readonly objects: ObjectStore;
  readonly history: HistoryKeeper;
  readonly transfer: Transfer;
  readonly webhooks: WebhookQueue;
  readonly #index: IndexDatabase;
  readonly #path: string;
  readonly #folders: ShelfFolders;
  readonly #readers: Readers;
  readonly #looks: KeptConnection;
  readonly #writer: Writer;
  readonly #onProblem: (message: string) => void;
  readonly #watches: (() => void)[] = [];
  readonly #last: (() => Promise<void>)[] = [];

  constructor(options: EmbeddedOptions) {
    this.location = resolve(options.home);
    this.textPlace = { home: this.location };
    this.#index = new IndexDatabase(this.location, options.lockWaitMs);
    this.instructions = new EmbeddedInstructionIndex(this.#index);
    this.decisions = new EmbeddedDecisionIndex(this.#index);
    this.documents = new EmbeddedDocumentIndex(this.#index, options.indexThread);
    this.graph = new EmbeddedGraphIndex(this.#index);
    this.mentions = mentionsOfIndex(this.#index);
    this.objects = openObjects(this.location, { lockWaitMs: options.lockWaitMs });
    this.#path = join(this.location, 'state.db');
    this.#folders = {
      home: this.location,
      instructions: resolve(options.instructionsFolder ?? join(this.location, 'instructions')),
      decisions: join(this.location, 'decisions'),
      prompts: resolve(options.promptsFolder ?? join(this.location, 'prompts')),
      backups: join(this.location, 'backups'),
    };
    this.files = shelfIn(this.#folders);
    const onProblem = (message: string) => options.onProblem?.(message);
    this.#onProblem = onProblem;
    this.#writer = new Writer({
      home: this.location,
      path: this.#path,
      folders: this.#folders,
      waitMs: options.lockWaitMs,
      versions: options.history !== false,
      onProblem,
      onVersions: () => this.history.schedule(),
    });
    this.#looks = new KeptConnection(this.#path);
    this.#readers = new Readers(this.#path, options.lockWaitMs, () => this.#writer.upgrade());
    const transactions = {
      look: <T>(work: (database: Queries) => T) => this.#readers.look(async (database) => work(database)),
      maintain: <T>(work: (database: Database) => T | Promise<T>) => this.#writer.maintain(work),
    };
    this.webhooks = webhookQueue(transactions.maintain);
    this.transfer = embeddedTransfer(transactions);
    this.history = new HistoryKeeper(join(this.location, 'history.git'), transactions, onProblem);
  }

  async mend(): Promise<void> {
    if (!isCutOff(this.#path)) return;
    try {
      await this.#writer.write(async () => {});
    } catch (thrown) {
      this.#onProblem(`Files that a loss of power cut off wait for the next write: ${messageOf(thrown)}`);
    }
  }

  read<T>(work: (view: View) => Promise<T>): Promise<T> {
    return this.#readers.look((database) =>
      work({ ...recordsIn(database, matchingEvents(database)), files: this.files }),
    );
  }

  write<T>(work: (change: Change) => Promise<T>): Promise<T> {
    return this.#writer.write(work);
  }

  generation(): Promise<number> {
    return this.#readers.look(async (database) => generationIn(database));
  }

  async watch(shelf: Shelf, onChange: (name: string) => void): Promise<boolean> {
    const end = watchFolder(this.#folders[shelf], onChange);
    if (end !== undefined) this.#watches.push(end);
    return end !== undefined;
  }

  inspect(): Promise<StoreReport> {
    return inspectHome(this.location, this.#path, this.#looks, [this.#folders.instructions, this.#folders.decisions]);
  }

  examine(): Promise<DatabaseDamage[]> {
    return examineDatabases(this.location);
  }

  async scrub(): Promise<void> {
    await this.#writer.scrub();
    await this.#index.scrub();
  }

  beforeClose(work: () => Promise<void>): void {
    this.#last.push(work);
  }

  async close(): Promise<void> {
    for (const work of this.#last.splice(0)) await work();
    await this.history.close();
    for (const end of this.#watches) end();
    await this.#writer.close();
    await this.#index.close();
    await this.objects.close();
    this.#readers.close();
    this.#looks.close();
  }
}
