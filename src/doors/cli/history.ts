/** `cairn history ID [VERSION]`, for instructions and decisions alike, and `cairn history restore ID VERSION`. */
import { call } from '../../operations/call.ts';
import { badUsage } from './arguments.ts';
import { type Invocation, principalAt } from './invocation.ts';

interface Version {
  readonly commit: string;
  readonly time: string;
  readonly author: string;
  readonly message: string;
  readonly removed: boolean;
}

interface Answer {
  readonly versions?: readonly Version[];
  readonly entry?: Readonly<Record<string, unknown>>;
  readonly text?: string;
  readonly status?: string;
  readonly message?: string;
  readonly error?: unknown;
}

const newTruth = 'record what holds now with supersede_decision.';

export async function historyCommand({ app, words, flags, print }: Invocation): Promise<number> {
  const principal = principalAt(app.config);
  const run = (operation: string, input: object) => call(app, { operation, input, principal }) as Promise<Answer>;
  const [first, second, third, ...more] = words;
  if (first === 'restore' && second !== undefined && third !== undefined && more.length === 0) {
    if (isDecision(second)) throw badUsage(`${second} is a decision, and the past of one stays: ${newTruth}`);
    const restored = await run('instruction_restore', { id: second, commit: third });
    print(restored);
    return restored.error === undefined ? 0 : 1;
  }
  if (first === undefined || third !== undefined) {
    throw badUsage('history needs an id, as in cairn history review-small, and may take a version from its list');
  }
  const limit = typeof flags.limit === 'string' ? { limit: Number(flags.limit) } : {};
  const asked = { ...(second !== undefined && { commit: second }), ...limit };
  const answer = isDecision(first)
    ? await run('decision_history', { decision_id: first, ...asked })
    : await run('instruction_history', { id: first, ...asked });
  print(answer, () => historyText(first, answer));
  return answer.status === 'error' ? 1 : 0;
}

/** The ids of decisions begin with a day, or say what they are; those of instructions never do. */
function isDecision(id: string): boolean {
  return /^(?:decisions\/|(?:proposal_)?\d{4}-\d\d-\d\d_)|\.md$/.test(id);
}

function historyText(id: string, { versions, entry, text, status, message }: Answer): string {
  if (status === 'error') return message ?? 'Nothing was found.';
  if (versions === undefined) return text ?? String(entry?.body ?? JSON.stringify(entry));
  const rows = versions.map(({ commit, time, author, message: said, removed }) => {
    const [subject = ''] = said.split('\n');
    return `${commit.slice(0, 12).padEnd(12)}  ${time.slice(0, 16).replace('T', ' ')}  ${author}  ${removed ? 'removed: ' : ''}${subject}`;
  });
  const back = isDecision(id) ? newTruth : `cairn history restore ${id} VERSION makes it the present one.`;
  return [...rows, '', `cairn history ${id} VERSION shows one; ${back}`].join('\n');
}
