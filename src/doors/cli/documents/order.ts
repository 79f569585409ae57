/** Reads what was typed after a verb, and carries it out. */
import { once } from 'node:events';
import { type SurfaceEntry, surface } from '../../../operations/surface.ts';
import type { App } from '../../../service/app.ts';
import { type FlagKind, type Flags, parseArguments } from '../arguments.ts';
import { flagsOf, inputFrom } from '../input.ts';
import { allowReaderToLeave, hasReader, watched, withApp } from '../invocation.ts';
import { hasColour, type Line, written } from '../terminal.ts';
import type { Order, Verb } from './verb.ts';

/** Everywhere but where the verb has a meaning of its own for it. */
export const textFlag = ['text', ['bare', 'text for people also where the output is no terminal']] as const;

export function entryOf({ operation }: Verb): SurfaceEntry | undefined {
  return operation === undefined ? undefined : surface.resolve(operation);
}

function flagsOfVerb(verb: Verb): Map<string, FlagKind> {
  const entry = entryOf(verb);
  const known = new Map<string, FlagKind>(entry === undefined ? [] : flagsOf(entry));
  for (const [name, [kind]] of [textFlag, ...Object.entries(verb.flags ?? {})]) known.set(name, kind);
  for (const [alias, name] of Object.entries(verb.aliases ?? {})) known.set(alias, known.get(name) ?? 'value');
  return known;
}

export async function runVerb(
  verb: Verb,
  used: number,
  argv: readonly string[],
  globalFlags: ReadonlyMap<string, FlagKind>,
): Promise<number | 'help'> {
  const own = flagsOfVerb(verb);
  const letters = new Map(Object.entries(verb.letters ?? {}));
  const parsed = parseArguments(argv, new Map([...globalFlags, ...own]), letters);
  if (parsed.flags.help) return 'help';
  const flags = withoutAliases(parsed.flags, verb);
  const entry = entryOf(verb);
  const input = entry === undefined ? {} : inputFrom(entry, [], flags);
  // A flag of the verb that shares its name with a setting is the verb's.
  const settings = Object.fromEntries(Object.entries(flags).filter(([flag]) => !own.has(flag)));
  const run = await verb.load();
  allowReaderToLeave();
  return withApp(settings, async (app) => {
    const code = await run(orderOf(app, parsed.words.slice(used), flags, input));
    if (hasReader() && process.stdout.writableNeedDrain) await once(process.stdout, 'drain').catch(() => {});
    return code;
  });
}

function withoutAliases(flags: Flags, { aliases = {} }: Verb): Flags {
  const renamed = { ...flags };
  for (const [alias, name] of Object.entries(aliases)) {
    const value = renamed[alias];
    if (value === undefined) continue;
    const present = renamed[name];
    renamed[name] = Array.isArray(value) && Array.isArray(present) ? [...present, ...value] : value;
    delete renamed[alias];
  }
  return renamed;
}

function orderOf(app: App, words: readonly string[], flags: Flags, input: Record<string, unknown>): Order {
  const human = flags.json !== true && (flags.text === true || process.stdout.isTTY === true);
  const colour = hasColour(process.stdout, process.env);
  const say = (lines: readonly Line[]) => void process.stdout.write(written(lines, colour));
  return {
    app,
    words,
    flags,
    input,
    human,
    width: process.stdout.isTTY ? process.stdout.columns || 80 : Number.POSITIVE_INFINITY,
    call: async <T>(operation: string, given: object) => (await watched(app, operation, given)) as T,
    show(result, lines) {
      if (human) say(lines());
      else process.stdout.write(`${JSON.stringify(result)}\n`);
    },
    say,
    warn: (line) => void process.stderr.write(written([line], hasColour(process.stderr, process.env))),
  };
}
