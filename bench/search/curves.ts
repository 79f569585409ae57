/**
 * What a search costs with ten times the documents, and ten times again: the index, the first question of a process, then
 * many of each kind over stdio, and the memory of the server with its model. The texts are made up, and so are the vectors.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { followed } from '../../src/documents/follow.ts';
import { createApp } from '../../src/service/app.ts';
import { resolveConfig } from '../../src/service/config.ts';
import type { Command } from '../command.ts';
import { answerOf } from '../documents/client.ts';
import { documentNumber } from '../documents/texts.ts';
import { type Case, count, type Figure, figure } from '../figure.ts';
import { stateOf } from '../quality/ask.ts';
import { type Server, withServers } from '../server.ts';
import { percentile, summarize } from '../stats.ts';
import { BATCH, INDEX_LIMIT_MS, put } from '../subjects/documents.ts';
import { kinds, question, rareWords } from './questions.ts';
import { putVectors } from './vectors.ts';

const SIZES = [1_000, 10_000, 100_000];
const PATIENCE_MS = 120_000;

export const curves: Case = async ({ subject, quick, newPath }) => {
  const figures: Figure[] = [];
  for (const size of SIZES) {
    const home = newPath('search');
    figures.push(await fill(home, size));
    const command = { ...subject.command(home), patienceMs: PATIENCE_MS };
    figures.push(...(await firstQuestions(command, size, quick ? 2 : 7)));
    figures.push(...(await manyQuestions(command, size, quick ? 40 : 200)));
  }
  return figures;
};

/** Stores, then indexes; only the latter is the figure. */
async function fill(home: string, size: number): Promise<Figure> {
  const env = { CAIRN_EMBEDDINGS: 'bundled' };
  const config = resolveConfig({ home: { path: home, source: 'bench' }, flags: {}, env });
  const app = createApp(config, pathToFileURL(resolve('dist/worker.js')));
  try {
    for (let from = 0; from < size; from += BATCH) await put(app, from, Math.min(size, from + BATCH));
    const started = performance.now();
    await followed(app, INDEX_LIMIT_MS);
    const seconds = (performance.now() - started) / 1000;
    const putting = performance.now();
    const vectors = await putVectors(app);
    if (vectors !== size) throw new Error(`${vectors} vectors for ${size} documents`);
    const megabytes = bytesOf(size) / 1e6;
    return {
      name: `words indexed at ${count(size)}`,
      unit: 'MB/s',
      value: megabytes / seconds,
      details: { MB: megabytes, seconds, 'seconds for vectors': (performance.now() - putting) / 1000 },
    };
  } finally {
    await app.close();
  }
}

function bytesOf(size: number): number {
  let bytes = 0;
  for (let number = 0; number < size; number++) bytes += Buffer.byteLength(documentNumber(number).text);
  return bytes;
}

/** Of new processes: by words, as it comes, and when the vectors take part. */
async function firstQuestions(command: Command, size: number, rounds: number): Promise<Figure[]> {
  const times = { words: [] as number[], asked: [] as number[], vectors: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    times.words.push(await firstByWords(command, size));
    await withServers([command], async ([server]) => {
      if (server === undefined) return;
      await server.initialize();
      const started = performance.now();
      await answerOf(server, 'search', { query: question(round) });
      times.asked.push(performance.now() - started);
      await untilVectors(server);
      times.vectors.push(performance.now() - started);
    });
  }
  const at = `at ${count(size)}`;
  return [
    figure(`first question of a process, by words, ${at}`, 'ms', summarize(times.words)),
    figure(`first question of a process ${at}`, 'ms', summarize(times.asked)),
    figure(`until vectors answer ${at}`, 'ms', summarize(times.vectors)),
  ];
}

async function firstByWords(command: Command, size: number): Promise<number> {
  return withServers([command], async ([server]) => {
    await server?.initialize();
    return (await server?.call(rareWords.ask(1, size))) ?? Number.NaN;
  });
}

async function untilVectors(server: Server): Promise<void> {
  const started = performance.now();
  for (;;) {
    const answer = await answerOf(server, 'search', { query: question(1) });
    const state = stateOf(answer).get('vector');
    if (state === 'ready') return;
    if (performance.now() - started > PATIENCE_MS) throw new Error(`No vectors: ${JSON.stringify(answer.indexes)}`);
    await new Promise((resume) => setTimeout(resume, 20));
  }
}

async function manyQuestions(command: Command, size: number, rounds: number): Promise<Figure[]> {
  return withServers([command], async ([server]) => {
    if (server === undefined) return [];
    await server.initialize();
    await untilVectors(server);
    const figures: Figure[] = [];
    for (const { name, ask: askOf } of kinds) {
      for (let number = 0; number < rounds / 4; number++) await server.call(askOf(number, size));
      const ms: number[] = [];
      const before = server.cpuMs() ?? Number.NaN;
      for (let number = 0; number < rounds; number++) ms.push(await server.call(askOf(number + rounds, size)));
      const cpuMs = ((server.cpuMs() ?? Number.NaN) - before) / rounds;
      figures.push(
        figure(`${name} at ${count(size)}`, 'ms', summarize(ms), { 'p95 ms': percentile(ms, 95), 'CPU ms': cpuMs }),
      );
    }
    const memory = server.memoryOfAll();
    if (memory === undefined) return figures;
    const details = { 'server MB': server.memory()?.residentMb ?? Number.NaN, 'peak MB': memory.peakMb };
    return [
      ...figures,
      { name: `memory with the model at ${count(size)}`, unit: 'MB', value: memory.residentMb, details },
    ];
  });
}
