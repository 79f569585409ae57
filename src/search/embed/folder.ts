/** A folder with a model, laid out as models are published: which of its files are used, and what they say about its use. */
import { createHash, type Hash } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';

export interface ModelFolder {
  /** The path of the graph. */
  readonly graph: string;
  readonly tokenizer: string;
  /** In tokens. */
  readonly limit: number;
  readonly pooling: 'mean' | 'first';
  /** Whether something comes after the pooling that is not in the graph. */
  readonly unfinished: boolean;
}

const GRAPHS = ['model.onnx', 'onnx/model.onnx', 'model_quantized.onnx', 'onnx/model_quantized.onnx'];
/** Large models keep their weights beside the graph. */
const WEIGHTS = ['_data', '.data'];
const TOKENIZER = 'tokenizer.json';
const SETTINGS = ['config.json', 'sentence_bert_config.json', 'modules.json', '1_Pooling/config.json'];
/** Passages are shorter; what a model can read beyond it would only take time. */
const MOST_TOKENS = 512;
const USUAL_TOKENS = 256;

export function openFolder(folder: string): ModelFolder {
  const graph = GRAPHS.find((name) => existsSync(join(folder, name)));
  if (graph === undefined) throw new Error(`${folder} has none of ${GRAPHS.join(', ')}`);
  if (!existsSync(join(folder, TOKENIZER))) throw new Error(`${folder} has no ${TOKENIZER}`);
  const [config, sentences, modules, pooling] = SETTINGS.map((name) => settingsIn(join(folder, name)));
  return {
    graph: join(folder, graph),
    tokenizer: readFileSync(join(folder, TOKENIZER), 'utf8'),
    limit: limitOf(sentences?.max_seq_length, config?.max_position_embeddings),
    pooling: poolingOf(pooling ?? {}),
    unfinished: Object.values(modules ?? {}).some(isDense),
  };
}

/** The sha256 of all that decides about the vectors; of a folder that cannot be read, what no model is called. */
export function fingerprintOf(folder: string): string {
  const graph = GRAPHS.find((name) => existsSync(join(folder, name)));
  const names = [graph ?? 'model.onnx', ...WEIGHTS.map((end) => `${graph}${end}`), TOKENIZER, ...SETTINGS];
  const hash = createHash('sha256');
  try {
    for (const name of names) {
      if (name !== graph && name !== TOKENIZER && !existsSync(join(folder, name))) continue;
      hash.update(`\n${name}\n`);
      addFile(hash, join(folder, name));
    }
  } catch {
    return 'unreadable';
  }
  return hash.digest('hex');
}

/** In pieces, for it may be large. */
function addFile(hash: Hash, path: string): void {
  const file = openSync(path, 'r');
  try {
    const piece = Buffer.alloc(1 << 20);
    for (let read = -1; read !== 0; ) {
      read = readSync(file, piece);
      hash.update(piece.subarray(0, read));
    }
  } finally {
    closeSync(file);
  }
}

function settingsIn(path: string): Readonly<Record<string, unknown>> {
  if (!existsSync(path)) return {};
  try {
    return { ...JSON.parse(readFileSync(path, 'utf8')) };
  } catch (error) {
    throw new Error(`${path} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

function isDense(module: unknown): boolean {
  return typeof module === 'object' && module !== null && 'type' in module && /\.Dense$/.test(String(module.type));
}

function limitOf(...said: readonly unknown[]): number {
  const [first = USUAL_TOKENS] = said.filter((value) => Number.isInteger(value) && Number(value) > 2);
  return Math.min(MOST_TOKENS, Number(first));
}

function poolingOf(said: Readonly<Record<string, unknown>>): 'mean' | 'first' {
  const modes = Object.keys(said).filter((name) => name.startsWith('pooling_mode_') && said[name] === true);
  const [mode = 'pooling_mode_mean_tokens', ...others] = modes;
  if (others.length === 0 && mode === 'pooling_mode_mean_tokens') return 'mean';
  if (others.length === 0 && mode === 'pooling_mode_cls_token') return 'first';
  throw new Error(`1_Pooling/config.json wants ${modes.join(' and ')}; supported are the mean and the first token`);
}
