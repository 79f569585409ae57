/**
 * Runs the `console` blocks of a page of documentation in a terminal, and says how what comes out differs from what the page
 * shows. In a page `…` stands for anything in a line, and a line of it alone for any number of lines.
 */
import { execFile } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { program } from '../support/cairn.ts';

export interface Shown {
  readonly command: string;
  readonly output: readonly string[];
}

/** `$ command`, gone on with after a backslash, and what it prints. */
export function commandsIn(page: string): Shown[] {
  const shown: { command: string; output: string[] }[] = [];
  for (const [, block = ''] of page.matchAll(/^```console\n(.*?)^```$/gms)) {
    let goesOn = false;
    for (const line of block.split('\n').slice(0, -1)) {
      const last = shown.at(-1);
      if (line.startsWith('$ ')) shown.push({ command: line.slice(2), output: [] });
      else if (goesOn && last !== undefined) last.command += `\n${line}`;
      else last?.output.push(line);
      goesOn = (line.startsWith('$ ') || goesOn) && line.endsWith('\\');
    }
  }
  return shown;
}

const MARK = '@@next@@';

/** All in one shell, so that a folder that one command enters is where the next one runs. */
export async function outputsOf(commands: readonly Shown[], folder: string): Promise<string[][]> {
  const [bin, home, work] = ['bin', 'user', 'work'].map((name) => join(folder, name)) as [string, string, string];
  for (const each of [bin, home, work]) await mkdir(each, { recursive: true });
  await writeFile(join(bin, 'cairn'), `#!/bin/sh\nexec ${process.execPath} ${program} "$@"\n`);
  await chmod(join(bin, 'cairn'), 0o755);
  const script = join(folder, 'page.sh');
  const lines = commands.flatMap(({ command }) => [`echo ${MARK}`, command]);
  await writeFile(script, ['stty cols 100', 'set +e', ...lines, ''].join('\n'));
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: home,
    TERM: 'dumb',
    LANG: 'C.UTF-8',
    CAIRN_EMBEDDINGS: 'none',
    GIT_CONFIG_GLOBAL: '/dev/null',
  };
  const printed = await new Promise<string>((resolve, reject) => {
    const options = { cwd: work, env, timeout: 120_000, maxBuffer: 1024 ** 2 };
    const child = execFile('script', ['-qec', `bash ${script}`, '/dev/null'], options, (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    );
    child.stdin?.end();
  });
  return (
    printed
      .replaceAll('\r', '')
      // A bar of progress is wiped away before the next line.
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that is how it is wiped away
      .replaceAll(/^.*\x1b\[K/gm, '')
      .split(`${MARK}\n`)
      .slice(1)
      .map((text) => text.replace(/\n$/, '').split('\n'))
  );
}

/** The page's lines that fit, and the first that does not. */
export function fits(page: readonly string[], real: readonly string[]): boolean {
  const pattern = page.map((line) =>
    line.trim() === '…' ? '(?:[^\\n]*\\n)*?' : `${line.trimEnd().split('…').map(literal).join('[^\\n]*')}[ ]*\\n`,
  );
  const text = real.length === 1 && real[0] === '' ? '' : `${real.join('\n')}\n`;
  return new RegExp(`^${pattern.join('')}$`).test(text);
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
