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

const QUEUE_LIMIT = 1000;

export function createWorkers(size: number, script: URL): Workers {
  const idle: Worker[] = [];
  const busy = new Set<Worker>();
  const queue: Job[] = [];
  let closed = false;

  function dispatch(): void {
    while (queue.length > 0 && !closed) {
      const worker = idle.pop() ?? (busy.size < size ? new Worker(script) : undefined);
      if (worker === undefined) return;
      const job = queue.shift();
      if (job === undefined) {
        idle.push(worker);
        return;
      }
      start(worker, job);
    }
  }

  function start(worker: Worker, job: Job): void {
    busy.add(worker);
    worker.ref();
    const settle = (finish: () => void, end: boolean) => {
      // One by one: removeAllListeners would take Node's own along, and the thread would never be heard again.
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      job.options.signal?.removeEventListener('abort', onAbort);
      busy.delete(worker);
      if (end || closed) void worker.terminate();
      else {
        // An idle thread must not keep the process alive after stdin has ended.
        worker.unref();
        idle.push(worker);
      }
      finish();
      dispatch();
    };
    const onMessage = (message: FromWorker) => {
      if (message.kind === 'progress') job.options.progress?.(message.progress);
      else if (message.kind === 'done') settle(() => job.resolve(message.output), false);
      else settle(() => job.reject(new Error(message.message)), false);
    };
    const onError = (error: Error) => settle(() => job.reject(error), true);
    const onExit = (code: number) =>
      settle(() => job.reject(new Error(`A worker thread ended with code ${code}`)), true);
    const onAbort = () => settle(() => job.reject(new CairnError('cancelled', 'The call was cancelled')), true);
    job.options.signal?.addEventListener('abort', onAbort, { once: true });
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    worker.postMessage({ task: job.task, input: job.input });
  }

  return {
    run(task, input, options = {}) {
      return new Promise((resolve, reject) => {
        if (closed) return reject(new CairnError('cancelled', 'The server is stopping'));
        if (options.signal?.aborted) return reject(new CairnError('cancelled', 'The call was cancelled'));
        if (queue.length >= QUEUE_LIMIT) {
          return reject(new CairnError('limit_exceeded', `More than ${QUEUE_LIMIT} heavy tasks are waiting`));
        }
        queue.push({ task, input, options, resolve: resolve as (output: unknown) => void, reject });
        dispatch();
      });
    },
    async close() {
      closed = true;
      for (const job of queue.splice(0)) job.reject(new CairnError('cancelled', 'The server is stopping'));
      await Promise.all([...idle.splice(0), ...busy].map((worker) => worker.terminate()));
    },
  };
}
