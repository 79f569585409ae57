/**
 * How chunks and contents are written: each statement is a transaction of its own, so that a round trip does all of it and
 * nothing waits on us while it holds a lock. Rows are locked in the order of their hashes. Ages are by the clock of the server.
 */

export const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/**
 * Those named in a list of hashes in JSON. As an array, so that each is looked up in the key: a join can be planned as a look
 * at all rows for each of them, while the server has not yet counted the rows of a new catalog.
 */
export const AMONG_GIVEN = "hash = ANY (ARRAY(SELECT decode(value, 'hex') FROM json_each(?)))";

interface KeepParts {
  readonly content: boolean;
  /** Whether chunks of the content were kept before, by other statements. */
  readonly continued: boolean;
  /** Whether the bytes are in an object store already. */
  readonly away: boolean;
}

/**
 * Values: the chunks in JSON; without `away` their bytes one after the other; with `content` its hash, size, seal, manifest, the
 * mark (`continued` only) and how many chunks are given; then 1 not to wait for the disk. Chunks without a codec are there, we
 * think: those that are not are answered.
 */
export function keepSql({ content, continued, away }: KeepParts): string {
  return `WITH given AS MATERIALIZED (
    SELECT decode(hash, 'hex') AS hash, body, codec, size, start, stored FROM jsonb_to_recordset(?::text::jsonb)
      AS each (hash TEXT, body BIGINT, codec INT, size BIGINT, start INT, stored INT)),
  ${away ? CLAIMED : ''}
  held AS MATERIALIZED (
    SELECT hash FROM chunk WHERE hash = ANY (ARRAY(SELECT hash FROM given WHERE codec IS NULL)) AND damaged = 0
      ORDER BY hash FOR NO KEY UPDATE),
  touched AS (
    UPDATE chunk SET created = ${NOW_MS} WHERE hash = ANY (ARRAY(SELECT hash FROM held)) AND damaged = 0 RETURNING hash),
  added AS (
    INSERT INTO chunk (hash, body, codec, size, stored, created, damaged, data)
    SELECT hash, body, codec, size, stored, ${NOW_MS}, 0, ${away ? 'NULL' : 'substring(?::bytea FROM start FOR stored)'}
      FROM ${away ? 'claimed' : 'given'} AS coming WHERE codec IS NOT NULL ORDER BY hash
    ON CONFLICT (hash) DO UPDATE SET created = excluded.created, damaged = 0, ${MENDED}
    RETURNING hash, body, size),
  ${away ? LEFT_OVER : ''}
  mark AS (SELECT value FROM counter WHERE name = 'collections' ${continued && content ? 'FOR SHARE' : ''})
  ${content ? `, ${listedSql(continued)}` : ''}
  SELECT (SELECT value FROM mark) AS mark, ${content ? '(SELECT count(*) FROM listed)' : '0'} AS listed,
    (SELECT coalesce(sum(size), 0)::bigint FROM added WHERE body IN (SELECT body FROM given)) AS added,
    (SELECT coalesce(jsonb_agg(encode(hash, 'hex')), '[]')::text FROM given
      WHERE hash NOT IN (SELECT hash FROM touched UNION ALL SELECT hash FROM added)) AS missing,
    CASE WHEN ?::int = 1 THEN set_config('synchronous_commit', 'off', true) END AS eased`;
}

const MENDED = ['body', 'codec', 'size', 'stored', 'data']
  .map((column) => `${column} = CASE WHEN chunk.damaged = 1 THEN excluded.${column} ELSE chunk.${column} END`)
  .join(', ');

/** Bytes that lie in the object store count only while nobody has begun to remove them. */
const CLAIMED = `brought AS MATERIALIZED (
    SELECT hash, body FROM chunk_leftover
      WHERE hash = ANY (ARRAY(SELECT hash FROM given WHERE codec IS NOT NULL)) AND doomed = 0 ORDER BY hash FOR UPDATE),
  claimed AS MATERIALIZED (SELECT given.* FROM given JOIN brought ON brought.hash = given.hash AND brought.body = given.body),`;

/** Our bytes have their chunk now; those of a damaged one have none any more. */
const LEFT_OVER = `settled AS (
    DELETE FROM chunk_leftover
      WHERE hash = ANY (ARRAY(SELECT hash FROM added)) AND body = ANY (ARRAY(SELECT body FROM added)) RETURNING hash),
  replaced AS (
    INSERT INTO chunk_leftover (hash, body, created, doomed)
    SELECT hash, body, ${NOW_MS}, 1 FROM chunk
      WHERE hash = ANY (ARRAY(SELECT hash FROM claimed)) AND damaged = 1 AND data IS NULL
    ON CONFLICT (hash, body) DO NOTHING RETURNING hash),`;

/** Only when all its chunks are there, and those of earlier statements were not looked through by a collection since. */
function listedSql(continued: boolean): string {
  return `listed AS (
    INSERT INTO content (hash, size, created, seal, manifest)
    SELECT ?::bytea, ?::bigint, ${NOW_MS}, ?::text, ?::bytea FROM mark WHERE
      ${continued ? 'mark.value = ?::bigint AND' : ''}
      (SELECT count(*) FROM touched) + (SELECT count(*) FROM added) = ?::int
    ${LIST_AGAIN} RETURNING hash)`;
}

/** The same list is not written again. */
const LIST_AGAIN = `ON CONFLICT (hash) DO UPDATE SET created = excluded.created, size = excluded.size, seal = excluded.seal,
      manifest = CASE WHEN content.manifest = excluded.manifest THEN content.manifest ELSE excluded.manifest END`;

export const LIST = `INSERT INTO content (hash, size, created, seal, manifest)
  VALUES (?::bytea, ?::bigint, ${NOW_MS}, ?::text, ?::bytea) ${LIST_AGAIN}`;

export const TOUCH = `WITH held AS MATERIALIZED (
    SELECT hash FROM chunk WHERE ${AMONG_GIVEN} AND damaged = 0 ORDER BY hash FOR NO KEY UPDATE)
  UPDATE chunk SET created = ${NOW_MS} WHERE hash = ANY (ARRAY(SELECT hash FROM held)) AND damaged = 0`;

/** A row that somebody holds is about to become young. */
const old = (of: 'chunk' | 'content') => `WITH held AS MATERIALIZED (
    SELECT hash FROM ${of} WHERE ${AMONG_GIVEN} AND created <= ?::bigint FOR UPDATE SKIP LOCKED)`;

export const REMOVE_CONTENTS = `${old('content')}
  DELETE FROM content WHERE hash = ANY (ARRAY(SELECT hash FROM held))`;

export const REMOVE_CHUNKS = `${old('chunk')},
  gone AS (
    DELETE FROM chunk WHERE hash = ANY (ARRAY(SELECT hash FROM held)) RETURNING hash, body, stored, data IS NULL AS away),
  leaving AS (
    INSERT INTO chunk_leftover (hash, body, created, doomed)
    SELECT hash, body, ${NOW_MS}, 1 FROM gone WHERE away ON CONFLICT (hash, body) DO NOTHING RETURNING hash)
  SELECT stored FROM gone`;
