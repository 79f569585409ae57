/** Trees of files to take in: what npm installed for this project is a real source tree that every checkout has. */
import { type Dirent, realpathSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, extname, join, relative } from 'node:path';

export interface Tree {
  readonly folder: string;
  readonly files: number;
  readonly bytes: number;
  readonly textFiles: number;
  readonly textBytes: number;
}

/** Below a folder, in order; links are not followed. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(folderOf(entry), entry.name)))
    .sort();
}

function folderOf(entry: Dirent): string {
  return entry.parentPath;
}

/** Whole, but for the caches of tools and the files that would keep others out. */
export async function copyModules(to: string): Promise<Tree> {
  const from = realpathSync('node_modules');
  const tally = { files: 0, bytes: 0, textFiles: 0, textBytes: 0 };
  for (const path of await modulePaths(from)) {
    await copyInto(to, path, (target) => copyFile(join(from, path), target));
    const content = await readFile(join(to, path));
    tally.files++;
    tally.bytes += content.length;
    if (!isText(content)) continue;
    tally.textFiles++;
    tally.textBytes += content.length;
  }
  return { folder: to, ...tally };
}

/** Of these, what is indexed is not the letters that a tool like grep sees. */
const EXTRACTED = new Set(['.html', '.htm', '.xhtml', '.ipynb']);

/**
 * Only texts, about as many bytes as asked for: those of the modules, and where they are too few, again with other words.
 * With a line in each of a few files that no other has.
 */
export async function textsOfModules(to: string, bytes: number, needle: string): Promise<Tree> {
  const from = realpathSync('node_modules');
  const paths = (await modulePaths(from)).filter((path) => !EXTRACTED.has(extname(path)));
  let [files, written] = [0, 0];
  for (let round = 0; written < bytes; round++) {
    const before = written;
    for (const path of paths) {
      const content = await readFile(join(from, path));
      if (written >= bytes) break;
      if (!isPlain(content)) continue;
      const text = `${varied(content.toString(), round)}${files % 2000 === 1000 ? `\n// ${needle}${files}\n` : ''}`;
      await copyInto(to, `round-${round}/${path}`, (target) => writeFile(target, text));
      files++;
      written += Buffer.byteLength(text);
    }
    if (written === before) throw new Error('There is no text in node_modules');
  }
  return { folder: to, files, bytes: written, textFiles: files, textBytes: written };
}

async function modulePaths(from: string): Promise<string[]> {
  return (await filesBelow(from)).filter(
    (path) => !/(?:^|[\\/])(?:\.cache|\.vite|\.gitignore|\.git)(?:[\\/]|$)/.test(path),
  );
}

async function copyInto(to: string, path: string, write: (target: string) => Promise<void>): Promise<void> {
  const target = join(to, path);
  await mkdir(dirname(target), { recursive: true });
  await write(target);
}

/** As git and grep see it. */
export function isText(content: Buffer): boolean {
  return !content.includes(0);
}

/** UTF-8 with lines that end in one way: where tools cannot differ about what a line is. */
function isPlain(content: Buffer): boolean {
  if (!isText(content) || content.length === 0) return false;
  const text = content.toString();
  return !text.includes('\ufffd') && !/\r(?!\n)/.test(text);
}

/** The same text for round 0; in each other the long words have another end, as they do in another project. */
function varied(text: string, round: number): string {
  if (round === 0) return text;
  const end = String.fromCharCode(97 + (round % 26));
  return text.replace(/\b[a-z]{7,}\b/g, (word) => `${word}${end}`);
}
