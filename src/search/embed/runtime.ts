/** The native runtime that models are run by, loaded only where it can work. */
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';

/** The part of onnxruntime-node that is used; the package has no types of its own. */
export interface Runtime {
  readonly InferenceSession: {
    create(model: Uint8Array | string, options: Readonly<Record<string, unknown>>): Promise<Session>;
  };
  readonly Tensor: new (
    type: 'float32' | 'int64',
    data: Float32Array | BigInt64Array,
    shape: readonly number[],
  ) => unknown;
}

export interface Session {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(feeds: Readonly<Record<string, unknown>>): Promise<Record<string, Output>>;
}

export interface Output {
  readonly data: unknown;
  readonly dims: readonly number[];
}

const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64', 'win32-arm64'];

export function sessionOptions(): Readonly<Record<string, unknown>> {
  return {
    // Half of the machine: indexing runs for minutes, and the server beside it has calls to answer.
    intraOpNumThreads: Math.max(1, Math.min(4, availableParallelism() >> 1)),
    interOpNumThreads: 1,
    logSeverityLevel: 3,
  };
}

/** Required here and not imported above: it has a native part, so no bundle can hold it, and it may not load. */
export function loadRuntime(): Runtime {
  const platform = `${process.platform}-${process.arch}`;
  if (!PLATFORMS.includes(platform)) throw new Error(`The runtime of the model has no binary for ${platform}`);
  // Refused before it is tried: under a compatibility layer it may load, and crash the process later.
  if (process.platform === 'linux' && !hasGlibc()) throw new Error('The runtime of the model needs glibc, not musl');
  try {
    return createRequire(import.meta.url)('onnxruntime-node');
  } catch (error) {
    throw new Error(`The runtime of the model (onnxruntime-node) does not load: ${firstLine(error)}`);
  }
}

function hasGlibc(): boolean {
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return header?.glibcVersionRuntime !== undefined;
}

export function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
}
