/** The decisions of one store: the index kept equal to the files (mirror.ts), and single decisions read from theirs. */
import { namedBy } from '../graph/anchors.ts';
import { nodeKey } from '../graph/node.ts';
import type { Link } from '../store/graph-index.ts';
import { FileMirror } from '../store/mirror.ts';
import type { DecisionFacts, FileShelf, FileStamp, IndexedDecision, Store } from '../store/store.ts';
import { readDecision } from './file.ts';
import { type Decision, fileOf, idOfFile, isId } from './record.ts';
import { targetKey } from './target.ts';

/** A decision without its text, as the index keeps it. */
export type DecisionHead = Omit<Decision, 'rationale'>;

export class Ledger {
  readonly #store: Store;
  readonly #mirror: FileMirror<IndexedDecision>;

  constructor(store: Store) {
    this.#store = store;
    const index = store.decisions;
    this.#mirror = new FileMirror(store, {
      shelf: 'decisions',
      belongs: (name) => idOfFile(name) !== undefined,
      learn: async () => (await index.version()) > 0,
      stamp: (name) => index.stamp(name),
      stamps: () => index.stamps(),
      derive: indexed,
      update: (files, gone) => index.update(files, gone),
    });
  }

  /** Brings the index up to date; `exact` looks at every file first. */
  async current(exact = false): Promise<void> {
    await this.#mirror.current(exact);
  }

  async reread(): Promise<void> {
    await this.#mirror.reread();
  }

  async refresh(ids: readonly string[]): Promise<void> {
    await this.#mirror.refresh(ids.map(fileOf));
  }

  /** From its file: an edit by hand is seen at once. */
  read(id: string): Promise<Decision | undefined> {
    return readFrom(this.#store.files, id);
  }

  async heads(ids: readonly string[]): Promise<Map<string, DecisionHead>> {
    const facts = await this.#store.decisions.get(ids);
    return new Map([...facts].map(([id, each]) => [id, headOf(each)]));
  }
}

/** `undefined` where there is no such decision, or its file cannot be read as one. */
export async function readFrom(files: FileShelf, id: string): Promise<Decision | undefined> {
  if (!isId(id)) return undefined;
  const text = await files.read('decisions', fileOf(id));
  if (text === undefined) return undefined;
  const stamp = await files.stamp('decisions', fileOf(id));
  const reading = readDecision(id, text, timeOf(stamp));
  return 'problem' in reading ? undefined : reading.decision;
}

export function headOf(facts: DecisionFacts): DecisionHead {
  return JSON.parse(facts.head) as DecisionHead;
}

function indexed(stamp: FileStamp, text: string): IndexedDecision {
  const reading = readDecision(idOfFile(stamp.name) ?? '', text, timeOf(stamp));
  if ('problem' in reading) return { ...stamp, problem: reading.problem };
  const { rationale, ...head } = reading.decision;
  const { id, kind, status, namespace, target, title, created, consequences } = head;
  const facts = { id, kind, status, namespace, target, title, created };
  return {
    ...stamp,
    facts: { ...facts, targetKey: targetKey(target), head: JSON.stringify(head) },
    body: [rationale, ...consequences].join('\n'),
    links: linksOf(head),
    mentions: namedBy(id, [title, rationale, ...consequences], head.anchors),
  };
}

/** Each end of a replacement may name the other: both say the same. */
function linksOf({ id, supersedes, supersededBy }: DecisionHead): Link[] {
  const replaced = (old: string, by: string): Link => ({
    source: nodeKey('decision', old),
    relation: 'superseded_by',
    target: nodeKey('decision', by),
  });
  return [
    ...supersedes.map((old) => replaced(old, id)),
    ...(supersededBy === undefined ? [] : [replaced(id, supersededBy)]),
  ];
}

function timeOf(stamp: FileStamp | undefined): string {
  return new Date(stamp?.modifiedMs ?? 0).toISOString();
}

const ledgers = new WeakMap<Store, Ledger>();

/** The one ledger of a store in this process. */
export function ledgerOf(store: Store): Ledger {
  let ledger = ledgers.get(store);
  if (ledger === undefined) {
    ledger = new Ledger(store);
    ledgers.set(store, ledger);
  }
  return ledger;
}
