/** The commands that are more than one operation. */
import { homedir } from 'node:os';
import { call } from '../../operations/call.ts';
import { surface } from '../../operations/surface.ts';
import type { App } from '../../service/app.ts';
import { badUsage, type FlagKind, type Flags, parseArguments } from './arguments.ts';
import { jsonOf } from './input.ts';
import { installFlags, uninstallFlags } from './install/flags.ts';
import { type Invocation, invocationOf, openAnyway, openApp, perform, principalAt, watched } from './invocation.ts';
import type { CheckReport } from './report.ts';

export type Command = (invocation: Invocation) => Promise<number>;

export const commands: Readonly<Record<string, Command>> = {
  serve: async ({ app }) => (await import('../serve.ts')).serve(app),
  run: async ({ app }) => (await import('../serve.ts')).serve(app),
  call: callByName,
  config: async ({ app, print }) => {
    const { settingRows, settingsText } = await import('./settings-page.ts');
    const rows = settingRows(app.config);
    print({ settings: rows }, () => settingsText(rows));
    return 0;
  },
  doctor: ({ flags }) => runDoctor(flags),
  signin: async ({ app, print }) => {
    const { makeSignInLink } = await import('../dashboard/run-folder.ts');
    const link = await makeSignInLink(app.config.home);
    print({ link }, () => link);
    return 0;
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
  init: initProject,
  'store status': async (invocation) => (await import('./store.ts')).storeStatus(invocation),
  'store put': async (invocation) => (await import('./store.ts')).storePut(invocation),
  'store migrate': async (invocation) => (await import('./store.ts')).storeMigrate(invocation),
  import: async (invocation) => (await import('./import.ts')).importCommand(invocation),
  why: async ({ app, words, flags, print }) => {
    const { chainText } = await import('./chain.ts');
    const [target, ...more] = words;
    if (target === undefined || more.length > 0) throw badUsage('why needs a target, as in cairn why session_storage');
    const input = { target, ...(typeof flags.namespace === 'string' && { namespace: flags.namespace }) };
    const chain = await call(app, { operation: 'decision_chain', input, principal: principalAt(app.config) });
    print(chain, () => chainText(chain));
    return (chain as { status: string }).status === 'success' ? 0 : 1;
  },
  history: async (invocation) => (await import('./history.ts')).historyCommand(invocation),
  install: async ({ app, words, flags, print }) => {
    const { installCommand } = await import('./install/command.ts');
    const answer = await installCommand({ words, flags, call: callIn(app) });
    print(answer.result, () => answer.text);
    return answer.exitCode;
  },
  uninstall: async ({ words, flags, print }) => {
    const { uninstallCommand } = await import('./install/command.ts');
    const answer = await uninstallCommand({ words, flags });
    print(answer.result, () => answer.text);
    return answer.exitCode;
  },
};

/** An operation called by a command, as whoever runs it. */
function callIn(app: App) {
  return (operation: string, input: Record<string, unknown>, signal?: AbortSignal) =>
    call(app, { operation, input, principal: principalAt(app.config), ...(signal && { signal }) });
}

/**
 * `cairn hook CLIENT EVENT`: a client waits for it before every prompt. It opens nothing before it knows the project, and ends
 * the process itself: what comes too late must not hold the client up.
 */
export async function runHookCommand(argv: readonly string[]): Promise<never> {
  const { hookCommand, HOOK_BUDGET_MS } = await import('./install/hook.ts');
  const { words, flags } = hookArguments(argv);
  const open = (project: string | undefined) => callIn(openApp(flags, project));
  const { stdout, stderr } = await hookCommand(words.slice(1), process.stdin, open, { budgetMs: HOOK_BUDGET_MS });
  process.stderr.write(stderr);
  process.stdout.write(stdout, () => process.exit(0));
  return new Promise<never>(() => {});
}

/** An argument that a later Cairn wrote into the client's files must not stop the client, as the exit code 2 would. */
function hookArguments(argv: readonly string[]): ReturnType<typeof parseArguments> {
  try {
    return parseArguments(argv, new Map([['home', 'value']]));
  } catch {
    return { words: [], flags: {} };
  }
}

/** `cairn doctor` also where the settings are wrong, which would keep every other command from starting. */
export async function runDoctor(flags: Flags): Promise<number> {
  const { diagnose, diagnosisText } = await import('./doctor/diagnose.ts');
  const { app, complaints } = openAnyway(flags);
  try {
    const diagnosis = await diagnose({
      app,
      complaints,
      principal: principalAt(app.config),
      env: process.env,
      workingFolder: process.cwd(),
      userFolder: homedir(),
      call: async <T>(operation: string, input: Record<string, unknown> = {}) =>
        (await callIn(app)(operation, input)) as T,
    });
    invocationOf(app, [], flags).print(diagnosis, () => diagnosisText(diagnosis));
    return diagnosis.healthy ? 0 : 1;
  } finally {
    await app.close();
  }
}

/** Words that a command takes; the others take none. */
export const takesWords = new Set([
  'store migrate',
  'store put',
  'call',
  'init',
  'review',
  'import',
  'why',
  'history',
  'install',
  'uninstall',
]);

/** Flags of seed 003's `run` under their documented names, and what they are here. */
export const runFlags: Readonly<Record<string, string>> = { path: 'home', 'rest-port': 'http' };

const serveFlags: ReadonlyMap<string, FlagKind> = new Map(Object.keys(runFlags).map((flag) => [flag, 'value']));

/** Flags of single commands, besides those of every command. */
export const ownFlags: Readonly<Record<string, ReadonlyMap<string, FlagKind>>> = {
  run: serveFlags,
  serve: serveFlags,
  init: new Map([
    ['yes', 'bare'],
    ['import', 'bare'],
    ['index', 'bare'],
  ]),
  review: new Map([['format', 'value']]),
  gates: new Map([['format', 'value']]),
  import: new Map([
    ['mode', 'value'],
    ['dry-run', 'bare'],
  ]),
  why: new Map([['namespace', 'value']]),
  history: new Map([['limit', 'value']]),
  install: installFlags,
  uninstall: uninstallFlags,
};

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

/** In CI the format is said; on a terminal it is text, elsewhere JSON. */
async function report({ flags, human }: Invocation, found: CheckReport): Promise<number> {
  const { formats, formatted, isGrave } = await import('./report.ts');
  const format = formats.find((one) => one === (flags.format ?? (human ? 'text' : 'json')));
  if (format === undefined)
    throw badUsage(`--format is ${JSON.stringify(flags.format)}; allowed is ${formats.join(', ')}`);
  process.stdout.write(`${formatted(found, format)}\n`);
  return isGrave(found) ? 1 : 0;
}

async function initProject({ app, flags, print }: Invocation): Promise<number> {
  const { initialise, initialisedText, wentWell } = await import('./init.ts');
  const { askYesNo } = await import('./question.ts');
  const atTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
  const result = await initialise({
    home: app.config.home,
    flags,
    call: (operation, input) => watched(app, operation, input),
    ...(atTerminal && { ask: askYesNo }),
  });
  print(result, () => initialisedText(result));
  return wentWell(result) ? 0 : 1;
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
