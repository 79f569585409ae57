/**
 * So many at a time, in the order in which they came. Whoever has a place may keep it for long, or need another one before giving
 * it back; so where none has been given back for a while, there is one more, until nobody waits any longer.
 */
const STANDSTILL_MS = 100;

export interface PlacesOptions {
  readonly standstillMs?: number;
  /** Whether there may be one more now. */
  readonly mayAdd?: () => boolean;
}

export class Places {
  readonly #standstillMs: number;
  readonly #mayAdd: () => boolean;
  readonly #waiting: (() => void)[] = [];
  #free: number;
  #added = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(count: number, { standstillMs = STANDSTILL_MS, mayAdd = () => true }: PlacesOptions = {}) {
    this.#free = count;
    this.#standstillMs = standstillMs;
    this.#mayAdd = mayAdd;
  }

  /** Calls when it is one's turn: at once where a place is free. */
  enter(turn: () => void): void {
    if (this.#free > 0) {
      this.#free--;
      turn();
      return;
    }
    this.#timer ??= setInterval(() => this.#add(), this.#standstillMs).unref();
    this.#waiting.push(turn);
  }

  take(): Promise<void> {
    return new Promise((resolve) => this.enter(resolve));
  }

  giveBack(): void {
    this.#timer?.refresh();
    const next = this.#waiting.shift();
    if (next !== undefined) next();
    else if (this.#added > 0) this.#added--;
    else this.#free++;
    this.#restWhereNobodyWaits();
  }

  #add(): void {
    if (!this.#mayAdd()) return;
    const next = this.#waiting.shift();
    if (next !== undefined) {
      this.#added++;
      next();
    }
    this.#restWhereNobodyWaits();
  }

  #restWhereNobodyWaits(): void {
    if (this.#waiting.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
