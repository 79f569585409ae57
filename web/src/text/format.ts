/** Figures and times as people read them. */

const counts = new Intl.NumberFormat();
const dates = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const moments = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

export function count(value: number | undefined): string {
  return value === undefined ? '–' : counts.format(value);
}

const units = ['B', 'kB', 'MB', 'GB', 'TB'];

export function bytes(value: number): string {
  const power = value < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(value) / 3));
  const shown = value / 1000 ** power;
  return `${shown.toLocaleString(undefined, { maximumFractionDigits: shown < 10 && power > 0 ? 1 : 0 })} ${units[power]}`;
}

export function milliseconds(value: number): string {
  if (value >= 10_000) return `${Math.round(value / 1000)} s`;
  if (value >= 1000) return `${(value / 1000).toFixed(1)} s`;
  return value >= 10 ? `${Math.round(value)} ms` : `${value.toFixed(1)} ms`;
}

export function date(time: string | undefined): string {
  return isTime(time) ? dates.format(new Date(time)) : '–';
}

export function moment(time: string | undefined): string {
  return isTime(time) ? moments.format(new Date(time)) : '–';
}

function isTime(time: string | undefined): time is string {
  return time !== undefined && !Number.isNaN(Date.parse(time));
}

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** “3 days ago”, “in 2 months”. */
export function ago(time: string | undefined, now = Date.now()): string {
  if (!isTime(time)) return '–';
  const seconds = (Date.parse(time) - now) / 1000;
  const step = steps.find(([, length]) => Math.abs(seconds) >= length);
  return step === undefined ? 'just now' : relative.format(Math.trunc(seconds / step[1]), step[0]);
}

export function duration(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}
