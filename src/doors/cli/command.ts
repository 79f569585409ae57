/** The command line: finds out what was meant, runs it, and chooses the exit code. */
import { type CairnError, explain, toCairnError } from '../../errors.ts';
import { type SurfaceEntry, surface } from '../../operations/surface.ts';
import type { Setting } from '../../service/setting.ts';
import { settings } from '../../service/settings.ts';
import { version } from '../../version.ts';
import { badUsage, type FlagKind, parseArguments } from './arguments.ts';
import { type Command, commands, ownFlags, runDoctor, runFlags, runHookCommand, takesWords } from './commands.ts';
import { runVerb } from './documents/order.ts';
import { type FoundVerb, verbIn, verbs } from './documents/verbs.ts';
import { flagsOf, inputFrom } from './input.ts';
import { allowReaderToLeave, invocationOf, perform, printable, withApp } from './invocation.ts';

const globalFlags: ReadonlyMap<string, FlagKind> = new Map<string, FlagKind>([
  ['home', 'value'],
  ['json', 'bare'],
  ['help', 'bare'],
  ['version', 'bare'],
  ...Object.values(settings).flatMap((setting: Setting<unknown>): [string, FlagKind][] =>
    setting.flag === undefined ? [] : [[setting.flag, kindOf(setting)]],
  ),
]);

function kindOf({ bare, repeats }: Setting<unknown>): FlagKind {
  if (bare) return 'bare';
  return repeats ? 'list' : 'value';
}

export async function runCommandLine(argv: readonly string[]): Promise<number> {
  const json = argv.includes('--json');
  try {
    return await dispatch(argv);
  } catch (thrown) {
    const error = toCairnError(thrown);
    const { code, message, data } = error;
    process.stderr.write(
      json ? `${JSON.stringify({ error: { code, message, data } })}\n` : `cairn: ${printable(explained(error))}\n`,
    );
    return isUsage(error) ? 2 : 1;
  }
}

async function dispatch(argv: readonly string[]): Promise<number> {
  const lead = leadingWords(argv);
  if (lead[0] === 'help' || (lead.length === 0 && argv.some((token) => token === '--help' || token === '-h'))) {
    return showHelp(lead.slice(1));
  }
  if (lead.length === 0 && argv.includes('--version')) {
    process.stdout.write(`${version}\n`);
    return 0;
  }
  if (lead[0] === 'hook') return runHookCommand(argv);
  // A client that starts the program without a word wants a server; a person wants to know what there is.
  if (lead.length === 0) return process.stdin.isTTY && !wantsServer(argv) ? showHelp([]) : start('serve', argv);
  const name = [lead.slice(0, 2).join(' '), lead[0] ?? ''].find((words) => Object.hasOwn(commands, words));
  if (name !== undefined) return start(name, argv);
  const found = operationIn(lead);
  const verb = verbFor(lead, found);
  if (verb !== undefined) return startVerb(verb, argv);
  if (lead[0] === 'session' && !argv.some((token) => /^(?:--(?:action|help)\b|-h$)/.test(token)))
    throw sessionUsage(lead[1]);
  if (found === undefined) surface.resolve(lead.join('_'));
  return found === undefined ? 2 : runOperation(found.entry, found.used, argv);
}

/** S0: the program is started with flags of a server alone. */
function wantsServer(argv: readonly string[]): boolean {
  return argv.some((token) => /^--(?:dashboard|http)(?:=|$)/.test(token));
}

/** The words before the first flag that is not a global one: they name the command. */
function leadingWords(argv: readonly string[]): string[] {
  const leading: string[] = [];
  for (let index = 0; index < argv.length; index++) {
    const token = argv[index] ?? '';
    if (token === '--') break;
    const flag = /^--([^=]+)(=.*)?$/s.exec(token);
    if (flag === null) leading.push(token);
    else if (!globalFlags.has(flag[1] ?? '')) break;
    else if (globalFlags.get(flag[1] ?? '') !== 'bare' && flag[2] === undefined) index++;
  }
  return leading.filter((word) => word !== '-h');
}

/** `feedback list` is `feedback_list`: the longest run of words that names an operation. */
function operationIn(words: readonly string[]): { entry: SurfaceEntry; used: number } | undefined {
  // A name is made of words; what has other characters, as a path or a pattern has, is an argument.
  const named = words.findIndex((word) => !/^[A-Za-z][A-Za-z0-9_/.-]*$/.test(word) || word.endsWith('/'));
  for (let used = Math.min(named < 0 ? words.length : named, 6); used > 0; used--) {
    const entry = surface.find(words.slice(0, used).join('_'));
    if (entry !== undefined) return { entry, used };
  }
  return undefined;
}

/** A verb of the documents, unless the words name an operation by more of them. */
function verbFor(words: readonly string[], found: ReturnType<typeof operationIn>): FoundVerb | undefined {
  return verbIn(words, found && { name: found.entry.name, used: found.used });
}

async function startVerb(found: FoundVerb, argv: readonly string[]): Promise<number> {
  const code = await runVerb(found.verb, found.used, argv, globalFlags);
  return code === 'help' ? showHelp(found.verb.name.split(' ')) : code;
}

async function start(name: string, argv: readonly string[]): Promise<number> {
  const known = new Map([...globalFlags, ...(ownFlags[name] ?? [])]);
  const { words, flags } = parseArguments(argv, known);
  if (flags.help) return showHelp([]);
  for (const [documented, flag] of name === 'run' || name === 'serve' ? Object.entries(runFlags) : []) {
    if (flags[documented] !== undefined) flags[flag] ??= flags[documented];
  }
  const rest = words.slice(name.split(' ').length);
  if (rest.length > 0 && !takesWords.has(name))
    throw badUsage(`${JSON.stringify(rest[0])} is one word too many for ${name}`);
  if (name === 'doctor') return runDoctor(flags);
  // The home that it makes need not be the one that a command would find.
  if (name === 'init') flags.home = (await import('./init.ts')).placeForHome(rest, flags, process.cwd());
  return withApp(flags, (app) => (commands[name] as Command)(invocationOf(app, rest, flags)));
}

async function runOperation(entry: SurfaceEntry, used: number, argv: readonly string[]): Promise<number> {
  const { words, flags } = parseArguments(argv, new Map([...globalFlags, ...flagsOf(entry)]));
  if (flags.help) return showHelp([entry.name]);
  const input = inputFrom(entry, words.slice(used), flags);
  allowReaderToLeave();
  // A parameter of the operation that shares its name with a setting (as role does for keys add) is the parameter.
  const shadowed = new Set(flagsOf(entry).keys());
  const own = Object.fromEntries(Object.entries(flags).filter(([flag]) => !shadowed.has(flag)));
  return withApp(own, (app) => perform(invocationOf(app, words, own), entry, input));
}

async function showHelp(words: readonly string[]): Promise<number> {
  const { generalHelp, operationHelp } = await import('./help.ts');
  const { sessionHelp, verbHelp } = await import('./documents/help.ts');
  const found = operationIn(words);
  const verb = verbFor(words, found);
  if (verb !== undefined || words.join(' ') === 'session') {
    process.stdout.write(verb === undefined ? sessionHelp() : verbHelp(verb.verb));
    return 0;
  }
  const known = words.length === 0 || found !== undefined || Object.hasOwn(commands, words[0] ?? '');
  if (!known) surface.resolve(words.join('_'));
  process.stdout.write(found === undefined ? generalHelp() : operationHelp(found.entry));
  return 0;
}

function sessionUsage(word: string | undefined): CairnError {
  const actions = verbs.flatMap(({ name }) => /^session (.*)/.exec(name)?.[1] ?? []);
  const said = word === undefined ? '' : `, not ${JSON.stringify(word)}`;
  return badUsage(`session takes one of ${actions.join(', ')}${said}`, 'cairn help session says what each does.');
}

/** With what the error lists: to say that several are meant helps who learns which. */
function explained(error: CairnError): string {
  const { documents, hashes } = error.detail;
  const listed = [documents, hashes].flatMap((each) => (Array.isArray(each) ? each : []));
  return [explain(error), ...listed.map((each) => `  ${String(each)}`)].join('\n');
}

function isUsage({ kind }: CairnError): boolean {
  return kind === 'invalid_params' || kind === 'unknown_operation' || kind === 'bad_configuration';
}
