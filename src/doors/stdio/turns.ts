/**
 * The requests of one connection: some are worked on at once, until their answers are sent, and the others wait. A client that
 * sends a thousand in one go is answered as soon, what it cancels meanwhile is never begun, and the memory holds few answers.
 */
import type { Readable, Writable } from 'node:stream';
import { Places } from '../../service/places.ts';

const AT_ONCE = 64;
/** Bytes of answers that nobody reads, beyond which no more requests are begun. */
const MOST_UNREAD = 16 * 1024 * 1024;
/** Bytes of requests that wait, beyond which no more are read. */
const MOST_WAITING = 32 * 1024 * 1024;

interface Waiting {
  cancelled: boolean;
}

export class Turns {
  readonly #input: Readable;
  readonly #places: Places;
  readonly #waiting = new Map<string, Waiting>();
  /** How many of each: nothing keeps a client from using an id twice. */
  readonly #begun = new Map<string, number>();
  #waitingBytes = 0;
  #closed = false;

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#places = new Places(AT_ONCE, { mayAdd: () => output.writableLength <= MOST_UNREAD });
  }

  /** Whether nothing waits for its turn or its answer. */
  get idle(): boolean {
    return this.#waiting.size === 0 && this.#begun.size === 0;
  }

  /** Begins the work when it is its turn: at once, where it is. */
  begin(key: string, bytes: number, work: () => void): void {
    const request = { cancelled: false };
    this.#waiting.set(key, request);
    this.#waitingBytes += bytes;
    this.#places.enter(() => {
      if (this.#waiting.get(key) === request) this.#waiting.delete(key);
      this.#waitingBytes -= bytes;
      if (request.cancelled || this.#closed) {
        this.#places.giveBack();
      } else {
        this.#begun.set(key, (this.#begun.get(key) ?? 0) + 1);
        work();
      }
      if (!this.#closed && this.#waitingBytes <= MOST_WAITING && this.#input.isPaused()) this.#input.resume();
    });
    if (this.#waitingBytes > MOST_WAITING) this.#input.pause();
  }

  /** It is answered. */
  end(key: string): void {
    const begun = this.#begun.get(key);
    if (begun === undefined) return;
    if (begun === 1) this.#begun.delete(key);
    else this.#begun.set(key, begun - 1);
    this.#places.giveBack();
  }

  /** It will never be answered. */
  cancel(key: string): void {
    const request = this.#waiting.get(key);
    if (request !== undefined) {
      request.cancelled = true;
      this.#waiting.delete(key);
    } else {
      // Cancellations come many at a time, and the next one may be of the request that would begin now.
      setImmediate(() => this.end(key));
    }
  }

  close(): void {
    this.#closed = true;
  }
}
