/** Cairn with an instruction catalog: files of 1–3 KB, indexed. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { catalogOf } from '../../src/instructions/catalog.ts';
import { derive } from '../../src/instructions/derive.ts';
import { serialize } from '../../src/instructions/entry.ts';
import { openEmbedded } from '../../src/store/embedded/engine.ts';
import type { Ask } from '../command.ts';
import type { Subject } from '../subject.ts';
import { feedback } from './feedback.ts';

const topics = ['review', 'testing', 'security', 'naming', 'errors', 'logging', 'release', 'docs', 'api', 'storage'];
const NOW = '2026-01-01T00:00:00.000Z';

function facts(number: number) {
  const topic = topics[number % topics.length] ?? '';
  const sentence = `Rule ${number} about ${topic}: keep part ${(number * 7919) % 9973} small, say why, and name its owner. `;
  return {
    id: `rule-${number}`,
    title: `Rule ${number} about ${topic}`,
    body: sentence.repeat(12 + (number % 24)).trim(),
    priority: 1 + (number % 100),
    requirement: 'recommended' as const,
    categories: [topic, `area-${number % 200}`],
    owner: `team-${number % 40}`,
  };
}

async function seed(home: string, entries: number): Promise<string> {
  const folder = join(home, 'instructions');
  await mkdir(folder, { recursive: true });
  const options = { now: NOW, canonical: true, owner: 'unowned', status: 'approved' as const };
  for (let number = 0; number < entries; number++) {
    const entry = derive(facts(number), options);
    await writeFile(join(folder, `${entry.id}.json`), serialize(entry));
  }
  const store = openEmbedded({ home });
  try {
    await store.write(async () => {});
    await catalogOf(store).current(true);
  } finally {
    await store.close();
  }
  return `rule-${Math.floor(entries / 2)}`;
}

const get = (id: string): Ask => ({ tool: 'instructions_get', input: { id }, proof: `"id":"${id}"` });

export const instructions: Subject = {
  ...feedback,
  name: 'cairn instructions',
  command(home) {
    const { argv, ...rest } = feedback.command(home);
    return { argv: [...argv, '--mutation'], ...rest };
  },
  seed,
  reads: [
    ({ id }) => get(id),
    () => ({ tool: 'instructions_get', input: { id: 'nobody' }, proof: '"notFound":true' }),
    ({ entries }) => ({ tool: 'instructions_list', input: { limit: 10 }, proof: `"count":${entries},` }),
    () => ({
      tool: 'instructions_query',
      input: { filters: { categories: ['review'] }, sort: { field: 'priority', direction: 'asc' }, limit: 10 },
      proof: '"returned":10',
    }),
    ({ id }) => ({
      tool: 'instructions_search',
      input: { q: `${id.replace('rule-', 'Rule ')} about`, limit: 5 },
      proof: '"count":',
    }),
    () => ({ tool: 'instructions_search', input: { q: 'small owner', limit: 5 }, proof: '"count":' }),
  ],
  get,
  write: (number) => ({
    tool: 'instructions_add',
    input: { entry: { ...facts(number), id: `new-${number}` } },
    proof: '"created":true',
  }),
};
