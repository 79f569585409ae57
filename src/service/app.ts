/** Everything a running Cairn holds, made once per process and handed to every call. Making it opens nothing. */
import { lazyStore } from '../store/lazy.ts';
import type { Store } from '../store/store.ts';
import type { Config } from './config.ts';
import { type Log, openLog } from './log.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { openTrace, type Trace } from './trace.ts';
import type { Workers } from './workers.ts';

export interface App {
  readonly config: Config;
  readonly store: Store;
  readonly log: Log;
  readonly trace: Trace;
  readonly metrics: Metrics;
  readonly workers: Workers;
  close(): Promise<void>;
}

export function createApp(config: Config, workerScript: URL): App {
  const log = openLog(config);
  const trace = openTrace(config, log);
  const workers = lazyWorkers(config.workers, workerScript);
  const store = lazyStore(config.home, async () => {
    const { openEmbedded } = await import('../store/embedded/engine.ts');
    return openEmbedded({
      home: config.home,
      lockWaitMs: config.lockWaitMs,
      onProblem: (message) => log.warn(message),
      ...(config.instructionsDir !== '' && { instructionsFolder: config.instructionsDir }),
    });
  });
  return {
    config,
    store,
    log,
    trace,
    workers,
    metrics: createMetrics(),
    async close() {
      await workers.close();
      await store.close();
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
