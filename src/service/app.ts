/** Everything a running Cairn holds, made once per process and handed to every call. Making it opens nothing. */
import { choiceOf } from '../search/embed/choice.ts';
import type { Embedder } from '../search/embed/embedder.ts';
import { lazyEmbedder } from '../search/embed/lazy.ts';
// For its declaration of the task.
import type {} from '../store/embedded/document-thread.ts';
import type { EmbeddedOptions } from '../store/embedded/engine.ts';
import { lazyStore } from '../store/lazy.ts';
import { isStoreAddress, storeAddress } from '../store/shared/address.ts';
import { bucketAddress } from '../store/shared/bucket-address.ts';
import type { SharedOptions } from '../store/shared/engine.ts';
import type { Store } from '../store/store.ts';
import type { TextPlace } from '../store/texts.ts';
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
  const store = lazyStore(placeOf(config), textPlaceOf(config), () =>
    openStoreAt(config, undefined, {
      onProblem: (message) => log.warn(message),
      indexThread: (input) => workers.run('followDocuments', input),
    }),
  );
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

/** How the place of a store is shown: a folder, or a URL without its password. */
export function placeOf({ home, store, catalog }: Config, place = store === '' ? home : store): string {
  return isStoreAddress(place) ? storeAddress(place, catalog).shown : place;
}

function textPlaceOf(config: Config): TextPlace {
  const { home, store, catalog, storeTimeoutMs, lockWaitMs } = config;
  if (store === '') return { home };
  const times = { statementMs: storeTimeoutMs, lockWaitMs };
  return { home, server: { address: storeAddress(store, catalog), ...times, ...bucketOf(config) } };
}

/** The store of this configuration, or one at another place: a folder, or a PostgreSQL server. */
export async function openStoreAt(
  config: Config,
  place = config.store === '' ? config.home : config.store,
  embedded: Pick<EmbeddedOptions, 'onProblem' | 'indexThread'> = {},
): Promise<Store> {
  const { catalog, storeReplica, storeConnections, storeTimeoutMs, lockWaitMs, history } = config;
  if (isStoreAddress(place)) {
    const { openShared } = await import('../store/shared/engine.ts');
    return openShared({
      home: config.home,
      address: storeAddress(place, catalog),
      connections: storeConnections,
      statementMs: storeTimeoutMs,
      lockWaitMs,
      history,
      ...bucketOf(config),
      ...(storeReplica !== '' && place === config.store && { replica: storeAddress(storeReplica, catalog) }),
    });
  }
  const { openMended } = await import('../store/embedded/engine.ts');
  const own = place === config.home;
  return openMended({
    home: place,
    lockWaitMs,
    history,
    ...embedded,
    ...(own && config.instructionsDir !== '' && { instructionsFolder: config.instructionsDir }),
    ...(own && config.promptsDir !== '' && { promptsFolder: config.promptsDir }),
  });
}

function bucketOf({ objects, objectsKeyId, objectsKey, objectsToken }: Config): Pick<SharedOptions, 'bucket'> {
  if (objects === '') return {};
  const credentials = {
    accessKeyId: objectsKeyId,
    secretAccessKey: objectsKey,
    ...(objectsToken !== '' && { sessionToken: objectsToken }),
  };
  return { bucket: { address: bucketAddress(objects), credentials } };
}

function lazyWorkers(size: number, script: URL): Workers {
  let loading: Promise<Workers> | undefined;
  const pool = () => (loading ??= import('./workers.ts').then(({ createWorkers }) => createWorkers(size, script)));
  return {
    run: (task, input, options) => pool().then((workers) => workers.run(task, input, options)),
    close: async () => (await loading)?.close(),
  };
}
