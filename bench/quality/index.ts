/** What the search finds: the judged sets, the questions of the decision memory and misspelled words. See README.md. */
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { types } from './ask.ts';
import { type Verdict, verdict, verdictsOn } from './goals.ts';
import { layouts, measureInstead } from './home.ts';
import { type Judged, judge } from './judged.ts';
import { recallOfMemory } from './memory.ts';
import { recallTable, shareOf, tableOfLines, typoTable, verdictLines } from './report.ts';
import { data, isHere, setNames } from './sets.ts';
import { correctTypos } from './typos.ts';

const MEMORY_RECALL = 0.9;
const TYPOS_FOUND = 0.95;

const parts = ['sets', 'memory', 'typos'] as const;

/** The exit code: not 0 only when --strict finds a goal that is missed. */
export async function runQuality(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true, default: [...parts] },
      set: { type: 'string', multiple: true, default: [...setNames] },
      type: { type: 'string', multiple: true, default: [...types] },
      layout: { type: 'string', default: 'markdown' },
      depth: { type: 'string', default: '100' },
      'limit-queries': { type: 'string' },
      fresh: { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
      strict: { type: 'boolean', default: false },
      json: { type: 'string' },
      program: { type: 'string', default: 'dist/cairn.js' },
    },
  });
  const chosen = {
    parts: among('--only', parts, values.only),
    sets: among('--set', setNames, values.set),
    types: among('--type', types, values.type),
    layout: among('--layout', layouts, [values.layout])[0] ?? 'markdown',
  };
  measureInstead(values.program);
  if (!existsSync(data)) {
    console.log(`Nothing to measure: the judged sets are not here (${data}).`);
    return 0;
  }
  const verdicts: Verdict[] = [];
  const results: Record<string, unknown> = {};
  if (chosen.parts.includes('sets')) {
    const sets: Judged[] = [];
    for (const name of chosen.sets.filter(isHere)) {
      const depth = Number(values.depth);
      const judged = await judge(name, {
        types: chosen.types,
        layout: chosen.layout,
        depth,
        mostQueries: Number(values['limit-queries'] ?? Number.POSITIVE_INFINITY),
        fresh: values.fresh,
        say,
      });
      if (newestIn(['src/search', 'src/documents', 'src/store']) > Date.parse(judged.made))
        say(`${name}: sources are newer than its index; --fresh makes it anew`);
      const title = `${name}, ${chosen.layout}, ${judged.queries} questions (nDCG with linear gains)`;
      console.log(tableOfLines(title, judged.lines, depth));
      verdicts.push(...verdictsOn(name, new Map(judged.runs.map((run) => [run.name, run.scores]))));
      sets.push(judged);
    }
    results.sets = sets.map(({ runs: _, ...rest }) => rest);
  }
  if (chosen.parts.includes('memory')) {
    const recalls = await recallOfMemory(values.fresh, say);
    console.log(recallTable(recalls, values.verbose));
    verdicts.push(...recalls.map(({ name, recall }) => verdict(`memory: ${name} recall@5`, recall, MEMORY_RECALL)));
    results.memory = recalls.map(({ asked, ...rest }) => ({ ...rest, questions: asked.length }));
  }
  if (chosen.parts.includes('typos')) {
    const corrected = await correctTypos(values.fresh, say);
    console.log(typoTable(corrected, values.verbose));
    verdicts.push(verdict('typos: right document in the first 5', shareOf(corrected), TYPOS_FOUND));
    results.typos = corrected;
  }
  if (verdicts.length > 0) console.log(verdictLines(verdicts));
  if (values.json !== undefined)
    writeFileSync(values.json, `${JSON.stringify({ ...results, verdicts }, undefined, 2)}\n`);
  return values.strict && verdicts.some(({ kept }) => !kept) ? 1 : 0;
}

function among<T extends string>(option: string, known: readonly T[], given: readonly string[]): T[] {
  const unknown = given.filter((each) => !known.some((name) => name === each));
  if (unknown.length > 0) throw new Error(`${option} ${unknown.join(', ')}: there are ${known.join(', ')}`);
  return known.filter((name) => given.includes(name));
}

/** Beside the tables, which may go into a file. */
function say(line: string): void {
  console.error(`  ${line}`);
}

function newestIn(folders: readonly string[]): number {
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true }).map((file) => join(folder, String(file))),
  );
  return Math.max(...files.map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0));
}
