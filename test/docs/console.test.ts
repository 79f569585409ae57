/** What the documentation shows in a terminal is what one sees in a terminal. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshFolder } from '../support/home.ts';
import { commandsIn, fits, outputsOf } from './console.ts';

const docs = join(import.meta.dirname, '../../docs');
const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md'))
  .map((file) => ({ file, commands: commandsIn(readFileSync(join(docs, file), 'utf8')) }))
  .filter(({ commands }) => commands.length > 0);

/** Gives a command a terminal. */
const hasScript = (() => {
  try {
    return execFileSync('script', ['-qec', 'echo there', '/dev/null'], { stdio: 'pipe' }).includes('there');
  } catch {
    process.stderr.write('SKIPPED: there is no `script` here, so the pages of docs/ are not run\n');
    return false;
  }
})();

describe('what the pages show', () => {
  it('is there', () => {
    expect(pages.map(({ file }) => file)).toContain('tutorial.md');
  });

  it.skipIf(!hasScript).each(pages)('in $file is what one sees', { timeout: 180_000 }, async ({ commands }) => {
    const outputs = await outputsOf(commands, await freshFolder());
    for (const [at, { command, output }] of commands.entries()) {
      const real = outputs[at] ?? [];
      if (!fits(output, real)) expect({ command, output: real }).toEqual({ command, output });
    }
    expect(outputs).toHaveLength(commands.length);
  });

  it('would be missed: a page that shows something else does not fit', () => {
    expect(fits(['a … c', '…', 'z'], ['a b c', 'x', 'y', 'z'])).toBe(true);
    expect(fits(['a'], ['b'])).toBe(false);
    expect(fits([], ['a'])).toBe(false);
    expect(fits(['a', 'b'], ['a'])).toBe(false);
  });
});
