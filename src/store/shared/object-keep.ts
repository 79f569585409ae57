/** Writes what arrives of a content: whatever is there already is made young, the rest is sent, in one statement. */
import { randomInt } from 'node:crypto';
import { collectedMeanwhile, nameOf, sealOf, slices } from '../objects/names.ts';
import type { Arrival, ComingChunk, Kept } from '../objects/shelf.ts';
import type { Manifest } from '../objects.ts';
import type { Row, Value } from '../rows.ts';
import type { BucketChunks } from './bucket-chunks.ts';
import type { SharedDatabase } from './database.ts';
import { keepSql, LIST, TOUCH } from './object-statements.ts';

/** As a statement gets it; without a codec it is only made young. */
export interface GivenChunk {
  readonly hash: string;
  readonly body?: number;
  readonly codec?: number;
  readonly size: number;
  /** Where its bytes begin among those that are sent, counted from one. */
  readonly start?: number;
  readonly stored?: number;
}

/** A collection may take away what we only meant to touch, or what we brought to the object store; seldom twice. */
const ATTEMPTS = 5;

const BODIES = 2 ** 48 - 1;

const HASHES_AT_ONCE = 5000;

export async function keepArrival(
  database: SharedDatabase,
  arrival: Arrival,
  away: BucketChunks | undefined,
): Promise<Kept> {
  let sending = new Set(arrival.chunks.filter(({ isNew }) => isNew));
  let [added, mark] = [0, arrival.mark];
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const row = await keepOnce(database, arrival, sending, away);
    added += Number(row?.added);
    mark ??= Number(row?.mark);
    const missing = new Set(JSON.parse(String(row?.missing)) as string[]);
    if (missing.size === 0) {
      if (arrival.content !== undefined && Number(row?.listed) === 0) await listAfterAll(database, arrival.content);
      return { added, mark };
    }
    sending = new Set(arrival.chunks.filter(({ hash }) => missing.has(nameOf(hash))));
  }
  throw collectedMeanwhile();
}

async function keepOnce(
  database: SharedDatabase,
  { chunks, content, mark, durability }: Arrival,
  sending: ReadonlySet<ComingChunk>,
  away: BucketChunks | undefined,
): Promise<Row | undefined> {
  const bodies: Uint8Array[] = [];
  let sent = 0;
  const given = chunks.map((chunk): GivenChunk => {
    const known = { hash: nameOf(chunk.hash), size: chunk.size };
    if (!sending.has(chunk)) return known;
    const { codec, data } = chunk.packed();
    bodies.push(data);
    sent += data.length;
    return { ...known, body: randomInt(BODIES), codec, start: sent - data.length + 1, stored: data.length };
  });
  if (away !== undefined) await away.send(given, bodies);
  const continued = mark !== undefined;
  const values: Value[] = [JSON.stringify(given)];
  if (away === undefined) values.push(Buffer.concat(bodies));
  if (content !== undefined) {
    values.push(...listValues(content), ...(continued ? [mark] : []), chunks.length);
  }
  values.push(durability === 'soon' ? 1 : 0);
  const sql = keepSql({ content: content !== undefined, continued, away: away !== undefined });
  return database.rows.get(sql, ...values);
}

function listValues({ hash, manifest }: NonNullable<Arrival['content']>): Value[] {
  return [hash, manifest.size, sealOf(hash, manifest.bytes), manifest.bytes];
}

/** There was a collection since the first chunks came: all of them are made young together with the list. */
async function listAfterAll(database: SharedDatabase, content: NonNullable<Arrival['content']>): Promise<void> {
  const names = [...new Set(namesIn(content.manifest))].sort();
  await database.maintain(async (rows) => {
    for (const some of slices(names, HASHES_AT_ONCE)) {
      if ((await rows.run(TOUCH, JSON.stringify(some))) < some.length) throw collectedMeanwhile();
    }
    await rows.run(LIST, ...listValues(content));
  });
}

function* namesIn(manifest: Manifest): Generator<string> {
  for (let index = 0; index < manifest.length; index++) yield nameOf(manifest.hashOf(index));
}
