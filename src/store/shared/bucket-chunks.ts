/**
 * Chunks whose bytes lie in an object store. They are brought there before the row that names them; what could be left there
 * without a row is noted first, and removed by the next collection. Bytes are never written over, so none is ever half old.
 */
import { CairnError } from '../../errors.ts';
import { bytesOf, nameOf } from '../objects/names.ts';
import type { StoredChunk } from '../objects/shelf.ts';
import type { Row } from '../rows.ts';
import type { Bucket } from './bucket.ts';
import type { SharedDatabase } from './database.ts';
import type { GivenChunk } from './object-keep.ts';
import { AMONG_GIVEN, NOW_MS } from './object-statements.ts';

const REQUESTS_AT_ONCE = 16;
const SWEPT_AT_ONCE = 500;

const NOTE = `INSERT INTO chunk_leftover (hash, body, created)
  SELECT decode(hash, 'hex'), body, ${NOW_MS} FROM jsonb_to_recordset(?::text::jsonb) AS each (hash TEXT, body BIGINT)
    WHERE body IS NOT NULL ORDER BY 1`;

const READ = `SELECT hash, body, codec, size, stored, data FROM chunk WHERE ${AMONG_GIVEN}`;

export class BucketChunks {
  readonly #database: SharedDatabase;
  readonly #bucket: Bucket | undefined;

  constructor(database: SharedDatabase, bucket: Bucket | undefined) {
    this.#database = database;
    this.#bucket = bucket;
  }

  /** Those with bytes of their own, which come in the same order. */
  async send(given: readonly GivenChunk[], bodies: readonly Uint8Array[]): Promise<void> {
    const sent = given.filter(({ body }) => body !== undefined);
    if (sent.length === 0) return;
    const bucket = this.#given();
    const catalog = await this.#database.catalog();
    await this.#database.rows.run(NOTE, JSON.stringify(sent));
    await inTurns(sent, async ({ hash, body }, at) => {
      await bucket.put(placeOf(catalog, hash, Number(body)), bodies[at] as Uint8Array);
    });
  }

  /** From rows or from the object store, wherever each of them lies. */
  async read(hashes: readonly Buffer[]): Promise<ReadonlyMap<string, StoredChunk>> {
    const rows = await this.#database.rows.all(READ, JSON.stringify(hashes.map(nameOf)));
    const chunks = new Map<string, StoredChunk>();
    for (const row of rows) {
      chunks.set(nameOf(row.hash), toChunk(row, row.data === null ? undefined : bytesOf(row.data)));
    }
    const absent = rows.filter(({ data }) => data === null);
    await inTurns(absent, async (row) => {
      const fetched = await this.#fetch(row);
      if (fetched === undefined) chunks.delete(nameOf(row.hash));
      else chunks.set(nameOf(row.hash), fetched);
    });
    return chunks;
  }

  /** Removes from the object store what no row names: what was collected, and what a process left behind when it died. */
  async sweep(before: number): Promise<void> {
    if (this.#bucket === undefined) return;
    const { rows } = this.#database;
    const bucket = this.#bucket;
    const catalog = await this.#database.catalog();
    // From here on nobody can make them the bytes of a chunk.
    await rows.run('UPDATE chunk_leftover SET doomed = 1 WHERE doomed = 0 AND created <= ?', before);
    const doomed = 'SELECT hash, body FROM chunk_leftover WHERE doomed = 1 ORDER BY hash, body LIMIT ?';
    for (;;) {
      const some = await rows.all(doomed, SWEPT_AT_ONCE);
      if (some.length === 0) return;
      await inTurns(some, ({ hash, body }) => bucket.remove(placeOf(catalog, nameOf(hash), Number(body))));
      const gone = `DELETE FROM chunk_leftover WHERE ${AMONG_GIVEN} AND doomed = 1
        AND body = ANY (ARRAY(SELECT value::bigint FROM json_each(?)))`;
      const bodies = some.map(({ body }) => Number(body));
      await rows.run(gone, JSON.stringify(some.map(({ hash }) => nameOf(hash))), JSON.stringify(bodies));
    }
  }

  /** A chunk that was mended or collected between the two looks has its bytes elsewhere, or is gone. */
  async #fetch(row: Row): Promise<StoredChunk | undefined> {
    const data = await this.#get(row);
    if (data !== undefined) return toChunk(row, data);
    const hash = bytesOf(row.hash);
    const [now] = await this.#database.rows.all(READ, JSON.stringify([nameOf(hash)]));
    if (now === undefined) return undefined;
    if (now.data !== null) return toChunk(now, bytesOf(now.data));
    return toChunk(now, now.body === row.body ? undefined : await this.#get(now));
  }

  async #get({ hash, body, stored }: Row): Promise<Buffer | undefined> {
    const place = placeOf(await this.#database.catalog(), nameOf(hash), Number(body));
    return this.#given().get(place, Number(stored));
  }

  #given(): Bucket {
    if (this.#bucket !== undefined) return this.#bucket;
    throw new CairnError('store_unavailable', 'Parts of this content lie in an object store, and none is configured', {
      suggestion: 'Set CAIRN_OBJECTS to the object store that it was written to.',
    });
  }
}

/** Two letters first: object stores spread their load by how names begin. */
export function placeOf(catalog: number, hash: string, body: number): string {
  return `${catalog}/${hash.slice(0, 2)}/${hash}-${body.toString(16)}`;
}

function toChunk({ codec, size }: Row, data: Uint8Array | undefined): StoredChunk {
  return { codec: Number(codec), size: Number(size), data };
}

async function inTurns<T>(items: readonly T[], work: (item: T, at: number) => Promise<void>): Promise<void> {
  let next = 0;
  let failed = false;
  const one = async () => {
    while (next < items.length && !failed) {
      const at = next++;
      try {
        await work(items[at] as T, at);
      } catch (thrown) {
        failed = true;
        throw thrown;
      }
    }
  };
  // All of them come to rest before a failure is told: no request goes on behind the caller's back.
  const ends = await Promise.allSettled(Array.from({ length: Math.min(REQUESTS_AT_ONCE, items.length) }, one));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
