/** A model in a folder of the operator's: a graph from tokens to a vector, or to one vector a token, which are pooled here. */
import { unit } from '../vector.ts';
import { fingerprintOf, type ModelFolder, openFolder } from './folder.ts';
import type { Model } from './model.ts';
import { firstLine, loadRuntime, type Output, type Session, sessionOptions } from './runtime.ts';
import { readTokenizer } from './tokenizer.ts';

export interface FolderModel extends Model {
  readonly dimensions: number;
}

/** One vector for the whole text: what the graph gives under this name needs no pooling. */
const WHOLE = 'sentence_embedding';
/** One vector a token, by the names under which graphs give them. */
const TOKENS = ['last_hidden_state', 'token_embeddings'];

/** Refuses a folder that is not what it was when its fingerprint was taken: its vectors would be kept under a wrong name. */
export async function loadFolderModel(folder: string, fingerprint: string): Promise<FolderModel> {
  const runtime = loadRuntime();
  const opened = openFolder(folder);
  if (fingerprintOf(folder) !== fingerprint)
    throw new Error(`${folder} has changed since Cairn started; start it again`);
  const pieces = readTokenizer(opened.tokenizer);
  const session = await open(opened.graph, () => runtime.InferenceSession.create(opened.graph, sessionOptions()));
  const output = outputOf(session, opened);

  async function embed(text: string): Promise<Float32Array | undefined> {
    if (text.trim() === '') return undefined;
    const { ids } = pieces.encode(text, opened.limit);
    const whole = BigInt64Array.from(ids, BigInt);
    const inputs: Record<string, BigInt64Array> = {
      input_ids: whole,
      attention_mask: whole.map(() => 1n),
      token_type_ids: whole.map(() => 0n),
    };
    const feeds = session.inputNames.map((name) => {
      const values = inputs[name];
      if (values === undefined) throw new Error(`The graph wants ${name}, which is not known here`);
      return [name, new runtime.Tensor('int64', values, [1, ids.length])];
    });
    // All outputs: asked for some of them, this version of the runtime gives them under the names of others.
    const found = await session.run(Object.fromEntries(feeds));
    const vector = unit(pooled(found[output], opened.pooling, ids.length));
    if (!vector.every(Number.isFinite) || !vector.some((value) => value !== 0)) {
      throw new Error(`The graph gives no direction for a text of ${ids.length} tokens`);
    }
    return vector;
  }

  // So that what is wrong shows now, and not with the first text.
  return { dimensions: (await embed('hello'))?.length ?? 0, embed };
}

async function open(path: string, create: () => Promise<Session>): Promise<Session> {
  try {
    return await create();
  } catch (error) {
    throw new Error(`${path} is not a model that the runtime can open: ${firstLine(error)}`);
  }
}

function outputOf({ outputNames }: Session, { unfinished }: ModelFolder): string {
  if (outputNames.includes(WHOLE)) return WHOLE;
  if (unfinished)
    throw new Error(`modules.json names a Dense layer; export the model with ${WHOLE}, which includes it`);
  const name = TOKENS.find((each) => outputNames.includes(each)) ?? outputNames[0];
  if (name === undefined) throw new Error('The graph gives nothing');
  return name;
}

/** Every token counts: one text is run at a time, so there is no padding to leave out. */
function pooled(output: Output | undefined, pooling: ModelFolder['pooling'], tokens: number): Float32Array {
  if (output === undefined || !(output.data instanceof Float32Array)) {
    throw new Error('The graph gives no 32-bit floats; export it with float32 outputs');
  }
  const { data, dims } = output;
  const width = dims.at(-1) ?? 0;
  if (width > 0 && dims.length === 2 && dims[0] === 1) return data;
  if (width === 0 || dims.length !== 3 || data.length !== tokens * width) {
    throw new Error(`The graph gives numbers in the shape ${dims.join('×')}, neither one vector nor one a token`);
  }
  if (pooling === 'first') return data.slice(0, width);
  const sum = new Float32Array(width);
  for (let i = 0; i < data.length; i++) sum[i % width] = (sum[i % width] as number) + (data[i] as number);
  return sum;
}
