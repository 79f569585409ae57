/** `prompts/list`, `prompts/get` and completion, over the three sources of prompts in prompts/. */
import type { GetPromptResult, Prompt } from '@modelcontextprotocol/server';
import { explain, toCairnError } from '../../errors.ts';
import { nearest } from '../../operations/names.ts';
import { may } from '../../service/principal.ts';
import { checked, type Given, listingOf, type Situation, unknownArgument } from './prompts/built-in/built-in.ts';
import { builtIns } from './prompts/built-in/index.ts';
import { instructionPrompts } from './prompts/catalog.ts';
import { type Completion, completionOf, none } from './prompts/complete.ts';
import { filePrompts, readFilePrompt } from './prompts/files.ts';
import { type Asking, message, quoted, refusal } from './prompts/prompt.ts';

const MOST = 500;

export async function listPrompts(asking: Asking): Promise<Prompt[]> {
  const [files, instructions] = [await filePrompts(asking), await instructionPrompts(asking)];
  const written = new Map<string, Prompt>();
  for (const { name, description } of [...files, ...instructions]) {
    if (!written.has(name)) written.set(name, { name, description: described(name, description) });
  }
  const own = [...builtIns.values()].filter(({ name }) => !written.has(name)).map(listingOf);
  return [...own, ...written.values()].slice(0, MOST);
}

export async function getPrompt(asking: Asking, name: string, given: Given = {}): Promise<GetPromptResult> {
  const file = await readFilePrompt(asking, name);
  if (file !== undefined && 'text' in file) {
    takesNone(name, given);
    return {
      description: described(name, file.prompt.description),
      messages: [message('assistant', file.text)],
    };
  }
  const instructions = await instructionPrompts(asking);
  const instruction = instructions.find((each) => each.name === name);
  if (instruction !== undefined) {
    takesNone(name, given);
    return { description: described(name, instruction.description), messages: [message('user', instruction.text)] };
  }
  const builtIn = builtIns.get(name);
  if (builtIn !== undefined) {
    const text = builtIn.text(checked(builtIn, given), situationOf(asking));
    return { description: builtIn.description, messages: [message('user', text)] };
  }
  if (file !== undefined) throw refusal(`The prompt ${quoted(name)} cannot be given: ${file.problem}.`);
  const names = [...builtIns.keys(), ...instructions.map((each) => each.name)];
  throw unknownPrompt(name, [...names, ...(await filePrompts(asking)).map((each) => each.name)]);
}

/** Values for an argument of a prompt, for `completion/complete`. One that cannot be completed has none. */
export async function completePrompt(
  asking: Asking,
  name: string,
  argument: { readonly name: string; readonly value: string },
  others: Given = {},
): Promise<Completion> {
  const choices = builtIns.get(name)?.arguments.find((each) => each.name === argument.name)?.choices;
  if (choices === undefined) return none;
  try {
    return completionOf(argument.value, await choices(asking, others));
  } catch (thrown) {
    asking.app.log.debug('No values to complete with', { prompt: name, reason: explain(toCairnError(thrown)) });
    return none;
  }
}

function described(name: string, description: string): string {
  return builtIns.has(name) ? `${description} (in place of the built-in ${name})` : description;
}

function situationOf({ app, principal }: Asking): Situation {
  return { mayWrite: may(principal, 'write') && !app.config.readOnly, now: new Date() };
}

function takesNone(name: string, given: Given): void {
  const [first] = Object.keys(given);
  if (first !== undefined) throw unknownArgument(name, first, []);
}

function unknownPrompt(name: string, names: readonly string[]) {
  const near = nearest(name, new Set(names));
  const hint = near.length > 0 ? ` Did you mean ${near.join(', ')}?` : ' prompts/list names them all.';
  return refusal(`No prompt is called ${quoted(name)}.${hint}`, { nearest: near });
}
