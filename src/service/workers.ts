/**
 * A small pool of threads for heavy work, so that the protocol loop stays free. Threads start on first use, take one
 * task at a time, report progress while they run, and are ended when a task is cancelled: heavy code need not poll.
 */
import { Worker } from 'node:worker_threads';
import { CairnError } from '../errors.ts';
import type { TaskInput, TaskName, TaskOutput } from './tasks.ts';

export interface Progress {
  readonly done: number;
  readonly total?: number;
  /** What is counted, where it is not things. */
  readonly unit?: 'bytes';
  readonly message?: string;
}

export interface TaskOptions {
  readonly signal?: AbortSignal;
  readonly progress?: (progress: Progress) => void;
}

export interface Workers {
  run<N extends TaskName>(task: N, input: TaskInput<N>, options?: TaskOptions): Promise<TaskOutput<N>>;
  close(): Promise<void>;
}

export type FromWorker =
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'done'; readonly output: unknown }
  | { readonly kind: 'failed'; readonly message: string };

interface Job {
  readonly task: string;
  readonly input: unknown;
  readonly options: TaskOptions;
  resolve(output: unknown): void;
  reject(error: unknown): void;
}

/** A thread, and the job it is at. */
interface Thread {
  readonly worker: Worker;
  job: Job | undefined;
}

const QUEUE_LIMIT = 1000;

export function createWorkers(size: number, script: URL): Workers {
  const threads = new Set<Thread>();
  const queue: Job[] = [];
  let closed = false;

  function dispatch(): void {
    while (queue.length > 0 && !closed) {
      const thread = idleThread();
      if (thread === undefined) return;
      const job = queue.shift();
      if (job !== undefined) start(thread, job);
    }
  }

  function idleThread(): Thread | undefined {
    const idle = [...threads].find(({ job }) => job === undefined);
    return idle ?? (threads.size < size ? newThread() : undefined);
  }

  function newThread(): Thread {
    const worker = new Worker(script);
    const thread: Thread = { worker, job: undefined };
    threads.add(thread);
    worker.on('message', (message: FromWorker) => hear(thread, message));
    worker.on('error', (error) => end(thread, error));
    worker.on('exit', (code) => end(thread, new Error(`A worker thread ended with code ${code}`)));
    return thread;
  }

  function start(thread: Thread, job: Job): void {
    thread.job = job;
    thread.worker.ref();
    try {
      thread.worker.postMessage({ task: job.task, input: job.input });
    } catch (thrown) {
      free(thread);
      job.reject(thrown);
    }
  }

  function hear(thread: Thread, message: FromWorker): void {
    const { job } = thread;
    if (job === undefined) return;
    if (message.kind === 'progress') {
      job.options.progress?.(message.progress);
      return;
    }
    free(thread);
    if (message.kind === 'done') job.resolve(message.output);
    else job.reject(new Error(message.message));
    dispatch();
  }

  function free(thread: Thread): void {
    thread.job = undefined;
    // An idle thread must not keep the process alive after stdin has ended.
    thread.worker.unref();
  }

  function end(thread: Thread, reason: unknown): void {
    threads.delete(thread);
    const { job } = thread;
    thread.job = undefined;
    void thread.worker.terminate();
    job?.reject(closed ? stopping() : reason);
    dispatch();
  }

  /** A job that waits is taken out of the queue; the thread of one that runs is ended. */
  function cancel(job: Job): void {
    const waiting = queue.indexOf(job);
    if (waiting >= 0) {
      queue.splice(waiting, 1);
      job.reject(cancelled());
      return;
    }
    const running = [...threads].find((thread) => thread.job === job);
    if (running !== undefined) end(running, cancelled());
  }

  return {
    run(task, input, options = {}) {
      const { signal } = options;
      let abort: (() => void) | undefined;
      const running = new Promise<unknown>((resolve, reject) => {
        if (closed) return reject(stopping());
        if (signal?.aborted) return reject(cancelled());
        if (queue.length >= QUEUE_LIMIT) {
          return reject(new CairnError('limit_exceeded', `More than ${QUEUE_LIMIT} heavy tasks are waiting`));
        }
        const job: Job = { task, input, options, resolve, reject };
        abort = () => cancel(job);
        signal?.addEventListener('abort', abort);
        queue.push(job);
        dispatch();
      });
      return running.finally(() => {
        if (abort !== undefined) signal?.removeEventListener('abort', abort);
      }) as Promise<never>;
    },
    async close() {
      closed = true;
      for (const job of queue.splice(0)) job.reject(stopping());
      await Promise.all([...threads].map(({ worker }) => worker.terminate()));
    },
  };
}

function cancelled(): CairnError {
  return new CairnError('cancelled', 'The call was cancelled');
}

function stopping(): CairnError {
  return new CairnError('cancelled', 'The server is stopping');
}
