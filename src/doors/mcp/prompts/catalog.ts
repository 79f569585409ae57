/** Instructions of the category `prompt` as prompts: approved ones, by their id with `_` for `-` and `.`. */
import { explain, toCairnError } from '../../../errors.ts';
import { call } from '../../../operations/call.ts';
import type { Asking, WrittenPrompt } from './prompt.ts';

const MOST = 500;

export interface InstructionPrompt extends WrittenPrompt {
  readonly text: string;
}

interface Answer {
  readonly items: readonly { readonly id: string; readonly title: string; readonly body: string }[];
}

/** One for each name, in the order of their ids. A catalog that cannot be read has none. */
export async function instructionPrompts(asking: Asking): Promise<InstructionPrompt[]> {
  const found = new Map<string, InstructionPrompt>();
  for (const { id, title, body } of await approved(asking)) {
    const name = id.replace(/[-.]/g, '_');
    if (!found.has(name)) found.set(name, { name, description: title, text: body });
  }
  return [...found.values()];
}

async function approved({ app, principal, signal }: Asking): Promise<Answer['items']> {
  const input = { filters: { categories: ['prompt'], status: ['approved'] }, limit: MOST };
  try {
    const answer = await call(app, { operation: 'instructions_query', input, principal, ...(signal && { signal }) });
    return (answer as Answer).items;
  } catch (thrown) {
    app.log.warn('The instructions of category prompt cannot be read', { reason: explain(toCairnError(thrown)) });
    return [];
  }
}
