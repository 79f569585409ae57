/**
 * The questions of the decision memory (bench/context), asked of the searches: is one of the texts that answer a question
 * among the first five? Only questions that have an answer count here; where to be silent is measured by `bench:context`.
 */
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { data, fillingCalls, type Question, questions } from '../context/corpus.ts';
import { type Answer, answerOf } from '../documents/client.ts';
import { type Server, withServers } from '../server.ts';
import { stateOf } from './ask.ts';
import { cache, quality } from './home.ts';
import { mean } from './metrics.ts';

const FIRST = 5;
const splits = ['tune', 'check', 'fresh'] as const;

interface Search {
  readonly name: string;
  /** The questions it is for. */
  readonly kind?: 'decision' | 'instruction';
  ask(server: Server, question: string): Promise<Answer>;
}

const searches: readonly Search[] = [
  {
    name: 'search_decisions',
    kind: 'decision',
    ask: (server, query) => answerOf(server, 'search_decisions', { query, limit: FIRST }),
  },
  {
    name: 'instructions_search',
    kind: 'instruction',
    ask: (server, q) => answerOf(server, 'instructions_search', { q, limit: FIRST }),
  },
  { name: 'search kind:all', ask: (server, query) => answerOf(server, 'search', { query, kind: 'all', limit: FIRST }) },
];

export interface Asked {
  readonly question: Question;
  readonly found: readonly string[];
  readonly right: boolean;
}

export interface Recall {
  readonly name: string;
  readonly asked: readonly Asked[];
  readonly recall: number;
  readonly bySplit: Readonly<Record<string, number>>;
}

export async function recallOfMemory(fresh: boolean, say: (line: string) => void): Promise<Recall[]> {
  const home = await memoryHome(fresh);
  return withServers([quality(home)], async ([server]) => {
    if (server === undefined) return [];
    await server.initialize();
    const recalls: Recall[] = [];
    for (const search of searches) {
      const own = questions().answerable.filter(({ kind }) => search.kind === undefined || search.kind === kind);
      try {
        const asked: Asked[] = [];
        for (const question of own) asked.push(await askOne(server, search, question));
        recalls.push(recallOf(search.name, asked));
      } catch (thrown) {
        say(`${search.name} is left out: ${thrown instanceof Error ? thrown.message.slice(0, 300) : thrown}`);
      }
    }
    return recalls;
  });
}

/** Through the MCP door, as agents fill it. */
async function memoryHome(fresh: boolean): Promise<string> {
  const folder = join(cache, 'memory');
  const [home, done] = [join(folder, '.cairn'), join(folder, 'done')];
  if (!fresh && existsSync(done)) return home;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const settings = { CAIRN_EMBEDDINGS: 'none', CAIRN_WRITE_COOLDOWN_MS: '0', CAIRN_HISTORY: '0' };
  await withServers([quality(home, { ...settings, CAIRN_MUTATION: '1', CAIRN_ROOTS: data })], async ([server]) => {
    await server?.initialize();
    for (const { operation, input } of fillingCalls()) {
      const answer = server && (await answerOf(server, operation, input));
      if (operation === 'record_decision' && answer?.status !== 'success')
        throw new Error(`${input.target}: ${JSON.stringify(answer)}`);
    }
  });
  await writeFile(done, '');
  return home;
}

const PATIENCE_MS = 900_000;

/** Vectors are made while the server answers, and a question does not wait for them; a search without any says nothing. */
async function complete(server: Server, { ask }: Search, question: string): Promise<Answer> {
  const started = performance.now();
  for (;;) {
    const answer = await ask(server, question);
    const vector = vectorsOf(answer);
    if (vector === 'ready' || vector.includes('language')) return answer;
    if (performance.now() - started > PATIENCE_MS) throw new Error(`its vectors do not get ready: ${vector}`);
    await new Promise((resume) => setTimeout(resume, 500));
  }
}

function vectorsOf(answer: Answer): string {
  const searched = answer.searched as { readonly vector?: string } | undefined;
  return stateOf(answer).get('vector') ?? searched?.vector ?? 'ready';
}

async function askOne(server: Server, search: Search, question: Question): Promise<Asked> {
  const answer = await complete(server, search, question.question);
  const results = (answer.results ?? answer.items ?? []) as readonly Answer[];
  const found = results.slice(0, FIRST).map(nameOf);
  return { question, found, right: found.some((name) => question.expect?.includes(name) === true) };
}

/** The target of a decision, the id of an instruction. */
function nameOf({ target, id, key }: Answer): string {
  return String(target ?? id ?? nameIn(String(key)));
}

/** Of `instruction:ID` and `decision:ID`, where the id of a decision holds its target: all of these are PEPs. */
export function nameIn(key: string): string {
  const id = key.slice(key.indexOf(':') + 1);
  const pep = /_pep_(\d+)_[0-9a-f]+(?:\.md)?$/.exec(id)?.[1];
  return pep === undefined ? id : `pep-${pep}`;
}

function recallOf(name: string, asked: readonly Asked[]): Recall {
  const share = (of: readonly Asked[]) => mean(of.map(({ right }) => (right ? 1 : 0)));
  const bySplit = splits.map((split) => [split, share(asked.filter(({ question }) => question.split === split))]);
  return { name, asked, recall: share(asked), bySplit: Object.fromEntries(bySplit) };
}
