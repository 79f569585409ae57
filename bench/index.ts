/** All cases with their budgets (DESIGN section 4), and the run over them. A new case is a file in cases/ and a line here. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { calls } from './cases/calls.ts';
import { dedup } from './cases/dedup.ts';
import { documentMemory } from './cases/document-memory.ts';
import { grep } from './cases/grep.ts';
import { http } from './cases/http.ts';
import { ingest } from './cases/ingest.ts';
import { memory } from './cases/memory.ts';
import { open } from './cases/open.ts';
import { startup } from './cases/startup.ts';
import { writes } from './cases/writes.ts';
import type { Bench, Case, Figure } from './figure.ts';
import { curves } from './search/curves.ts';
import type { Subject } from './subject.ts';
import { decisions, supersede } from './subjects/decisions.ts';
import { documents } from './subjects/documents.ts';
import { feedback } from './subjects/feedback.ts';
import { instructions } from './subjects/instructions.ts';
import { search } from './subjects/search.ts';
import { type Judged, tableOf } from './table.ts';

interface Budget {
  /** The figures that it holds for, by their names. */
  readonly of: RegExp;
  readonly most?: number;
  readonly least?: number;
}

interface Listed {
  readonly name: string;
  readonly run: Case;
  readonly budgets: readonly Budget[];
}

/** What "flat" allows: caches and deeper trees cost a little, work that grows with the store costs many times more. */
const FLAT = 1.5;
const READS = '(?:query|feedback_get|feedback_list|instructions_(?:get|list|query)|decision_(?:get|chain))';

const subjects = { feedback, instructions, decisions, supersede, documents, search };

const cases: readonly Listed[] = [
  { name: 'startup', run: startup, budgets: [{ of: /bare node, CPU$/, most: 2.5 }] },
  {
    name: 'calls',
    run: calls,
    budgets: [
      { of: new RegExp(`^${READS} at 20,000$`), most: 1 },
      { of: / 20,000 \/ 100$/, most: FLAT },
    ],
  },
  {
    name: 'writes',
    run: writes,
    budgets: [
      { of: /atomic file write$/, most: 3 },
      { of: / 20,000 \/ 100$/, most: FLAT },
    ],
  },
  { name: 'open', run: open, budgets: [{ of: /^first answer from 20,000/, most: 150 }] },
  { name: 'http', run: http, budgets: [] },
  {
    name: 'memory',
    run: memory,
    budgets: [
      { of: /^after [\d,]+ calls$/, most: 150 },
      // The heap of a quick run is still finding its size.
      { of: /^floor of the last quarter .* 100,000 calls$/, most: 1.05 },
    ],
  },
];

const documentCases: readonly Listed[] = [
  {
    name: 'ingest',
    run: ingest,
    budgets: [
      { of: /^first time, its text$/, least: 5 },
      { of: /^unchanged, all bytes$/, least: 50 },
    ],
  },
  {
    name: 'calls',
    run: calls,
    budgets: [
      { of: /^search, .* at 100,000$/, most: 20 },
      { of: /^(?:get|list).* \/ 1,000$/, most: FLAT },
    ],
  },
  { name: 'dedup', run: dedup, budgets: [] },
  {
    name: 'grep',
    run: grep,
    budgets: [
      { of: /^text taken in$/, least: 5 },
      { of: /literal.* \/ /, most: 1 },
    ],
  },
  {
    name: 'memory',
    run: documentMemory,
    budgets: [
      { of: /^after (?:a tree was taken in|[\d,]+ calls)$/, most: 300 },
      { of: /^floor of the last quarter .* 100,000 calls$/, most: 1.05 },
    ],
  },
];

const searchCases: readonly Listed[] = [
  {
    name: 'curves',
    run: curves,
    budgets: [
      { of: /^words indexed at/, least: 5 },
      { of: /^(?:keyword|semantic|hybrid).* at 100,000$/, most: 20 },
      { of: /^memory with the model at 10,000$/, most: 300 },
    ],
  },
];

function casesOf(subject: Subject): readonly Listed[] {
  return subject === search ? searchCases : subject === documents ? documentCases : cases;
}

/** The exit code: not 0 only when --strict finds a figure over its budget. */
export async function runBench(args: readonly string[]): Promise<number> {
  const { values: options } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      strict: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      subject: { type: 'string', default: 'feedback' },
      json: { type: 'string', default: 'bench/results/latest.json' },
    },
  });
  const subject = Object.entries(subjects).find(([name]) => name === options.subject)?.[1];
  if (subject === undefined)
    throw new Error(`--subject ${options.subject}: there are ${Object.keys(subjects).join(', ')}`);
  const chosen = choose(casesOf(subject), options.only);
  const bench = benchIn(temporaryFolder(), options.quick, subject);
  const results: { case: string; seconds: number; figures: readonly Judged[] }[] = [];
  for (const { name, run, budgets } of chosen) {
    const started = performance.now();
    const figures = (await run(bench)).map((figure) => judge(figure, budgets));
    const seconds = (performance.now() - started) / 1000;
    results.push({ case: name, seconds, figures });
    console.log(tableOf(`${name} (${bench.subject.name}, ${seconds.toFixed(0)} s)`, figures));
  }
  save(options.json, { ...machine(), quick: options.quick, subject: bench.subject.name, results });
  const over = results.flatMap(({ figures }) => figures).filter(({ verdict }) => verdict === 'over budget').length;
  console.log(`${over === 0 ? 'Every budget is kept' : `${over} over budget`}; figures are in ${options.json}`);
  return options.strict && over > 0 ? 1 : 0;
}

function choose(cases: readonly Listed[], only: readonly string[]): readonly Listed[] {
  const unknown = only.filter((name) => !cases.some((each) => each.name === name));
  const names = cases.map(({ name }) => name).join(', ');
  if (unknown.length > 0) throw new Error(`--only ${unknown.join(', ')}: the cases are ${names}`);
  return only.length === 0 ? cases : cases.filter(({ name }) => only.includes(name));
}

function judge(figure: Figure, budgets: readonly Budget[]): Judged {
  const { most, least } = budgets.find(({ of }) => of.test(figure.name)) ?? {};
  const kept = (least === undefined || figure.value >= least) && (most === undefined || figure.value <= most);
  if (most === undefined && least === undefined) return figure;
  const bound = { ...(most !== undefined && { budget: most }), ...(least !== undefined && { least }) };
  return { ...figure, ...bound, verdict: kept ? 'PASS' : 'over budget' };
}

function benchIn(folder: string, quick: boolean, subject: Subject): Bench {
  let paths = 0;
  const newPath = (name: string) => join(folder, `${name}-${paths++}`);
  return {
    subject,
    quick,
    newPath,
    async seededHome(entries) {
      const path = newPath('home');
      return { path, entries, id: await subject.seed(path, entries) };
    },
  };
}

/** Gone when this process is, also after Ctrl-C; the servers go too, since their input ends. */
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  return folder;
}

function machine() {
  const processors = cpus();
  return {
    date: new Date().toISOString(),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cpu: processors[0]?.model ?? 'unknown',
    cores: processors.length,
  };
}

function save(path: string, results: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(results, null, 2)}\n`);
}
