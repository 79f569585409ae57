/**
 * Takes files and texts in as documents, many in one transaction. A file that is as it was when it was last taken costs a
 * look at it; one that cannot be taken is named, and the others are.
 */
import { lstat } from 'node:fs/promises';
import { CairnError } from '../errors.ts';
import type { Principal } from '../service/principal.ts';
import type { Progress } from '../service/workers.ts';
import type { DocumentRecord } from '../store/documents.ts';
import type { Change, View } from '../store/store.ts';
import { followed, type Surroundings } from './follow.ts';
import { checkedPath, faultOf } from './place.ts';
import { reasonOf } from './reason.ts';
import { type Taken, takeFile, takeText } from './take.ts';

export interface Filing {
  readonly collection: string;
  /** Added to those that a document has. */
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  /** The session that the documents belong to. */
  readonly session?: string | undefined;
}

/** What it needs of the call that it is a part of. */
interface Context extends Surroundings {
  readonly principal: Principal;
  readonly config: { readonly maxDocument: number };
  readonly signal: AbortSignal;
  progress(progress: Progress): void;
  read<T>(work: (view: View) => Promise<T>): Promise<T>;
  write<T>(
    work: (change: Change, audit: { subject(...ids: string[]): void; note(text: string): void }) => Promise<T>,
  ): Promise<T>;
}

interface Offer {
  readonly file: string;
  readonly place: string;
}

const BATCH = 200;
const ERRORS_SHOWN = 20;
/** How long an answer waits until its documents can be found. A server goes on behind it, a command ends. */
const PATIENCE_MS = 20_000;
const COMMAND_PATIENCE_MS = 3_600_000;

export class Ingest {
  readonly #context: Context;
  readonly #filing: Filing;
  readonly #options: { readonly signal: AbortSignal; readonly maxBytes: number; readonly later: true };
  #offers: Offer[] = [];
  #taken: { readonly place: string; readonly taken: Taken }[] = [];
  readonly #tally = { added: 0, updated: 0, unchanged: 0, bytes: 0, new_bytes: 0, failed: 0 };
  readonly #errors: { path: string; error: string }[] = [];
  #last: { readonly hash: string; readonly path: string } | undefined;

  constructor(context: Context, filing: Filing) {
    this.#context = context;
    this.#filing = filing;
    this.#options = { signal: context.signal, maxBytes: context.config.maxDocument, later: true };
  }

  async text(name: string, content: string): Promise<void> {
    this.#keep(checkedPath(name), await takeText(this.#context.store, name, content, this.#options));
  }

  /** The only file of a call: what is wrong with it is what is wrong with the call. */
  async file(file: string, place: string): Promise<void> {
    const checked = checkedPath(place);
    this.#keep(checked, await takeFile(this.#context.store, file, this.#options));
  }

  /** A file that is only the way in of a content: it is called as its document is, and forgotten. */
  async arrival(file: string, place: string, known: Pick<Taken, 'modified'>): Promise<Taken> {
    const name = checkedPath(place);
    const taken = await takeFile(this.#context.store, file, { ...this.#options, name });
    this.#keep(name, { ...taken, ...known });
    return taken;
  }

  /** One of many. */
  async offer(file: string, place: string): Promise<void> {
    this.#offers.push({ file, place });
    if (this.#offers.length >= BATCH) await this.flush();
  }

  /** Everything so far is stored and durable. */
  async flush(): Promise<void> {
    const offers = this.#offers.splice(0);
    for (const offer of await this.#changed(offers)) await this.#take(offer);
    if (this.#taken.length > 0) {
      await this.#write(this.#taken.splice(0));
      // In a thread, while the next files are read.
      await followed(this.#context, 0);
    }
    const last = offers.at(-1);
    if (last !== undefined) this.#context.progress({ done: this.#done, message: last.place });
  }

  get #done(): number {
    const { added, updated, unchanged, failed } = this.#tally;
    return added + updated + unchanged + failed;
  }

  async report() {
    await this.flush();
    const progress = (left: number) => this.#context.progress({ done: this.#done, message: `${left} to be indexed` });
    const patience = this.#context.principal.door === 'cli' ? COMMAND_PATIENCE_MS : PATIENCE_MS;
    const { pending } = await followed(this.#context, patience, progress);
    const { added, updated, unchanged } = this.#tally;
    const only = added + updated + unchanged === 1 ? this.#last : undefined;
    const { collection } = this.#filing;
    return { ...only, collection, ...this.#tally, ...(pending > 0 && { pending }), errors: this.#errors };
  }

  /** By a look at each file alone, unless tags or metadata are to change. */
  async #changed(offers: readonly Offer[]): Promise<Offer[]> {
    if (offers.length === 0) return [];
    const { collection, tags, metadata } = this.#filing;
    const relabel = tags.length > 0 || Object.keys(metadata).length > 0;
    const known = await this.#context.read(async ({ documents }) => {
      const found: (DocumentRecord | undefined)[] = [];
      for (const { place } of offers) found.push(await documents.at(collection, place));
      return found;
    });
    const sound = await this.#context.store.objects.sound(known.flatMap((record) => record?.hash ?? []));
    const changed: Offer[] = [];
    for (const [index, offer] of offers.entries()) {
      const record = known[index];
      const present = !relabel && record !== undefined && sound.has(record.hash);
      const size = present ? await sizeIfSame(offer.file, record) : undefined;
      if (size === undefined) changed.push(offer);
      else {
        this.#tally.unchanged++;
        this.#tally.bytes += size;
      }
    }
    return changed;
  }

  async #take({ file, place }: Offer): Promise<void> {
    try {
      const fault = faultOf(place);
      if (fault !== undefined) throw new CairnError('validation_failed', fault);
      this.#keep(place, await takeFile(this.#context.store, file, this.#options));
    } catch (thrown) {
      this.refuse(place, thrown);
    }
  }

  /** One of many that cannot be taken. */
  refuse(path: string, thrown: unknown): void {
    this.#context.signal.throwIfAborted();
    this.#tally.failed++;
    if (this.#errors.length < ERRORS_SHOWN) this.#errors.push({ path, error: reasonOf(thrown) });
  }

  #keep(place: string, taken: Taken): void {
    this.#taken.push({ place, taken });
    this.#tally.bytes += taken.size;
    this.#tally.new_bytes += taken.added;
  }

  /** Contents first: what a document names is there, whatever instant the machine stops at. */
  async #write(batch: readonly { readonly place: string; readonly taken: Taken }[]): Promise<void> {
    const { collection, tags, metadata, session } = this.#filing;
    await this.#context.store.objects.settle();
    const counts = await this.#context.write(async ({ documents, sessions }, audit) => {
      const now = new Date().toISOString();
      const found = { added: 0, updated: 0, unchanged: 0 };
      for (const { place, taken } of batch) {
        const { added: _added, ...content } = taken;
        const known = await documents.at(collection, place);
        const id = await documents.put({
          ...content,
          collection,
          path: place,
          tags: [...new Set([...(known?.tags ?? []), ...tags])],
          metadata: { ...known?.metadata, ...metadata },
          created: known?.created ?? now,
          indexed: now,
        });
        if (session !== undefined) await sessions.include(session, id);
        found[known === undefined ? 'added' : known.hash === content.hash ? 'unchanged' : 'updated']++;
      }
      audit.subject(...batch.slice(0, 10).map(({ place }) => `${collection}/${place}`));
      if (batch.length > 10) audit.note(`${batch.length} documents`);
      return found;
    });
    const last = batch.at(-1);
    if (last !== undefined) this.#last = { hash: last.taken.hash, path: last.place };
    for (const kind of ['added', 'updated', 'unchanged'] as const) this.#tally[kind] += counts[kind];
  }
}

/** Its size, where it is the file that the document was taken from, as it was then. */
async function sizeIfSame(file: string, { source }: DocumentRecord): Promise<number | undefined> {
  try {
    const { size, mtimeMs } = await lstat(file);
    return source?.path === file && source.size === size && source.modifiedMs === mtimeMs ? size : undefined;
  } catch {
    // Gone or forbidden: reading it says so by name.
    return undefined;
  }
}
