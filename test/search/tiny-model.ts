/** A real model for the runtime, small enough to be checked by hand: a row of four numbers for each of a dozen words. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Graph, type Node, writeModel } from '../../src/search/embed/onnx.ts';

export const words = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'red', 'green', 'blue', 'warm', 'cold', '##er', 'query', ':'];
export const WIDTH = 4;

/** A direction for each mark, and for each word. */
export const rows: readonly (readonly number[])[] = words.map((_, word) =>
  word < 4 ? [0, 1, 2, 3].map((column) => (column === word ? 1 : 0)) : [word, word % 2, word % 3, -1],
);

export const tokenizer = {
  normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, lowercase: true },
  pre_tokenizer: { type: 'BertPreTokenizer' },
  post_processor: { type: 'BertProcessing', cls: ['[CLS]', 2], sep: ['[SEP]', 3] },
  model: {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(words.map((word, number) => [word, number])),
  },
};

const table = { name: 'table', shape: [words.length, WIDTH], data: Float32Array.from(rows.flat()) };
const input = (name: string) => ({ name, shape: ['batch', 'tokens'], type: 'int64' as const });
const gather: Node = { type: 'Gather', inputs: ['table', 'input_ids'], outputs: ['last_hidden_state'] };
/** The greatest of each column: not what pooling here would give. */
const greatest: Node = {
  type: 'ReduceMax',
  inputs: ['last_hidden_state'],
  outputs: ['sentence_embedding'],
  attributes: { axes: [1], keepdims: 0 },
};

export const byToken: Graph = {
  nodes: [gather],
  tensors: [table],
  inputs: ['input_ids', 'attention_mask', 'token_type_ids'].map(input),
  outputs: [{ name: 'last_hidden_state', shape: ['batch', 'tokens', WIDTH] }],
};

export const whole: Graph = {
  ...byToken,
  nodes: [gather, greatest],
  outputs: [...byToken.outputs, { name: 'sentence_embedding', shape: ['batch', WIDTH] }],
};

export const wanting = (name: string): Graph => ({ ...byToken, inputs: [...byToken.inputs, input(name)] });

/** Texts and bytes are written as they are, all else as JSON. */
export function writeFolder(folder: string, files: Readonly<Record<string, unknown>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    const raw = typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content);
    writeFileSync(join(folder, name), raw);
  }
}

export const tinyFiles = (graph: Graph = byToken) => ({ 'model.onnx': writeModel(graph), 'tokenizer.json': tokenizer });
