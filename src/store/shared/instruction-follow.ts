/** One step of the index of instructions after their files: some statements for all of them. */
import { sha256 } from '../hash.ts';
import type { IndexedFile } from '../store.ts';
import { insertAll, listed, nextStep } from './bulk.ts';
import type { SharedDatabase } from './database.ts';
import { replaceLinks } from './graph-links.ts';
import { replaceMentions } from './mentions.ts';
import { wordsOf } from './words.ts';

/** As letters are compared: whatever their case, and whatever the server's locale takes for one. */
export function foldedText(text: string): string {
  return text.toLowerCase();
}

/** Nobody looks for this: nothing is found from the title into the body. */
const BETWEEN = '\u0001';

export function updateInstructions(
  database: SharedDatabase,
  given: readonly IndexedFile[],
  removed: readonly string[],
): Promise<number> {
  const files = [...new Map(given.map((file) => [file.name, file])).values()];
  // Words are cut and stemmed before others have to wait for it.
  const texts = files.flatMap((file) => textOf(file) ?? []);
  const names = files.map(({ name }) => name);
  return database.derive(async (rows) => {
    const { version, first } = await nextStep(rows, 'instructions', 'instruction_number', files.length);
    const all = listed([...names, ...removed]);
    const theirs = 'number IN (SELECT number FROM instruction WHERE name IN (SELECT value FROM json_each(?)))';
    // What does not need each other's answers goes out together.
    await Promise.all([
      rows.run(`DELETE FROM instruction_words WHERE ${theirs}`, all),
      rows.run(`DELETE FROM instruction_text WHERE ${theirs}`, all),
    ]);
    if (removed.length > 0) {
      const sql = `UPDATE instruction SET id = NULL, head = NULL, meta_hash = NULL, problem = NULL, removed = 1, version = ?
        WHERE name IN (SELECT value FROM json_each(?))`;
      await rows.run(sql, version, listed(removed));
    }
    await insertAll(
      rows,
      `INSERT INTO instruction (number, name, id, size, modified_ms, head, meta_hash, problem, removed, version)
        SELECT number, name, id, size, modified_ms, head, meta_hash, problem, 0, ?::bigint FROM json_to_recordset(?::text::json)
        AS given (number BIGINT, name TEXT, id TEXT, size BIGINT, modified_ms DOUBLE PRECISION, head TEXT, meta_hash TEXT, problem TEXT)
        ON CONFLICT (name) DO UPDATE SET id = excluded.id, size = excluded.size, modified_ms = excluded.modified_ms,
          head = excluded.head, meta_hash = excluded.meta_hash, problem = excluded.problem, removed = 0, version = excluded.version`,
      files.map((file, at) => ({
        number: first + at,
        name: file.name,
        id: file.id ?? null,
        size: file.size,
        modified_ms: file.modifiedMs,
        head: file.head ?? null,
        meta_hash: file.metaHash ?? null,
        problem: file.problem ?? null,
      })),
      version,
    );
    await Promise.all([
      insertAll(
        rows,
        `INSERT INTO instruction_text (number, id, title, body, folded, hash, body_hash)
        SELECT number, instruction.id, title, body, folded, hash, body_hash FROM json_to_recordset(?::text::json)
        AS given (name TEXT, title TEXT, body TEXT, folded TEXT, hash TEXT, body_hash TEXT) JOIN instruction USING (name)`,
        texts.map(({ text }) => text),
      ),
      insertAll(
        rows,
        `INSERT INTO instruction_words (number, words, length) SELECT number, vector::tsvector, length
        FROM json_to_recordset(?::text::json) AS given (name TEXT, vector TEXT, length INT) JOIN instruction USING (name)`,
        texts.map(({ words }) => words),
      ),
      replaceLinks(rows, [
        ...removed.map((name) => ({ owner: ownerOf(name), links: [] })),
        ...files.map(({ name, links = [] }) => ({ owner: ownerOf(name), links })),
      ]),
      replaceMentions(rows, 'instruction', [
        ...removed.map((name) => ({ id: idOf(name), mentions: [] })),
        ...files.map(({ name, mentions = [] }) => ({ id: idOf(name), mentions })),
      ]),
    ]);
    return version;
  });
}

function textOf({ name, title = '', body }: IndexedFile) {
  if (body === undefined) return undefined;
  const own = wordsOf([
    { weight: 'A', text: title, times: 4 },
    { weight: 'B', text: body },
  ]);
  const folded = foldedText(`${title}${BETWEEN}${body}`);
  const [hash, body_hash] = [sha256(`${title}\n${body}`), sha256(body)];
  return { text: { name, title, body, folded, hash, body_hash }, words: { name, ...own } };
}

function ownerOf(name: string): string {
  return `instructions/${name}`;
}

/** A file is called as its entry. */
function idOf(name: string): string {
  return name.replace(/\.json$/, '');
}
