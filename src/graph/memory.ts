/** Answers that are kept until there are too many: those that nobody asked for the longest go first. */
export class Memory<T> {
  readonly #kept = new Map<string, { readonly answer: Promise<T>; weight: number }>();
  readonly #room: number;
  readonly #weigh: (answer: T) => number;
  #weight = 0;

  constructor(room: number, weigh: (answer: T) => number = () => 1) {
    this.#room = room;
    this.#weigh = weigh;
  }

  has(key: string): boolean {
    return this.#kept.has(key);
  }

  /** Several who ask at once wait for the same look-up. */
  of(key: string, look: () => Promise<T>): Promise<T> {
    const known = this.#kept.get(key);
    if (known !== undefined) {
      this.#kept.delete(key);
      this.#kept.set(key, known);
      return known.answer;
    }
    const entry = { answer: look(), weight: 0 };
    this.#kept.set(key, entry);
    entry.answer.then(
      (answer) => {
        if (this.#kept.get(key) !== entry) return;
        entry.weight = this.#weigh(answer);
        this.#weight += entry.weight;
        this.#makeRoom();
      },
      () => this.#kept.delete(key),
    );
    return entry.answer;
  }

  #makeRoom(): void {
    for (const [key, { weight }] of this.#kept) {
      if (this.#weight <= this.#room) return;
      this.#kept.delete(key);
      this.#weight -= weight;
    }
  }
}
