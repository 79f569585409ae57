/** The same indexes twice: of an embedded store and on PostgreSQL. What one answers the other must. */
import { mkdir } from 'node:fs/promises';
import { expect, onTestFinished } from 'vitest';
import type { DocumentIndex } from '../../src/store/document-index.ts';
import { Database } from '../../src/store/embedded/database.ts';
import { EmbeddedDecisionIndex } from '../../src/store/embedded/decision-index.ts';
import { EmbeddedDocumentIndex } from '../../src/store/embedded/document-index.ts';
import { matchingEvents as embeddedEvents } from '../../src/store/embedded/event-words.ts';
import { EmbeddedGraphIndex } from '../../src/store/embedded/graph-index.ts';
import { IndexDatabase } from '../../src/store/embedded/index-database.ts';
import { EmbeddedInstructionIndex } from '../../src/store/embedded/instruction-index.ts';
import { mentionsOfIndex } from '../../src/store/embedded/mentions.ts';
import { migrate } from '../../src/store/embedded/schema.ts';
import type { GraphIndex } from '../../src/store/graph-index.ts';
import type { MentionIndex } from '../../src/store/mentions.ts';
import { recordsIn } from '../../src/store/records/records.ts';
import { storeAddress } from '../../src/store/shared/address.ts';
import { SharedDatabase } from '../../src/store/shared/database.ts';
import { SharedDecisionIndex } from '../../src/store/shared/decision-index.ts';
import { SharedDocumentIndex } from '../../src/store/shared/document-index.ts';
import { matchingEvents as sharedEvents, wordEventsIn } from '../../src/store/shared/event-words.ts';
import { SharedGraphIndex } from '../../src/store/shared/graph-index.ts';
import { SharedInstructionIndex } from '../../src/store/shared/instruction-index.ts';
import { sharedMentions } from '../../src/store/shared/mentions.ts';
import { documentTexts, sharedVectors } from '../../src/store/shared/vectors.ts';
import type { DecisionIndex, EventBook, InstructionIndex } from '../../src/store/store.ts';
import { freshHome } from './home.ts';
import { freshCatalog } from './postgres.ts';

export interface Indexes {
  readonly instructions: InstructionIndex;
  readonly decisions: DecisionIndex;
  readonly documents: DocumentIndex;
  readonly graph: GraphIndex;
  readonly mentions: MentionIndex;
  events<T>(work: (events: EventBook) => Promise<T>): Promise<T>;
}

export async function embeddedIndexes(): Promise<Indexes> {
  const home = await freshHome();
  await mkdir(home, { recursive: true });
  const index = new IndexDatabase(home, undefined);
  const state = new Database(':memory:');
  migrate(state);
  onTestFinished(() => {
    state.close();
    return index.close();
  });
  return {
    instructions: new EmbeddedInstructionIndex(index),
    decisions: new EmbeddedDecisionIndex(index),
    documents: new EmbeddedDocumentIndex(index),
    graph: new EmbeddedGraphIndex(index),
    mentions: mentionsOfIndex(index),
    events: (work) => work(recordsIn(state, embeddedEvents(state)).events),
  };
}

export function openDatabase(url: string, catalog = freshCatalog()): SharedDatabase {
  const address = storeAddress(url, catalog);
  const database = new SharedDatabase({ address, connections: 4, statementMs: 30_000, lockWaitMs: 30_000 });
  onTestFinished(() => database.close());
  return database;
}

export function sharedIndexes(database: SharedDatabase): Indexes {
  return {
    instructions: new SharedInstructionIndex(database),
    decisions: new SharedDecisionIndex(database),
    documents: new SharedDocumentIndex(database, sharedVectors(database, documentTexts)),
    graph: new SharedGraphIndex(database),
    mentions: sharedMentions(database),
    events: (work) => database.write((rows) => work(recordsIn(rows, sharedEvents(rows), wordEventsIn(rows)).events)),
  };
}

/** Does the same to both, and expects the same of both. */
export class Both {
  readonly #embedded: Indexes;
  readonly #shared: Indexes;

  constructor(embedded: Indexes, shared: Indexes) {
    this.#embedded = embedded;
    this.#shared = shared;
  }

  static async open(url: string): Promise<Both> {
    return new Both(await embeddedIndexes(), sharedIndexes(openDatabase(url)));
  }

  async same<T>(ask: (indexes: Indexes) => Promise<T>): Promise<T> {
    const expected = await ask(this.#embedded);
    const found = await ask(this.#shared);
    expect(rounded(found)).toEqual(rounded(expected));
    return found;
  }
}

/** Scores are sums in another order. */
function rounded(value: unknown): unknown {
  if (typeof value === 'number') return Number(value.toPrecision(9));
  if (value instanceof Uint8Array) return [...value];
  if (value instanceof Map) return new Map([...value].map(([key, each]) => [key, rounded(each)]));
  if (value instanceof Set) return new Set([...value].sort());
  if (Array.isArray(value)) return value.map(rounded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, rounded(each)]));
}
