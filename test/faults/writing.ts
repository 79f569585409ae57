/** Writes of every kind, each with a way to tell whether it happened: as a whole, or not at all. */
import { pathToFileURL } from 'node:url';
import { call } from '../../src/operations/call.ts';
import { createApp } from '../../src/service/app.ts';
import { resolveConfig } from '../../src/service/config.ts';
import { type Message, program } from '../support/cairn.ts';

export const plain = {
  CAIRN_EMBEDDINGS: 'none',
  CAIRN_HISTORY: '0',
  CAIRN_WRITE_COOLDOWN_MS: '0',
  MCP_ENABLE_MUTATION: '1',
};

export type Ask = (operation: string, input?: Message) => Promise<Message>;

/** A look into a home with a program of its own, as a command has: at the files themselves, not only at the index of them. */
export async function looking<T>(
  home: string,
  work: (ask: Ask) => Promise<T>,
  env: Readonly<Record<string, string>> = {},
): Promise<T> {
  const config = resolveConfig({ home: { path: home, source: 'test' }, flags: {}, env: { ...plain, ...env } });
  const app = createApp(config, new URL('./worker.js', pathToFileURL(program)));
  const principal = { name: 'check', role: 'admin', door: 'cli', human: false } as const;
  try {
    return await work((operation, input = {}) => call(app, { operation, input, principal }) as Promise<Message>);
  } finally {
    await app.close();
  }
}

export interface Writing {
  readonly operation: string;
  /** What has to be there before. */
  prepare?(ask: Ask, number: number): Promise<void>;
  input(number: number): Message;
  /** Throws where only a part of it is there. */
  happened(ask: Ask, number: number): Promise<boolean>;
}

const reason = (number: number) => `Number ${number} was weighed against the others and found better.`;

async function titlesOf(ask: Ask, target: string): Promise<string[]> {
  const { chain = [] } = await ask('decision_chain', { target });
  const active = chain.filter(({ status }: Message) => status === 'active');
  if (chain.length > 0 && active.length !== 1) throw new Error(`${target} has ${active.length} truths`);
  return chain.map(({ title, rationale }: Message) => {
    if (String(rationale).length < 10) throw new Error(`${target} is cut off`);
    return String(title);
  });
}

export const writings: readonly Writing[] = [
  {
    operation: 'record_decision',
    input: (number) => ({ title: `First ${number}`, target: `target-${number}`, rationale: reason(number) }),
    happened: async (ask, number) => (await titlesOf(ask, `target-${number}`)).includes(`First ${number}`),
  },
  {
    operation: 'instructions_add',
    input: (number) => ({
      entry: { id: `rule-${number}`, title: `Rule ${number}`, body: reason(number), owner: 'ann', priority: 20 },
      lax: true,
    }),
    async happened(ask, number) {
      const { item, notFound } = await ask('instructions_get', { id: `rule-${number}` });
      if (notFound !== true && item.body !== reason(number)) throw new Error(`rule-${number} is cut off`);
      return notFound !== true;
    },
  },
  {
    operation: 'add',
    input: (number) => ({ name: `notes/${number}.txt`, content: `${reason(number)}\n`.repeat(200) }),
    async happened(ask, number) {
      try {
        const { content } = await ask('get', { name: `notes/${number}.txt`, include_content: true });
        if (content !== `${reason(number)}\n`.repeat(200)) throw new Error(`notes/${number}.txt is cut off`);
        return true;
      } catch (thrown) {
        if ((thrown as { kind?: string }).kind === 'not_found') return false;
        throw thrown;
      }
    },
  },
  {
    operation: 'supersede_decision',
    prepare: async (ask, number) => {
      const first = { title: `Old ${number}`, target: `changed-${number}`, rationale: reason(number) };
      const { decision_id } = await ask('record_decision', first);
      old.set(number, decision_id);
    },
    input: (number) => ({
      title: `New ${number}`,
      target: `changed-${number}`,
      rationale: reason(number),
      old_decision_ids: [old.get(number)],
    }),
    async happened(ask, number) {
      const titles = await titlesOf(ask, `changed-${number}`);
      if (titles[0] !== `Old ${number}`) throw new Error(`What stood at changed-${number} is gone`);
      return titles.includes(`New ${number}`);
    },
  },
  {
    operation: 'record_interaction',
    input: (number) => ({ prompt: `Question ${number}?`, response: reason(number) }),
    async happened(ask, number) {
      const { events } = await ask('event_search', { query: `"Question ${number}"`, limit: 50 });
      return events.some(({ subject }: Message) => subject === `Question ${number}?`);
    },
  },
];
const old = new Map<number, string>();
