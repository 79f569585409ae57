/** A model in a folder, run by the real runtime in its real process; and the folders that are refused. */
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { choiceOf } from '../../src/search/embed/choice.ts';
import type { Embedder } from '../../src/search/embed/embedder.ts';
import { fingerprintOf } from '../../src/search/embed/folder.ts';
import { lazyEmbedder } from '../../src/search/embed/lazy.ts';
import { writeModel } from '../../src/search/embed/onnx.ts';
import { cosine, unit } from '../../src/search/vector.ts';
import { byToken, rows, tinyFiles, tokenizer, wanting, whole, words, writeFolder } from './tiny-model.ts';

const root = join(import.meta.dirname, '../..');
// Below the project, so that it finds the packages as dist/ does.
const inside = mkdtempSync(join(root, 'node_modules', '.cairn-folder-'));
const script = join(inside, 'embedder.js');

beforeAll(async () => {
  await build({
    entryPoints: [join(root, 'src/search/embed/model-process.ts')],
    outfile: script,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
  });
});
afterAll(() => rmSync(inside, { recursive: true, force: true }));

function folderWith(files: Readonly<Record<string, unknown>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-model-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFolder(folder, files);
  return folder;
}

function embedderOf(folder: string, prefixes = { query: '', text: '' }, told: string[] = []): Embedder {
  const choice = choiceOf({
    embeddings: `onnx:${folder}`,
    embeddingsUrl: '',
    embeddingsModel: '',
    embeddingsKey: '',
    embeddingsDimensions: 0,
    embeddingsQueryPrefix: prefixes.query,
    embeddingsTextPrefix: prefixes.text,
  });
  const tell = { warn: (message: string) => told.push(message), info: (message: string) => told.push(message) };
  const made = lazyEmbedder(choice, pathToFileURL(script), tell);
  onTestFinished(() => made.close());
  return made;
}

/** What the model gives for words and the marks around them, by hand. */
function mean(...texts: readonly string[]): Float32Array {
  const sum = new Float32Array(4);
  for (const text of ['[CLS]', ...texts, '[SEP]']) {
    for (const [i, value] of (rows[words.indexOf(text)] ?? []).entries()) sum[i] = (sum[i] as number) + value;
  }
  return unit(sum);
}

const close = (one: Float32Array | undefined, other: Float32Array) =>
  expect(one && cosine(one, other)).toBeCloseTo(1, 5);

describe('a model in a folder', () => {
  it('gives the mean of its tokens, as a unit vector', async () => {
    const embedder = embedderOf(folderWith(tinyFiles()));
    expect([embedder.state(), embedder.dimensions]).toEqual([{ state: 'idle' }, 0]);
    const vectors = await embedder.embed(['red', 'Green, blue', 'warmer']);
    close(vectors[0], mean('red'));
    close(vectors[1], mean('green', '[UNK]', 'blue'));
    close(vectors[2], mean('warm', '##er'));
    expect(cosine(vectors[0] as Float32Array, vectors[0] as Float32Array)).toBeCloseTo(1, 5);
    expect([embedder.state(), embedder.dimensions]).toEqual([{ state: 'ready' }, 4]);
  });

  it('gives its own vector for the whole text where it has one', async () => {
    const [vector] = await embedderOf(folderWith(tinyFiles(whole))).embed(['red blue']);
    close(vector, unit(Float32Array.from([6, 0, 1, 1])));
  });

  it('gives the vector of the first token where its folder says so', async () => {
    const pooling = { pooling_mode_cls_token: true, pooling_mode_mean_tokens: false };
    const [vector] = await embedderOf(folderWith({ ...tinyFiles(), '1_Pooling/config.json': pooling })).embed(['red']);
    close(vector, Float32Array.from([0, 0, 1, 0]));
  });

  it.each(['onnx/model.onnx', 'model_quantized.onnx', 'onnx/model_quantized.onnx'])('may lie in %s', async (name) => {
    const folder = folderWith({ [name]: writeModel(byToken), 'tokenizer.json': tokenizer });
    close((await embedderOf(folder).embed(['red']))[0], mean('red'));
  });

  it('has no vector for a blank text, and one for any language', async () => {
    const vectors = await embedderOf(folderWith(tinyFiles()), { query: 'query: ', text: 'warm ' }).embed([
      '',
      ' \n',
      'red',
    ]);
    expect(vectors.map((vector) => vector !== undefined)).toEqual([false, false, true]);
  });

  it('reads no more tokens than it can', async () => {
    const folder = folderWith({ ...tinyFiles(), 'sentence_bert_config.json': { max_seq_length: 4 } });
    const [vector] = await embedderOf(folder).embed(['red blue cold cold cold']);
    close(vector, mean('red', 'blue'));
  });

  it('gets what it wants before a question and before a text', async () => {
    const embedder = embedderOf(folderWith(tinyFiles()), { query: 'query: ', text: 'warm ' });
    close((await embedder.embed(['red'], { as: 'query' }))[0], mean('query', ':', 'red'));
    close((await embedder.embed(['red'], { as: 'text' }))[0], mean('warm', 'red'));
    close((await embedder.embed(['red']))[0], mean('warm', 'red'));
  });

  it('is named by what is in its files', () => {
    const folder = folderWith(tinyFiles());
    const name = embedderOf(folder).model;
    expect(name).toBe(`onnx:${basename(folder)}/${fingerprintOf(folder).slice(0, 16)}`);
    expect(fingerprintOf(folderWith(tinyFiles()))).toBe(fingerprintOf(folder));
    expect(fingerprintOf(folderWith(tinyFiles(whole)))).not.toBe(fingerprintOf(folder));
    writeFolder(folder, { '1_Pooling/config.json': { pooling_mode_cls_token: true } });
    expect(embedderOf(folder).model).not.toBe(name);
  });
});

describe('a folder', () => {
  const changed = (file: Record<string, unknown>) => ({ ...tinyFiles(), 'tokenizer.json': { ...tokenizer, ...file } });

  it.each<[string, Readonly<Record<string, unknown>>, RegExp]>([
    ['without a model', { 'tokenizer.json': tokenizer }, /has none of model\.onnx, onnx\/model\.onnx/],
    ['without a tokenizer', { 'model.onnx': writeModel(byToken) }, /has no tokenizer\.json/],
    ['with another tokenizer', changed({ model: { type: 'BPE', vocab: {}, merges: [] } }), /type BPE.*WordPiece/],
    ['with a broken graph', { ...tinyFiles(), 'model.onnx': 'garbage' }, /not a model that the runtime can open/],
    ['with another input', tinyFiles(wanting('pixel_values')), /wants pixel_values, which is not known/],
    [
      'with another pooling',
      { ...tinyFiles(), '1_Pooling/config.json': { pooling_mode_max_tokens: true } },
      /max_tokens/,
    ],
    ['with broken settings', { ...tinyFiles(), 'config.json': '{' }, /config\.json cannot be read/],
    [
      'with a layer to come',
      { ...tinyFiles(), 'modules.json': [{ type: 'sentence_transformers.models.Dense' }] },
      /Dense/,
    ],
  ])('%s is refused, and it is said once why', async (_, files, why) => {
    const told: string[] = [];
    const embedder = embedderOf(folderWith(files), { query: '', text: '' }, told);
    for (let times = 0; times < 3; times++) await expect(embedder.embed(['red'])).rejects.toThrow(why);
    expect(embedder.state()).toMatchObject({ state: 'unavailable', reason: expect.stringMatching(why) });
    expect(told).toEqual([expect.stringMatching(why)]);
    expect(told[0]).toContain('Search goes by keywords alone');
    expect(told[0]).toContain('CAIRN_EMBEDDINGS');
  });

  it('that is not there is refused, and does not break who asks for its name', async () => {
    const embedder = embedderOf(join(tmpdir(), 'no-such-folder-of-cairn'));
    expect(embedder.model).toBe('onnx:no-such-folder-of-cairn/unreadable');
    await expect(embedder.embed(['red'])).rejects.toMatchObject({ name: 'CairnError' });
  });

  it('that changed after it was named is refused: its vectors would have a wrong name', async () => {
    const folder = folderWith(tinyFiles());
    const embedder = embedderOf(folder);
    expect(embedder.model).toContain('onnx:');
    appendFileSync(join(folder, 'tokenizer.json'), '\n');
    await expect(embedder.embed(['red'])).rejects.toThrow('has changed since');
    writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(tokenizer));
    expect(await embedderOf(folder).embed(['red'])).toHaveLength(1);
  });
});
