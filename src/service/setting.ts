/** What a setting is, and how its text becomes a value. A wrong value is an error that says what is allowed. */

export interface SettingFacts {
  readonly about: string;
  readonly env?: readonly string[];
  readonly flag?: string;
  /** Whether config.json of the home may set it; a list says to which values alone. */
  readonly fromFile?: boolean | readonly string[];
  /** A flag that may be given several times. */
  readonly repeats?: boolean;
}

export interface Setting<T> extends SettingFacts {
  readonly initial: T;
  readonly allowed: string;
  readonly secret: boolean;
  /** A flag that stands alone, without a value. */
  readonly bare: boolean;
  parse(raw: unknown): T | undefined;
}

export type ValueOf<S> = S extends Setting<infer T> ? T : never;

export function boolean(initial: boolean, facts: SettingFacts): Setting<boolean> {
  return setting(initial, '1, 0, true, false, yes, no, on or off', facts, (raw) => {
    if (typeof raw === 'boolean') return raw;
    const word = written(raw).trim().toLowerCase();
    if (['1', 'true', 'yes', 'on'].includes(word)) return true;
    return ['0', 'false', 'no', 'off'].includes(word) ? false : undefined;
  });
}

export function integer(initial: number, facts: SettingFacts & { min: number; max: number }): Setting<number> {
  const { min, max } = facts;
  return setting(initial, `a whole number from ${min} to ${max}`, facts, (raw) => {
    const value = /^\s*-?\d+\s*$/.test(written(raw)) ? Number(raw) : Number.NaN;
    return Number.isInteger(value) && value >= min && value <= max ? value : undefined;
  });
}

export function text(initial: string, facts: SettingFacts): Setting<string> {
  return setting(initial, 'text', facts, (raw) => (typeof raw === 'string' ? raw : undefined));
}

/** A text that has to have a certain form, which `allowed` tells in words. */
export function form(
  initial: string,
  allowed: string,
  fits: (text: string) => boolean,
  facts: SettingFacts,
): Setting<string> {
  return setting(initial, allowed, facts, (raw) => (typeof raw === 'string' && fits(raw) ? raw : undefined));
}

/** Never printed, never taken from a file that is shared through a repository. */
export function secret(facts: SettingFacts): Setting<string> {
  return { ...text('', { ...facts, fromFile: false }), secret: true };
}

export function list(initial: readonly string[], facts: SettingFacts): Setting<readonly string[]> {
  return setting(initial, 'a comma-separated list', facts, words);
}

/**
 * Web addresses, which may hold credentials and are never printed. A comma may be a part of one: it separates where another one
 * begins after it.
 */
export function urls(facts: SettingFacts): Setting<readonly string[]> {
  const allowed = 'http or https URLs, separated by commas';
  const list = setting<readonly string[]>([], allowed, { ...facts, repeats: true }, (raw) => {
    const texts = (Array.isArray(raw) ? raw : [raw]).map(String).flatMap((text) => text.split(/,(?=\s*https?:)/i));
    const found = texts.map((text) => text.trim()).filter((text) => text !== '');
    return found.every(isWebAddress) ? [...new Set(found)] : undefined;
  });
  return { ...list, secret: true };
}

function isWebAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && !url.hostname.includes(',');
}

export function choice<const T extends string>(all: readonly T[], initial: T, facts: SettingFacts): Setting<T> {
  return setting(initial, `one of ${all.join(', ')}`, facts, (raw) => all.find((word) => word === raw));
}

export function choices<const T extends string>(
  all: readonly T[],
  initial: readonly T[],
  facts: SettingFacts,
): Setting<readonly T[]> {
  return setting(initial, `a comma-separated list of ${all.join(', ')}`, facts, (raw) => {
    const chosen = words(raw)?.map((word) => all.find((known) => known === word));
    return chosen?.length && chosen.every((word) => word !== undefined) ? chosen : undefined;
  });
}

/** A text or a number as it was written; a list of one is neither. */
function written(raw: unknown): string {
  return typeof raw === 'string' || typeof raw === 'number' ? String(raw) : '';
}

function words(raw: unknown): string[] | undefined {
  const parts = typeof raw === 'string' ? raw.split(',') : raw;
  if (!Array.isArray(parts) || !parts.every((part) => typeof part === 'string')) return undefined;
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

function setting<T>(
  initial: T,
  allowed: string,
  facts: SettingFacts,
  parse: (raw: unknown) => T | undefined,
): Setting<T> {
  const { about, env, flag, fromFile = true, repeats = false } = facts;
  return {
    initial,
    allowed,
    secret: false,
    bare: typeof initial === 'boolean',
    parse,
    about,
    fromFile,
    repeats,
    ...(env && { env }),
    ...(flag && { flag }),
  };
}
