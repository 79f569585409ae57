/** A line as it is shown: long ones around the place that matters. */
import { secretRules } from '../service/secret.ts';
import { storable } from '../store/text.ts';

const LEAD = 80;
/** How far beyond the cut a secret is looked for. */
const AROUND = 8000;

export function excerpt(line: string, at: number, longest: number): string {
  if (line.length <= longest) return line;
  const begin = Math.max(0, Math.min(at - LEAD, line.length - longest));
  const [from, to] = besideSecrets(line, begin, begin + longest);
  // A cut may go through a pair of surrogates.
  const cut = storable(line.slice(from, to));
  return `${from > 0 ? '…' : ''}${cut}${to < line.length ? '…' : ''}`;
}

/** Half a secret is not known for one any more, and would not be masked: the cut goes around it. */
function besideSecrets(line: string, begin: number, end: number): [number, number] {
  const start = Math.max(0, begin - AROUND);
  const around = line.slice(start, end + AROUND);
  let [from, to] = [begin, end];
  for (const { pattern } of secretRules) {
    for (const { index, 0: found } of around.matchAll(pattern)) {
      const [first, behind] = [start + index, start + index + found.length];
      if (first < from && from < behind) from = behind;
      if (first < to && to < behind) to = first;
    }
  }
  return [from, Math.max(from, to)];
}

const KEY_BEGINS = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/;
const KEY_GOES_ON = /^[A-Za-z0-9+/=\s\\:,]*$/;

/** The lines of private keys: alone, none of them looks like part of a secret. */
export function keyLines(lines: readonly string[]): ReadonlySet<number> {
  const found = new Set<number>();
  for (let at = 0; at < lines.length; at++) {
    if (!KEY_BEGINS.test(lines[at] ?? '')) continue;
    while (++at < lines.length && KEY_GOES_ON.test(lines[at] ?? '')) found.add(at);
  }
  return found;
}

export const KEY_LINE = '…[private-key]';
