/**
 * Words and flags of a command line. `--flag value`, `--flag=value`, `--flag` alone where the flag takes no value,
 * `--no-flag`, and `--` before words that begin with a dash. Where a command has letters: `-i`, `-C 3`, `-C3`, `-il`.
 */
import { CairnError } from '../../errors.ts';
import { fold, nearest } from '../../operations/names.ts';

export type FlagKind = 'bare' | 'value' | 'list';
export type Flags = Record<string, string | boolean | string[]>;

export interface Parsed {
  readonly words: string[];
  readonly flags: Flags;
}

export function parseArguments(
  argv: readonly string[],
  known: ReadonlyMap<string, FlagKind>,
  letters: ReadonlyMap<string, string> = new Map(),
): Parsed {
  const words: string[] = [];
  const flags: Flags = {};
  const rest = [...argv];
  for (let token = rest.shift(); token !== undefined; token = rest.shift()) {
    if (token === '--') {
      words.push(...rest);
      break;
    }
    if (token === '-h') flags.help = true;
    else if (letters.size > 0 && /^-[^-\d]/.test(token)) readLetters(token.slice(1), rest, known, letters, flags);
    else if (!token.startsWith('--')) words.push(token);
    else readFlag(token.slice(2), rest, known, flags);
  }
  return { words, flags };
}

function readLetters(
  token: string,
  rest: string[],
  known: ReadonlyMap<string, FlagKind>,
  letters: ReadonlyMap<string, string>,
  flags: Flags,
): void {
  for (let at = 0; at < token.length; at++) {
    const letter = token.charAt(at);
    const name = letters.get(letter);
    if (name === undefined)
      throw badUsage(`-${letter} is not a flag of this command`, 'Put -- before words that begin with a dash.');
    if (known.get(name) === 'bare') flags[name] = true;
    else {
      const value = token.slice(at + 1) || rest.shift();
      if (value === undefined) throw badUsage(`-${letter} needs a value`);
      readFlag(`${name}=${value}`, rest, known, flags);
      return;
    }
  }
}

function readFlag(token: string, rest: string[], known: ReadonlyMap<string, FlagKind>, flags: Flags): void {
  const [, spelled = '', attached] = /^([^=]*)(?:=(.*))?$/s.exec(token) ?? [];
  const negated = !known.has(spelled) && spelled.startsWith('no-') && known.get(spelled.slice(3)) === 'bare';
  const name = negated ? spelled.slice(3) : spelled;
  const kind = known.get(name);
  if (kind === undefined) throw unknownFlag(spelled, known);
  if (kind === 'bare') {
    if (negated && attached !== undefined) throw badUsage(`--${spelled} takes no value`);
    flags[name] = negated ? false : switched(attached);
    return;
  }
  const value = attached ?? (rest[0]?.startsWith('--') ? undefined : rest.shift());
  if (value === undefined) throw badUsage(`--${name} needs a value; one that begins with dashes is --${name}=VALUE`);
  const present = flags[name];
  flags[name] = kind === 'list' ? [...(Array.isArray(present) ? present : []), value] : value;
}

/** `--flag`, `--flag=true` and `--flag=false`; what else is attached is for the owner of the flag to judge. */
function switched(attached: string | undefined): string | boolean {
  if (attached === undefined || attached === 'true') return true;
  return attached === 'false' ? false : attached;
}

function unknownFlag(name: string, known: ReadonlyMap<string, FlagKind>): CairnError {
  const byName = new Map([...known.keys()].map((flag) => [fold(flag), `--${flag}`]));
  // Another spelling of a flag (--readOnly, --read_only) is the one nearest to it.
  const same = byName.get(fold(name));
  const near = same === undefined ? nearest(name, byName.keys()).map((flag) => byName.get(flag)) : [same];
  const hint = near.length === 0 ? undefined : `Did you mean ${near.join(', ')}?`;
  return badUsage(`--${name.slice(0, 100)} is not a flag of this command`, hint);
}

/** An error of usage: the command line exits with 2. */
export function badUsage(message: string, suggestion = 'Add --help to see what is allowed.'): CairnError {
  return new CairnError('invalid_params', message, { suggestion });
}
