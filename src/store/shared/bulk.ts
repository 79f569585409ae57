/** Many rows in few statements: a list is one value, as JSON. */
import type { Rows, Value } from '../rows.ts';
import { storable } from '../text.ts';

/** For `json_each(?)`. */
export function listed(list: readonly (string | number)[]): string {
  return JSON.stringify(list.map((each) => (typeof each === 'string' ? storable(each) : each)));
}

/** Characters of one statement; a row that is longer goes alone. */
const STATEMENT = 4_000_000;

/** `sql` has the rows as its last value, `json_to_recordset(?::text::json)`. */
export async function insertAll(
  rows: Rows,
  sql: string,
  items: readonly Readonly<Record<string, Value>>[],
  ...values: Value[]
): Promise<void> {
  let [batch, size] = [[] as string[], 0];
  const send = async () => {
    if (batch.length > 0) await rows.run(sql, ...values, `[${batch.join(',')}]`);
    [batch, size] = [[], 0];
  };
  for (const item of items) {
    const json = JSON.stringify(item, (_, value) => (typeof value === 'string' ? storable(value) : value));
    if (size + json.length > STATEMENT) await send();
    batch.push(json);
    size += json.length;
  }
  await send();
}

/** So many numbers that nobody else gets; the first of them. */
export async function numbersFrom(rows: Rows, counter: string, count: number): Promise<number> {
  const sql = 'UPDATE counter SET value = value + ? WHERE name = ? RETURNING value';
  return Number((await rows.get(sql, count, counter))?.value) - count + 1;
}

/** A new version, and the first of so many numbers: one question. */
export async function nextStep(
  rows: Rows,
  version: string,
  numbers: string,
  count: number,
): Promise<{ version: number; first: number }> {
  const sql = `UPDATE counter SET value = value + CASE WHEN name = ? THEN 1 ELSE ?::bigint END WHERE name IN (?, ?)
    RETURNING name, value`;
  const found = await rows.all(sql, version, count, version, numbers);
  const now = (wanted: string) => Number(found.find(({ name }) => name === wanted)?.value);
  return { version: now(version), first: now(numbers) - count + 1 };
}

/** A turn that one process at a time has, by the clock of the server: those of the machines may differ. */
export async function claimTurn(rows: Rows, counter: string, forMs: number): Promise<boolean> {
  const now = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
  const until = forMs === 0 ? '?::bigint' : `${now} + ?::bigint`;
  // One that ends later than any can was taken under a clock that was wrong.
  const sql = `UPDATE counter SET value = ${until} WHERE name = ? AND (value < ${now} OR value > ${now} + ?::bigint)`;
  return (await rows.run(sql, forMs, counter, forMs)) === 1;
}
