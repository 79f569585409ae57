/**
 * How often `get_relevant_context` answers what the store knows, and is silent about what it does not: every judged question
 * through the real operation, with the vectors and by words alone. The constants were chosen on "tune"; "check" and "fresh"
 * are for the report, and stop being that when constants are changed until they look better.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { call } from '../../src/operations/call.ts';
import { type App, createApp } from '../../src/service/app.ts';
import { resolveConfig } from '../../src/service/config.ts';
import { data, fill, person, type Question, questions } from './corpus.ts';
import { fitWeights } from './fit.ts';

interface Asked {
  readonly question: Question;
  /** Targets of decisions and ids of instructions, best first. */
  readonly shown: readonly string[];
  readonly relevance: readonly number[];
  readonly ms: number;
}

interface Answer {
  readonly context: string;
  readonly items: readonly { readonly relevance: number }[];
  readonly searched: { readonly indexes: readonly string[] };
}

export async function measure(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      verbose: { type: 'boolean', default: false },
      home: { type: 'string' },
      fit: { type: 'boolean', default: false },
      split: { type: 'string', multiple: true, default: ['tune', 'check', 'fresh'] },
    },
  });
  if (!existsSync(data)) {
    console.log(`Nothing to measure: the corpus is not here (${data}).`);
    return 0;
  }
  const folder = await mkdtemp(join(tmpdir(), 'cairn-context-'));
  try {
    const home = values.home === undefined ? join(folder, 'home') : resolve(values.home);
    await prepare(home);
    if (values.fit) {
      await learnFrom(home);
      return 0;
    }
    console.log('                split   answered  expected in 3  empty   p50 ms  p95 ms');
    for (const [name, embeddings] of [
      ['with vectors', 'bundled'],
      ['words alone', 'none'],
    ] as const) {
      report(name, await askAll(home, embeddings, values.split), values.split, values.verbose);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return 0;
}

function open(home: string, embeddings: 'bundled' | 'none'): App {
  const env = { CAIRN_WRITE_COOLDOWN_MS: '0', CAIRN_HISTORY: '0', CAIRN_EMBEDDINGS: embeddings };
  const config = resolveConfig({ home: { path: home, source: 'bench' }, flags: {}, env });
  return createApp(config, pathToFileURL(resolve('dist/worker.js')));
}

/** Records and embeds, unless the home has it all: one that is filled twice would hold everything twice. */
async function prepare(home: string): Promise<void> {
  const filled = existsSync(home);
  const app = open(home, 'bundled');
  try {
    let from = performance.now();
    if (!filled) {
      await fill(app);
      console.log(`Recorded in ${seconds(from)} s.`);
    }
    from = performance.now();
    // Each question sees to it that the vectors are made, as in a server.
    for (let left = 1; left > 0; await new Promise((resume) => setTimeout(resume, 300))) {
      await ask(app, 'continue');
      const { decisions, instructions } = app.store;
      const progress = [
        await decisions.vectors.progress(app.embedder.model),
        await instructions.vectors.progress(app.embedder.model),
      ];
      left = progress.reduce((sum, { done, of }) => sum + of - done, 0);
      const { state, reason } = app.embedder.state();
      if (state === 'unavailable') throw new Error(`The model is unavailable: ${reason}`);
    }
    console.log(`Embedded in ${seconds(from)} s.\n`);
  } finally {
    await app.close();
  }
}

async function learnFrom(home: string): Promise<void> {
  const app = open(home, 'bundled');
  try {
    while (!(await ask(app, 'Is anybody there?')).searched.indexes.includes('vector')) {
      await new Promise((resume) => setTimeout(resume, 100));
    }
    await fitWeights(app);
  } finally {
    await app.close();
  }
}

async function askAll(home: string, embeddings: 'bundled' | 'none', splits: readonly string[]): Promise<Asked[]> {
  const app = open(home, embeddings);
  const wanted = embeddings === 'bundled' ? 'vector' : 'keyword';
  const asked: Asked[] = [];
  try {
    // The first question starts the model and does not wait for it.
    while (!(await ask(app, 'Is anybody there?')).searched.indexes.includes(wanted)) {
      await new Promise((resume) => setTimeout(resume, 100));
    }
    const { answerable, unanswerable } = questions();
    for (const question of [...answerable, ...unanswerable].filter(({ split }) => splits.includes(split))) {
      let from = performance.now();
      let answer = await ask(app, question.question);
      // On a busy machine the model may be late, and words would answer: that is the other measurement.
      while (!answer.searched.indexes.includes(wanted)) {
        from = performance.now();
        answer = await ask(app, question.question);
      }
      const ms = performance.now() - from;
      const { context, items } = answer;
      asked.push({ question, shown: namesIn(context), relevance: items.map(({ relevance }) => relevance), ms });
    }
  } finally {
    await app.close();
  }
  return asked;
}

async function ask(app: App, prompt: string): Promise<Answer> {
  return (await call(app, { operation: 'get_relevant_context', input: { prompt }, principal: person })) as Answer;
}

interface Memory {
  readonly kind: string;
  readonly id: string;
  readonly source: string;
}

function namesIn(context: string): string[] {
  if (context === '') return [];
  const { memories } = JSON.parse(context.slice(context.indexOf('\n'))) as { memories: Memory[] };
  return memories.map(({ kind, id, source }) => (kind === 'decision' ? source : id));
}

function report(name: string, asked: readonly Asked[], splits: readonly string[], verbose: boolean): void {
  for (const split of splits) {
    const own = asked.filter(({ question }) => question.split === split);
    const answerable = own.filter(({ question }) => question.expect !== undefined);
    const unanswerable = own.filter(({ question }) => question.expect === undefined);
    const times = own.map(({ ms }) => ms).sort((a, b) => a - b);
    const cells = [
      name.padEnd(14),
      split.padEnd(6),
      share(answerable, ({ shown }) => shown.length > 0).padStart(9),
      share(answerable, isExpected).padStart(14),
      share(unanswerable, ({ shown }) => shown.length === 0).padStart(6),
      (times[times.length >> 1] ?? 0).toFixed(1).padStart(8),
      (times[Math.floor(times.length * 0.95)] ?? 0).toFixed(1).padStart(7),
    ];
    console.log(cells.join(' '));
    if (!verbose) continue;
    for (const each of own) if (!isRight(each)) console.log(`   ${told(each)}`);
  }
}

function isExpected({ question, shown }: Asked): boolean {
  return shown.some((each) => question.expect?.includes(each));
}

function isRight(asked: Asked): boolean {
  return asked.question.expect === undefined ? asked.shown.length === 0 : isExpected(asked);
}

function told({ question: { question, expect, why }, shown, relevance }: Asked): string {
  const got = shown.map((each, at) => `${each} ${relevance[at]}`).join(', ') || 'nothing';
  return `${question} → ${got} (${expect === undefined ? `should be silent: ${why}` : `expected ${expect.join(', ')}`})`;
}

function share(asked: readonly Asked[], holds: (asked: Asked) => boolean): string {
  return (asked.filter(holds).length / Math.max(1, asked.length)).toFixed(3);
}

function seconds(from: number): string {
  return ((performance.now() - from) / 1000).toFixed(0);
}
