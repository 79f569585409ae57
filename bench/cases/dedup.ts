/** What sharing saves: ten versions of a real source tree, and files that differ by one byte at their beginning. */
import { readFileSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { packTar } from '../../src/store/tar.ts';
import { answerOf, numberIn, patient, takeIn } from '../documents/client.ts';
import { randomFrom } from '../documents/random.ts';
import { documentNumber } from '../documents/texts.ts';
import { filesBelow, isText } from '../documents/tree.ts';
import { type Files, nextVersion } from '../documents/versions.ts';
import type { Case, Figure, SeededHome } from '../figure.ts';
import { type Server, withServers } from '../server.ts';

/** Real TypeScript; the lockfile says which version, so it is the same everywhere. */
const SOURCES = 'node_modules/zod';
const VERSIONS = 10;
const MiB = 1024 * 1024;
const MB = 1e6;

export const dedup: Case = async ({ subject, seededHome, newPath }) => {
  const withServer = <T>({ path }: SeededHome, work: (server: Server) => Promise<T>) =>
    withServers([patient(subject, path)], async ([server]) => {
      if (server === undefined) throw new Error('No server');
      await server.initialize();
      return work(server);
    });
  return [
    ...(await withServer(await seededHome(0), (server) => versions(server, newPath('versions')))),
    ...(await withServer(await seededHome(0), (server) => insertions(server, newPath('insertions')))),
  ];
};

async function versions(server: Server, folder: string): Promise<Figure[]> {
  const random = randomFrom(1);
  let files = await sources();
  let sum = 0;
  for (let version = 1; version <= VERSIONS; version++) {
    if (version > 1) files = nextVersion(files, version, random);
    await lay(folder, files);
    sum += bytesOf(files);
    await takeIn(server, folder, files.size);
  }
  const status = await answerOf(server, 'status', { detailed: true });
  const total = numberIn(status, 'total_bytes');
  const unique = total - numberIn(status, 'deduplicated_bytes');
  const stored = numberIn(status, 'stored_bytes');
  const one = bytesOf(await sources());
  return [
    {
      name: `unique bytes of ${VERSIONS} versions / their sum`,
      unit: '×',
      value: unique / sum,
      details: { 'sum MB': sum / MB, 'unique MB': unique / MB, files: files.size },
    },
    {
      name: `unique bytes of ${VERSIONS} versions / one version`,
      unit: '×',
      value: unique / one,
      details: { 'one MB': one / MB },
    },
    { name: 'stored, packed / one version', unit: '×', value: stored / one, details: { 'stored MB': stored / MB } },
    { name: 'stored, packed / their sum', unit: '×', value: stored / sum },
    {
      name: 'dedup_ratio of status',
      unit: '%',
      value: 100 * numberIn(status, 'dedup_ratio'),
      details: { 'total MB': total / MB },
    },
  ];
}

async function sources(): Promise<Files> {
  const files = new Map<string, string>();
  for (const path of await filesBelow(join(SOURCES, 'src'))) {
    const content = await readFile(join(SOURCES, 'src', path));
    if (isText(content)) files.set(path, content.toString());
  }
  return files;
}

/** Files that are as they were keep their date: only what was edited is read again. */
async function lay(folder: string, files: Files): Promise<void> {
  const before = new Set(await filesBelow(folder).catch(() => []));
  for (const path of before) if (!files.has(path)) await rm(join(folder, path));
  for (const [path, text] of files) {
    const target = join(folder, path);
    if (before.has(path) && (await readFile(target, 'utf8')) === text) continue;
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text);
  }
}

function bytesOf(files: Files): number {
  return [...files.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

async function insertions(server: Server, folder: string): Promise<Figure[]> {
  await mkdir(folder);
  const kinds = { 'tar of sources': await tarOfSources(), 'JSON lines': jsonLines(), executable: executable() };
  const figures: Figure[] = [];
  for (const [kind, content] of Object.entries(kinds)) {
    const whole = content.subarray(0, 8 * MiB);
    const path = join(folder, kind.replaceAll(' ', '-'));
    await writeFile(path, whole);
    const { answer } = await takeIn(server, path, 1);
    await writeFile(path, Buffer.concat([Buffer.from('!'), whole]));
    const fresh = numberIn((await takeIn(server, path, 1)).answer, 'new_bytes');
    figures.push({
      name: `kept with one byte before ${kind}`,
      unit: '%',
      value: 100 * (1 - fresh / (whole.length + 1)),
      details: { MB: whole.length / MB, 'new KB': fresh / 1000, 'first new MB': numberIn(answer, 'new_bytes') / MB },
    });
  }
  return figures;
}

async function tarOfSources(): Promise<Buffer> {
  const paths = await filesBelow(SOURCES);
  const entries = paths.map((name) => ({ name, data: readFileSync(join(SOURCES, name)) }));
  const parts: Buffer[] = [];
  for await (const part of packTar(entries)) parts.push(Buffer.from(part));
  return gunzipSync(Buffer.concat(parts));
}

function jsonLines(): Buffer {
  const lines: string[] = [];
  for (let [number, bytes] = [0, 0]; bytes < 8 * MiB; number++) {
    const { path, text } = documentNumber(number);
    const line = JSON.stringify({ id: number, path, text: text.slice(0, 100 + (number % 400)) });
    lines.push(line);
    bytes += line.length + 1;
  }
  return Buffer.from(`${lines.join('\n')}\n`);
}

/** Of the middle of Node's own. */
function executable(): Buffer {
  const content = readFileSync(process.execPath);
  return content.subarray(content.length >> 1, (content.length >> 1) + 8 * MiB);
}
