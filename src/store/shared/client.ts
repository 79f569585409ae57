/** The driver, as everybody here uses it. */
import postgres from 'postgres';

export type Sql = postgres.Sql<{ bigint: number }>;
/** Within a transaction or not. */
export type Asker = Pick<Sql, 'unsafe'>;

const CONNECT_SECONDS = 10;

export function connect(url: string, max: number, connection: Readonly<Record<string, string | number>> = {}): Sql {
  return postgres(url, {
    max,
    connection,
    connect_timeout: CONNECT_SECONDS,
    idle_timeout: 300,
    onnotice: () => {},
    // Numbers up to 2^53: none of ours is larger.
    types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } },
    fetch_types: false,
  });
}
