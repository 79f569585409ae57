/** Help that teaches: what Cairn is for, what to type first, and for each operation a command that works. */
import { families } from '../../operations/operation.ts';
import { type SurfaceEntry, surface } from '../../operations/surface.ts';
import type { Setting } from '../../service/setting.ts';
import { settings } from '../../service/settings.ts';
import { version } from '../../version.ts';
import { verbs } from './documents/verbs.ts';
import { flagFor, type Property, propertiesOf } from './input.ts';

const commands: readonly [string, string][] = [
  ['serve', 'MCP and raw JSON-RPC on stdin and stdout: what a client starts'],
  ['serve --http [HOST:]PORT', 'REST, MCP, events and the dashboard over HTTP'],
  ['signin', 'a link that signs you in at the dashboard of a running server, once'],
  ["call NAME '{…}'", 'one operation with JSON arguments ("-" reads them from stdin)'],
  ['describe [NAME]', 'all operations, or one with schema and example'],
  ['config', 'every setting, its value and where it came from'],
  ['doctor', 'what is wrong, and how to mend it'],
  ['init [DIR]', 'makes .cairn in a project, and offers to import its rules and to index its source; --yes takes all'],
  ['import PATH', 'instructions of another tool: AGENTS.md, Copilot or Cursor rules, a catalog'],
  [
    'import KIND PATH',
    'moves in from ledgermind, index-server or yams, and says what was taken; --dry-run only says it',
  ],
  ['due', 'instructions whose review is due or that are stale, by owner'],
  ['why TARGET', 'how a decision came about: its chain as a timeline'],
  [
    'history ID [VERSION]',
    'earlier versions of an instruction or decision; history restore ID VERSION brings an instruction back',
  ],
  ['install CLIENT', 'registers Cairn with claude, codex, cursor, gemini or vscode; --dry-run shows what would change'],
  ['uninstall CLIENT', 'takes that back, to the byte'],
  ['gates, review FILE…', 'policy gates and prompts, for CI: --format text|json|sarif|junit'],
  ['backup create', 'a copy of all instructions; also backup list, backup restore NAME [--replace --confirm]'],
  ['store status', 'where everything is kept: the home, or PostgreSQL (--store, CAIRN_STORE)'],
  ['store put FILE…', 'brings gates.json, owners.json, prompt-criteria.json or targets.json into the store'],
  ['store migrate FROM TO', 'moves a home to PostgreSQL or back, compared by hash; an interrupted move goes on'],
  ['audit export', 'the audit trail as JSON lines'],
  ['keys add NAME --role ROLE', 'an API key for HTTP; also keys list, keys revoke ID'],
];

export function generalHelp(): string {
  const flags = Object.values(settings)
    .filter((setting: Setting<unknown>) => setting.flag !== undefined)
    .map((setting: Setting<unknown>): [string, string] => [
      `--${setting.flag}${setting.bare ? '' : ' VALUE'}`,
      setting.about,
    ]);
  return `Cairn ${version}: the knowledge server for teams of people and coding agents.

Try
  cairn init                         makes a home for this project, and offers to fill it
  cairn doctor                       is everything in order?
  cairn describe                     what can it do?
  cairn mcp_echo hello               one call
  cairn serve --http 8787            serve this project's knowledge to agents

Commands
${table(commands)}

Documents
${table(verbs.map(({ name, usage, about }) => [usage === '' ? name : `${name} ${usage}`, about]))}

Every operation is a command as well: cairn NAME [WORD…] [--flag VALUE…], with spaces or underscores in the name
(cairn feedback list --limit 5). cairn NAME --help shows its parameters.
${operationList()}

Flags of every command
${table([['--home DIR', 'the folder that holds the knowledge'], ['--json', 'JSON even on a terminal'], ...flags])}

On a terminal the answer is text, otherwise JSON. Exit codes: 0 done, 1 failed, 2 bad usage.
`;
}

function operationList(): string {
  const rows = families.map((family): [string, string] => [
    family,
    surface.entries
      .filter((entry) => entry.family === family)
      .map(({ name }) => name)
      .join(', '),
  ]);
  return rows.map(([family, names]) => wrap(`  ${family}: ${names}`, 116, '    ')).join('\n');
}

export function operationHelp(entry: SurfaceEntry): string {
  const required = new Set((entry.inputSchema.required ?? []) as string[]);
  const rows = propertiesOf(entry).map(([name, property]): [string, string] => [
    `--${flagFor(name)}${property.type === 'boolean' ? '' : ` ${placeholder(property)}`}`,
    parameterFacts(property, required.has(name)),
  ]);
  const words = entry.positional.map((name) => ` [${name.toUpperCase()}]`).join('');
  const facts = [
    `capability ${entry.capability}`,
    entry.writes ? 'writes' : 'reads',
    ...(entry.mutation ? ['needs MCP_ENABLE_MUTATION=1, except for a person at a terminal'] : []),
    ...(entry.spellings.length > 0 ? [`also ${entry.spellings.join(', ')}`] : []),
  ];
  return `cairn ${entry.name.replaceAll('_', ' ')}${words}${rows.length > 0 ? ' [flags]' : ''}

${wrap(entry.description, 116, '')}
(${facts.join('; ')})

${rows.length > 0 ? `Parameters\n${table(rows)}\n\n` : ''}Example
  cairn call ${entry.name} '${JSON.stringify(entry.example.input)}'
`;
}

export function placeholder({ type, enum: values, items }: Property): string {
  if (values) return values.join('|');
  return type === 'array' ? `${items?.type ?? 'value'}…` : (type ?? 'json');
}

export function parameterFacts({ description = '', default: initial }: Property, required: boolean): string {
  const note = required ? '(required)' : initial === undefined ? '' : `(default ${JSON.stringify(initial)})`;
  return [description, note].filter((part) => part !== '').join(' ');
}

export function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.min(34, Math.max(...rows.map(([left]) => left.length)) + 2);
  return rows.map(([left, right]) => wrap(`  ${left.padEnd(width)} ${right}`, 116, ' '.repeat(width + 3))).join('\n');
}

export function wrap(text: string, width: number, indent: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/(?<=\S) (?=\S)/)) {
    if (line !== '' && line.length + word.length >= width) {
      lines.push(line);
      line = `${indent}${word}`;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join('\n');
}
