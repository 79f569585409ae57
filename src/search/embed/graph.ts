/**
 * The encoder as a graph for the runtime: six layers of attention and feed-forward, in 8-bit integers where the time
 * goes. The embedding table stays outside (the caller sends rows), because in here it would be widened to 47 MB.
 */
import type { Attribute, Graph, Node, Tensor } from './onnx.ts';
import { type Weights, widenInto } from './weights.ts';

const LAYERS = 6;
const HEADS = 12;
const WIDTH = 384;
const INNER = 4 * WIDTH;
const EPSILON = { epsilon: { float: 1e-12 } };
/** The operators that the runtime adds to the standard ones: whole parts of a layer in one step. */
const FUSED = 'com.microsoft';
/**
 * Seven bits of the eight: processors without 8-bit dot products add pairs in 16 bits, which full range overflows. So
 * every machine gives the same sums, and the error is that of the activations anyway.
 */
const LEVELS = 63;

/** From rows [1, tokens, 384] (the sum of the three embeddings) to the mean of the last layer [1, 384]. */
export function encoderGraph(weights: Weights): Graph {
  const nodes: Node[] = [];
  const tensors: Tensor[] = [];

  function keep(name: string, shape: readonly number[], data: Tensor['data']): string {
    tensors.push({ name, shape, data });
    return name;
  }

  function vector(...names: readonly string[]): string {
    const data = joined(names.map((name) => weights.single(name)));
    return keep(names.join('+'), [data.length], data);
  }

  function step(type: string, domain: string, inputs: readonly string[], attributes: Record<string, Attribute> = {}) {
    const output = `${type}.${nodes.length}`;
    nodes.push({ type, domain, inputs, outputs: [output], attributes });
    return output;
  }

  /** The names of a quantised matrix and of its scales; several matrices stand side by side. */
  function matrix(width: number, ...names: readonly string[]): [string, string] {
    const name = names.join('+');
    const { codes, scales } = quantise(
      names.map((part) => weights.half(part)),
      width,
    );
    return [keep(name, [width, scales.length], codes), keep(`${name}.scales`, [scales.length], scales)];
  }

  function product(input: string, width: number, name: string): string {
    return step('DynamicQuantizeMatMul', FUSED, [input, ...matrix(width, name)]);
  }

  /** The same with a scale of its own for every token: here few tokens are large, and would leave the others no bits. */
  function productByRow(input: string, width: number, name: string): string {
    const largest = step('ReduceMax', '', [step('Abs', '', [input])], { axes: [2], keepdims: 1 });
    return step('Mul', '', [product(step('Div', '', [input, largest]), width, name), largest]);
  }

  function attention(input: string, layer: string): string {
    const parts = ['query', 'key', 'value'].map((part) => `${layer}.attention.self.${part}`);
    const [codes, scales] = matrix(WIDTH, ...parts.map((part) => `${part}.weight`));
    const bias = vector(...parts.map((part) => `${part}.bias`));
    const [quantised, scale, zero] = ['codes', 'scale', 'zero'].map((part) => `${layer}.input.${part}`) as [
      string,
      string,
      string,
    ];
    nodes.push({ type: 'DynamicQuantizeLinear', inputs: [input], outputs: [quantised, scale, zero] });
    const inputs = [quantised, codes, bias, scale, scales, '', zero];
    return step('QAttention', FUSED, inputs, { num_heads: HEADS });
  }

  /** Adds the bias and what came in before, and normalises. */
  function close(output: string, before: string, name: string, norm: string): string {
    const parameters = [vector(`${norm}.weight`), vector(`${norm}.bias`), vector(`${name}.bias`)];
    return step('SkipLayerNormalization', FUSED, [output, before, ...parameters], EPSILON);
  }

  const norm = 'embeddings.LayerNorm';
  let state = step('LayerNormalization', '', ['rows', vector(`${norm}.weight`), vector(`${norm}.bias`)], {
    axis: 2,
    ...EPSILON,
  });
  for (let index = 0; index < LAYERS; index++) {
    const layer = `encoder.layer.${index}`;
    const mixed = `${layer}.attention.output.dense`;
    const seen = product(attention(state, layer), WIDTH, `${mixed}.weight`);
    const middle = close(seen, state, mixed, `${layer}.attention.output.LayerNorm`);
    const wide = product(middle, WIDTH, `${layer}.intermediate.dense.weight`);
    const active = step('BiasGelu', FUSED, [wide, vector(`${layer}.intermediate.dense.bias`)]);
    const narrow = productByRow(active, INNER, `${layer}.output.dense.weight`);
    state = close(narrow, middle, `${layer}.output.dense`, `${layer}.output.LayerNorm`);
  }
  nodes.push({ type: 'ReduceMean', inputs: [state], outputs: ['mean'], attributes: { axes: [1], keepdims: 0 } });
  return {
    nodes,
    tensors,
    inputs: [{ name: 'rows', shape: [1, 'tokens', WIDTH] }],
    outputs: [{ name: 'mean', shape: [1, WIDTH] }],
  };
}

/** One row of `width` numbers an output, as stored; the runtime wants one column an output, each with its scale. */
function quantise(matrices: readonly Uint16Array[], width: number): { codes: Int8Array; scales: Float32Array } {
  const outputs = matrices.reduce((sum, { length }) => sum + length / width, 0);
  const codes = new Int8Array(outputs * width);
  const scales = new Float32Array(outputs);
  const row = new Float32Array(width);
  let output = 0;
  for (const matrix of matrices) {
    for (let at = 0; at < matrix.length; at += width, output++) {
      widenInto(row, matrix.subarray(at, at + width));
      let largest = 0;
      for (let i = 0; i < width; i++) largest = Math.max(largest, Math.abs(row[i] as number));
      const scale = largest === 0 ? 1 : largest / LEVELS;
      scales[output] = scale;
      for (let i = 0; i < width; i++) codes[i * outputs + output] = Math.round((row[i] as number) / scale);
    }
  }
  return { codes, scales };
}

function joined(parts: readonly Float32Array[]): Float32Array {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const all = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
