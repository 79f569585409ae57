/** One decision at a time: a moment of thought between two records of one caller. A batch is one record. */
import { CairnError } from '../errors.ts';
import type { Principal } from '../service/principal.ts';

interface Last {
  readonly at: number;
  readonly batch: object;
}

const MOST_CALLERS = 10_000;
const last = new Map<string, Last>();

interface Caller {
  readonly principal: Principal;
  readonly batch: object;
  readonly config: { readonly writeCooldownMs: number };
}

/**
 * The wait begins with the call, so that calls sent together do not slip through side by side; one that was refused gives it
 * back, and may be mended at once.
 */
export async function cooledDown<T>({ principal, batch, config }: Caller, record: () => Promise<T>): Promise<T> {
  const { name, role, door } = principal;
  const caller = `${door} ${role} ${name}`;
  const earlier = last.get(caller);
  const left = earlier === undefined ? 0 : Math.ceil(earlier.at + config.writeCooldownMs - performance.now());
  if (left > 0 && earlier?.batch !== batch) {
    throw new CairnError(
      'limit_exceeded',
      `PermissionError: a decision was recorded a moment ago; the next one may follow in ${left} ms`,
      { retry_after_ms: left, suggestion: 'Wait, or record several with execute in one call.' },
    );
  }
  if (last.size >= MOST_CALLERS) last.clear();
  last.set(caller, { at: performance.now(), batch });
  try {
    const result = await record();
    last.set(caller, { at: performance.now(), batch });
    return result;
  } catch (thrown) {
    if (earlier === undefined) last.delete(caller);
    else last.set(caller, earlier);
    throw thrown;
  }
}
