/** Which run of the machine this is. What a process wrote outlives it; what the system had not written yet ends with the run. */
import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';

let mark: string | undefined;

/** The same for all processes until the machine starts again. */
export function bootMark(): string {
  mark ??= readMark();
  return mark;
}

function readMark(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // Elsewhere the minute it was started in. A wrong guess takes a sound file for one that was lost, and finds it sound.
    return `since ${Math.round((Date.now() / 1000 - uptime()) / 60)}`;
  }
}
