/** Cairn with decisions: Markdown files of 0.5–2 KB, indexed, each on a target of its own. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serialize } from '../../src/decisions/file.ts';
import { ledgerOf } from '../../src/decisions/ledger.ts';
import { type Decision, fileOf } from '../../src/decisions/record.ts';
import { openEmbedded } from '../../src/store/embedded/engine.ts';
import type { Ask } from '../command.ts';
import type { Subject } from '../subject.ts';
import { feedback } from './feedback.ts';

const matters = [
  'storage',
  'caching',
  'logging',
  'release',
  'naming',
  'retries',
  'tenancy',
  'search',
  'billing',
  'backup',
];
const NOW = '2026-01-01T00:00:00.000Z';
/** Besides the others, for the decisions that are to be superseded. */
const SPARE = 500;

const idOf = (number: number) => `2026-01-01_area_${number}_seeded`;
const targetOf = (number: number) => `area/${number}`;

function facts(number: number) {
  const matter = matters[number % matters.length] ?? '';
  const sentence = `Area ${number} does its ${matter} by way of part ${(number * 7919) % 9973}, because it was measured. `;
  return {
    title: `How area ${number} does its ${matter}`,
    target: targetOf(number),
    rationale: sentence.repeat(5 + (number % 15)).trim(),
    consequences: [`Part ${(number * 7919) % 9973} stays`],
  };
}

async function seed(home: string, entries: number): Promise<string> {
  const folder = join(home, 'decisions');
  await mkdir(folder, { recursive: true });
  for (let number = -SPARE; number < entries; number++) {
    const decision: Decision = {
      ...facts(Math.abs(number)),
      target: number < 0 ? `spare/${-number}` : targetOf(number),
      id: number < 0 ? `spare_${-number}` : idOf(number),
      kind: 'decision',
      namespace: 'default',
      status: 'active',
      supersedes: [],
      provenance: { origin: 'agent' },
      confidence: 1,
      created: NOW,
      updated: NOW,
      extra: {},
    };
    await writeFile(join(folder, fileOf(decision.id)), serialize(decision));
  }
  const store = openEmbedded({ home });
  try {
    await store.write(async () => {});
    await ledgerOf(store).current(true);
  } finally {
    await store.close();
  }
  return idOf(Math.floor(entries / 2));
}

const get = (id: string): Ask => ({
  tool: 'decision_get',
  input: { decision_id: id },
  proof: `"id":"decisions/${id}.md"`,
});
const numberIn = (id: string) => /area_(\d+)/.exec(id)?.[1] ?? '';

export const decisions: Subject = {
  ...feedback,
  name: 'cairn decisions',
  command: (home) => ({
    ...feedback.command(home),
    // The cooldown is a rule, not a cost; the model would take a core from what is measured (bench:context measures with it).
    env: { CAIRN_WRITE_COOLDOWN_MS: '0', CAIRN_EMBEDDINGS: 'none' },
  }),
  seed,
  reads: [
    ({ id }) => get(id),
    ({ id }) => ({ tool: 'decision_chain', input: { target: targetOf(Number(numberIn(id))) }, proof: '"chain":[{' }),
    ({ id }) => ({
      tool: 'search_decisions',
      input: { query: `why does area ${numberIn(id)} do it that way?` },
      proof: '"results":[{',
    }),
    ({ id }) => ({
      tool: 'get_relevant_context',
      input: { prompt: `How does area ${numberIn(id)} do it?` },
      proof: 'KNOWLEDGE BASE ACTIVE',
    }),
    () => ({ tool: 'search_decisions', input: { query: 'measured part' }, proof: '"results":[{' }),
  ],
  get,
  write: (number) => ({
    tool: 'record_decision',
    input: { ...facts(number), target: `new/${number}` },
    proof: '"status":"success"',
  }),
};

/** The same home, in which every write replaces a decision. */
export const supersede: Subject = {
  ...decisions,
  name: 'cairn decisions, superseding',
  write: (number) => {
    // Writes are numbered around the size of the larger home; each number is used once in each home.
    const spare = 1 + (((number % SPARE) + SPARE) % SPARE);
    return {
      tool: 'supersede_decision',
      input: { ...facts(number), target: `spare/${spare}`, old_decision_ids: [`spare_${spare}`] },
      proof: '"superseded":["decisions/spare_',
    };
  },
};
