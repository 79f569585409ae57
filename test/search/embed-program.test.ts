/** The whole program with each provider of vectors: what it answers, logs and reports, and where texts go. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cairn, type Message, type StdioServer, serveStdio } from '../support/cairn.ts';
import { endpointServer, openai, send } from './endpoint-server.ts';
import { tinyFiles, writeFolder } from './tiny-model.ts';

const key = 'endpoint-key-0123456789';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'cairn-embed-program-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** A machine on which the native runtime does not load, in every process of the program. */
function withoutRuntime(): Record<string, string> {
  const hook = join(folder(), 'no-runtime.cjs');
  writeFileSync(
    hook,
    `const Module = require('node:module');
    const resolve = Module._resolveFilename;
    Module._resolveFilename = function (name, ...rest) {
      if (name === 'onnxruntime-node') throw new Error('no native part for this machine');
      return resolve.call(this, name, ...rest);
    };`,
  );
  return { NODE_OPTIONS: `--require=${JSON.stringify(hook)}` };
}

async function call(server: StdioServer, name: string, args: Record<string, unknown>): Promise<Message> {
  const { result } = await server.ask('tools/call', { name, arguments: args });
  expect(result.isError, JSON.stringify(result)).not.toBe(true);
  return result.structuredContent;
}

async function serverWithDecision(env: Record<string, string>): Promise<StdioServer> {
  const server = serveStdio(['--home', folder()], { CAIRN_WRITE_COOLDOWN_MS: '0', ...env });
  await server.initialize();
  const decision = {
    title: 'Sessions live in Redis',
    target: 'storage/sessions',
    rationale: 'Redis expires sessions itself.',
  };
  await call(server, 'record_decision', decision);
  return server;
}

const ask = (server: StdioServer) => call(server, 'get_relevant_context', { prompt: 'Do sessions live in Redis?' });
const health = async (server: StdioServer) => (await call(server, 'get_environment_health', {})).health;
const warnings = (server: StdioServer) =>
  server
    .stderr()
    .split('\n')
    .filter((line) => line.includes('goes by keywords'));

interface Finding {
  readonly check: string;
  readonly state: string;
  readonly detail: string;
  readonly remedy?: string;
}
async function diagnosed(env: Record<string, string>) {
  const { code, stdout, stderr } = await cairn(['doctor', '--json', '--home', folder()], { env });
  const findings = (JSON.parse(stdout).findings as Finding[]).filter(({ check }) => check === 'embeddings');
  return { code, findings, all: stdout + stderr };
}

describe('without the native runtime', () => {
  it('words answer, one warning is logged, and the health says why', async () => {
    const server = await serverWithDecision(withoutRuntime());
    for (let times = 0; times < 4; times++) {
      const { context, searched } = await ask(server);
      expect(context).toContain('Redis');
      expect(searched.indexes).toEqual(['keyword']);
    }
    await expect.poll(async () => (await health(server)).vector_available, { timeout: 20_000 }).toBe(false);
    await ask(server);
    expect(warnings(server)).toEqual([expect.stringMatching(/onnxruntime-node\) does not load: no native part/)]);
    expect((await health(server)).warnings).toContainEqual(expect.stringContaining('No vectors: The runtime'));
  });

  it('the doctor is not alarmed, and says what to do', async () => {
    const { code, findings } = await diagnosed(withoutRuntime());
    expect(code).toBe(0);
    expect(findings).toEqual([
      {
        check: 'embeddings',
        fault: 'model-unavailable',
        state: 'warning',
        detail: expect.stringMatching(/onnxruntime-node\) does not load.*Search goes by keywords/),
        remedy: expect.stringMatching(/Reinstall Cairn.*CAIRN_EMBEDDINGS/),
      },
    ]);
  });
});

describe('with the bundled model, or none', () => {
  it('the doctor says which it is', async () => {
    const [bundled, none] = await Promise.all([diagnosed({}), diagnosed({ CAIRN_EMBEDDINGS: 'none' })]);
    expect(bundled.findings).toMatchObject([{ state: 'ok', detail: 'all-MiniLM-L6-v2/int8-1, 384 dimensions' }]);
    expect(none.findings).toMatchObject([{ state: 'ok', detail: expect.stringContaining('switched off') }]);
    expect(none.all).not.toContain('No vectors');
  });
});

describe('with a model in a folder', () => {
  it('the doctor names it', async () => {
    const models = folder();
    writeFolder(models, tinyFiles());
    const { findings } = await diagnosed({ CAIRN_EMBEDDINGS: `onnx:${models}` });
    expect(findings).toMatchObject([{ state: 'ok', detail: expect.stringMatching(/^onnx:.*, 4 dimensions$/) }]);
  });
});

describe('with an endpoint', () => {
  const settings = (url: string) => ({
    CAIRN_EMBEDDINGS: 'openai',
    CAIRN_EMBEDDINGS_URL: `${url}/v1`,
    CAIRN_EMBEDDINGS_MODEL: 'small',
    CAIRN_EMBEDDINGS_KEY: key,
    CAIRN_EMBEDDINGS_TEXT_PREFIX: 'passage: ',
  });

  it.each<[string, Record<string, string>]>([
    ['that tells its dimensions', {}],
    ['that is asked for some', { CAIRN_EMBEDDINGS_DIMENSIONS: '8' }],
  ])('%s, texts go there, with the key and what stands before them', async (_, more) => {
    const endpoint = await endpointServer();
    const server = await serverWithDecision({ ...settings(endpoint.url), ...more });
    expect((await ask(server)).context).toContain('Redis');
    const sent = () => endpoint.asked.flatMap(({ body }) => body.input);
    await expect
      .poll(sent, { timeout: 20_000 })
      .toContainEqual(expect.stringMatching(/^passage: Sessions live in Redis/));
    expect(endpoint.asked[0]).toMatchObject({ path: '/v1/embeddings', headers: { authorization: `Bearer ${key}` } });
    await expect.poll(async () => (await ask(server)).searched.indexes, { timeout: 20_000 }).toContain('vector');
    // Vectors are kept a little later than they come: answers go on while that happens.
    for (let times = 0; times < 8; times++) {
      expect((await ask(server)).searched.indexes).toContain('vector');
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    expect((await health(server)).vector_available).toBe(true);
    expect(server.stderr()).not.toContain(key);
  });

  it('that fails, words answer, one warning is logged without the key, and the health says why', async () => {
    const endpoint = await endpointServer((_, response) =>
      send(response, 401, { error: { message: `no such key ${key}` } }),
    );
    const server = await serverWithDecision(settings(endpoint.url));
    for (let times = 0; times < 4; times++) expect((await ask(server)).context).toContain('Redis');
    await expect.poll(async () => (await health(server)).vector_available, { timeout: 20_000 }).toBe(false);
    const before = endpoint.asked.length;
    for (let times = 0; times < 4; times++) expect((await ask(server)).searched.indexes).toEqual(['keyword']);
    expect(endpoint.asked).toHaveLength(before);
    expect(warnings(server)).toEqual([expect.stringContaining('answers 401: no such key')]);
    expect(server.stderr()).not.toContain(key);
    expect((await health(server)).warnings).toContainEqual(expect.stringContaining('answers 401'));
    const { embeddings } = await call(server, 'status', { detailed: true });
    expect(embeddings).toMatchObject({ state: 'unavailable', reason: expect.stringContaining('answers 401') });
  });

  it('the doctor tries it, and never shows the key', async () => {
    const good = await endpointServer();
    const fine = await diagnosed(settings(good.url));
    expect(fine.findings).toMatchObject([
      { state: 'ok', detail: expect.stringMatching(`^openai:small@${good.host}/v1\\+[0-9a-f]{16}, 8 dimensions$`) },
    ]);
    const bad = await endpointServer((_, response) => send(response, 404, { error: 'model "small" not found' }));
    const broken = await diagnosed(settings(bad.url));
    expect(broken.findings).toMatchObject([
      {
        state: 'warning',
        detail: expect.stringContaining('not found'),
        remedy: expect.stringContaining('CAIRN_EMBEDDINGS_MODEL'),
      },
    ]);
    expect(broken.code).toBe(0);
    const shown = await cairn(['config', '--home', folder()], { env: settings(good.url) });
    for (const text of [fine.all, broken.all, shown.stdout]) expect(text).not.toContain(key);
    const rows = JSON.parse(shown.stdout).settings as { setting: string; value: unknown }[];
    expect(rows.find(({ setting }) => setting === 'embeddingsKey')?.value).toBe('(hidden)');
  });

  it('the settings that it lacks are named at the start', async () => {
    const env = { CAIRN_EMBEDDINGS: 'openai' };
    for (const command of ['doctor', 'config']) {
      const { code, stdout, stderr } = await cairn([command, '--home', folder()], { env });
      expect(code).not.toBe(0);
      expect(stdout + stderr).toContain('CAIRN_EMBEDDINGS_URL');
      expect(stdout + stderr).toContain('CAIRN_EMBEDDINGS_MODEL');
    }
  });

  it('a project cannot name one', async () => {
    const home = folder();
    const endpoint = await endpointServer(openai);
    for (const config of [{ embeddings: 'ollama' }, { embeddings: 'onnx:/models' }, { embeddingsUrl: endpoint.url }]) {
      writeFileSync(join(home, 'config.json'), JSON.stringify(config));
      const { code, stdout } = await cairn(['doctor', '--home', home]);
      expect(code).not.toBe(0);
      expect(stdout).toContain('a file that comes with a project is not trusted with it');
    }
    writeFileSync(join(home, 'config.json'), JSON.stringify({ embeddings: 'none' }));
    expect((await cairn(['doctor', '--home', home])).code).toBe(0);
    expect(endpoint.asked).toEqual([]);
  });
});
