/** The real program on a pseudo-terminal, as a person uses it. util-linux `script` makes the terminal. */
import { spawn, spawnSync } from 'node:child_process';
import { program } from './cairn.ts';

/** Where it is missing, or another program of that name, these tests cannot run. */
export const hasTerminals =
  process.platform === 'linux' && spawnSync('script', ['-qec', 'true', '/dev/null'], { stdio: 'ignore' }).status === 0;

export interface Shown {
  readonly code: number | null;
  /** All that reached the terminal, from stdout and stderr. */
  readonly screen: string;
}

export interface TerminalOptions {
  readonly cwd: string;
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** What is typed once the screen shows a text. */
  readonly typing?: { readonly after: string; readonly keys: string };
}

export async function onTerminal(args: readonly string[], options: TerminalOptions): Promise<Shown> {
  const { cwd, columns = 80, env = {}, typing } = options;
  const command = [process.execPath, program, ...args].map(quoted).join(' ');
  // NO_COLOR of whoever runs the tests must not decide what they see.
  const { NO_COLOR: _none, ...inherited } = process.env;
  const child = spawn('script', ['-qefc', `stty cols ${columns} rows 24; exec ${command}`, '/dev/null'], {
    cwd,
    env: { ...inherited, TERM: 'xterm', SHELL: '/bin/sh', ...env },
  });
  let screen = '';
  let typed = false;
  child.stdin.on('error', () => {});
  child.stdout.setEncoding('utf8').on('data', (part) => {
    screen += part;
    if (typing === undefined || typed || !screen.includes(typing.after)) return;
    typed = true;
    child.stdin.write(typing.keys);
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, screen: screen.replaceAll('\r\n', '\n') };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
