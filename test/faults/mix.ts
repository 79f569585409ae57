/** What busy clients ask for: mostly reads over all kinds of knowledge, and every twentieth call a write. */
import type { Message } from '../support/cairn.ts';

export interface Asked {
  readonly operation: string;
  readonly input: Message;
  /** Whether the answer is one to that very question. */
  readonly right: (result: Message) => boolean;
}

/** So many of each kind there are; writes go over them again, so that a long run does not fill the home. */
const THINGS = 15;
const body = (number: number) => `Number ${number} was weighed against the others and found better, time and again.`;

const quick: ((number: number) => Asked)[] = [
  (number) => asked('mcp_echo', { message: `m${number}` }, ({ message }) => message === `m${number}`),
  (number) => {
    const id = `rule-${number % THINGS}`;
    return asked('instructions_get', { id }, ({ item }) => item?.id === id);
  },
  () => asked('instructions_list', { limit: 2 }, ({ items }) => items?.length === 2),
  (number) => {
    const target = `target-${number % THINGS}`;
    return asked('decision_chain', { target }, ({ chain }) => chain?.at(-1)?.target === target);
  },
  (number) => {
    const name = `notes/${number % THINGS}.txt`;
    return asked('get', { name, include_content: true }, ({ content }) => String(content).startsWith('Number'));
  },
  () => asked('list', { limit: 5 }, ({ total }) => total === THINGS),
  () => asked('event_search', { query: 'Question', limit: 3 }, ({ events }) => events?.length > 0),
  () => asked('health_check', {}, (result) => result !== undefined),
  () => asked('feedback_health', {}, (result) => result !== undefined),
];

const searches: ((number: number) => Asked)[] = [
  () => asked('instructions_search', { q: 'weighed' }, ({ items }) => items?.length > 0),
  () => asked('search_decisions', { query: 'weighed' }, ({ status }) => status === 'success'),
  (number) => {
    const wanted = `Number ${number % THINGS} was`;
    // Where the document was written over since, there is nothing to find.
    return asked('grep', { pattern: wanted }, ({ matches }) => isList(matches) && matches.every(has(wanted)));
  },
  () => asked('search', { query: 'weighed', limit: 3 }, ({ results }) => results?.length === 3),
];
const reads = [...quick, ...quick, ...searches, ...quick];

const writes: ((number: number) => Asked)[] = [
  (number) =>
    asked('instructions_add', {
      entry: { id: `rule-${number % THINGS}`, title: 'A rule', body: body(number), owner: 'ann', priority: 20 },
      lax: true,
      overwrite: true,
    }),
  (number) => asked('add', { name: `notes/${number % THINGS}.txt`, content: `${body(number)}\n`.repeat(20) }),
  (number) => asked('record_interaction', { prompt: `Question ${number}?`, response: body(number) }),
  (number) => asked('feedback_submit', { type: 'other', severity: 'low', title: `${number}`, description: 'So.' }),
];

const isList = (value: unknown): value is Message[] => Array.isArray(value);
const has = (text: string) => (match: Message) => String(match.text).includes(text);

function asked(operation: string, input: Message, right: Asked['right'] = ({ status }) => status !== 'error'): Asked {
  return { operation, input, right };
}

export function mixed(number: number): Asked {
  const kinds = number % 20 === 19 ? writes : reads;
  const kind = kinds[Math.floor(number / (kinds === writes ? 20 : 1)) % kinds.length];
  if (kind === undefined) throw new Error(`There is no kind for ${number}`);
  return kind(number);
}

/** What has to be there before. */
export function beginnings(): Asked[] {
  return Array.from({ length: THINGS }, (_, number) => [
    ...writes.map((write) => write(number)),
    asked('record_decision', { title: `D ${number}`, target: `target-${number}`, rationale: body(number) }),
  ]).flat();
}
