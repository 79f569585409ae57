/** What figures are compared with, measured in the same run on the same machine. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { writeFileAtomically } from '../src/store/file.ts';
import type { Command } from './command.ts';
import { filesBelow } from './documents/tree.ts';

/** The least that any program on Node costs. */
export const bareNode: Command = { argv: [process.execPath, '-e', '0'] };

/** The least that any server on stdio costs: a Node that answers every request with nothing. */
export const bareServer: Command = {
  argv: [
    process.execPath,
    '-e',
    `let rest = '';
     process.stdin.setEncoding('utf8').on('data', (chunk) => {
       const lines = (rest + chunk).split('\\n');
       rest = lines.pop();
       for (const line of lines) {
         const { id } = JSON.parse(line);
         if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: {} }) + '\\n');
       }
     });`,
  ],
};

/** One small file, written the way Cairn writes all of them; in milliseconds. */
export async function atomicWrite(folder: string, text: string): Promise<number> {
  const started = performance.now();
  await writeFileAtomically(join(folder, 'baseline.json'), text);
  return performance.now() - started;
}

export interface Effort {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** The least that it takes to know what is in the files of a folder. */
export function hashAll(folder: string): Promise<Effort> {
  return effortOf(folder, async (path) => {
    const hash = createHash('sha256');
    await pipeline(createReadStream(path), hash);
    hash.digest();
  });
}

/** The least that it takes to know that no file of a folder has changed. */
export function lookAtAll(folder: string): Promise<Effort> {
  return effortOf(folder, lstat);
}

async function effortOf(folder: string, work: (path: string) => Promise<unknown>): Promise<Effort> {
  const started = performance.now();
  const before = process.cpuUsage();
  for (const path of await filesBelow(folder)) await work(join(folder, path));
  const { user, system } = process.cpuUsage(before);
  return { wallMs: performance.now() - started, cpuMs: (user + system) / 1000 };
}
