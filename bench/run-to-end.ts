/**
 * Runs a command from start to end with its whole input given at once, and says what CPU it took. `time` of bash asks the
 * kernel after the process is gone: the exit and the processes that it started are in the figure, whatever it is written in.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Command, spawnOptions } from './command.ts';

export interface Finished {
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly output: string;
}

const LIMIT_MS = 30_000;

export async function runToEnd(command: Command, input = ''): Promise<Finished> {
  const stopwatch = stopwatchFor(command);
  const started = performance.now();
  // A group of its own, so that a command that hangs ends together with the shell that measures it.
  const child = spawn(stopwatch.argv[0], stopwatch.argv.slice(1), {
    ...spawnOptions(command),
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
  });
  const deadline = setTimeout(() => endGroup(child.pid), LIMIT_MS);
  // A program that does not read its input closes the pipe; that is its right.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const report = child.stdio[3];
  const [output, complaints, figures, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    report !== null && report !== undefined && 'read' in report ? text(report) : '',
    once(child, 'close') as Promise<[number | null]>,
  ]);
  clearTimeout(deadline);
  const wallMs = performance.now() - started;
  if (code !== 0) throw new Error(`${command.argv.join(' ')} ended with ${code}: ${complaints.slice(-500)}`);
  return { cpuMs: stopwatch.cpuMs(figures), wallMs, output };
}

interface Stopwatch {
  readonly argv: readonly [string, ...string[]];
  /** From what arrived on descriptor 3. */
  cpuMs(report: string): number;
}

const hasBash = process.platform !== 'win32' && spawnSync('bash', ['--norc', '-c', ':']).status === 0;

function stopwatchFor({ argv }: Command): Stopwatch {
  const [program, ...rest] = argv;
  // Bash takes the sockets that Node gives for pipes as a login over the network, and would read the user's .bashrc.
  if (hasBash) return { argv: ['bash', '--norc', '--noprofile', '-c', bashTime, 'bash', ...argv], cpuMs: sumOfSeconds };
  if (program !== process.execPath) throw new Error(`Without bash only Node can be measured, not ${program}`);
  return { argv: [program, '--require', resolve('bench/report-cpu.cjs'), ...rest], cpuMs: Number };
}

/** `time` prints to the shell's stderr, so that one goes to descriptor 3, and the command keeps the real one. */
const bashTime = 'TIMEFORMAT="%3U %3S"; LC_NUMERIC=C; { time "$@" 2>&4 3>&-; } 4>&2 2>&3';

function sumOfSeconds(report: string): number {
  return report
    .trim()
    .split(' ')
    .reduce((sum, seconds) => sum + Number(seconds) * 1000, 0);
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
}
