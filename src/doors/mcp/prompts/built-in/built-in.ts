/**
 * What a prompt that comes with Cairn is: its arguments, and the text it makes of them. The text names tools with arguments
 * that work as they stand, one call a line, so that an agent can make them without asking for a schema first.
 */
import { nearest } from '../../../../operations/names.ts';
import type { Choices } from '../complete.ts';
import { type Listing, quoted, refusal } from '../prompt.ts';

export interface Argument {
  readonly name: string;
  readonly description: string;
  readonly required?: boolean;
  /** Characters; what it is passed on to has such a limit too. */
  readonly longest: number;
  readonly oneOf?: readonly string[];
  readonly choices?: Choices;
}

export type Given = Readonly<Record<string, string>>;

/** What the text depends on besides the arguments. */
export interface Situation {
  readonly mayWrite: boolean;
  readonly now: Date;
}

export interface BuiltIn {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly Argument[];
  text(given: Given, situation: Situation): string;
}

export function listingOf({ name, title, description, arguments: all }: BuiltIn): Listing {
  const shown = all.map((each) => ({
    name: each.name,
    description: each.description,
    ...(each.required && { required: true }),
  }));
  return { name, title, description, arguments: shown };
}

/** The arguments as they may be used. A blank one counts as left out: that is how many clients send an empty field. */
export function checked({ name: prompt, arguments: declared }: BuiltIn, sent: Given): Given {
  const fields = new Map(Object.entries(sent));
  for (const name of fields.keys()) {
    if (!declared.some((each) => each.name === name)) throw unknownArgument(prompt, name, declared);
  }
  const kept = declared.flatMap((argument) => {
    const value = fields.get(argument.name) ?? '';
    if (value.trim() !== '') return [[argument.name, allowed(prompt, argument, value)] as const];
    if (!argument.required) return [];
    throw refusal(`The prompt ${prompt} needs the argument ${argument.name}: ${argument.description}`);
  });
  return Object.fromEntries(kept);
}

function allowed(prompt: string, { name, longest, oneOf }: Argument, value: string): string {
  if (value.length > longest) {
    throw refusal(`The argument ${name} of ${prompt} has ${value.length} characters; at most ${longest} are allowed.`);
  }
  if (oneOf !== undefined && !oneOf.includes(value)) {
    throw refusal(`The argument ${name} of ${prompt} is one of ${oneOf.join(', ')}, not ${quoted(value)}.`);
  }
  return value;
}

export function unknownArgument(prompt: string, name: string, declared: readonly { readonly name: string }[]) {
  const names = declared.map((each) => each.name);
  const [near] = nearest(name, names, 1);
  const hint = near === undefined ? '' : ` Did you mean ${near}?`;
  const takes = names.length === 0 ? 'takes no arguments' : `takes ${names.join(', ')}`;
  return refusal(`The prompt ${prompt} has no argument ${quoted(name)}: it ${takes}.${hint}`);
}
