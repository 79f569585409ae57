/** A few at a time; of those who wait, the one with the least work goes first, and of equals the one who came first. */

export interface Turns {
  /** Waits for a turn. What it resolves to ends the turn. */
  take(work: number, signal: AbortSignal): Promise<() => void>;
  readonly waiting: number;
}

interface Waiting {
  readonly work: number;
  go(): void;
}

export function createTurns(most: number): Turns {
  const line = new Set<Waiting>();
  let busy = 0;

  function next(): void {
    if (busy >= most) return;
    const [first] = [...line].sort((one, other) => one.work - other.work);
    if (first === undefined) return;
    line.delete(first);
    busy++;
    first.go();
  }

  function done(): void {
    busy--;
    next();
  }

  return {
    take(work, signal) {
      return new Promise((resolve, reject) => {
        const leave = () => {
          line.delete(place);
          reject(signal.reason);
        };
        const place: Waiting = {
          work,
          go() {
            signal.removeEventListener('abort', leave);
            resolve(done);
          },
        };
        if (signal.aborted) {
          reject(signal.reason);
          return;
        }
        signal.addEventListener('abort', leave, { once: true });
        line.add(place);
        next();
      });
    },
    get waiting() {
      return line.size;
    },
  };
}
