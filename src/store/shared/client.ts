/** The driver, as everybody here uses it. */
import { createHash } from 'node:crypto';
import pg from 'pg';
import type { Row, Value } from '../rows.ts';
import { storable } from '../text.ts';
import { translated } from './sql.ts';

export type Pool = pg.Pool;
/** One connection, or any of a pool. */
export interface Asker {
  query(config: pg.QueryConfig): Promise<pg.QueryResult<Row>>;
}

const CONNECT_MS = 10_000;
const IDLE_MS = 300_000;

/** Numbers up to 2^53: none of ours is larger. */
const BIGINT = 20;
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: 'text' | 'binary') =>
    oid === BIGINT ? Number : pg.types.getTypeParser(oid, format)) as pg.CustomTypesConfig['getTypeParser'],
};

export type Session = Readonly<Record<string, string | number>>;

function settingsOf(url: string, session: Session): pg.ClientConfig {
  const options = Object.entries(session).map(([name, value]) => `-c ${name}=${value}`);
  return {
    connectionString: url,
    application_name: 'cairn',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    types,
    ...(options.length > 0 && { options: options.join(' ') }),
  };
}

export function openPool(url: string, max: number, session: Session): Pool {
  const pool = new pg.Pool({ ...settingsOf(url, session), max, idleTimeoutMillis: IDLE_MS, allowExitOnIdle: true });
  // Who uses a connection hears of its loss from the statement; of one that rests nobody has to hear.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** A connection of one's own. `lost` is called once, when it is gone. */
export async function openClient(url: string, session: Session = {}, lost: () => void = () => {}): Promise<pg.Client> {
  const client = new pg.Client(settingsOf(url, session));
  client.on('error', () => {});
  client.once('end', lost);
  await client.connect();
  return client;
}

export async function run(asker: Asker, sql: string, values: readonly Value[] = []): Promise<number> {
  return (await asker.query(statement(sql, values))).rowCount ?? 0;
}

export async function all(asker: Asker, sql: string, values: readonly Value[] = []): Promise<Row[]> {
  return (await asker.query(statement(sql, values))).rows;
}

const names = new Map<string, string>();
const KEPT = 2000;

/** By a name of its text, so that a connection plans it once. */
function statement(sql: string, values: readonly Value[]): pg.QueryConfig {
  const text = translated(sql);
  let name = names.get(text);
  if (name === undefined) {
    if (names.size >= KEPT) names.clear();
    name = createHash('sha256').update(text).digest('base64url').slice(0, 22);
    names.set(text, name);
  }
  return { name, text, values: values.map((value) => (typeof value === 'string' ? storable(value) : value)) };
}
