/**
 * Words and flags of a command line. `--flag value`, `--flag=value`, `--flag` alone where the flag takes no value,
 * `--no-flag`, and `--` before words that begin with a dash.
 */
import { CairnError } from '../../errors.ts';
import { nearest } from '../../operations/names.ts';

export type FlagKind = 'bare' | 'value' | 'list';
export type Flags = Record<string, string | boolean | string[]>;

export interface Parsed {
  readonly words: string[];
  readonly flags: Flags;
}

export function parseArguments(argv: readonly string[], known: ReadonlyMap<string, FlagKind>): Parsed {
  const words: string[] = [];
  const flags: Flags = {};
  const rest = [...argv];
  for (let token = rest.shift(); token !== undefined; token = rest.shift()) {
    if (token === '--') {
      words.push(...rest);
      break;
    }
    if (token === '-h') flags.help = true;
    else if (!token.startsWith('--')) words.push(token);
    else readFlag(token.slice(2), rest, known, flags);
  }
  return { words, flags };
}

function readFlag(token: string, rest: string[], known: ReadonlyMap<string, FlagKind>, flags: Flags): void {
  const [, spelled = '', attached] = /^([^=]*)(?:=(.*))?$/s.exec(token) ?? [];
  const negated = !known.has(spelled) && spelled.startsWith('no-') && known.get(spelled.slice(3)) === 'bare';
  const name = negated ? spelled.slice(3) : spelled;
  const kind = known.get(name);
  if (kind === undefined) throw unknownFlag(spelled, known);
  if (kind === 'bare') {
    flags[name] = negated ? false : (attached ?? true);
    return;
  }
  const value = attached ?? rest.shift();
  if (value === undefined) throw badUsage(`--${name} needs a value`);
  const present = flags[name];
  flags[name] = kind === 'list' ? [...(Array.isArray(present) ? present : []), value] : value;
}

function unknownFlag(name: string, known: ReadonlyMap<string, FlagKind>): CairnError {
  const near = nearest(
    name.replaceAll('-', '_'),
    [...known.keys()].map((flag) => flag.replaceAll('-', '_')),
  );
  const hint = near.map((flag) => `--${flag.replaceAll('_', '-')}`).join(', ');
  return badUsage(`--${name} is not a flag of this command`, hint === '' ? undefined : `Did you mean ${hint}?`);
}

/** An error of usage: the command line exits with 2. */
export function badUsage(message: string, suggestion = 'Add --help to see what is allowed.'): CairnError {
  return new CairnError('invalid_params', message, { suggestion });
}
