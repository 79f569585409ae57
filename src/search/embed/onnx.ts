/**
 * Writes the few parts of the ONNX file format (Protocol Buffers) that a graph of ours needs. The weights come as plain
 * tensors, and the runtime reads nothing but this format, so the graph is written when the model is loaded.
 */

/** A message in pieces, so that megabytes of weights are copied once, at the end. */
type Message = readonly Uint8Array[];

export type Attribute = number | { readonly float: number } | readonly number[];

export interface Node {
  readonly type: string;
  /** An empty name leaves out an optional input. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** Empty for the standard operators; the runtime's own fused ones are in 'com.microsoft'. */
  readonly domain?: string;
  readonly attributes?: Readonly<Record<string, Attribute>>;
}

export interface Tensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly data: Float32Array | Int8Array;
}

/** A number is a fixed dimension, a string one that varies from run to run. */
export interface Port {
  readonly name: string;
  readonly shape: readonly (number | string)[];
  /** Floats unless said otherwise. */
  readonly type?: 'int64';
}

export interface Graph {
  readonly nodes: readonly Node[];
  readonly tensors: readonly Tensor[];
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];
}

const IR_VERSION = 8;
const STANDARD_OPERATORS = 17;
const FLOAT = 1;
const INT8 = 3;
const INT64 = 7;

export function writeModel({ nodes, tensors, inputs, outputs }: Graph): Uint8Array {
  const graph = [
    ...nodes.flatMap((node) => nested(1, nodeMessage(node))),
    ...text(2, 'graph'),
    ...tensors.flatMap((tensor) => nested(5, tensorMessage(tensor))),
    ...inputs.flatMap((port) => nested(11, portMessage(port))),
    ...outputs.flatMap((port) => nested(12, portMessage(port))),
  ];
  return Buffer.concat([
    ...integer(1, IR_VERSION),
    ...nested(7, graph),
    ...nested(8, [...text(1, ''), ...integer(2, STANDARD_OPERATORS)]),
    ...nested(8, [...text(1, 'com.microsoft'), ...integer(2, 1)]),
  ]);
}

function nodeMessage({ type, inputs, outputs, domain = '', attributes = {} }: Node): Message {
  return [
    ...inputs.flatMap((name) => text(1, name)),
    ...outputs.flatMap((name) => text(2, name)),
    ...text(4, type),
    ...Object.entries(attributes).flatMap(([name, value]) => nested(5, attributeMessage(name, value))),
    ...text(7, domain),
  ];
}

function attributeMessage(name: string, value: Attribute): Message {
  if (typeof value === 'number') return [...text(1, name), ...integer(3, value), ...integer(20, 2)];
  if ('float' in value) return [...text(1, name), ...float(2, value.float), ...integer(20, 1)];
  return [...text(1, name), ...value.flatMap((item) => integer(8, item)), ...integer(20, 7)];
}

function tensorMessage({ name, shape, data }: Tensor): Message {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return [
    ...shape.flatMap((size) => integer(1, size)),
    ...integer(2, data instanceof Int8Array ? INT8 : FLOAT),
    ...text(8, name),
    ...nested(9, [bytes]),
  ];
}

function portMessage({ name, shape, type }: Port): Message {
  const element = integer(1, type === 'int64' ? INT64 : FLOAT);
  const sizes = shape.flatMap((size) => nested(1, typeof size === 'number' ? integer(1, size) : text(2, size)));
  return [...text(1, name), ...nested(2, nested(1, [...element, ...nested(2, sizes)]))];
}

function integer(field: number, value: number): Message {
  return [variable(field * 8), variable(value)];
}

function float(field: number, value: number): Message {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return [variable(field * 8 + 5), bytes];
}

function text(field: number, value: string): Message {
  return nested(field, [Buffer.from(value, 'utf8')]);
}

function nested(field: number, message: Message): Message {
  const length = message.reduce((sum, part) => sum + part.length, 0);
  return [variable(field * 8 + 2), variable(length), ...message];
}

/** Seven bits a byte, the lowest first. */
function variable(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 127) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
  return Uint8Array.from(bytes);
}
