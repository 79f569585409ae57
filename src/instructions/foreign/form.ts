/**
 * Values whose form is fixed (times, versions, numbers, texts, lists): the nearest allowed value to a foreign one, and why
 * it is not the same. A value that nothing allowed is near to is `undefined`: it is dropped, and that is said.
 */
import type { ChangeLogLine } from '../entry.ts';
import { isVersion } from '../version.ts';

export interface Fitted<T> {
  readonly value: T | undefined;
  /** Absent where the value was taken as it stood. */
  readonly why?: string;
}

export type Fit<T> = (raw: unknown) => Fitted<T>;

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textUpTo(length: number): Fit<string> {
  return (raw) => {
    if (typeof raw === 'number' || typeof raw === 'boolean') return { value: String(raw), why: 'written as text' };
    if (typeof raw !== 'string') return { value: undefined, why: 'is not text' };
    if (raw.length <= length) return { value: raw };
    return { value: `${raw.slice(0, length - 1)}…`, why: `cut to the ${length} characters that fit` };
  };
}

/** A list of texts; one text is a list that somebody wrote with commas. */
export function textsUpTo(count: number, length: number, split: (text: string) => string[] = atCommas): Fit<string[]> {
  return (raw) => {
    const given: unknown[] = typeof raw === 'string' ? split(raw) : Array.isArray(raw) ? raw : [];
    if (given.length === 0 && !Array.isArray(raw)) return { value: undefined, why: 'is not a list of texts' };
    const texts = given.filter((item) => typeof item === 'string').filter((item) => item.trim() !== '');
    const value = texts.filter((item) => item.length <= length).slice(0, count);
    if (value.length === given.length) return { value };
    return { value, why: `kept are at most ${count} texts of 1 to ${length} characters` };
  };
}

export function atCommas(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Like `atCommas`, but `*.{ts,tsx}` is one pattern. */
export function patternsOf(text: string): string[] {
  const patterns: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index <= text.length; index++) {
    const character = text[index];
    if (character === '{') depth++;
    if (character === '}') depth = Math.max(0, depth - 1);
    if (character !== undefined && (character !== ',' || depth > 0)) continue;
    patterns.push(text.slice(start, index).trim());
    start = index + 1;
  }
  return patterns.filter((pattern) => pattern !== '');
}

export function integerWithin(min: number, max: number): Fit<number> {
  return (raw) => {
    const { value: number, why } = numberOf(raw);
    if (number === undefined) return { value: undefined, ...(why !== undefined && { why }) };
    const value = Math.min(max, Math.max(min, Math.round(number)));
    return value === raw ? { value } : { value, why: `the nearest whole number from ${min} to ${max}` };
  };
}

export const numberOf: Fit<number> = (raw) => {
  if (typeof raw === 'number' && Number.isFinite(raw)) return { value: raw };
  const value = typeof raw === 'string' && raw.trim() !== '' ? Number(raw) : Number.NaN;
  return Number.isFinite(value) ? { value, why: 'written as a number' } : { value: undefined, why: 'is not a number' };
};

const timePattern = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|[+-]\d\d:?\d\d)?)?$/i;

/** A time without a zone is taken as UTC: the same file must mean the same on every machine. */
export const timeOf: Fit<string> = (raw) => {
  const [, day, clock = '00:00', zone = 'Z'] = (typeof raw === 'string' && timePattern.exec(raw.trim())) || [];
  const colon = zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase();
  const milliseconds = day === undefined ? Number.NaN : Date.parse(`${day}T${clock}${colon}`);
  if (Number.isNaN(milliseconds)) return { value: undefined, why: 'is not a time in ISO 8601' };
  const value = new Date(milliseconds).toISOString();
  const inUtc = typeof raw === 'string' && /T\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/.test(raw);
  return inUtc ? { value: raw } : { value, why: 'written as ISO 8601 in UTC' };
};

export const versionOf: Fit<string> = (raw) => {
  if (typeof raw === 'string' && isVersion(raw)) return { value: raw };
  const text = typeof raw === 'string' || typeof raw === 'number' ? String(raw) : '';
  const [, major, minor = '0', patch = '0'] = /(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?/.exec(text) ?? [];
  if (major === undefined) return { value: '1.0.0', why: 'holds no version number, so counting begins' };
  return { value: [major, minor, patch].map(Number).join('.'), why: 'the nearest MAJOR.MINOR.PATCH' };
};

/** Lines that do not say what changed, when and to which version are left out; derive() makes a log where none is left. */
export const changeLogOf: Fit<ChangeLogLine[]> = (raw) => {
  if (!Array.isArray(raw)) return { value: undefined, why: 'is not a list' };
  const fitted = raw.map(lineOf);
  const value = fitted.flatMap((line) => line?.value ?? []);
  const exact = fitted.every((line) => line?.exact === true);
  return exact ? { value } : { value, why: 'only lines with version, changedAt and summary are kept, and only these' };
};

function lineOf(raw: unknown): { value: ChangeLogLine; exact: boolean } | undefined {
  if (!isRecord(raw) || typeof raw.summary !== 'string') return undefined;
  const version = versionOf(raw.version);
  const changedAt = timeOf(raw.changedAt);
  if (version.value === undefined || changedAt.value === undefined) return undefined;
  const exact = version.why === undefined && changedAt.why === undefined && Object.keys(raw).length === 3;
  return { value: { version: version.value, changedAt: changedAt.value, summary: raw.summary }, exact };
}
