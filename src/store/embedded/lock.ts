/** Waiting for SQLite's lock without blocking the event loop: other processes hold it for milliseconds. */
import { setTimeout as delay } from 'node:timers/promises';
import { CairnError } from '../../errors.ts';
import { isBusy } from './database.ts';

export const LOCK_WAIT_MS = 15_000;

export async function untilFree<T>(attempt: () => T, waitMs = LOCK_WAIT_MS): Promise<T> {
  const deadline = performance.now() + waitMs;
  for (let pause = 0.5; ; pause = Math.min(pause * 1.6, 20)) {
    try {
      return attempt();
    } catch (thrown) {
      if (!isBusy(thrown)) throw thrown;
      if (performance.now() >= deadline) {
        throw new CairnError('store_unavailable', `Another process has held the store's write lock for ${waitMs} ms`);
      }
      // Jitter keeps processes that collided once from colliding again.
      await delay(pause * (0.5 + Math.random()));
    }
  }
}
