/** Progress of long work as a bar on a terminal's stderr; elsewhere nothing. */
import type { Progress } from '../../service/workers.ts';

const WIDTH = 24;
const EVERY_MS = 80;

export interface Bar {
  show(progress: Progress): void;
  clear(): void;
}

export function progressBar(stream: NodeJS.WriteStream): Bar {
  let last = 0;
  let drawn = false;
  return {
    show({ done, total, message = '' }) {
      const now = Date.now();
      if (!stream.isTTY || now - last < EVERY_MS) return;
      last = now;
      drawn = true;
      stream.write(`\r\x1b[K${bar(done, total)} ${message}`);
    },
    clear() {
      if (drawn) stream.write('\r\x1b[K');
    },
  };
}

function bar(done: number, total: number | undefined): string {
  if (total === undefined || total === 0) return `${done}`;
  const share = Math.min(1, done / total);
  const filled = Math.round(share * WIDTH);
  return `[${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)}] ${Math.round(share * 100)} % ${done}/${total}`;
}
