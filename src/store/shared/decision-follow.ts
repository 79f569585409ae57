/** One step of the index of decisions after their files: some statements for all of them. */
import { decisionIdOf, reversedKey } from '../decision-rows.ts';
import { sha256 } from '../hash.ts';
import type { IndexedDecision } from '../store.ts';
import { insertAll, listed, nextStep } from './bulk.ts';
import type { SharedDatabase } from './database.ts';
import { replaceLinks } from './graph-links.ts';
import { replaceMentions } from './mentions.ts';
import { wordsOf } from './words.ts';

export function updateDecisions(
  database: SharedDatabase,
  given: readonly IndexedDecision[],
  removed: readonly string[],
): Promise<void> {
  const files = [...new Map(given.map((file) => [file.name, file])).values()];
  // Words are cut and stemmed before others have to wait for it.
  const texts = files.map(textOf);
  return database.derive(async (rows) => {
    const { first } = await nextStep(rows, 'decisions', 'decision_number', files.length);
    const all = listed([...files.map(({ name }) => name), ...removed]);
    const gone = 'DELETE FROM decision WHERE name IN (SELECT value FROM json_each(?)) RETURNING number';
    const old = (await rows.all(gone, all)).map(({ number }) => Number(number));
    const theirs = 'number IN (SELECT value::bigint FROM json_each(?))';
    // What does not need each other's answers goes out together.
    if (old.length > 0)
      await Promise.all([
        rows.run(`DELETE FROM decision_words WHERE ${theirs}`, listed(old)),
        rows.run(`DELETE FROM decision_text WHERE ${theirs}`, listed(old)),
      ]);
    await insertAll(
      rows,
      `INSERT INTO decision (number, name, size, modified_ms, problem, id, kind, status, namespace, target, target_key,
          reversed_key, title, created, head)
        SELECT number, name, size, modified_ms, problem, id, kind, status, namespace, target, target_key, reversed_key, title,
          created, head
        FROM json_to_recordset(?::text::json) AS given (number BIGINT, name TEXT, size BIGINT, modified_ms DOUBLE PRECISION,
          problem TEXT, id TEXT, kind TEXT, status TEXT, namespace TEXT, target TEXT, target_key TEXT, reversed_key TEXT,
          title TEXT, created TEXT, head TEXT)`,
      files.map((file, at) => ({ number: first + at, ...rowOf(file) })),
    );
    const numbered = texts.flatMap((text, at) => (text === undefined ? [] : [{ number: first + at, ...text }]));
    await Promise.all([
      insertAll(
        rows,
        `INSERT INTO decision_text (number, title, target, body, hash) SELECT number, title, target, body, hash
        FROM json_to_recordset(?::text::json) AS given (number BIGINT, title TEXT, target TEXT, body TEXT, hash TEXT)`,
        numbered.map(({ number, parts: [title, target, body], hash }) => ({ number, title, target, body, hash })),
      ),
      insertAll(
        rows,
        `INSERT INTO decision_words (number, words, length) SELECT number, vector::tsvector, length
        FROM json_to_recordset(?::text::json) AS given (number BIGINT, vector TEXT, length INT)`,
        numbered.map(({ number, words }) => ({ number, ...words })),
      ),
      replaceLinks(rows, [
        ...removed.map((name) => ({ owner: ownerOf(name), links: [] })),
        ...files.map(({ name, links = [] }) => ({ owner: ownerOf(name), links })),
      ]),
      replaceMentions(rows, 'decision', [
        ...removed.map((name) => ({ id: decisionIdOf(name), mentions: [] })),
        ...files.map(({ name, mentions = [] }) => ({ id: decisionIdOf(name), mentions })),
      ]),
    ]);
  });
}

function rowOf({ name, size, modifiedMs, problem, facts }: IndexedDecision) {
  return {
    name,
    size,
    modified_ms: modifiedMs,
    problem: problem ?? null,
    id: facts?.id ?? null,
    kind: facts?.kind ?? null,
    status: facts?.status ?? null,
    namespace: facts?.namespace ?? null,
    target: facts?.target ?? null,
    target_key: facts?.targetKey ?? null,
    reversed_key: facts ? reversedKey(facts.targetKey) : null,
    title: facts?.title ?? null,
    created: facts?.created ?? null,
    head: facts?.head ?? null,
  };
}

function textOf({ facts, body = '' }: IndexedDecision) {
  if (facts === undefined) return undefined;
  const parts = [facts.title, facts.target, body] as const;
  const words = wordsOf([
    { weight: 'A', text: facts.title, times: 3 },
    { weight: 'B', text: facts.target, times: 2 },
    { weight: 'D', text: body },
  ]);
  return { parts, hash: sha256(parts.join('\n')), words };
}

function ownerOf(name: string): string {
  return `decisions/${name}`;
}
