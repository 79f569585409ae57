/**
 * So many at a time, in the order in which they came. Whoever has a place may need another one before giving back the first;
 * so where none has been given back for a while, there is one more, until nobody waits any longer.
 */
const STANDSTILL_MS = 100;

export class Places {
  readonly #standstillMs: number;
  readonly #waiting: (() => void)[] = [];
  #free: number;
  #added = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(count: number, standstillMs = STANDSTILL_MS) {
    this.#free = count;
    this.#standstillMs = standstillMs;
  }

  async take(): Promise<void> {
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    this.#timer ??= setInterval(() => this.#add(), this.#standstillMs).unref();
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
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
