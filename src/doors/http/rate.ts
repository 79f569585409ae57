/**
 * How often somebody may come. Threat: one caller that keeps everybody else from being served, and one that tries keys until
 * one fits. Pure but for what it remembers, which is bounded: of too many, the longest unseen is forgotten.
 */

const MOST_REMEMBERED = 10_000;

/** A bucket for each caller: it fills at the rate, holds twice as much, and every call takes one. */
export class Buckets {
  readonly #rate: number;
  readonly #buckets = new Map<string, { tokens: number; at: number }>();

  constructor(callsPerSecond: number) {
    this.#rate = callsPerSecond;
  }

  /** Milliseconds until the caller may come again; 0 where it may now. */
  wait(caller: string, now: number): number {
    const most = this.#rate * 2;
    const known = this.#buckets.get(caller) ?? { tokens: most, at: now };
    const tokens = Math.min(most, known.tokens + ((now - known.at) / 1000) * this.#rate);
    const allowed = tokens >= 1;
    remember(this.#buckets, caller, { tokens: allowed ? tokens - 1 : tokens, at: now });
    return allowed ? 0 : ((1 - tokens) / this.#rate) * 1000;
  }
}

const WRONG_KEYS = 10;
const WITHIN_MS = 60_000;

/** Wrong keys of each address within the last minute. */
export class WrongKeys {
  readonly #times = new Map<string, number[]>();

  note(address: string, now: number): void {
    remember(this.#times, address, [...this.#recent(address, now), now]);
  }

  /** Milliseconds until the address is listened to again; 0 where it is. */
  wait(address: string, now: number): number {
    const recent = this.#recent(address, now);
    const tenth = recent.at(-WRONG_KEYS);
    return tenth === undefined ? 0 : tenth + WITHIN_MS - now;
  }

  #recent(address: string, now: number): number[] {
    return (this.#times.get(address) ?? []).filter((time) => now - time < WITHIN_MS).slice(-WRONG_KEYS);
  }
}

function remember<T>(kept: Map<string, T>, name: string, value: T): void {
  kept.delete(name);
  kept.set(name, value);
  if (kept.size <= MOST_REMEMBERED) return;
  const [oldest] = kept.keys();
  if (oldest !== undefined) kept.delete(oldest);
}
