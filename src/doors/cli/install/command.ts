/** `cairn install CLIENT` and `cairn uninstall CLIENT`: from words and flags to a plan, and from a plan to an answer. */
import { badUsage, type Flags } from '../arguments.ts';
import { type Client, clientFacts, clients, type Scope } from './clients.ts';
import type { Call } from './hook.ts';
import { commandFrom } from './invocation.ts';
import { apply, diffOf, type FileAction, type InstallOptions, type Plan, plan, planUndo } from './plan.ts';
import { projectContext, shadowName } from './shadow.ts';

export interface InstallRequest {
  /** The words after the command: the client. */
  readonly words: readonly string[];
  readonly flags: Flags;
  /** Runs an operation; only a shadow file needs it. */
  readonly call?: Call;
  /** What flags do not say, as tests do: the user's folder, the platform. */
  readonly defaults?: InstallOptions;
}

export interface InstallResult {
  readonly client: Client;
  readonly scope: Scope;
  readonly files: readonly { readonly path: string; readonly action: FileAction }[];
  readonly hooks: boolean;
  readonly notes: readonly string[];
  readonly next: string;
  /** Only for `--dry-run`: what would change. */
  readonly diff?: string;
}

export interface InstallAnswer {
  readonly exitCode: number;
  readonly result: InstallResult;
  /** For a person. */
  readonly text: string;
}

export async function installCommand({ words, flags, call, defaults = {} }: InstallRequest): Promise<InstallAnswer> {
  const client = clientIn(words, 'install');
  const options = await withShadow(client, { ...defaults, ...optionsFrom(flags) }, flags, call);
  const planned = await plan(client, options);
  if (flags['dry-run'] !== true) await apply(planned);
  return answerOf(planned, flags, clientFacts[client].next, installedText);
}

export async function uninstallCommand({ words, flags, defaults = {} }: InstallRequest): Promise<InstallAnswer> {
  const client = clientIn(words, 'uninstall');
  const planned = await planUndo(client, { ...defaults, ...optionsFrom(flags) });
  if (flags['dry-run'] !== true) await apply(planned);
  return answerOf(planned, flags, `Start ${clientFacts[client].name} anew to let it forget Cairn.`, uninstalledText);
}

function clientIn(words: readonly string[], command: string): Client {
  const [word, ...more] = words;
  const known = clients.find((name) => name === word?.toLowerCase());
  if (known !== undefined && more.length === 0) return known;
  const what =
    word === undefined ? 'needs a client' : known ? 'takes one client' : `does not know ${JSON.stringify(word)}`;
  throw badUsage(`${command} ${what}; there are ${clients.join(', ')}`, `Try cairn ${command} claude --dry-run.`);
}

function optionsFrom(flags: Flags): InstallOptions {
  const { path, scope, command, home, hooks, force } = flags;
  if (scope !== undefined && scope !== 'project' && scope !== 'user') {
    throw badUsage(`--scope is ${JSON.stringify(scope)}; allowed is project, user`);
  }
  if (path === '') throw badUsage('--path is ""; allowed is a folder');
  const words = typeof command === 'string' ? commandFrom(command) : undefined;
  if (words?.length === 0) throw badUsage('--command is empty; allowed is what starts Cairn, as in "npx -y cairn-mcp"');
  return {
    ...(typeof path === 'string' && { project: path }),
    ...(scope !== undefined && { scope }),
    ...(words !== undefined && { command: words }),
    ...(typeof home === 'string' && home !== '' && { cairnHome: home }),
    ...(typeof hooks === 'boolean' && { hooks }),
    ...(force === true && { force }),
  };
}

async function withShadow(client: Client, options: InstallOptions, flags: Flags, call?: Call): Promise<InstallOptions> {
  const { shadow } = flags;
  if (shadow === undefined || shadow === false || Array.isArray(shadow)) return options;
  if (client !== 'vscode') throw badUsage('--shadow is for vscode; the other clients have hooks');
  if (options.scope === 'user') throw badUsage('--shadow belongs to a project; leave out --scope user');
  const context = call === undefined ? '' : await projectContext(call, options.project ?? process.cwd());
  return { ...options, shadow: { name: shadowName(shadow), context } };
}

function answerOf(planned: Plan, flags: Flags, next: string, text: (result: InstallResult) => string): InstallAnswer {
  const files = planned.files.map(({ path, action }) => ({ path, action }));
  const dry = flags['dry-run'] === true;
  const { client, scope, hooks, notes } = planned;
  const result = { client, scope, files, hooks, notes, next, ...(dry && { diff: diffOf(planned) }) };
  return { exitCode: 0, result, text: dry ? dryText(result) : text(result) };
}

function dryText({ diff = '', notes }: InstallResult): string {
  const lines =
    diff === '' ? ['Nothing would change.'] : [diff, '', 'Nothing was written; without --dry-run this would be.'];
  return [...lines, ...notes.map((note) => `! ${note}`)].join('\n');
}

function installedText(result: InstallResult): string {
  const { name } = clientFacts[result.client];
  const done = result.files.some(({ action }) => action !== 'unchanged');
  if (!done) return [`${name} has Cairn already: nothing was changed.`, ...noteLines(result)].join('\n');
  const undo = `cairn uninstall ${result.client}${result.scope === clientFacts[result.client].scope ? '' : ` --scope ${result.scope}`}`;
  return [
    `Cairn is registered with ${name}.`,
    ...fileLines(result),
    ...noteLines(result),
    result.next,
    `To undo: ${undo}`,
  ].join('\n');
}

function uninstalledText(result: InstallResult): string {
  const { name } = clientFacts[result.client];
  const done = result.files.some(({ action }) => action !== 'unchanged');
  if (!done) return [`Cairn is not installed for ${name} here: nothing was changed.`, ...noteLines(result)].join('\n');
  return [`Cairn is taken out of ${name}.`, ...fileLines(result), ...noteLines(result), result.next].join('\n');
}

function fileLines({ files }: InstallResult): string[] {
  return files.map(({ path, action }) => `  ${action.padEnd(9)} ${path}`);
}

function noteLines({ notes }: InstallResult): string[] {
  return notes.map((note) => `! ${note}`);
}
