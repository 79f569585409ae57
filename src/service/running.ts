/** Calls that run, so that a process which is told to stop can let them end. */
export class Running {
  #count = 0;
  #waiting: (() => void)[] = [];

  get count(): number {
    return this.#count;
  }

  /** Gives back how to say that it has ended. */
  begin(): () => void {
    this.#count++;
    return () => {
      this.#count--;
      if (this.#count === 0) for (const resolve of this.#waiting.splice(0)) resolve();
    };
  }

  /** Whether none runs any more, within so long. */
  async idle(withinMs: number): Promise<boolean> {
    if (this.#count > 0) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
        timer = setTimeout(resolve, withinMs);
      });
      clearTimeout(timer);
    }
    // What they answered is still to be sent.
    await new Promise((resolve) => setImmediate(resolve));
    return this.#count === 0;
  }
}
