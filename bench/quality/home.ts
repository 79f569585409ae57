/**
 * A home for each set and layout, filled through the MCP door and kept between runs: to embed a set takes minutes. An index
 * whose schema or model no longer fits, the server makes anew by itself; other texts, and `--fresh`, make a new home.
 */
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from '../command.ts';
import { answerOf, numberIn } from '../documents/client.ts';
import { type Server, withServers } from '../server.ts';
import { feedback } from '../subjects/feedback.ts';
import type { SetName, Text } from './sets.ts';

export const cache = resolve('node_modules/.cache/cairn-quality');
export const layouts = ['markdown', 'txt', 'content'] as const;
export type Layout = (typeof layouts)[number];

const PATIENCE_MS = 1_800_000;
const FILES = 'texts';

/** The program as people start it, but that it may take its time and answer at length. */
export function quality(home: string, env: Readonly<Record<string, string>> = {}): Command {
  const long = { CAIRN_MAX_RESPONSE: String(8 * 1024 * 1024) };
  const { argv, ...rest } = feedback.command(home);
  const [node, , ...flags] = argv;
  return { ...rest, argv: [node, program, ...flags], env: { ...long, ...env }, patienceMs: PATIENCE_MS };
}

let program = resolve('dist/cairn.js');

/** Another build of it. */
export function measureInstead(path: string): void {
  program = resolve(path);
}

export interface Corpus {
  readonly name: SetName | 'typos';
  readonly texts: readonly Text[];
  /** What the home is kept for. */
  readonly hash: string;
  /** The texts behind the hash may change: they are taken in again, which costs what has changed. */
  readonly changing?: boolean;
}

export interface KeptHome {
  readonly path: string;
  /** When its texts were taken in. */
  readonly made: string;
  readonly kept: boolean;
}

interface Stamp {
  readonly hash: string;
  readonly made: string;
}

export async function homeOf(corpus: Corpus, layout: Layout, fresh: boolean): Promise<KeptHome> {
  const folder = join(cache, `${corpus.name}-${layout}`);
  const path = join(folder, '.cairn');
  const stampFile = join(folder, 'stamp.json');
  const known = stampIn(stampFile);
  const kept = !fresh && known?.hash === corpus.hash;
  if (kept && corpus.changing !== true) return { path, made: known.made, kept };
  if (!kept) await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, FILES), { recursive: true });
  await withServers([quality(path, { CAIRN_EMBEDDINGS: 'none' })], async ([server]) => {
    if (server === undefined) return;
    await server.initialize();
    await (layout === 'content' ? tell(server, corpus) : takeIn(server, folder, corpus, layout));
  });
  const made = kept ? known.made : new Date().toISOString();
  await writeFile(stampFile, JSON.stringify({ hash: corpus.hash, made } satisfies Stamp));
  return { path, made, kept };
}

function stampIn(file: string): Stamp | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Stamp) : undefined;
}

async function takeIn(server: Server, folder: string, { name, texts }: Corpus, layout: Layout): Promise<void> {
  for (const text of texts) await writeFile(join(folder, FILES, fileOf(name, text, layout)), written(text, layout));
  const answer = await answerOf(server, 'add', { path: join(folder, FILES) });
  const seen = numberIn(answer, 'added') + numberIn(answer, 'updated') + numberIn(answer, 'unchanged');
  if (seen !== texts.length)
    throw new Error(`Not all of ${name} was taken in: ${JSON.stringify(answer).slice(0, 1000)}`);
}

async function tell(server: Server, { name, texts }: Corpus): Promise<void> {
  for (const text of texts) {
    const answer = await answerOf(server, 'add', {
      name: `${FILES}/${fileOf(name, text, 'content')}`,
      content: written(text, 'content'),
    });
    if (numberIn(answer, 'added') !== 1) throw new Error(`${text.id} was not added: ${JSON.stringify(answer)}`);
  }
}

/** As somebody would have it: prose with a heading, code as it is. */
export function written({ title, text }: Text, layout: Layout): string {
  if (title === '') return `${text}\n`;
  return layout === 'txt' ? `${title}\n\n${text}\n` : `# ${title}\n\n${text}\n`;
}

export function fileOf(name: Corpus['name'], { id }: Text, layout: Layout): string {
  return `${id}${layout === 'txt' ? '.txt' : name === 'cosqa' ? '.py' : '.md'}`;
}

/** The text that a path is of. */
export function idOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.[a-z]+$/, '');
}
