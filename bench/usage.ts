/** CPU time and memory of a running process, as Linux tells it; elsewhere `undefined`. */
import { readdirSync, readFileSync } from 'node:fs';

export interface Memory {
  readonly residentMb: number;
  readonly peakMb: number;
}

const supported = process.platform === 'linux';
const TICK_MS = 10;

/** Since the start of the process, of all its threads. */
export function cpuMs(pid: number): number | undefined {
  if (!supported) return undefined;
  return preciseCpuMs(pid) ?? coarseCpuMs(pid);
}

export function memory(pid: number): Memory | undefined {
  if (!supported) return undefined;
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
  return { residentMb: megabytes('VmRSS'), peakMb: megabytes('VmHWM') };
}

/** Of a process and all that it started: a model has one of its own. */
export function memoryOfAll(pid: number): Memory | undefined {
  const own = memory(pid);
  if (own === undefined) return undefined;
  const others = childrenOf(pid).flatMap((child) => memoryOfAll(child) ?? []);
  const sum = (field: keyof Memory) => others.reduce((total, each) => total + each[field], own[field]);
  return { residentMb: sum('residentMb'), peakMb: sum('peakMb') };
}

function childrenOf(pid: number): number[] {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8')
      .split(' ')
      .filter((child) => child !== '')
      .map(Number),
  );
}

/** The scheduler counts nanoseconds; the kernel may be built without it. */
function preciseCpuMs(pid: number): number | undefined {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const spent = threads.map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
    );
    return spent.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e6;
  } catch {
    return undefined;
  }
}

function coarseCpuMs(pid: number): number {
  // The name of the program stands in parentheses and may hold spaces; utime and stime are fields 14 and 15.
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
