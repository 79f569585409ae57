/**
 * Appends lines to a file that is renamed when it grows too large. Lines are gathered and written in the background, so
 * that a slow disk never slows a call; what is gathered is bounded, and `flush` waits for it.
 */
import { appendFile, mkdir, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface Appender {
  append(line: string): void;
  flush(): Promise<void>;
}

export interface AppenderOptions {
  readonly maxBytes: number;
  /** What the full file is renamed to. */
  readonly retired: (path: string) => string;
  readonly onError: (error: Error) => void;
}

const GATHERED_BYTES = 4 * 1024 * 1024;

export function appendTo(path: string, options: AppenderOptions): Appender {
  let gathered: string[] = [];
  let gatheredBytes = 0;
  let dropped = 0;
  let size: number | undefined;
  let writing: Promise<void> | undefined;

  async function drain(): Promise<void> {
    while (gathered.length > 0) {
      const lost =
        dropped === 0
          ? ''
          : `${JSON.stringify({ level: 'warn', message: `${dropped} lines dropped: the disk is too slow` })}\n`;
      const chunk = lost + gathered.join('');
      gathered = [];
      gatheredBytes = 0;
      dropped = 0;
      await write(chunk);
    }
  }

  async function write(chunk: string): Promise<void> {
    const bytes = Buffer.byteLength(chunk);
    size ??= await sizeOf(path);
    if (size > 0 && size + bytes > options.maxBytes) {
      await rename(path, options.retired(path));
      size = 0;
    }
    if (size === 0) await mkdir(dirname(path), { recursive: true });
    await appendFile(path, chunk);
    size += bytes;
  }

  function start(): Promise<void> {
    writing ??= drain()
      .catch((thrown: unknown) => options.onError(thrown instanceof Error ? thrown : new Error(String(thrown))))
      .finally(() => {
        writing = undefined;
      });
    return writing;
  }

  return {
    append(line) {
      if (gatheredBytes > GATHERED_BYTES) {
        dropped++;
        return;
      }
      gathered.push(`${line}\n`);
      gatheredBytes += line.length + 1;
      void start();
    },
    async flush() {
      while (writing !== undefined || gathered.length > 0) await start();
    },
  };
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    return 0;
  }
}
