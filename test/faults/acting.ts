/** What clients do to records of every kind, and how an answer is written down in a history. */
import { randomBytes } from 'node:crypto';
import type { Message } from '../support/cairn.ts';
import type { Step } from './linearizable.ts';

/** One call to a record, and what its answer says of it; without an answer, what may have happened. */
export interface Acting {
  readonly record: string;
  readonly operation: string;
  readonly input: Message;
  /** `undefined` for what changes nothing. */
  readonly maybe: Step | undefined;
  /** Throws at an answer that no such call may have. */
  step(answer: Message): Step;
}

/** What one client has seen of a record last, to build on. */
export interface Known {
  readonly version: number;
  /** Of the decision that was active. */
  readonly id?: string;
}

export interface Memory {
  known: Map<string, Known>;
  /** Of all clients: events that were begun, feedback that was acknowledged. */
  readonly shared: { readonly events: string[]; readonly feedback: string[] };
}

export type Kind = 'instruction' | 'decision' | 'document' | 'event' | 'feedback';
export const kinds: readonly Kind[] = ['instruction', 'decision', 'document', 'event', 'feedback'];

/** Words in common with no other: the same words would be the same decision. */
const fresh = () => `${randomBytes(5).toString('hex')} ${randomBytes(5).toString('hex')}`;
const oneOf = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)] as T;

export function anyActing(kind: Kind, records: number, memory: Memory): Acting {
  const name = `${kind}-${Math.floor(Math.random() * records)}`;
  if (kind === 'event') return oneOf([told, told, asked])(memory);
  if (kind === 'feedback') return feedbackOf(memory);
  return oneOf(ways[kind])(name, memory.known.get(name));
}

/** What is there at the end, as a reader who came last sees it. */
export function lastLook(record: string): Acting {
  if (record.startsWith('instruction-')) return getInstruction(record);
  if (record.startsWith('decision-')) return chain(record);
  if (record.startsWith('document-')) return getDocument(record);
  if (record.startsWith('event ')) return askFor(record.slice(6));
  return getFeedback(record.slice(9));
}

type Way = (name: string, known?: Known) => Acting;

const body = (value: string) => `Say ${value} and nothing else.`;
const valueIn = (text: string) => /^Say (.+) and nothing else\.$/.exec(text)?.[1] ?? `torn: ${text}`;

function addInstruction(id: string, value: string, more: Message): Message {
  return { entry: { id, title: id, body: body(value), owner: 'ann', priority: 20 }, lax: true, ...more };
}

/** 1.0.4 is the fifth. */
const versionOf = (text: string) => Number(text.split('.')[2]) + 1;

const getInstruction: Way = (name) => ({
  record: name,
  operation: 'instructions_get',
  input: { id: name },
  maybe: undefined,
  step: ({ item, notFound }) =>
    notFound
      ? { do: 'read', value: undefined }
      : { do: 'read', value: valueIn(item.body), version: versionOf(item.version) },
});

const chain: Way = (name) => ({
  record: name,
  operation: 'decision_chain',
  input: { target: name },
  maybe: undefined,
  step({ error, chain: links = [] }) {
    if (error !== undefined && error !== 'not_found') throw new Error(`${name}: ${error}`);
    const active = links.filter(({ status }: Message) => status === 'active');
    if (active.length !== Math.min(1, links.length)) throw new Error(`${name} has ${active.length} truths`);
    return { do: 'read', value: active[0]?.title, version: links.length };
  },
});

const getDocument: Way = (name) => ({
  record: name,
  operation: 'get',
  input: { name: `${name}.txt`, include_content: true },
  maybe: undefined,
  step: ({ content, data }) => {
    if (data !== undefined && data.name !== 'not_found') throw new Error(`${name}: ${data.name}`);
    return { do: 'read', value: content === undefined ? undefined : valueIn(content.split('\n')[0]) };
  },
});

const ways: Readonly<Record<'instruction' | 'decision' | 'document', readonly Way[]>> = {
  instruction: [
    getInstruction,
    getInstruction,
    getInstruction,
    (name) => {
      const value = fresh();
      return {
        record: name,
        operation: 'instructions_add',
        input: addInstruction(name, value, { overwrite: true }),
        maybe: { do: 'write', value },
        step: ({ version }) => ({ do: 'write', value, version: versionOf(version) }),
      };
    },
    (name, known) => {
      const [value, from] = [fresh(), known?.version || 1];
      const input = addInstruction(name, value, { overwrite: true, expectedVersion: `1.0.${from - 1}` });
      const step = (done?: boolean): Step => ({ do: 'swap', from, value, ...(done !== undefined && { done }) });
      return {
        record: name,
        operation: 'instructions_add',
        input,
        maybe: step(),
        step({ overwritten, error }) {
          if (!overwritten && error !== 'version_conflict') throw new Error(`${name}: ${error}`);
          return step(overwritten === true);
        },
      };
    },
    (name) => {
      const value = fresh();
      return {
        record: name,
        operation: 'instructions_add',
        input: addInstruction(name, value, {}),
        maybe: { do: 'create', value },
        step: ({ created }) => ({ do: 'create', value, done: created }),
      };
    },
    (name) => ({
      record: name,
      operation: 'instructions_remove',
      input: { ids: [name] },
      maybe: { do: 'remove' },
      step: ({ removed }) => ({ do: 'remove', found: removed === 1 }),
    }),
    (name) => ({
      record: name,
      operation: 'instructions_list',
      input: { limit: 100 },
      maybe: undefined,
      step: ({ items }) => ({ do: 'look', found: items.some(({ id }: Message) => id === name) }),
    }),
  ],
  decision: [
    chain,
    chain,
    (name) => {
      const value = fresh();
      return {
        record: name,
        operation: 'record_decision',
        input: { title: value, target: name, rationale: body(fresh()) },
        maybe: { do: 'create', value },
        step({ status, error }) {
          if (status !== 'success' && error !== 'conflict') throw new Error(`${name}: ${error}`);
          return { do: 'create', value, done: status === 'success' };
        },
      };
    },
    ...Array.from(
      { length: 3 },
      (): Way => (name, known) => {
        if (known?.id === undefined) return chain(name, known);
        const value = fresh();
        const step = (done?: boolean): Step => ({
          do: 'swap',
          from: known.version,
          value,
          ...(done !== undefined && { done }),
        });
        return {
          record: name,
          operation: 'supersede_decision',
          input: { title: value, target: name, rationale: body(fresh()), old_decision_ids: [known.id] },
          maybe: step(),
          step({ status, error, superseded_by }) {
            if (status !== 'success' && superseded_by === undefined) throw new Error(`${name}: ${error}`);
            return step(status === 'success');
          },
        };
      },
    ),
  ],
  document: [
    getDocument,
    getDocument,
    ...Array.from(
      { length: 2 },
      (): Way => (name) => {
        const value = fresh();
        return {
          record: name,
          operation: 'add',
          input: { name: `${name}.txt`, content: `${body(value)}\n${value}`.repeat(20) },
          maybe: { do: 'write', value },
          step: () => ({ do: 'write', value }),
        };
      },
    ),
    (name) => ({
      record: name,
      operation: 'delete',
      input: { name: `${name}.txt` },
      maybe: { do: 'remove' },
      step: ({ deleted }) => ({ do: 'remove', found: deleted === 1 }),
    }),
    (name) => ({
      record: name,
      operation: 'list',
      input: { paths: ['document-*'], paths_only: true, limit: 100 },
      maybe: undefined,
      step: ({ paths }) => ({ do: 'look', found: paths.some((path: string) => path.endsWith(`${name}.txt`)) }),
    }),
  ],
};

function told({ shared }: Memory): Acting {
  const value = fresh();
  shared.events.push(value);
  return {
    record: `event ${value}`,
    operation: 'record_interaction',
    input: { prompt: `What of ${value}?`, response: 'It was weighed.' },
    maybe: { do: 'create', value },
    step: (answer) => ({ do: 'create', value, done: answer.new }),
  };
}

function asked({ shared }: Memory): Acting {
  // The youngest are those about which two processes could disagree.
  const value = shared.events[Math.max(0, shared.events.length - 1 - Math.floor(Math.random() * 12))];
  return value === undefined ? told({ known: new Map(), shared }) : askFor(value);
}

function askFor(value: string): Acting {
  return {
    record: `event ${value}`,
    operation: 'event_search',
    input: { query: `"${value}"`, limit: 5 },
    maybe: undefined,
    step({ events }) {
      const found = events.filter(({ subject }: Message) => subject === `What of ${value}?`);
      if (found.length > 1) throw new Error(`${value} was told ${found.length} times`);
      return { do: 'look', found: found.length === 1 };
    },
  };
}

function feedbackOf({ shared }: Memory): Acting {
  const value = fresh();
  const id = oneOf(shared.feedback);
  if (Math.random() < 0.5) return getFeedback(id);
  return {
    record: `feedback ${id}`,
    operation: 'feedback_update',
    input: { id, metadata: { value } },
    maybe: { do: 'write', value },
    step: ({ entry }) => {
      if (entry.metadata.value !== value) throw new Error(`${id} was not changed`);
      return { do: 'write', value };
    },
  };
}

function getFeedback(id: string): Acting {
  return {
    record: `feedback ${id}`,
    operation: 'feedback_get',
    input: { id },
    maybe: undefined,
    step: ({ entry }) => ({ do: 'read', value: entry.metadata?.value }),
  };
}

/** The active decision, or the version of an instruction, that an answer shows. */
export function knownFrom({ operation }: Acting, answer: Message): Known | undefined {
  if (operation === 'instructions_get' && answer.item) return { version: versionOf(answer.item.version) };
  if (operation !== 'decision_chain' || answer.chain === undefined) return undefined;
  return { version: answer.chain.length, id: answer.chain.at(-1).id };
}
