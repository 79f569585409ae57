/** The writes of writing.ts and those of every other family: what is changed, removed, handed out or kept aside. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Message } from '../support/cairn.ts';
import { type Ask, type Writing, writings } from './writing.ts';

export interface HomeWriting extends Omit<Writing, 'happened'> {
  /** Throws where only a part of it is there. */
  happened(ask: Ask, number: number, home: string): Promise<boolean>;
}

const prepared = new Map<string, string>();

function idOf(what: string, number: number): string {
  const id = prepared.get(`${what} ${number}`);
  if (id === undefined) throw new Error(`${what} ${number} was not prepared`);
  return id;
}

const why = (number: number) => `Number ${number} stands for itself and for nothing besides it.`;
const rule = (id: string, number: number) => ({
  entry: { id, title: `Rule ${number}`, body: why(number), owner: 'ann', priority: 20 },
  lax: true,
});

/** `undefined` for what is not there. */
async function ifThere(answer: Promise<Message>): Promise<Message | undefined> {
  try {
    return await answer;
  } catch (thrown) {
    if ((thrown as { kind?: string }).kind === 'not_found') return undefined;
    throw thrown;
  }
}

async function decide(ask: Ask, what: string, number: number): Promise<void> {
  const first = { title: `Stands ${number}`, target: `${what}-${number}`, rationale: why(number) };
  prepared.set(`${what} ${number}`, (await ask('record_decision', first)).decision_id);
}

const others: readonly HomeWriting[] = [
  {
    operation: 'forget_memory',
    prepare: (ask, number) => decide(ask, 'forgotten', number),
    input: (number) => ({ decision_id: idOf('forgotten', number) }),
    async happened(ask, number) {
      const { chain = [] } = await ask('decision_chain', { target: `forgotten-${number}` });
      if (chain.length > 0 && chain[0].rationale !== why(number)) throw new Error(`forgotten-${number} is cut off`);
      return chain.length === 0;
    },
  },
  {
    operation: 'target_rename',
    prepare: (ask, number) => decide(ask, 'named', number),
    input: (number) => ({ from: `named-${number}`, to: `renamed-${number}` }),
    async happened(ask, number) {
      const { decision } = await ask('decision_get', { decision_id: idOf('named', number) });
      if (decision.rationale !== why(number)) throw new Error(`named-${number} is cut off`);
      return decision.target === `renamed-${number}`;
    },
  },
  {
    operation: 'instructions_governance_update',
    prepare: async (ask, number) => void (await ask('instructions_add', rule(`owned-${number}`, number))),
    input: (number) => ({ id: `owned-${number}`, patch: { owner: 'team-quality' }, bump: 'minor' }),
    async happened(ask, number) {
      const { item } = await ask('instructions_get', { id: `owned-${number}` });
      const changed = item.owner === 'team-quality';
      if (item.body !== why(number) || changed !== (item.version === '1.1.0'))
        throw new Error(`owned-${number} is mixed`);
      return changed;
    },
  },
  {
    operation: 'instructions_remove',
    prepare: async (ask, number) => void (await ask('instructions_add', rule(`gone-${number}`, number))),
    input: (number) => ({ ids: [`gone-${number}`] }),
    async happened(ask, number) {
      const { item, notFound } = await ask('instructions_get', { id: `gone-${number}` });
      if (notFound !== true && item.body !== why(number)) throw new Error(`gone-${number} is cut off`);
      return notFound === true;
    },
  },
  {
    operation: 'feedback_submit',
    input: (number) => ({
      type: 'other',
      severity: 'low',
      title: `Said ${number}`,
      description: why(number),
      tags: [`said-${number}`],
    }),
    async happened(ask, number) {
      const { entries } = await ask('feedback_list', { tags: [`said-${number}`] });
      const said = entries.find(({ title }: Message) => title === `Said ${number}`);
      if (said !== undefined && said.description !== why(number)) throw new Error(`Said ${number} is cut off`);
      return said !== undefined;
    },
  },
  {
    operation: 'session_start',
    input: (number) => ({ label: `session ${number}` }),
    happened: async (ask, number) =>
      (await ask('session_list', {})).sessions.some(({ label }: Message) => label === `session ${number}`),
  },
  {
    operation: 'keys_add',
    input: (number) => ({ name: `key ${number}`, role: 'viewer' }),
    happened: async (ask, number) =>
      (await ask('keys_list')).keys.some(({ name, role }: Message) => name === `key ${number}` && role === 'viewer'),
  },
  {
    operation: 'delete',
    prepare: async (ask, number) =>
      void (await ask('add', { name: `old/${number}.txt`, content: `${why(number)}\n`.repeat(200) })),
    input: (number) => ({ name: `old/${number}.txt`, exact: true }),
    async happened(ask, number) {
      const found = await ifThere(ask('get', { name: `old/${number}.txt`, include_content: true }));
      if (found !== undefined && found.content !== `${why(number)}\n`.repeat(200))
        throw new Error(`old/${number} is cut off`);
      return found === undefined;
    },
  },
  {
    operation: 'backup_create',
    prepare: async (ask, number) => void (await ask('instructions_add', rule(`kept-${number}`, number))),
    input: (number) => ({ reason: `backup ${number}` }),
    async happened(_ask, number, home) {
      const texts = await textsIn(join(home, 'backups'), /^instructions-.*\.json$/, (bytes) => bytes.toString());
      const found = texts.map((text) => JSON.parse(text)).find(({ reason }) => reason === `backup ${number}`);
      if (found !== undefined && JSON.parse(found.files[`kept-${number}.json`]).body !== why(number)) {
        throw new Error(`backup ${number} lacks what was there`);
      }
      return found !== undefined;
    },
  },
  {
    operation: 'export_memory_bundle',
    prepare: (ask, number) => decide(ask, 'exported', number),
    input: (number) => ({ output_filename: `bundle-${number}.tar.gz` }),
    async happened(_ask, number, home) {
      const bundles = await textsIn(join(home, 'backups'), new RegExp(`^bundle-${number}\\.tar\\.gz$`), (bytes) =>
        gunzipSync(bytes).toString(),
      );
      if (bundles.some((text) => !text.includes(why(number)))) throw new Error(`bundle ${number} is cut off`);
      return bundles.length === 1;
    },
  },
];

async function textsIn(folder: string, names: RegExp, read: (bytes: Buffer) => string): Promise<string[]> {
  const present = await readdir(folder).catch(() => []);
  return Promise.all(
    present.filter((name) => names.test(name)).map(async (name) => read(await readFile(join(folder, name)))),
  );
}

export const everyWriting: readonly HomeWriting[] = [...writings, ...others];

/** Without those that take longer the more there is, or of which only the last ones are kept. */
export const frequentWritings = everyWriting.filter(
  ({ operation }) => !['backup_create', 'export_memory_bundle', 'session_start'].includes(operation),
);
