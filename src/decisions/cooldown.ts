/** One decision at a time: a moment of thought between two records of one caller. A batch is one record. */
import { CairnError } from '../errors.ts';
import type { Principal } from '../service/principal.ts';

interface Last {
  readonly at: number;
  readonly batch: object;
}

const MOST_CALLERS = 10_000;
const last = new Map<string, Last>();

export function guardCooldown({ name, role, door }: Principal, batch: object, cooldownMs: number): void {
  const earlier = last.get(`${door} ${role} ${name}`);
  if (earlier === undefined || earlier.batch === batch) return;
  const left = Math.ceil(earlier.at + cooldownMs - performance.now());
  if (left <= 0) return;
  throw new CairnError(
    'limit_exceeded',
    `PermissionError: a decision was recorded a moment ago; the next one may follow in ${left} ms`,
    { retry_after_ms: left, suggestion: 'Wait, or record several with execute in one call.' },
  );
}

/** Only what was recorded starts the wait; a refused call may be mended at once. */
export function startCooldown({ name, role, door }: Principal, batch: object): void {
  if (last.size >= MOST_CALLERS) last.clear();
  last.set(`${door} ${role} ${name}`, { at: performance.now(), batch });
}
