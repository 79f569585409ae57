/** Progress of long work as a bar on a terminal's stderr; elsewhere nothing. */
import type { Progress } from '../../service/workers.ts';
import { numberText, sizeText, spanText } from './figures.ts';
import { cut, visible, widthOf } from './terminal.ts';

const WIDTH = 24;
const EVERY_MS = 80;
/** A speed that was measured over less time says nothing. */
const MEASURED_MS = 1000;

export interface Bar {
  show(progress: Progress): void;
  clear(): void;
}

export function progressBar(stream: NodeJS.WriteStream): Bar {
  let last = Number.NEGATIVE_INFINITY;
  let drawn = false;
  let began: { at: number; done: number } | undefined;
  return {
    show(progress) {
      const now = performance.now();
      // Another stage of the work counts anew.
      if (began === undefined || progress.done < began.done) began = { at: now, done: progress.done };
      if (!stream.isTTY || now - last < EVERY_MS) return;
      last = now;
      drawn = true;
      const pace = { milliseconds: now - began.at, done: progress.done - began.done };
      stream.write(`\r\x1b[K${progressLine(progress, pace, (stream.columns || 80) - 1)}`);
    },
    clear() {
      if (drawn) stream.write('\r\x1b[K');
      drawn = false;
    },
  };
}

interface Pace {
  readonly milliseconds: number;
  readonly done: number;
}

export function progressLine(progress: Progress, pace: Pace, width: number): string {
  const facts = [amount(progress), ...speed(progress, pace)].join(', ');
  const head = `${bar(progress)}${facts}`;
  const message = visible(progress.message ?? '').replaceAll('\t', ' ');
  const room = width - widthOf(head) - 1;
  if (room < 1 || message === '') return cut(head, width);
  // Of a path the end says which file it is.
  return `${head} ${cut(message, room, message.includes('/') ? 'end' : 'start')}`;
}

function amount({ done, total, unit }: Progress): string {
  const figure = unit === 'bytes' ? sizeText : numberText;
  return total === undefined || total === 0 ? figure(done) : `${figure(done)}/${figure(total)}`;
}

function speed({ done, total, unit }: Progress, pace: Pace): string[] {
  if (pace.milliseconds < MEASURED_MS || pace.done <= 0) return [];
  const each = (pace.done * 1000) / pace.milliseconds;
  const rate =
    unit === 'bytes' ? sizeText(Math.round(each)) : each >= 10 ? numberText(Math.round(each)) : each.toFixed(1);
  const left = total === undefined || total <= done ? [] : [`${spanText((total - done) / each)} left`];
  return [`${rate}/s`, ...left];
}

function bar({ done, total }: Progress): string {
  if (total === undefined || total === 0) return '';
  const share = Math.min(1, done / total);
  const filled = Math.round(share * WIDTH);
  return `[${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)}] ${Math.round(share * 100)} % `;
}
