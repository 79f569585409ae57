/**
 * Which files changed, told to every process that serves the catalog. A notice is a hint to look sooner, and nothing relies on
 * it: whoever missed one finds out by the version of the index and by the next look at all files.
 */
import type { Rows } from '../rows.ts';
import type { Shelf } from '../store.ts';
import type { SharedDatabase } from './database.ts';
import type { FileChange } from './files.ts';

/** PostgreSQL takes no more than 8000 bytes; what does not fit is found by looking. */
const LONGEST = 7000;

const channelOf = (catalog: number) => `cairn_${catalog}`;

export async function tell(rows: Rows, catalog: number, changes: readonly FileChange[]): Promise<void> {
  if (changes.length === 0) return;
  const payload = JSON.stringify(changes.map(({ shelf, name }) => [shelf, name]));
  const fits = Buffer.byteLength(payload) <= LONGEST;
  await rows.all('SELECT pg_notify(?, ?)', channelOf(catalog), fits ? payload : '[]');
}

type Hear = (name: string) => void;

const AGAIN_MS = 1000;

export class Notices {
  readonly #database: SharedDatabase;
  readonly #listeners = new Map<Shelf, Hear[]>();
  #end: Promise<() => Promise<void>> | undefined;
  #again: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(database: SharedDatabase) {
    this.#database = database;
  }

  async watch(shelf: Shelf, hear: Hear): Promise<void> {
    this.#listeners.set(shelf, [...(this.#listeners.get(shelf) ?? []), hear]);
    await this.#listen();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#again);
    await (await this.#end?.catch(() => undefined))?.().catch(() => {});
  }

  async #listen(): Promise<void> {
    this.#end ??= this.#connect();
    await this.#end.catch(() => this.#listenAgain());
  }

  async #connect(): Promise<() => Promise<void>> {
    const channel = channelOf(await this.#database.catalog());
    return this.#database.listen(
      channel,
      (payload) => this.#hear(payload),
      () => this.#listenAgain(),
    );
  }

  /** What was told meanwhile is found by looking. */
  #listenAgain(): void {
    this.#end = undefined;
    // A connection that fails says so twice, by its end and by its error.
    if (this.#closed || this.#again !== undefined) return;
    this.#again = setTimeout(() => {
      this.#again = undefined;
      void this.#listen();
    }, AGAIN_MS).unref();
  }

  #hear(payload: string): void {
    for (const [shelf, name] of JSON.parse(payload) as [Shelf, string][]) {
      for (const hear of this.#listeners.get(shelf) ?? []) hear(name);
    }
  }
}
