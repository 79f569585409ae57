/** What a running process holds, as Linux tells it; elsewhere nothing is known, which is said aloud once. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

export interface Holdings {
  readonly megabytes: number;
  readonly handles: number;
  readonly threads: number;
  readonly children: number;
}

export const canLook = process.platform === 'linux';
if (!canLook) process.stderr.write('SKIPPED: only Linux tells what a process holds, so nothing is looked at\n');

/** Processor time that all threads of it have taken, to a hundredth of a second. */
export function cpuMsOf(pid: number): number {
  // The name of the program stands in parentheses and may hold spaces; utime and stime are fields 14 and 15.
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

const SETTLE_MS = 10_000;

export function holdingsOf(pid: number): Holdings {
  const threads = readdirSync(`/proc/${pid}/task`);
  const children = threads.flatMap((thread) => {
    try {
      return readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean);
    } catch {
      // A thread that has ended since.
      return [];
    }
  });
  return {
    megabytes: megabytesOf(pid, 'VmRSS'),
    handles: readdirSync(`/proc/${pid}/fd`).length,
    threads: threads.length,
    children: children.length,
  };
}

export function megabytesOf(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
}

/** Looks again until it holds no more than that, some handles aside, or the time is over: what ends takes a moment. */
export async function settled(pid: number, before: Holdings, spareHandles: number): Promise<Holdings> {
  const deadline = Date.now() + SETTLE_MS;
  for (;;) {
    const now = holdingsOf(pid);
    const more =
      now.handles > before.handles + spareHandles || now.threads > before.threads || now.children > before.children;
    if (!more || Date.now() > deadline) return now;
    await delay(50);
  }
}

/**
 * The memory of a process over a run. Garbage is collected when it suits the engine, so that single looks say little; the least
 * of many looks in a stretch of the run is what the process cannot do without.
 */
export class MemoryWatch {
  readonly #pid: number;
  readonly #seen: number[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(pid: number, everyMs = 20) {
    this.#pid = pid;
    this.#timer = setInterval(() => this.#look(), everyMs);
  }

  /** Stops, and gives the least of the second quarter of the run (the first one warms up) and of the last. */
  end(): { readonly early: number; readonly late: number; readonly most: number } {
    clearInterval(this.#timer);
    const quarter = Math.floor(this.#seen.length / 4);
    return {
      early: Math.min(...this.#seen.slice(quarter, 2 * quarter)),
      late: Math.min(...this.#seen.slice(3 * quarter)),
      most: Math.max(...this.#seen),
    };
  }

  #look(): void {
    try {
      this.#seen.push(megabytesOf(this.#pid, 'VmRSS'));
    } catch {
      clearInterval(this.#timer);
    }
  }
}
