/**
 * The shared engine: everything in PostgreSQL, served by any number of processes that keep nothing of their own. Opening it
 * asks nothing of the server; a server that is away is an error of the call that needed it, and the next call tries again.
 */
import type { GraphIndex } from '../graph-index.ts';
import type { MentionIndex } from '../mentions.ts';
import type { ObjectStore } from '../objects.ts';
import { recordsIn } from '../records/records.ts';
import { webhookQueue } from '../records/webhooks.ts';
import type {
  AuditRecord,
  Change,
  DatabaseDamage,
  FileShelf,
  History,
  Shelf,
  Store,
  StoreReport,
  View,
} from '../store.ts';
import type { TextPlace } from '../texts.ts';
import type { Transfer } from '../transfer.ts';
import type { WebhookQueue } from '../webhooks.ts';
import type { StoreAddress } from './address.ts';
import type { BucketOptions } from './bucket-address.ts';
import { SharedDatabase } from './database.ts';
import { SharedDecisionIndex } from './decision-index.ts';
import { SharedDocumentIndex } from './document-index.ts';
import { matchingEvents, wordEventsIn } from './event-words.ts';
import { FileRows, shelfIn } from './files.ts';
import { SharedGraphIndex } from './graph-index.ts';
import { historyOf, recordVersions } from './history.ts';
import { inspectDatabase } from './inspect.ts';
import { SharedInstructionIndex } from './instruction-index.ts';
import { sharedMentions } from './mentions.ts';
import { Notices, tell } from './notices.ts';
import { sharedObjects } from './objects.ts';
import { sharedTransfer } from './transfer.ts';
import { documentTexts, sharedVectors } from './vectors.ts';

export interface SharedOptions {
  /** A folder of the machine, for copies. */
  readonly home: string;
  readonly address: StoreAddress;
  readonly replica?: StoreAddress;
  readonly connections: number;
  readonly statementMs: number;
  readonly lockWaitMs: number;
  /** Where the bytes of contents go; into rows where it is absent. */
  readonly bucket?: BucketOptions;
  /** Whether versions of the files are kept. */
  readonly history: boolean;
}

export function openShared(options: SharedOptions): Store {
  return new SharedStore(options);
}

class SharedStore implements Store {
  readonly location: string;
  readonly textPlace: TextPlace;
  readonly files: FileShelf;
  readonly instructions: SharedInstructionIndex;
  readonly decisions: SharedDecisionIndex;
  readonly documents: SharedDocumentIndex;
  readonly graph: GraphIndex;
  readonly mentions: MentionIndex;
  readonly objects: ObjectStore;
  readonly history: History;
  readonly transfer: Transfer;
  readonly webhooks: WebhookQueue;
  readonly #database: SharedDatabase;
  readonly #notices: Notices;
  readonly #versions: boolean;
  readonly #last: (() => Promise<void>)[] = [];

  constructor({ history, bucket, ...options }: SharedOptions) {
    const database = new SharedDatabase(options);
    const times = { statementMs: options.statementMs, lockWaitMs: options.lockWaitMs };
    this.#database = database;
    this.#versions = history;
    this.#notices = new Notices(database);
    this.location = database.shown;
    this.textPlace = { home: options.home, server: { address: options.address, ...times, ...(bucket && { bucket }) } };
    this.files = shelfIn(database.rows);
    this.instructions = new SharedInstructionIndex(database);
    this.decisions = new SharedDecisionIndex(database);
    this.documents = new SharedDocumentIndex(database, sharedVectors(database, documentTexts));
    this.graph = new SharedGraphIndex(database);
    this.mentions = sharedMentions(database);
    this.objects = sharedObjects(database, { bucket });
    this.history = historyOf(database);
    this.transfer = sharedTransfer(database);
    this.webhooks = webhookQueue((work) => database.maintain(work));
  }

  read<T>(work: (view: View) => Promise<T>): Promise<T> {
    return this.#database.look((rows) => work({ ...recordsIn(rows, matchingEvents(rows)), files: shelfIn(rows) }));
  }

  write<T>(work: (change: Change) => Promise<T>): Promise<T> {
    return this.#database.write(async (rows) => {
      const files = new FileRows(rows);
      const { audit, ...records } = recordsIn(rows, matchingEvents(rows), wordEventsIn(rows));
      let said: AuditRecord | undefined;
      const append: Change['audit']['append'] = (record) => {
        said = record;
        return audit.append(record);
      };
      const result = await work({ audit: { ...audit, append }, ...records, files });
      if (this.#versions) await recordVersions(rows, files.changes, said);
      await tell(rows, await this.#database.catalog(), files.changes);
      return result;
    });
  }

  async generation(): Promise<number> {
    const row = await this.#database.rows.get("SELECT value FROM counter WHERE name = 'generation'");
    return Number(row?.value ?? 0);
  }

  async watch(shelf: Shelf, onChange: (name: string) => void): Promise<boolean> {
    await this.#notices.watch(shelf, onChange);
    return true;
  }

  inspect(): Promise<StoreReport> {
    return inspectDatabase(this.#database);
  }

  /** The server checks its own files. */
  async examine(): Promise<DatabaseDamage[]> {
    return [];
  }

  /** Rows that are gone are overwritten by later ones once nobody can see them any more. */
  async scrub(): Promise<void> {
    await this.#database.rows.run('VACUUM cairn_data.file, cairn_data.file_version, cairn_data.event');
  }

  beforeClose(work: () => Promise<void>): void {
    this.#last.push(work);
  }

  async close(): Promise<void> {
    for (const work of this.#last.splice(0)) await work();
    await this.#notices.close();
    await this.objects.close();
    await this.#database.close();
  }
}
