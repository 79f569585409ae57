/** The decision files as index.db knows them: every question about decisions is a query here, none loads them all. */

import { decisionConditions, decisionIdOf, reversedKey, toDecisionFacts, toStamp } from '../decision-rows.ts';
import { sha256 } from '../hash.ts';
import type {
  Coverage,
  DecisionFacts,
  DecisionFilter,
  DecisionIndex,
  FileStamp,
  IndexedDecision,
  TargetCount,
  TextMatch,
  VectorShelf,
} from '../store.ts';
import { noTerms, type Terms } from '../terms.ts';
import { coverageIn, type IndexedTexts } from './coverage.ts';
import type { Database, Row, Value } from './database.ts';
import { idealOf, NEWEST, RANKED, type Telling, telling } from './frequency.ts';
import { dropLinks, putLinks } from './graph-links.ts';
import type { IndexDatabase } from './index-database.ts';
import { dropMentions, putMentions } from './mentions.ts';
import { phrase } from './phrase.ts';
import { termConditions, termOf } from './terms.ts';
import { vectorsIn } from './vectors.ts';

export const decisionTables = `
  CREATE TABLE decision_counter (version INTEGER NOT NULL);
  INSERT INTO decision_counter VALUES (0);
  CREATE TABLE decision (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, modified_ms REAL NOT NULL, problem TEXT,
    id TEXT, kind TEXT, status TEXT, namespace TEXT, target TEXT, target_key TEXT, reversed_key TEXT, title TEXT,
    created TEXT, head TEXT);
  CREATE UNIQUE INDEX decision_id ON decision (id);
  CREATE INDEX decision_target ON decision (namespace, target_key, status);
  CREATE INDEX decision_suffix ON decision (namespace, reversed_key);
  CREATE INDEX decision_kind ON decision (namespace, kind, status, created DESC, id DESC);
  CREATE INDEX decision_newest ON decision (created DESC, id DESC);
  CREATE TABLE decision_text (number INTEGER PRIMARY KEY, title TEXT NOT NULL, target TEXT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL);
  CREATE VIRTUAL TABLE decision_words USING fts5(
    title, target, body, content='decision_text', content_rowid='number', tokenize='porter unicode61');
  CREATE VIRTUAL TABLE decision_vocabulary USING fts5vocab(decision_words, 'row');`;

const texts: IndexedTexts = {
  shelf: 'decisions',
  files: 'decision',
  texts: 'decision_text',
  words: 'decision_words',
  version: 'SELECT version FROM decision_counter',
  heading: "text.title || '. ' || replace(text.target, '_', ' ')",
};

const ALLOWED_SETS = 16;

export class EmbeddedDecisionIndex implements DecisionIndex {
  readonly vectors: VectorShelf;
  readonly #index: IndexDatabase;
  readonly #counts = new Map<string, number>();
  #countedVersion = -1;
  #allowed = { version: -1, sets: new Map<string, ReadonlySet<string>>() };

  constructor(index: IndexDatabase) {
    this.#index = index;
    this.vectors = vectorsIn(index, texts);
  }

  async coverage(words: readonly string[], ids: readonly string[]): Promise<Coverage> {
    return coverageIn(await this.#index.reader(), texts, words, ids);
  }

  async version(): Promise<number> {
    const database = await this.#index.reader();
    return Number(database?.get('SELECT version FROM decision_counter')?.version ?? 0);
  }

  async stamp(name: string): Promise<FileStamp | undefined> {
    const [row] = await this.#all('SELECT name, size, modified_ms FROM decision WHERE name = ?', name);
    return row && toStamp(row);
  }

  async stamps(): Promise<Map<string, FileStamp>> {
    const rows = await this.#all('SELECT name, size, modified_ms FROM decision');
    return new Map(rows.map((row) => [String(row.name), toStamp(row)]));
  }

  update(files: readonly IndexedDecision[], removed: readonly string[]): Promise<void> {
    return this.#index.write((database) => {
      for (const name of removed) remove(database, name);
      for (const file of files) put(database, file);
      database.run('UPDATE decision_counter SET version = version + 1');
    });
  }

  async get(ids: readonly string[]): Promise<Map<string, DecisionFacts>> {
    const database = await this.#index.reader();
    const rows = ids
      .map((id) => database?.get('SELECT * FROM decision WHERE id = ?', id))
      .filter((row) => row !== undefined);
    return new Map(rows.map((row) => [String(row.id), toDecisionFacts(row)]));
  }

  async bodies(ids: readonly string[]): Promise<Map<string, string>> {
    const database = await this.#index.reader();
    const sql = 'SELECT id, body FROM decision JOIN decision_text USING (number) WHERE id = ?';
    const rows = ids.map((id) => database?.get(sql, id)).filter((row) => row !== undefined);
    return new Map(rows.map((row) => [String(row.id), String(row.body)]));
  }

  async list(filter: DecisionFilter, limit: number, offset: number): Promise<DecisionFacts[]> {
    const { where, values } = decisionConditions(filter);
    // The plus keeps SQLite from walking all decisions in their order to find the few of one target.
    const newest = filter.targetKey === undefined ? 'created DESC, id DESC' : '+created DESC, id DESC';
    const sql = `SELECT * FROM decision WHERE ${where} ORDER BY ${newest} LIMIT ? OFFSET ?`;
    return (await this.#all(sql, ...values, limit, offset)).map(toDecisionFacts);
  }

  /** Counted once for every version of the index: how many there are is part of many answers. */
  async count(filter: DecisionFilter): Promise<number> {
    const version = await this.version();
    if (version !== this.#countedVersion) this.#counts.clear();
    this.#countedVersion = version;
    const { where, values } = decisionConditions(filter);
    const key = JSON.stringify([where, values]);
    let found = this.#counts.get(key);
    if (found === undefined) {
      const [row] = await this.#all(`SELECT count(*) AS found FROM decision WHERE ${where}`, ...values);
      found = Number(row?.found ?? 0);
      this.#counts.set(key, found);
    }
    return found;
  }

  /** Those that a question may be answered with. Kept for every version of the index: to make the set is to go through all. */
  async allowed(filter: DecisionFilter, terms: Terms): Promise<ReadonlySet<string>> {
    const { where, values } = decisionConditions(filter);
    const narrow = termConditions('decision_words', 'decision.number', 'rowid', terms);
    const sql = `SELECT id FROM decision WHERE ${[where, ...narrow.parts].join(' AND ')}`;
    const key = JSON.stringify([sql, values, narrow.values]);
    const version = await this.version();
    if (this.#allowed.version !== version) this.#allowed = { version, sets: new Map() };
    const known = this.#allowed.sets.get(key);
    if (known !== undefined) return known;
    const found = new Set((await this.#all(sql, ...values, ...narrow.values)).map(({ id }) => String(id)));
    if (this.#allowed.sets.size >= ALLOWED_SETS) this.#allowed.sets.clear();
    this.#allowed.sets.set(key, found);
    return found;
  }

  async matching(
    words: readonly string[],
    filter: DecisionFilter,
    limit: number,
    terms: Terms = noTerms,
  ): Promise<TextMatch[]> {
    const asked = await this.#telling(words);
    const required = terms.required.map(termOf);
    if (asked.words.length + required.length === 0) return [];
    const ideal = idealOf(asked, await this.count({}));
    const match = [...asked.words.map(phrase), ...required];
    const found = await this.#ranked(match, filter, limit, asked.common, ideal, terms);
    if (found.length >= limit || asked.common || asked.left.length === 0) return found;
    // What narrows the whole store may be absent where is looked for: then the common words have their say, after the others.
    const known = new Set(found.map(({ id }) => id));
    const wider = [...match, ...asked.left.map(phrase)];
    const more = await this.#ranked(wider, filter, limit, true, ideal, terms);
    return [...found, ...more.filter(({ id }) => !known.has(id))].slice(0, limit);
  }

  async #ranked(
    match: readonly string[],
    filter: DecisionFilter,
    limit: number,
    newestOnly: boolean,
    ideal: number,
    terms: Terms,
  ): Promise<TextMatch[]> {
    const { where, values } = decisionConditions(filter);
    const narrow = termConditions('decision_words', 'decision_words.rowid', 'rowid', terms);
    const rank = 'bm25(decision_words, 3.0, 2.0, 1.0)';
    const newest = newestOnly ? await this.#newest(filter) : 0;
    const sql = `SELECT decision.id, -${rank} AS score FROM decision_words
      JOIN decision ON decision.number = decision_words.rowid
      WHERE ${['decision_words MATCH ?', 'decision_words.rowid >= ?', ...narrow.parts, where].join(' AND ')} ORDER BY ${rank}, decision.id LIMIT ?`;
    const rows = await this.#all(sql, match.join(' OR '), newest, ...narrow.values, ...values, limit);
    return rows.map((row) => ({ id: String(row.id), score: Number(row.score) / ideal }));
  }

  /** Where the newest thousand of those that are looked at begin. */
  async #newest(filter: DecisionFilter): Promise<number> {
    const { where, values } = decisionConditions(filter);
    const sql = `SELECT number FROM decision WHERE ${where} ORDER BY number DESC LIMIT 1 OFFSET ?`;
    const [row] = await this.#all(sql, ...values, NEWEST - 1);
    return Number(row?.number ?? 0);
  }

  async holding(words: readonly string[], filter: DecisionFilter, limit: number): Promise<string[]> {
    if (words.length === 0) return [];
    const { where, values } = decisionConditions(filter);
    const sql = `SELECT decision.id FROM decision_words JOIN decision ON decision.number = decision_words.rowid
      WHERE decision_words MATCH ? AND ${where} LIMIT ?`;
    const rows = await this.#all(sql, words.map(phrase).join(' AND '), ...values, limit);
    return rows.map((row) => String(row.id));
  }

  async #telling(words: readonly string[]): Promise<Telling> {
    const database = await this.#index.reader();
    if (database === undefined) return { words: [], left: [], common: false, known: [] };
    return telling(database, 'decision_vocabulary', words, RANKED);
  }

  async targets(namespace: string | undefined): Promise<TargetCount[]> {
    const { where, values } = decisionConditions(namespace === undefined ? {} : { namespace });
    return this.#targets(where, values, -1);
  }

  async targetCount(namespace: string): Promise<number> {
    const sql = 'SELECT count(DISTINCT target_key) AS found FROM decision WHERE namespace = ?';
    const [row] = await this.#all(sql, namespace);
    return Number(row?.found ?? 0);
  }

  async targetsEnding(namespace: string, suffix: string, limit: number): Promise<TargetCount[]> {
    // A range over the keys read backwards: no look at the other targets.
    const from = reversedKey(`/${suffix}`);
    const where = 'namespace = ? AND reversed_key > ? AND reversed_key < ?';
    return this.#targets(where, [namespace, from, `${from}\u{10ffff}`], limit);
  }

  async contested(namespace: string | undefined) {
    const { where, values } = decisionConditions({
      kind: 'decision',
      statuses: ['active'],
      ...(namespace && { namespace }),
    });
    const sql = `SELECT namespace, min(target) AS target, json_group_array(id ORDER BY created, id) AS ids
      FROM decision WHERE ${where} GROUP BY namespace, target_key HAVING count(*) > 1 ORDER BY 1, 2`;
    return (await this.#all(sql, ...values)).map((row) => ({
      namespace: String(row.namespace),
      target: String(row.target),
      ids: JSON.parse(String(row.ids)) as string[],
    }));
  }

  async brokenLinks() {
    const sql = `
      SELECT d.id, next.link AS other, s.id IS NULL AS missing FROM decision d
        JOIN (SELECT id, json_extract(head, '$.supersededBy') AS link FROM decision) next USING (id)
        LEFT JOIN decision s ON s.id = next.link
        WHERE next.link IS NOT NULL AND (s.id IS NULL OR d.status = 'active'
          OR NOT EXISTS (SELECT 1 FROM json_each(s.head, '$.supersedes') WHERE value = d.id))
      UNION
      SELECT d.id, old.value, o.id IS NULL FROM decision d, json_each(d.head, '$.supersedes') old
        LEFT JOIN decision o ON o.id = old.value
        WHERE o.id IS NULL OR json_extract(o.head, '$.supersededBy') IS NOT d.id
      ORDER BY 1, 2 LIMIT 1000`;
    return (await this.#all(sql)).map((row) => ({
      id: String(row.id),
      other: String(row.other),
      missing: row.missing === 1,
    }));
  }

  async problems(): Promise<{ file: string; problem: string }[]> {
    const rows = await this.#all('SELECT name, problem FROM decision WHERE problem IS NOT NULL ORDER BY name');
    return rows.map((row) => ({ file: String(row.name), problem: String(row.problem) }));
  }

  async #targets(where: string, values: readonly Value[], limit: number): Promise<TargetCount[]> {
    const sql = `SELECT namespace, target, target_key, count(*) AS decisions,
        sum(status = 'active' AND kind = 'decision') AS active, max(created)
      FROM decision WHERE id IS NOT NULL AND ${where} GROUP BY namespace, target_key ORDER BY namespace, target_key LIMIT ?`;
    return (await this.#all(sql, ...values, limit)).map((row) => ({
      namespace: String(row.namespace),
      target: String(row.target),
      targetKey: String(row.target_key),
      decisions: Number(row.decisions),
      active: Number(row.active),
    }));
  }

  async #all(sql: string, ...values: Value[]): Promise<Row[]> {
    return (await this.#index.reader())?.all(sql, ...values) ?? [];
  }
}

function put(database: Database, { facts, ...file }: IndexedDecision): void {
  remove(database, file.name);
  database.run(
    'INSERT INTO decision VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    file.name,
    file.size,
    file.modifiedMs,
    file.problem ?? null,
    facts?.id ?? null,
    facts?.kind ?? null,
    facts?.status ?? null,
    facts?.namespace ?? null,
    facts?.target ?? null,
    facts?.targetKey ?? null,
    facts ? reversedKey(facts.targetKey) : null,
    facts?.title ?? null,
    facts?.created ?? null,
    facts?.head ?? null,
  );
  putLinks(database, `decisions/${file.name}`, file.links ?? []);
  putMentions(database, 'decision', decisionIdOf(file.name), file.mentions ?? []);
  if (facts === undefined) return;
  const number = Number(database.get('SELECT number FROM decision WHERE name = ?', file.name)?.number);
  const parts = [facts.title, facts.target, file.body ?? ''] as const;
  database.run('INSERT INTO decision_text VALUES (?, ?, ?, ?, ?)', number, ...parts, sha256(parts.join('\n')));
  database.run('INSERT INTO decision_words (rowid, title, target, body) VALUES (?, ?, ?, ?)', number, ...parts);
}

function remove(database: Database, name: string): void {
  const row = database.get(
    'SELECT number, t.title, t.target, t.body FROM decision JOIN decision_text t USING (number) WHERE name = ?',
    name,
  );
  if (row !== undefined) {
    const [number, ...parts] = [Number(row.number), String(row.title), String(row.target), String(row.body)] as const;
    database.run(
      "INSERT INTO decision_words (decision_words, rowid, title, target, body) VALUES ('delete', ?, ?, ?, ?)",
      number,
      ...parts,
    );
    database.run('DELETE FROM decision_text WHERE number = ?', number);
  }
  dropLinks(database, `decisions/${name}`);
  dropMentions(database, 'decision', decisionIdOf(name));
  database.run('DELETE FROM decision WHERE name = ?', name);
}
