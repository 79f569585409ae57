/** The help of a verb: what it does, its flags, and commands that work. */
import { parameterFacts, placeholder, table, wrap } from '../help.ts';
import { flagFor, type Property, propertiesOf } from '../input.ts';
import { entryOf, textFlag } from './order.ts';
import { sessionVerbs } from './session-verbs.ts';
import type { Verb } from './verb.ts';

const WIDTH = 116;

export function verbHelp(verb: Verb): string {
  const { name, usage, about, notes, examples } = verb;
  const parts = [
    `cairn ${name}${usage === '' ? '' : ` ${usage}`} [flags]\n\n${wrap(sentence(about), WIDTH, '')}`,
    ...(notes === undefined ? [] : [wrap(notes, WIDTH, '')]),
    `Flags\n${table(flagRows(verb))}`,
    `Examples\n${exampleLines(examples)}`,
  ];
  return `${parts.join('\n\n')}\n`;
}

export function sessionHelp(): string {
  const rows = sessionVerbs.map(({ name, usage, about }): [string, string] => [
    `cairn ${name} ${usage}`.trimEnd(),
    about,
  ]);
  return `cairn session start|stop|pin|unpin|watch|list\n\n${table(rows)}\n\ncairn session start --help shows the flags of one.\n`;
}

function flagRows(verb: Verb): [string, string][] {
  const { spoken = [], flags = {}, aliases = {}, letters = {} } = verb;
  const entry = entryOf(verb);
  const required = new Set((entry?.inputSchema.required ?? []) as string[]);
  const names = (flag: string) => [
    ...Object.entries(letters).flatMap(([letter, own]) => (own === flag ? [`-${letter}`] : [])),
    ...Object.entries(aliases).flatMap(([alias, own]) => (own === flag ? [`--${alias}`] : [])),
    `--${flag}`,
  ];
  const own = Object.entries({ ...Object.fromEntries([textFlag]), ...flags });
  return [
    ...(entry === undefined ? [] : propertiesOf(entry))
      .filter(([name]) => !spoken.includes(name))
      .map(([name, property]): [string, string] => [
        `${names(flagFor(name)).join(', ')}${property.type === 'boolean' ? '' : ` ${placeholder(property)}`}`,
        factsOf(name, property, required.has(name)),
      ]),
    ...own.map(([name, [kind, what]]): [string, string] => [
      `${names(name).join(', ')}${kind === 'bare' ? '' : ' VALUE'}`,
      what,
    ]),
    ['--json', 'JSON even on a terminal'],
  ];
}

/** What a flag means that the schema of a parameter leaves to its name. */
const meanings: Readonly<Record<string, string>> = {
  collection: 'The collection.',
  exclude_patterns: 'Leaves out what fits, such as *.log.',
  ignore_case: 'Upper and lower case alike.',
  include_patterns: 'Only what fits, such as *.md.',
  limit: 'At most so many.',
  metadata: 'Facts to keep with each, as JSON.',
  offset: 'After so many.',
  paths_only: 'Only the paths.',
  dry_run: 'Shows what would be done, and does nothing.',
  overwrite: 'Replaces files that are there.',
  tag: 'Only what has this tag.',
  tags: 'For each document; repeated for several.',
};

/** Without the defaults that go without saying. */
function factsOf(name: string, { description, default: initial, ...property }: Property, required: boolean): string {
  const said = description ?? meanings[name];
  const told = initial !== undefined && !['false', '[]', '{}'].includes(JSON.stringify(initial));
  return parameterFacts(
    { ...property, ...(said !== undefined && { description: said }), ...(told && { default: initial }) },
    required,
  );
}

function exampleLines(examples: Verb['examples']): string {
  return examples.map(([line, what]) => (what === '' ? `  ${line}` : `  ${line}\n      ${what}`)).join('\n');
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
