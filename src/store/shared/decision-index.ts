/** The decision files as PostgreSQL knows them: every question about decisions is a query here, none loads them all. */
import { decisionConditions, reversedKey, toDecisionFacts, toStamp, VersionedAnswers } from '../decision-rows.ts';
import { NEWEST } from '../frequency.ts';
import type { Rows, Value } from '../rows.ts';
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
import { listed } from './bulk.ts';
import type { SharedDatabase } from './database.ts';
import { updateDecisions } from './decision-follow.ts';
import { DECISIONS } from './decision-tables.ts';
import { type Asked, askedOf, coverageIn, heldIn, matchOf, narrowingOf, type WordedTexts } from './text-rank.ts';
import { sharedVectors } from './vectors.ts';
import { allOf, scoreIn, weighed, wordQuery } from './words.ts';

const texts: WordedTexts = { shelf: DECISIONS, fields: { title: 'A', target: 'B', body: 'D' } };

const held = `(SELECT decision.id, length(body) AS length, words FROM decision JOIN decision_text USING (number)
  JOIN decision_words USING (number))`;

const ALLOWED_SETS = 16;
const COUNTS = 1000;

export class SharedDecisionIndex implements DecisionIndex {
  readonly vectors: VectorShelf;
  readonly #database: SharedDatabase;
  readonly #rows: Rows;
  readonly #counts = new VersionedAnswers<number>(COUNTS);
  readonly #allowed = new VersionedAnswers<ReadonlySet<string>>(ALLOWED_SETS);

  constructor(database: SharedDatabase) {
    this.#database = database;
    this.#rows = database.rows;
    this.vectors = sharedVectors(database, {
      shelf: DECISIONS,
      texts: `(SELECT number, decision.id, text.hash, text.title || '. ' || replace(text.target, '_', ' ') AS heading, text.body
        FROM decision JOIN decision_text AS text USING (number))`,
      counter: 'decisions',
    });
  }

  coverage(words: readonly string[], ids: readonly string[]): Promise<Coverage> {
    return this.#database.look((rows) => coverageIn(rows, texts, held, words, ids));
  }

  async version(): Promise<number> {
    return Number((await this.#rows.get("SELECT value FROM counter WHERE name = 'decisions'"))?.value ?? 0);
  }

  async stamp(name: string): Promise<FileStamp | undefined> {
    const row = await this.#rows.get('SELECT name, size, modified_ms FROM decision WHERE name = ?', name);
    return row && toStamp(row);
  }

  async stamps(): Promise<Map<string, FileStamp>> {
    const rows = await this.#rows.all('SELECT name, size, modified_ms FROM decision');
    return new Map(rows.map((row) => [String(row.name), toStamp(row)]));
  }

  update(files: readonly IndexedDecision[], removed: readonly string[]): Promise<void> {
    return updateDecisions(this.#database, files, removed);
  }

  async get(ids: readonly string[]): Promise<Map<string, DecisionFacts>> {
    if (ids.length === 0) return new Map();
    const sql = `SELECT decision.* FROM json_each(?) AS asked JOIN decision ON decision.id = asked.value ORDER BY asked.key`;
    const rows = await this.#rows.all(sql, listed(ids));
    return new Map(rows.map((row) => [String(row.id), toDecisionFacts(row)]));
  }

  async bodies(ids: readonly string[]): Promise<Map<string, string>> {
    if (ids.length === 0) return new Map();
    const sql = `SELECT decision.id, body FROM json_each(?) AS asked JOIN decision ON decision.id = asked.value
      JOIN decision_text USING (number) ORDER BY asked.key`;
    const rows = await this.#rows.all(sql, listed(ids));
    return new Map(rows.map((row) => [String(row.id), String(row.body)]));
  }

  async list(filter: DecisionFilter, limit: number, offset: number): Promise<DecisionFacts[]> {
    const { where, values } = decisionConditions(filter);
    // Apart, so that nobody walks all decisions in their order to find the few of one target.
    const from =
      filter.targetKey === undefined ? 'decision' : `(SELECT * FROM decision WHERE ${where} OFFSET 0) AS decision`;
    const which = filter.targetKey === undefined ? `WHERE ${where}` : '';
    const sql = `SELECT * FROM ${from} ${which} ORDER BY created DESC, id DESC LIMIT ? OFFSET ?`;
    return (await this.#rows.all(sql, ...values, limit, offset)).map(toDecisionFacts);
  }

  /** Counted once for every version of the index: how many there are is part of many answers. */
  async count(filter: DecisionFilter): Promise<number> {
    const { where, values } = decisionConditions(filter);
    const sql = `SELECT count(*) AS found FROM decision WHERE ${where}`;
    return this.#counts.of(await this.version(), JSON.stringify([where, values]), async () =>
      Number((await this.#rows.get(sql, ...values))?.found ?? 0),
    );
  }

  /** Those that a question may be answered with. */
  async allowed(filter: DecisionFilter, terms: Terms): Promise<ReadonlySet<string>> {
    const { where, values } = decisionConditions(filter);
    const match = narrowingOf(texts, terms);
    const joined = match === undefined ? '' : 'JOIN decision_words USING (number)';
    const sql = `SELECT decision.id FROM decision ${joined}
      WHERE ${where} ${match === undefined ? '' : 'AND decision_words.words @@ ?::tsquery'}`;
    const all = [...values, ...(match === undefined ? [] : [match])];
    return this.#allowed.of(
      await this.version(),
      JSON.stringify([sql, all]),
      async () => new Set((await this.#rows.all(sql, ...all)).map(({ id }) => String(id))),
    );
  }

  matching(
    words: readonly string[],
    filter: DecisionFilter,
    limit: number,
    terms: Terms = noTerms,
  ): Promise<TextMatch[]> {
    return this.#database.look(async (rows) => {
      const asked = await askedOf(rows, texts, words, terms);
      const { told } = asked;
      const found = await rankedIn(rows, asked, told.words, filter, limit, told.common, terms);
      const unsure = told.words.length + terms.required.length > 0;
      if (!unsure || found.length >= limit || told.common || told.left.length === 0) return found;
      // What narrows the whole store may be absent where is looked for: then the common words have their say, after the others.
      const known = new Set(found.map(({ id }) => id));
      const more = await rankedIn(rows, asked, [...told.words, ...told.left], filter, limit, true, terms);
      return [...found, ...more.filter(({ id }) => !known.has(id))].slice(0, limit);
    });
  }

  async holding(words: readonly string[], filter: DecisionFilter, limit: number): Promise<string[]> {
    const match = allOf(words.map(wordQuery));
    if (match === '') return [];
    const { where, values } = decisionConditions(filter);
    const sql = `SELECT decision.id FROM decision_words JOIN decision USING (number)
      WHERE decision_words.words @@ ?::tsquery AND ${where} LIMIT ?`;
    return (await this.#rows.all(sql, match, ...values, limit)).map((row) => String(row.id));
  }

  targets(namespace: string | undefined): Promise<TargetCount[]> {
    const { where, values } = decisionConditions(namespace === undefined ? {} : { namespace });
    return this.#targets(where, values, null);
  }

  async targetCount(namespace: string): Promise<number> {
    const sql = 'SELECT count(DISTINCT target_key) AS found FROM decision WHERE namespace = ?';
    return Number((await this.#rows.get(sql, namespace))?.found ?? 0);
  }

  targetsEnding(namespace: string, suffix: string, limit: number): Promise<TargetCount[]> {
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
    const sql = `SELECT namespace, min(target) AS target, json_agg(id ORDER BY created, id)::text AS ids
      FROM decision WHERE ${where} GROUP BY namespace, target_key HAVING count(*) > 1 ORDER BY 1, 2`;
    return (await this.#rows.all(sql, ...values)).map((row) => ({
      namespace: String(row.namespace),
      target: String(row.target),
      ids: JSON.parse(String(row.ids)) as string[],
    }));
  }

  async brokenLinks() {
    const sql = `
      WITH known AS (SELECT id, status, head::json ->> 'supersededBy' AS next FROM decision WHERE id IS NOT NULL),
        older AS (SELECT decision.id, old.value AS other FROM decision,
          json_each(coalesce(head::json ->> 'supersedes', '[]')) AS old WHERE decision.id IS NOT NULL)
      SELECT known.id, known.next AS other, after.id IS NULL AS missing FROM known
        LEFT JOIN known AS after ON after.id = known.next LEFT JOIN older ON older.id = known.next AND older.other = known.id
        WHERE known.next IS NOT NULL AND (after.id IS NULL OR known.status = 'active' OR older.id IS NULL)
      UNION
      SELECT older.id, older.other, before.id IS NULL FROM older LEFT JOIN known AS before ON before.id = older.other
        WHERE before.id IS NULL OR before.next IS DISTINCT FROM older.id
      ORDER BY 1, 2 LIMIT 1000`;
    return (await this.#rows.all(sql)).map((row) => ({
      id: String(row.id),
      other: String(row.other),
      missing: Boolean(row.missing),
    }));
  }

  async problems(): Promise<{ file: string; problem: string }[]> {
    const rows = await this.#rows.all('SELECT name, problem FROM decision WHERE problem IS NOT NULL ORDER BY name');
    return rows.map((row) => ({ file: String(row.name), problem: String(row.problem) }));
  }

  /** A target is written as its newest decision writes it. */
  async #targets(where: string, values: readonly Value[], limit: number | null): Promise<TargetCount[]> {
    const sql = `SELECT namespace, (array_agg(target ORDER BY created DESC, id DESC))[1] AS target, target_key,
        count(*) AS decisions, count(*) FILTER (WHERE status = 'active' AND kind = 'decision') AS active
      FROM decision WHERE id IS NOT NULL AND ${where} GROUP BY namespace, target_key ORDER BY namespace, target_key LIMIT ?::bigint`;
    return (await this.#rows.all(sql, ...values, limit)).map((row) => ({
      namespace: String(row.namespace),
      target: String(row.target),
      targetKey: String(row.target_key),
      decisions: Number(row.decisions),
      active: Number(row.active),
    }));
  }
}

async function rankedIn(
  rows: Rows,
  { shelf, ideal, required }: Asked,
  words: readonly string[],
  filter: DecisionFilter,
  limit: number,
  newestOnly: boolean,
  terms: Terms,
): Promise<TextMatch[]> {
  const match = matchOf(texts, words, terms);
  if (match === '') return [];
  const { where, values } = decisionConditions(filter);
  const columns = { words: 'held.words', length: 'held.length' };
  const score = scoreIn(columns, shelf, [...weighed(shelf, words), ...required]);
  const newest = newestOnly ? [await newestIn(rows, filter)] : [];
  const sql = `SELECT decision.id, ${score.sql} AS score
    FROM ${heldIn('decision_words', 'number', newestOnly)} JOIN decision USING (number)
    WHERE held.words @@ ?::tsquery AND ${where} ORDER BY score DESC, decision.id LIMIT ?`;
  const found = await rows.all(sql, ...score.values, ...newest, match, ...values, limit);
  return found.map((row) => ({ id: String(row.id), score: Number(row.score) / ideal }));
}

/** Where the newest thousand of those that are looked at begin. */
async function newestIn(rows: Rows, filter: DecisionFilter): Promise<number> {
  const { where, values } = decisionConditions(filter);
  const sql = `SELECT number FROM decision WHERE ${where} ORDER BY number DESC LIMIT 1 OFFSET ?`;
  return Number((await rows.get(sql, ...values, NEWEST - 1))?.number ?? 0);
}
