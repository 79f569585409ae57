/** How much was written on each of the last days. */
import type { Point } from '../../parts/chart.tsx';

const DAY = 86_400_000;
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });

export function perDay(entries: readonly { readonly time: string }[], days: number, now = Date.now()): Point[] {
  const today = new Date(now);
  const last = new Date(today.getFullYear(), today.getMonth(), today.getDate()).getTime();
  return Array.from({ length: days }, (_, index) => {
    const start = last - (days - 1 - index) * DAY;
    const value = entries.filter(({ time }) => {
      const at = Date.parse(time);
      return at >= start && at < start + DAY;
    }).length;
    return { label: day.format(start), value };
  });
}
