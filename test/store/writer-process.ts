/** A running writer (writer.ts) as the tests see it: what it acknowledged so far, and ways to end it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';

export class WriterProcess {
  readonly acknowledged: number[] = [];
  readonly #child: ChildProcess;
  readonly #lines: Interface;
  readonly #closed: Promise<unknown>;
  #exit: number | null = null;

  /** Resolves when the process has loaded and waits for `go`. */
  static async start(bundle: string, task: string, home: string, times: number): Promise<WriterProcess> {
    const child = spawn(process.execPath, [bundle, task, home, String(times)], { stdio: ['pipe', 'pipe', 'inherit'] });
    const writer = new WriterProcess(child, createInterface({ input: child.stdout }));
    await writer.#line();
    return writer;
  }

  private constructor(child: ChildProcess, lines: Interface) {
    this.#child = child;
    this.#lines = lines;
    // Closed is later than exited: by then everything that it printed has been read.
    this.#closed = Promise.all([once(child, 'close'), once(lines, 'close')]);
    child.on('exit', (code) => {
      this.#exit = code;
    });
    lines.on('line', (line) => {
      if (line !== 'ready') this.acknowledged.push(Number(line));
    });
  }

  go(): void {
    this.#child.stdin?.write('go\n');
  }

  async acknowledgement(): Promise<void> {
    while (this.acknowledged.length === 0) await this.#line();
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.#closed;
  }

  /** The exit code, when it has ended by itself. */
  async end(): Promise<number | null> {
    await this.#closed;
    return this.#exit;
  }

  async #line(): Promise<void> {
    const ended = this.#closed.then(() => Promise.reject(new Error(`the writer ended early with ${this.#exit}`)));
    await Promise.race([once(this.#lines, 'line'), ended]);
    ended.catch(() => undefined);
  }
}
