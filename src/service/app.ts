/** Everything a running Cairn holds, made once per process and handed to every call. Making it opens nothing. */
import { choiceOf } from '../search/embed/choice.ts';
import type { Embedder } from '../search/embed/embedder.ts';
import { lazyEmbedder } from '../search/embed/lazy.ts';
// For its declaration of the task.
import type {} from '../store/embedded/document-thread.ts';
import { lazyStore } from '../store/lazy.ts';
import type { Store } from '../store/store.ts';
import type { Config } from './config.ts';
import { type Connections, createConnections } from './connections.ts';
import { type Log, openLog } from './log.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { Running } from './running.ts';
import { openTrace, type Trace } from './trace.ts';
import type { Workers } from './workers.ts';

export interface App {
  readonly config: Config;
  readonly store: Store;
  readonly log: Log;
  readonly trace: Trace;
  readonly metrics: Metrics;
  readonly workers: Workers;
  readonly embedder: Embedder;
  readonly connections: Connections;
  readonly running: Running;
  /** Aborts what goes on after its call was answered. */
  readonly closing: AbortSignal;
  close(): Promise<void>;
}

/** `workerScript` is dist/worker.js; the process of the embedding model lies beside it. */
export function createApp(config: Config, workerScript: URL): App {
  const log = openLog(config);
  const trace = openTrace(config, log);
  const workers = lazyWorkers(config.workers, workerScript);
  const embedder = lazyEmbedder(choiceOf(config), new URL('./embedder.js', workerScript), log);
  const store = lazyStore(config.home, async () => {
    const { openMended } = await import('../store/embedded/engine.ts');
    return openMended({
      home: config.home,
      lockWaitMs: config.lockWaitMs,
      history: config.history,
      onProblem: (message) => log.warn(message),
      indexThread: (input) => workers.run('followDocuments', input),
      ...(config.instructionsDir !== '' && { instructionsFolder: config.instructionsDir }),
      ...(config.promptsDir !== '' && { promptsFolder: config.promptsDir }),
    });
  });
  const ending = new AbortController();
  return {
    config,
    store,
    log,
    trace,
    workers,
    embedder,
    metrics: createMetrics(),
    connections: createConnections(),
    running: new Running(),
    closing: ending.signal,
    async close() {
      ending.abort();
      // The store first: what it has in hand in a thread must not be cut off in the middle of a transaction.
      await store.close();
      await workers.close();
      await embedder.close();
      await trace.flush();
      await log.flush();
    },
  };
}

function lazyWorkers(size: number, script: URL): Workers {
  let loading: Promise<Workers> | undefined;
  const pool = () => (loading ??= import('./workers.ts').then(({ createWorkers }) => createWorkers(size, script)));
  return {
    run: (task, input, options) => pool().then((workers) => workers.run(task, input, options)),
    close: async () => (await loading)?.close(),
  };
}
