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
  let writing: Promise<void> | undefined;

  async function drain(): Promise<void> {
    try {
      while (gathered.length > 0) {
        const lines = gathered;
        if (dropped > 0) lines.push(lossNotice(dropped));
        gathered = [];
        gatheredBytes = 0;
        dropped = 0;
        await write(lines);
      }
    } catch (thrown) {
      options.onError(thrown instanceof Error ? thrown : new Error(String(thrown)));
    } finally {
      writing = undefined;
    }
  }

  /** Lines that fit are one append; a line that does not begins a new file. */
  async function write(lines: readonly string[]): Promise<void> {
    // Asked each time: other processes may append to the same file, and people rename or remove it.
    let size = await sizeOf(path);
    let batch: string[] = [];
    for (const line of lines) {
      const bytes = Buffer.byteLength(line);
      if (size > 0 && size + bytes > options.maxBytes) {
        await put(batch);
        await retire();
        batch = [];
        size = 0;
      }
      batch.push(line);
      size += bytes;
    }
    await put(batch);
  }

  async function put(batch: readonly string[]): Promise<void> {
    if (batch.length === 0) return;
    await mkdir(dirname(path), { recursive: true });
    await appendFile(path, batch.join(''));
  }

  async function retire(): Promise<void> {
    try {
      await rename(path, options.retired(path));
    } catch (thrown) {
      // Another process that shares the file was quicker.
      if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
    }
  }

  function start(): Promise<void> {
    writing ??= drain();
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

function lossNotice(dropped: number): string {
  return `${JSON.stringify({ level: 'warn', message: `${dropped} lines dropped: the disk is too slow` })}\n`;
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    return 0;
  }
}
