/** A line as it is shown: long ones around the place that matters. */
import { storable } from '../store/text.ts';

const LEAD = 80;

export function excerpt(line: string, at: number, longest: number): string {
  if (line.length <= longest) return line;
  const from = Math.max(0, Math.min(at - LEAD, line.length - longest));
  // A cut may go through a pair of surrogates.
  const cut = storable(line.slice(from, from + longest));
  return `${from > 0 ? '…' : ''}${cut}${from + longest < line.length ? '…' : ''}`;
}
