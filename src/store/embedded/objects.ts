/**
 * objects.db: contents as chunks that they share. Many processes write it at once, so every transaction is short and
 * synchronous; none is open while input is awaited. Chunks come first and the content last, so whatever instant a process
 * dies at, a content that is there is whole; what is left over is collected when it is old enough.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { CairnError } from '../../errors.ts';
import { Chunker } from '../chunk.ts';
import { exists, makeFolder } from '../file.ts';
import { sha256 } from '../hash.ts';
import {
  type ByteRange,
  type Collected,
  type CollectOptions,
  Manifest,
  ManifestWriter,
  type ObjectStats,
  type ObjectStore,
  type Packed,
  type PutOptions,
  packChunk,
  type StoredContent,
  unpackChunk,
  type Verification,
} from '../objects.ts';
import { Database, type Queries, type Row, type Value } from './database.ts';
import { describeFailure, messageOf } from './failure.ts';
import { untilFree } from './lock.ts';

const SCHEMA = 1;

/**
 * The bytes of a chunk stand apart from what is said of it: to touch a chunk is then to write a small row, and the bodies
 * of one content lie one after the other. The seal of a content is the hash of its hash and manifest.
 */
const TABLES = `
  CREATE TABLE chunk (
    hash BLOB PRIMARY KEY, body INTEGER NOT NULL, codec INTEGER NOT NULL, size INTEGER NOT NULL, stored INTEGER NOT NULL,
    created INTEGER NOT NULL, damaged INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
  CREATE TABLE body (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
  CREATE TABLE content (
    hash BLOB PRIMARY KEY, size INTEGER NOT NULL, created INTEGER NOT NULL, seal TEXT NOT NULL, manifest BLOB NOT NULL);
  CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
  INSERT INTO counter VALUES ('collections', 0);
  PRAGMA user_version = ${SCHEMA}`;

const HOUR_MS = 3_600_000;
/** Input is taken in steps of this size; a few of them are all the memory that a content of any size needs. */
const STEP_BYTES = 1024 * 1024;
/** How much is worked through before other calls get their turn. */
const CHUNKS_AT_ONCE = 16;
const ROWS_AT_ONCE = 500;
const CANDIDATES_AT_ONCE = 100_000;
const PAGES_AT_ONCE = 2000;
const EVER = Number.MAX_SAFE_INTEGER;

export function openObjects(home: string, options: { readonly lockWaitMs?: number | undefined } = {}): ObjectStore {
  const file = new ObjectFile(home, options.lockWaitMs);
  return {
    put: (source, putOptions) => put(file, source, putOptions),
    size: (hash) => sizeIn(file, hash),
    read: (hash, range) => read(file, hash, range),
    readAll: (hash, limit) => readAll(file, hash, limit),
    matching: (prefix, limit) => matching(file, prefix, limit),
    stats: () => stats(file),
    verify: (report, signal) => verify(file, report, signal),
    collect: (isLive, collectOptions) => collect(file, isLive, collectOptions),
    close: () => file.close(),
  };
}

/** The connections: one that reads until something is written, then one for both. */
class ObjectFile {
  readonly #home: string;
  readonly #path: string;
  readonly #waitMs: number | undefined;
  #writer: Database | undefined;
  #reader: Database | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(home: string, waitMs: number | undefined) {
    this.#home = home;
    this.#path = join(home, 'objects.db');
    this.#waitMs = waitMs;
  }

  /** `absent` where nothing is stored yet. */
  async look<T>(work: (database: Queries) => T, absent: T): Promise<T> {
    try {
      const database = await this.#connection();
      return database === undefined ? absent : await untilFree(() => work(database), this.#waitMs);
    } catch (thrown) {
      throw describeFailure(thrown);
    }
  }

  /** Pages in the order of the hashes; writes may come between them. */
  async *pages(select: string, before: number, limit = ROWS_AT_ONCE): AsyncGenerator<Row[]> {
    const sql = `${select} WHERE hash > ? AND created <= ? ORDER BY hash LIMIT ?`;
    for (let last: Value = Buffer.alloc(0); ; ) {
      const page: Row[] = await this.look((database) => database.all(sql, last, before, limit), []);
      const end = page.at(-1)?.hash;
      if (end === undefined) return;
      last = end;
      yield page;
      await breathe();
    }
  }

  /**
   * One transaction; those of this process come one after the other. Without an fsync a commit is still whole, and the next
   * one that is durable makes it so too.
   */
  write<T>(durability: 'durably' | 'soon', work: (database: Queries) => T): Promise<T> {
    const turn = this.#queue.then(() => this.#transact(durability, work));
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#queue;
    for (const database of [this.#reader, this.#writer]) database?.close();
    this.#reader = undefined;
    this.#writer = undefined;
  }

  async #transact<T>(durability: 'durably' | 'soon', work: (database: Queries) => T): Promise<T> {
    try {
      const database = await this.#openWriter();
      database.exec(`PRAGMA synchronous = ${durability === 'durably' ? 'FULL' : 'NORMAL'}`);
      return await untilFree(() => transact(database, () => work(database)), this.#waitMs);
    } catch (thrown) {
      throw describeFailure(thrown);
    }
  }

  async #connection(): Promise<Database | undefined> {
    if (this.#closed) throw closedStore();
    if (this.#writer === undefined && this.#reader === undefined && (await exists(this.#path)))
      await this.#openReader();
    return this.#writer ?? this.#reader;
  }

  async #openReader(): Promise<void> {
    const database = new Database(this.#path, { readOnly: true });
    try {
      const schema = await untilFree(() => knownSchema(database), this.#waitMs);
      // What another process is just making has no tables yet; and another call may have opened one while we waited.
      if (schema === 0 || this.#closed || this.#reader !== undefined) database.close();
      else this.#reader = database;
    } catch (thrown) {
      database.close();
      throw thrown;
    }
  }

  async #openWriter(): Promise<Database> {
    if (this.#writer !== undefined) return this.#writer;
    if (this.#closed) throw closedStore();
    await makeFolder(this.#home);
    const database = new Database(this.#path);
    try {
      // Before anything else: even the journal mode is a change to the file of a newer Cairn.
      const schema = await untilFree(() => knownSchema(database), this.#waitMs);
      await untilFree(() => database.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL'), this.#waitMs);
      if (schema === 0) await untilFree(() => transact(database, () => makeTables(database)), this.#waitMs);
    } catch (thrown) {
      database.close();
      throw thrown;
    }
    this.#writer = database;
    return database;
  }
}

async function put(
  file: ObjectFile,
  source: Uint8Array | AsyncIterable<Uint8Array>,
  { signal, maxBytes = Number.POSITIVE_INFINITY }: PutOptions = {},
): Promise<StoredContent> {
  const whole = createHash('sha256');
  const chunker = new Chunker();
  const arrival = new Arrival(file);
  let size = 0;
  for await (const piece of stepsOf(source, signal)) {
    size += piece.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    whole.update(piece);
    arrival.take(chunker.push(piece));
    if (arrival.waiting >= STEP_BYTES) await arrival.store();
    signal?.throwIfAborted();
  }
  arrival.take(chunker.end());
  return arrival.finish(whole.digest());
}

interface Chunk {
  readonly hash: Buffer;
  readonly data: Buffer;
}

/** A content on its way in: its chunks so far, and those that wait to be written together. */
class Arrival {
  readonly #file: ObjectFile;
  readonly #manifest = new ManifestWriter();
  #batch: Chunk[] = [];
  #added = 0;
  #collections: number | undefined;
  waiting = 0;

  constructor(file: ObjectFile) {
    this.#file = file;
  }

  take(chunks: Iterable<Buffer>): void {
    for (const chunk of chunks) {
      const hash = Buffer.from(sha256(chunk), 'hex');
      this.#manifest.add(hash, chunk.length);
      // A copy: the source may use its memory again while the batch waits.
      this.#batch.push({ hash, data: Buffer.from(chunk) });
      this.waiting += chunk.length;
    }
  }

  async store(): Promise<void> {
    const keep = await this.#packed();
    this.#added += await this.#file.write('soon', keep);
  }

  async finish(hash: Buffer): Promise<StoredContent> {
    const manifest = this.#manifest.manifest();
    const keep = await this.#packed();
    const known = await this.#file.look((database) => isListed(database, hash, manifest), false);
    const durability = known && this.#added === 0 ? 'soon' : 'durably';
    const last = await this.#file.write(durability, (database) => {
      const added = keep(database);
      return { added, listed: this.#list(database, hash, manifest) };
    });
    this.#added += last.added;
    if (durability === 'soon' && (last.listed || last.added > 0)) {
      // It was known a moment ago and then collected: any durable commit makes the one before it durable.
      await this.#file.write('durably', (database) => touchContent(database, hash, manifest));
    }
    return { hash: nameOf(hash), size: manifest.size, added: this.#added, chunks: manifest.length };
  }

  /** Compresses what is new before the lock is taken; what it returns then writes the batch. */
  async #packed(): Promise<(database: Queries) => number> {
    const batch = this.#batch;
    this.#batch = [];
    this.waiting = 0;
    const packed = new Map<string, Packed>();
    for (const [index, { hash, data }] of batch.entries()) {
      const name = nameOf(hash);
      const known = packed.has(name) || (await this.#file.look((database) => isKept(database, hash), false));
      if (!known) packed.set(name, packChunk(data));
      if ((index + 1) % CHUNKS_AT_ONCE === 0) await breathe();
    }
    return (database) => {
      this.#collections ??= collectionsIn(database);
      const now = Date.now();
      let added = 0;
      for (const { hash, data } of batch) {
        // Only what is touched under the lock can be relied on: from now on it is young.
        if (touchChunk(database, hash, now)) continue;
        insertChunk(database, hash, packed.get(nameOf(hash)) ?? packChunk(data), data.length, now);
        added += data.length;
      }
      return added;
    };
  }

  /** `false` where the content is listed already. */
  #list(database: Queries, hash: Buffer, manifest: Manifest): boolean {
    if (touchContent(database, hash, manifest)) return false;
    if (this.#collections !== collectionsIn(database)) requireChunks(database, manifest);
    const sql = 'INSERT OR REPLACE INTO content (hash, size, created, seal, manifest) VALUES (?, ?, ?, ?, ?)';
    database.run(sql, hash, manifest.size, Date.now(), sealOf(hash, manifest.bytes), manifest.bytes);
    return true;
  }
}

async function sizeIn(file: ObjectFile, hash: string): Promise<number | undefined> {
  const row = await file.look(
    (database) => database.get('SELECT size FROM content WHERE hash = ?', keyOf(hash)),
    undefined,
  );
  return row === undefined ? undefined : Number(row.size);
}

async function* read(file: ObjectFile, hash: string, range?: ByteRange): AsyncGenerator<Buffer> {
  const manifest = await manifestIn(file, hash);
  const start = Math.max(range?.offset ?? 0, 0);
  const end = range === undefined ? manifest.size : Math.min(start + range.length, manifest.size);
  const whole = start === 0 && end === manifest.size ? createHash('sha256') : undefined;
  for (let index = manifest.indexAt(start); index < manifest.length && manifest.startOf(index) < end; index++) {
    const chunk = await chunkIn(file, hash, manifest, index);
    const first = manifest.startOf(index);
    whole?.update(chunk);
    if (index % CHUNKS_AT_ONCE === 0) await breathe();
    yield chunk.subarray(Math.max(start - first, 0), Math.min(end - first, chunk.length));
  }
  if (whole !== undefined && whole.digest('hex') !== hash.toLowerCase()) {
    throw damage(hash, 'its chunks are sound, but together they are another content');
  }
}

async function readAll(file: ObjectFile, hash: string, limit: number): Promise<Buffer> {
  const size = await sizeIn(file, hash);
  if (size !== undefined && size > limit) {
    throw new CairnError('limit_exceeded', `The content ${hash} has ${size} bytes, more than ${limit}`, {
      suggestion: 'Read it in ranges.',
    });
  }
  const chunks: Buffer[] = [];
  for await (const chunk of read(file, hash)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function matching(file: ObjectFile, prefix: string, limit: number): Promise<string[]> {
  if (!/^[0-9a-f]{0,64}$/i.test(prefix)) return [];
  const [first, last] = [keyOf(prefix.padEnd(64, '0')), keyOf(prefix.padEnd(64, 'f'))];
  const sql = 'SELECT hash FROM content WHERE hash BETWEEN ? AND ? ORDER BY hash LIMIT ?';
  const rows = await file.look((database) => database.all(sql, first, last, limit), []);
  return rows.map(({ hash }) => nameOf(hash));
}

async function stats(file: ObjectFile): Promise<ObjectStats> {
  const sql = `
    SELECT (SELECT count(*) FROM content) AS contents, (SELECT total(size) FROM content) AS totalBytes,
      count(*) AS chunks, total(size) AS uniqueBytes, total(stored) AS storedBytes FROM chunk`;
  const row = await file.look((database) => database.get(sql), undefined);
  return {
    contents: Number(row?.contents ?? 0),
    chunks: Number(row?.chunks ?? 0),
    totalBytes: Number(row?.totalBytes ?? 0),
    uniqueBytes: Number(row?.uniqueBytes ?? 0),
    storedBytes: Number(row?.storedBytes ?? 0),
  };
}

async function verify(
  file: ObjectFile,
  report: (done: number, total: number) => void,
  signal?: AbortSignal,
): Promise<Verification> {
  const { chunks, contents } = await stats(file);
  let done = 0;
  const step = async (): Promise<void> => {
    report(++done, Math.max(chunks + contents, done));
    if (done % CHUNKS_AT_ONCE === 0) await breathe();
    signal?.throwIfAborted();
  };
  const faults = new Map<string, string>();
  for await (const page of file.pages('SELECT hash FROM chunk', EVER)) {
    for (const { hash } of page) {
      const fault = await faultOfChunk(file, hash as Uint8Array);
      if (fault !== undefined) faults.set(nameOf(hash), fault);
      await step();
    }
  }
  const unneeded = new Map(faults);
  const damaged: { hash: string; problem: string }[] = [];
  let checked = 0;
  for await (const page of file.pages('SELECT hash FROM content', EVER)) {
    for (const content of page) {
      const hash = nameOf(content.hash);
      const problem = await faultOfContent(file, hash, faults, unneeded);
      // What was removed while we looked is not damaged.
      if (problem !== undefined && (await sizeIn(file, hash)) !== undefined) damaged.push({ hash, problem });
      checked++;
      await step();
    }
  }
  for (const [hash, fault] of unneeded) damaged.push({ hash, problem: `A chunk that no content needs ${fault}` });
  await distrust(file, [...faults.keys()]);
  return { checked, damaged };
}

async function faultOfChunk(file: ObjectFile, hash: Uint8Array): Promise<string | undefined> {
  try {
    const row = await file.look((database) => naming(nameOf(hash), () => chunkRow(database, hash)), undefined);
    // No row is a chunk that was collected since.
    return row === undefined || soundChunk(row, hash) !== undefined ? undefined : 'does not match its hash';
  } catch (thrown) {
    return `cannot be read (${faultIn(thrown)})`;
  }
}

async function faultOfContent(
  file: ObjectFile,
  hash: string,
  faults: ReadonlyMap<string, string>,
  unneeded: Map<string, string>,
): Promise<string | undefined> {
  try {
    const manifest = await manifestIn(file, hash);
    let problem: string | undefined;
    for (let index = 0; index < manifest.length; index++) {
      const chunk = nameOf(manifest.hashOf(index));
      unneeded.delete(chunk);
      const fault = faults.get(chunk) ?? (await absence(file, manifest, index));
      if (fault !== undefined) problem ??= damage(hash, `its chunk ${chunk} ${fault}`).message;
      if ((index + 1) % ROWS_AT_ONCE === 0) await breathe();
    }
    return problem;
  } catch (thrown) {
    return faultIn(thrown);
  }
}

async function absence(file: ObjectFile, manifest: Manifest, index: number): Promise<string | undefined> {
  const sql = 'SELECT size FROM chunk WHERE hash = ?';
  const row = await file.look((database) => database.get(sql, manifest.hashOf(index)), undefined);
  return Number(row?.size) === manifest.sizeOf(index) ? undefined : 'is missing';
}

/** So that the next `put` of the same bytes stores them anew, in whichever process. */
async function distrust(file: ObjectFile, hashes: readonly string[]): Promise<void> {
  if (hashes.length === 0) return;
  try {
    await file.write('soon', (database) => {
      for (const hash of hashes) database.run('UPDATE chunk SET damaged = 1 WHERE hash = ?', keyOf(hash));
    });
  } catch {
    // A file that cannot be written is no reason to keep the findings from anybody.
  }
}

async function collect(
  file: ObjectFile,
  isLive: (hash: string) => boolean | Promise<boolean>,
  { spareMs = HOUR_MS, now = Date.now() }: CollectOptions = {},
): Promise<Collected> {
  const before = now - spareMs;
  const contents = await collectContents(file, isLive, before);
  let [chunks, freedBytes] = [0, 0];
  for await (const page of file.pages('SELECT hash FROM chunk', before, CANDIDATES_AT_ONCE)) {
    const orphans = new Set(page.map(({ hash }) => nameOf(hash)));
    await spareNeeded(file, orphans);
    for (const some of slices([...orphans], ROWS_AT_ONCE)) {
      const removed = await file.write('soon', (database) => removeChunks(database, some, before));
      chunks += removed.length;
      freedBytes += removed.reduce((sum, stored) => sum + stored, 0);
    }
  }
  if (chunks > 0) await shrink(file);
  return { contents, chunks, freedBytes };
}

async function collectContents(
  file: ObjectFile,
  isLive: (hash: string) => boolean | Promise<boolean>,
  before: number,
): Promise<number> {
  let removed = 0;
  for await (const page of file.pages('SELECT hash FROM content', before)) {
    const dead: Value[] = [];
    for (const { hash } of page) if (hash !== undefined && !(await isLive(nameOf(hash)))) dead.push(hash);
    if (dead.length === 0) continue;
    // Asked again under the lock, for somebody may have stored it once more since.
    const sql = 'DELETE FROM content WHERE hash = ? AND created <= ?';
    const rows = await file.write('soon', (database) => dead.map((hash) => database.run(sql, hash, before)));
    removed += rows.reduce((sum, count) => sum + count, 0);
  }
  return removed;
}

/** Takes from `orphans` what a content needs. A content that comes after this look has touched its chunks. */
async function spareNeeded(file: ObjectFile, orphans: Set<string>): Promise<void> {
  for await (const page of file.pages('SELECT hash FROM content', EVER)) {
    for (const { hash } of page) {
      // One that is damaged stops the collection: without its list nobody knows which chunks it needs.
      const manifest = await manifestIn(file, nameOf(hash)).catch(unlessUnknown);
      for (let index = 0; index < (manifest?.length ?? 0); index++) {
        orphans.delete(nameOf((manifest as Manifest).hashOf(index)));
      }
    }
  }
}

/** Gives the disk back what was freed, a little at a time. */
async function shrink(file: ObjectFile): Promise<void> {
  for (let free = Number.POSITIVE_INFINITY; free > PAGES_AT_ONCE; await breathe()) {
    free = await file.write('soon', (database) => {
      const row = database.get('PRAGMA freelist_count');
      database.all(`PRAGMA incremental_vacuum(${PAGES_AT_ONCE})`);
      return Number(row?.freelist_count ?? 0);
    });
  }
}

async function manifestIn(file: ObjectFile, hash: string): Promise<Manifest> {
  const sql = 'SELECT hash, size, seal, manifest FROM content WHERE hash = ?';
  const row = await file.look((database) => naming(hash, () => database.get(sql, keyOf(hash))), undefined);
  if (row === undefined) throw unknownContent(hash);
  const manifest = new Manifest(row.manifest as Uint8Array);
  if (sealOf(keyOf(hash), manifest.bytes) !== row.seal || manifest.size !== Number(row.size)) {
    throw damage(hash, 'its list of chunks is not what was stored');
  }
  return manifest;
}

async function chunkIn(file: ObjectFile, content: string, manifest: Manifest, index: number): Promise<Buffer> {
  const hash = manifest.hashOf(index);
  const row = await file.look((database) => naming(content, () => chunkRow(database, hash)), undefined);
  const chunk = row === undefined ? undefined : soundChunk(row, hash);
  if (chunk !== undefined && chunk.length === manifest.sizeOf(index)) return chunk;
  if ((await sizeIn(file, content)) === undefined) throw unknownContent(content);
  throw damage(content, `its chunk ${nameOf(hash)} ${row === undefined ? 'is missing' : 'does not match its hash'}`);
}

function transact<T>(database: Database, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (thrown) {
    if (database.inTransaction) database.exec('ROLLBACK');
    throw thrown;
  }
}

function makeTables(database: Database): void {
  // Another process may have made them while we waited for the lock.
  if (knownSchema(database) === 0) database.exec(TABLES);
}

function knownSchema(database: Queries): number {
  const schema = Number(database.get('PRAGMA user_version')?.user_version ?? 0);
  if (schema <= SCHEMA) return schema;
  throw new CairnError(
    'store_unavailable',
    `objects.db was written by a newer Cairn (schema ${schema}, this one knows ${SCHEMA})`,
    { suggestion: 'Update Cairn, or point CAIRN_HOME at another home. Nothing was changed.' },
  );
}

function isKept(database: Queries, hash: Buffer): boolean {
  return database.get('SELECT 1 FROM chunk WHERE hash = ? AND damaged = 0', hash) !== undefined;
}

function touchChunk(database: Queries, hash: Buffer, now: number): boolean {
  return database.run('UPDATE chunk SET created = ? WHERE hash = ? AND damaged = 0', now, hash) > 0;
}

/** Also in the place of one that is damaged. */
function insertChunk(database: Queries, hash: Buffer, { codec, data }: Packed, size: number, now: number): void {
  database.run('DELETE FROM body WHERE id = (SELECT body FROM chunk WHERE hash = ?)', hash);
  const body = database.get('INSERT INTO body (data) VALUES (?) RETURNING id', data)?.id ?? null;
  const sql = 'INSERT OR REPLACE INTO chunk (hash, body, codec, size, stored, created) VALUES (?, ?, ?, ?, ?, ?)';
  database.run(sql, hash, body, codec, size, data.length, now);
}

function chunkRow(database: Queries, hash: Uint8Array): Row | undefined {
  // A chunk without its bytes is still a chunk, a damaged one.
  return database.get('SELECT codec, size, data FROM chunk LEFT JOIN body ON id = body WHERE hash = ?', hash);
}

function soundChunk(row: Row, hash: Uint8Array): Buffer | undefined {
  if (!(row.data instanceof Uint8Array)) return undefined;
  const chunk = unpackChunk({ codec: Number(row.codec), data: row.data }, Number(row.size));
  return chunk !== undefined && sha256(chunk) === nameOf(hash) ? chunk : undefined;
}

function removeChunks(database: Queries, names: readonly string[], before: number): number[] {
  const stored: number[] = [];
  for (const name of names) {
    const row = database.get('SELECT body, stored FROM chunk WHERE hash = ? AND created <= ?', keyOf(name), before);
    if (row === undefined) continue;
    database.run('DELETE FROM chunk WHERE hash = ?', keyOf(name));
    database.run('DELETE FROM body WHERE id = ?', row.body ?? null);
    stored.push(Number(row.stored));
  }
  if (stored.length > 0) database.run("UPDATE counter SET value = value + 1 WHERE name = 'collections'");
  return stored;
}

/** How often chunks were removed: while it stays the same, what was touched is still there. */
function collectionsIn(database: Queries): number {
  return Number(database.get("SELECT value FROM counter WHERE name = 'collections'")?.value);
}

function requireChunks(database: Queries, manifest: Manifest): void {
  for (let index = 0; index < manifest.length; index++) {
    if (touchChunk(database, manifest.hashOf(index), Date.now())) continue;
    throw new CairnError('conflict', 'The content arrived so slowly that parts of it were collected as left over', {
      suggestion: 'Store it again; what is still there is not written twice.',
    });
  }
}

function isListed(database: Queries, hash: Buffer, { bytes }: Manifest): boolean {
  const sql = 'SELECT 1 FROM content WHERE hash = ? AND seal = ? AND manifest = ?';
  return database.get(sql, hash, sealOf(hash, bytes), bytes) !== undefined;
}

function touchContent(database: Queries, hash: Buffer, { bytes }: Manifest): boolean {
  const sql = 'UPDATE content SET created = ? WHERE hash = ? AND seal = ? AND manifest = ?';
  return database.run(sql, Date.now(), hash, sealOf(hash, bytes), bytes) > 0;
}

function sealOf(hash: Uint8Array, manifest: Uint8Array): string {
  return sha256(Buffer.concat([hash, manifest]));
}

function keyOf(hash: string): Buffer {
  return Buffer.from(hash, 'hex');
}

function nameOf(hash: Value | undefined): string {
  if (!(hash instanceof Uint8Array)) throw new CairnError('integrity_error', 'A hash in objects.db is not a hash');
  return Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString('hex');
}

function slices<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));
}

async function* stepsOf(
  source: Uint8Array | AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  signal?.throwIfAborted();
  for await (const piece of source instanceof Uint8Array ? [source] : untilAborted(source, signal)) {
    for (let at = 0; at < piece.length; at += STEP_BYTES) yield piece.subarray(at, at + STEP_BYTES);
  }
}

/** A source that never answers must not keep a call that was cancelled. */
async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal | undefined): AsyncGenerator<T> {
  const pieces = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await orAborted(pieces.next(), signal);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // Not awaited, for the same reason.
    void pieces.return?.().catch(() => undefined);
  }
}

function orAborted<T>(waiting: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return waiting;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    waiting.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

const SQLITE_CORRUPT = 11;

/** Damage that SQLite itself notices concerns the content that was asked for. */
function naming<T>(content: string, attempt: () => T): T {
  try {
    return attempt();
  } catch (thrown) {
    const plain = Number((thrown as { errcode?: unknown } | undefined)?.errcode ?? 0) & 0xff;
    throw plain === SQLITE_CORRUPT ? damage(content, messageOf(thrown)) : thrown;
  }
}

function damage(hash: string, problem: string): CairnError {
  return new CairnError('integrity_error', `The content ${hash} is damaged: ${problem}`, {
    hash,
    suggestion: 'Verify the documents, then add the same file again: that replaces what is damaged.',
  });
}

function unknownContent(hash: string): CairnError {
  return new CairnError('not_found', `No content has the hash ${hash}`);
}

/** What `verify` reports; that the store is busy or closed says nothing about a content. */
function faultIn(thrown: unknown): string {
  if (thrown instanceof CairnError && (thrown.kind === 'integrity_error' || thrown.kind === 'not_found')) {
    return thrown.message;
  }
  throw thrown;
}

function unlessUnknown(thrown: unknown): undefined {
  if (!(thrown instanceof CairnError) || thrown.kind !== 'not_found') throw thrown;
}

function tooLarge(maxBytes: number): CairnError {
  return new CairnError('limit_exceeded', `The content is larger than ${maxBytes} bytes; nothing was stored`, {
    suggestion: 'Store a smaller one, or raise the limit.',
  });
}

function closedStore(): CairnError {
  return new CairnError('store_unavailable', 'The store is closed');
}
