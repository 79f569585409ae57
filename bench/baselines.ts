/** What figures are compared with, measured in the same run on the same machine. */
import { join } from 'node:path';
import { writeFileAtomically } from '../src/store/file.ts';
import type { Command } from './command.ts';

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
