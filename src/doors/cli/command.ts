/** The command line: finds out what was meant, makes the app, runs it, prints the answer, and chooses the exit code. */
import { readFileSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { CairnError, explain, toCairnError } from '../../errors.ts';
import { call } from '../../operations/call.ts';
import { refused, type SurfaceEntry, surface } from '../../operations/surface.ts';
import { type App, createApp } from '../../service/app.ts';
import { type Config, resolveConfig } from '../../service/config.ts';
import { findHome } from '../../service/home.ts';
import type { Principal } from '../../service/principal.ts';
import type { Setting } from '../../service/setting.ts';
import { settings } from '../../service/settings.ts';
import { version } from '../../version.ts';
import { render } from '../text.ts';
import { badUsage, type FlagKind, type Flags, parseArguments } from './arguments.ts';
import { flagsOf, inputFrom, jsonOf } from './input.ts';
import { progressBar } from './progress.ts';
import type { CheckReport } from './report.ts';

export interface Invocation {
  readonly app: App;
  readonly words: readonly string[];
  readonly flags: Flags;
  /** Text for a person rather than JSON for a program. */
  readonly human: boolean;
  print(result: unknown, asText?: () => string): void;
}

type Command = (invocation: Invocation) => Promise<number>;

const globalFlags: ReadonlyMap<string, FlagKind> = new Map<string, FlagKind>([
  ['home', 'value'],
  ['json', 'bare'],
  ['help', 'bare'],
  ['version', 'bare'],
  ...Object.values(settings).flatMap((setting: Setting<unknown>): [string, FlagKind][] =>
    setting.flag === undefined ? [] : [[setting.flag, setting.bare ? 'bare' : 'value']],
  ),
]);

const commands: Readonly<Record<string, Command>> = {
  serve: async ({ app }) => (await import('../serve.ts')).serve(app),
  run: async ({ app }) => (await import('../serve.ts')).serve(app),
  call: callByName,
  config: async ({ app, print }) => {
    const { settingRows, settingsText } = await import('./settings-page.ts');
    const rows = settingRows(app.config);
    print({ settings: rows }, () => settingsText(rows));
    return 0;
  },
  doctor: async ({ app, print }) => {
    const { diagnose, diagnosisText } = await import('./doctor.ts');
    const diagnosis = await diagnose(app, principalAt(app.config));
    print(diagnosis, () => diagnosisText(diagnosis));
    return diagnosis.healthy ? 0 : 1;
  },
  'audit export': exportAudit,
  review: async (invocation) => {
    const { reviewFiles } = await import('./checks.ts');
    return report(invocation, await reviewFiles(invocation.app, principalAt(invocation.app.config), invocation.words));
  },
  gates: async (invocation) => {
    const { evaluateGates } = await import('./checks.ts');
    return report(invocation, await evaluateGates(invocation.app, principalAt(invocation.app.config)));
  },
  due: async ({ app, print }) => {
    const { dueByOwner, dueText } = await import('./checks.ts');
    const due = await dueByOwner(app, principalAt(app.config));
    print(due, () => dueText(due));
    return 0;
  },
  import: importSource,
  verify: verifyAll,
};

/** Words that a command takes; the others take none. */
const takesWords = new Set(['call', 'review', 'import']);

/** Flags of seed 003's `run` under their documented names, and what they are here. */
const runFlags: Readonly<Record<string, string>> = { path: 'home', 'rest-port': 'http' };

/** Flags of single commands, besides those of every command. */
const ownFlags: Readonly<Record<string, ReadonlyMap<string, FlagKind>>> = {
  run: new Map(Object.keys(runFlags).map((flag) => [flag, 'value'])),
  review: new Map([['format', 'value']]),
  gates: new Map([['format', 'value']]),
  import: new Map([['mode', 'value']]),
};

export async function runCommandLine(argv: readonly string[]): Promise<number> {
  const json = argv.includes('--json');
  try {
    return await dispatch(argv);
  } catch (thrown) {
    const error = toCairnError(thrown);
    const { code, message, data } = error;
    process.stderr.write(
      json ? `${JSON.stringify({ error: { code, message, data } })}\n` : `cairn: ${explain(error)}\n`,
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
  // A client that starts the program without a word wants a server; a person wants to know what there is.
  if (lead.length === 0) return process.stdin.isTTY ? showHelp([]) : start('serve', argv);
  const name = [lead.slice(0, 2).join(' '), lead[0] ?? ''].find((words) => Object.hasOwn(commands, words));
  if (name !== undefined) return start(name, argv);
  const found = operationIn(lead);
  if (found === undefined) surface.resolve(lead.join('_'));
  return found === undefined ? 2 : runOperation(found.entry, found.used, argv);
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
    else if (globalFlags.get(flag[1] ?? '') === 'value' && flag[2] === undefined) index++;
  }
  return leading.filter((word) => word !== '-h');
}

/** `feedback list` is `feedback_list`: the longest run of words that names an operation. */
function operationIn(words: readonly string[]): { entry: SurfaceEntry; used: number } | undefined {
  for (let used = Math.min(words.length, 6); used > 0; used--) {
    const entry = surface.find(words.slice(0, used).join('_'));
    if (entry !== undefined) return { entry, used };
  }
  return undefined;
}

async function start(name: string, argv: readonly string[]): Promise<number> {
  const known = new Map([...globalFlags, ...(ownFlags[name] ?? [])]);
  const { words, flags } = parseArguments(argv, known);
  if (flags.help) return showHelp([]);
  for (const [documented, flag] of name === 'run' ? Object.entries(runFlags) : []) {
    if (flags[documented] !== undefined) flags[flag] ??= flags[documented];
  }
  const rest = words.slice(name.split(' ').length);
  if (rest.length > 0 && !takesWords.has(name))
    throw badUsage(`${JSON.stringify(rest[0])} is one word too many for ${name}`);
  return withApp(flags, (app) => (commands[name] as Command)(invocationOf(app, rest, flags)));
}

async function runOperation(entry: SurfaceEntry, used: number, argv: readonly string[]): Promise<number> {
  const { words, flags } = parseArguments(argv, new Map([...globalFlags, ...flagsOf(entry)]));
  if (flags.help) return showHelp([entry.name]);
  const input = inputFrom(entry, words.slice(used), flags);
  // A parameter of the operation that shares its name with a setting (as role does for keys add) is the parameter.
  const shadowed = new Set(flagsOf(entry).keys());
  const own = Object.fromEntries(Object.entries(flags).filter(([flag]) => !shadowed.has(flag)));
  return withApp(own, (app) => perform(invocationOf(app, words, own), entry, input));
}

async function callByName(invocation: Invocation): Promise<number> {
  const [name, written = '{}', ...more] = invocation.words;
  if (name === undefined) throw badUsage("call needs the name of an operation, as in cairn call health_check '{}'");
  if (more.length > 0) throw badUsage('call takes a name and one JSON object');
  const input = jsonOf(written === '-' ? await readStdin() : written, 'The arguments');
  return perform(invocation, surface.resolve(name), input);
}

async function readStdin(): Promise<string> {
  const { text } = await import('node:stream/consumers');
  return text(process.stdin);
}

async function perform({ app, print }: Invocation, entry: SurfaceEntry, input: unknown): Promise<number> {
  const bar = progressBar(process.stderr);
  const cancel = new AbortController();
  const onInterrupt = () => cancel.abort();
  process.once('SIGINT', onInterrupt);
  try {
    const result = await call(app, {
      operation: entry.name,
      input,
      principal: principalAt(app.config),
      signal: cancel.signal,
      progress: bar.show,
    });
    bar.clear();
    print(result);
    const unwell = entry.verdict !== undefined && (result as Record<string, unknown>)[entry.verdict] === false;
    return unwell || refused(entry, result) ? 1 : 0;
  } finally {
    bar.clear();
    process.off('SIGINT', onInterrupt);
  }
}

/** In CI the format is said; on a terminal it is text, elsewhere JSON. */
async function report({ flags, human }: Invocation, found: CheckReport): Promise<number> {
  const { formats, formatted, isGrave } = await import('./report.ts');
  const format = formats.find((one) => one === (flags.format ?? (human ? 'text' : 'json')));
  if (format === undefined)
    throw badUsage(`--format is ${JSON.stringify(flags.format)}; allowed is ${formats.join(', ')}`);
  process.stdout.write(`${formatted(found, format)}\n`);
  return isGrave(found) ? 1 : 0;
}

/** `cairn import [KIND] PATH`: a catalog or rules of another tool, as its operation reports it. */
async function importSource(invocation: Invocation): Promise<number> {
  const { words, flags } = invocation;
  const source = words.at(-1);
  if (source === undefined || words.length > 2)
    throw badUsage('import needs a folder or file, as in cairn import AGENTS.md');
  const input = { source: resolve(source), ...(typeof flags.mode === 'string' && { mode: flags.mode }) };
  return perform(invocation, surface.resolve('instructions_import'), input);
}

/** `cairn verify`: the instruction files and the audit trail in one check, for CI. */
async function verifyAll({ app, print }: Invocation): Promise<number> {
  const principal = principalAt(app.config);
  const files = (await call(app, { operation: 'integrity_verify', input: {}, principal })) as { ok: boolean };
  const audit = (await call(app, { operation: 'audit_verify', input: {}, principal })) as { intact: boolean };
  const ok = files.ok && audit.intact;
  print({ ok, instructions: files, audit });
  return ok ? 0 : 1;
}

interface AuditPage {
  readonly entries: readonly unknown[];
  readonly next?: number;
}

async function exportAudit({ app }: Invocation): Promise<number> {
  const principal = principalAt(app.config);
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page = (await call(app, { operation: 'audit_list', input: { after, limit: 1000 }, principal })) as AuditPage;
    for (const entry of page.entries) process.stdout.write(`${JSON.stringify(entry)}\n`);
    after = page.next;
  }
  return 0;
}

async function showHelp(words: readonly string[]): Promise<number> {
  const { generalHelp, operationHelp } = await import('./help.ts');
  const found = operationIn(words);
  const known = words.length === 0 || found !== undefined || Object.hasOwn(commands, words[0] ?? '');
  if (!known) surface.resolve(words.join('_'));
  process.stdout.write(found === undefined ? generalHelp() : operationHelp(found.entry));
  return 0;
}

function invocationOf(app: App, words: readonly string[], flags: Flags): Invocation {
  const human = process.stdout.isTTY === true && flags.json !== true;
  return {
    app,
    words,
    flags,
    human,
    print(result, asText) {
      const text = human ? (asText?.() ?? render(result)) : JSON.stringify(result);
      process.stdout.write(`${text}\n`);
    },
  };
}

async function withApp(flags: Flags, work: (app: App) => Promise<number>): Promise<number> {
  const app = createApp(configFrom(flags), new URL('./worker.js', import.meta.url));
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

function configFrom(flags: Flags): Config {
  const single = Object.fromEntries(
    Object.entries(flags).filter((flag): flag is [string, string | boolean] => !Array.isArray(flag[1])),
  );
  const named = typeof flags.home === 'string' ? flags.home : undefined;
  const home = findHome(named, process.env, process.cwd(), homedir());
  return resolveConfig({ home, flags: single, env: process.env, file: configFileIn(home.path) });
}

function configFileIn(home: string): string | undefined {
  try {
    return readFileSync(join(home, 'config.json'), 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new CairnError(
      'bad_configuration',
      `config.json in ${home} cannot be read: ${toCairnError(thrown).detail.message}`,
    );
  }
}

/** A person at a terminal is an admin of their own files; anything else is an agent. See SECURITY.md for the limits of this. */
function principalAt(config: Config): Principal {
  const human = process.stdin.isTTY === true && process.stdout.isTTY === true;
  const role = human && config.sources.role === 'default' ? 'admin' : config.role;
  return { name: config.agentId || (human ? userInfo().username : role), role, door: 'cli', human };
}

function isUsage({ kind }: CairnError): boolean {
  return kind === 'invalid_params' || kind === 'unknown_operation' || kind === 'bad_configuration';
}
