/**
 * Texts to vectors. The bundled model has a process of its own, which starts with the first text and keeps the model; it
 * takes a few texts at a time, and a short request goes before a long one, so a search does not wait for indexing.
 *
 * A process, not a thread: the runtime aborts the whole program when a thread is ended in the middle of a run, and cannot
 * be loaded again once its thread is gone.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { CairnError } from '../../errors.ts';
import { DIMENSIONS, MODEL } from './identity.ts';
import type { FromModel, ToModel } from './model-process.ts';

/** A unit vector, or none where the model has nothing to say: a text without words, or (by its word pieces) not English. */
export type Embedding = Float32Array | undefined;

export interface EmbedderState {
  readonly state: 'idle' | 'loading' | 'ready' | 'unavailable';
  /** Why it is unavailable. */
  readonly reason?: string;
}

export interface Embedder {
  /** Kept with each vector: those of two models are never compared. */
  readonly model: string;
  readonly dimensions: number;
  /** In the order given. Rejects with a CairnError, and soon, where the model cannot run. */
  embed(texts: readonly string[], options?: { readonly signal?: AbortSignal }): Promise<Embedding[]>;
  /** Never throws, and loads nothing. */
  state(): EmbedderState;
  close(): Promise<void>;
}

interface Request {
  readonly texts: readonly string[];
  readonly vectors: Embedding[];
  resolve(vectors: Embedding[]): void;
  reject(error: CairnError): void;
}

/** The model reads 256 tokens, which this holds unless most of it is blanks. */
const TEXT_LIMIT = 16_000;
/** How much goes to the model at once: about 50 ms of work, the longest that a short request waits. */
const PORTION = 1000;
const QUEUE_LIMIT = 1000;

/** `script` is model-process.ts, bundled. */
export function createEmbedder(script: URL): Embedder {
  const requests = new Set<Request>();
  let running: ChildProcess | undefined;
  let state: EmbedderState = { state: 'idle' };
  let atWork: Request | undefined;
  let closed = false;

  function start(): void {
    state = { state: 'loading' };
    try {
      // No flags: those of this program are not meant for that one. Its output is nobody's: ours may carry a protocol.
      const child = fork(fileURLToPath(script), {
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
    if (message.kind === 'ready') state = { state: 'ready' };
    else settle(message);
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
    running?.send({ texts: portion(request) } satisfies ToModel, () => {});
  }

  /** Without work the model must not keep this process alive. */
  function keepAlive(busy: boolean): void {
    if (busy) running?.ref();
    else running?.unref();
    if (busy) running?.channel?.ref();
    else running?.channel?.unref();
  }

  function giveUp(reason: string): void {
    state = { state: 'unavailable', reason };
    running?.kill('SIGKILL');
    running = undefined;
    rejectAll(unavailable(reason));
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
    model: MODEL,
    dimensions: DIMENSIONS,
    state: () => state,
    async embed(texts, { signal } = {}) {
      if (closed) throw cancelled('The server is stopping');
      if (signal?.aborted) throw cancelled('The call was cancelled');
      if (state.state === 'unavailable') throw unavailable(state.reason ?? '');
      if (requests.size >= QUEUE_LIMIT) {
        throw new CairnError('limit_exceeded', `More than ${QUEUE_LIMIT} requests for embeddings are waiting`);
      }
      if (texts.length === 0) return [];
      let abort: (() => void) | undefined;
      const vectors = new Promise<Embedding[]>((resolve, reject) => {
        const request: Request = { texts, vectors: [], resolve, reject };
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

/** Where embeddings are switched off. */
export function noEmbedder(reason = 'Embeddings are switched off'): Embedder {
  return {
    model: 'none',
    dimensions: 0,
    embed: async () => {
      throw unavailable(reason);
    },
    state: () => ({ state: 'unavailable', reason }),
    close: async () => {},
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

function unavailable(reason: string): CairnError {
  return new CairnError('internal_error', `The embedding model is unavailable: ${reason}`, {
    suggestion: 'Search by keywords works without it; reinstall Cairn on a supported system to have it.',
  });
}

function failure(reason: string): CairnError {
  return new CairnError('internal_error', `The embedding model failed: ${reason}`);
}

function cancelled(message: string): CairnError {
  return new CairnError('cancelled', message);
}
