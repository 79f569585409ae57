/** When a download is given up: its time is over, the other side says nothing, or the caller wants it no more. */
import { CairnError } from '../../errors.ts';

export interface Limits {
  readonly timeoutMs: number;
  readonly idleMs: number;
}

export class Deadline {
  readonly idleMs: number;
  readonly #own = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly signal: AbortSignal;

  constructor({ timeoutMs, idleMs }: Limits, caller: AbortSignal) {
    this.idleMs = idleMs;
    this.signal = AbortSignal.any([this.#own.signal, caller]);
    this.#timer = setTimeout(() => {
      const message = `The download took longer than ${timeoutMs} ms. Nothing was stored`;
      const suggestion = 'Raise timeout_ms, and CAIRN_DOWNLOAD_TIMEOUT_MS above which it cannot go.';
      this.#own.abort(new CairnError('limit_exceeded', message, { suggestion }));
    }, timeoutMs);
  }

  idle(): void {
    const message = `Nothing came for ${this.idleMs} ms, so the download was given up. Nothing was stored`;
    this.#own.abort(new CairnError('limit_exceeded', message, { suggestion: 'Try again later.' }));
  }

  /** Throws why it was given up: what breaks because of that says only that it broke. */
  check(): void {
    this.signal.throwIfAborted();
  }

  /** For work that cannot be stopped: nobody waits for it any longer. */
  race<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const stop = () => reject(this.signal.reason);
      this.signal.addEventListener('abort', stop, { once: true });
      if (this.signal.aborted) stop();
      work.then(resolve, reject).finally(() => this.signal.removeEventListener('abort', stop));
    });
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}
