/**
 * Every call to the system that a write makes can fail: the disk is full, broken, read-only, there are no more descriptors. A
 * write either happened or did not, what the caller was told is true, and the next process finds everything else in order.
 * Faults are put in by strace, where tracing is allowed.
 */
import { execFile, execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { program } from '../support/cairn.ts';
import { freshFolder } from '../support/home.ts';
import { looking, plain, type Writing, writings } from './writing.ts';

const long = process.env.CAIRN_TEST_FULL !== undefined;

const canTrace = (() => {
  try {
    execFileSync('strace', ['-f', '-qq', '-e', 'inject=getppid:error=EPERM', 'true'], { stdio: 'pipe' });
    return true;
  } catch {
    process.stderr.write('SKIPPED: strace is missing or may not trace here, so no system call is made to fail\n');
    return false;
  }
})();

interface Fault {
  readonly call: string;
  readonly error: string;
  /** The calls that fail, counted from the first; the earlier ones load the program. */
  readonly at: readonly number[];
}

const every = (from: number, to: number, step = 1) =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, at) => from + at * step);

const faults: readonly Fault[] = long
  ? [
      { call: 'pwrite64', error: 'ENOSPC', at: every(1, 100) },
      { call: 'pwrite64', error: 'EIO', at: every(1, 100, 3) },
      { call: 'fsync', error: 'EIO', at: every(1, 8) },
      { call: 'ftruncate', error: 'EIO', at: every(1, 6) },
      { call: 'rename', error: 'EACCES', at: every(1, 3) },
      { call: 'rename', error: 'EROFS', at: every(1, 3) },
      { call: 'openat', error: 'EMFILE', at: every(60, 140, 2) },
      { call: 'openat', error: 'EROFS', at: every(61, 140, 5) },
      { call: 'mkdir', error: 'ENOSPC', at: every(1, 4) },
      { call: 'write', error: 'ENOSPC', at: every(1, 20, 2) },
    ]
  : [
      { call: 'pwrite64', error: 'ENOSPC', at: [1, 8, 30] },
      { call: 'pwrite64', error: 'EIO', at: [20] },
      { call: 'fsync', error: 'EIO', at: [1, 2] },
      { call: 'rename', error: 'EACCES', at: [1] },
      { call: 'openat', error: 'EMFILE', at: [50, 60] },
      { call: 'mkdir', error: 'ENOSPC', at: [1] },
    ];

interface Outcome {
  /** What it said: done, refused with a reason, or nothing, because it died or could not answer. */
  readonly told: 'done' | 'refused' | 'nothing';
  readonly struck: boolean;
  readonly output: string;
}

function failing(home: string, folder: string, writing: Writing, number: number, { call, error }: Fault, at: number) {
  const log = join(folder, 'trace');
  const inject = `inject=${call}:error=${error}:when=${at}`;
  const command = [process.execPath, program, '--home', home, '--json', 'call', writing.operation];
  const args = ['-f', '-qq', '-o', log, '-e', inject, '-e', `trace=${call}`, ...command];
  return new Promise<Outcome>((resolve) => {
    const options = { env: { ...process.env, ...plain }, timeout: 60_000 };
    execFile('strace', [...args, JSON.stringify(writing.input(number))], options, async (_, stdout, stderr) => {
      const struck = (await readFile(log, 'utf8')).includes('(INJECTED)');
      resolve({ told: toldIn(stdout, stderr), struck, output: `${stdout}${stderr}` });
    });
  });
}

function toldIn(stdout: string, stderr: string): Outcome['told'] {
  const answer = parsed(stdout);
  if (answer !== undefined && answer.status !== 'error' && answer.created !== false) return 'done';
  const error = answer ?? (parsed(stderr)?.error as Record<string, unknown> | undefined);
  if (error === undefined) return 'nothing';
  // Decided and to be completed, or made without what follows it.
  return /^The change (?:is decided|was made), but/.test(String(error.message)) ? 'done' : 'refused';
}

function parsed(text: string): Record<string, unknown> | undefined {
  const line = text.trim().split('\n').at(-1) ?? '';
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

const cases = faults.flatMap((fault) => fault.at.map((at) => ({ fault, at })));

it.skipIf(!canTrace)(
  `holds when a call to the system fails, at ${cases.length} places`,
  { timeout: long ? 3_600_000 : 300_000 },
  async () => {
    const folder = await freshFolder();
    const home = join(folder, 'home');
    await looking(home, (ask) => ask('record_decision', { title: 'There', target: 'begin', rationale: 'Before all.' }));
    const done: { writing: Writing; number: number }[] = [];
    const struck = new Map(faults.map((fault) => [fault, 0]));
    for (const [number, { fault, at }] of cases.entries()) {
      const writing = writings[number % writings.length] as Writing;
      await looking(home, async (ask) => writing.prepare?.(ask, number));
      const outcome = await failing(home, folder, writing, number, fault, at);
      if (outcome.struck) struck.set(fault, (struck.get(fault) ?? 0) + 1);
      const what = `${writing.operation}, ${fault.call} ${at} ${fault.error}: ${outcome.told} ${outcome.output.slice(0, 500)}`;
      await looking(home, async (ask) => {
        const happened = await writing.happened(ask, number);
        if (outcome.told === 'done') expect(happened, what).toBe(true);
        if (outcome.told === 'refused') expect(happened, what).toBe(false);
        // What did not happen can be done now.
        if (!happened) await ask(writing.operation, writing.input(number));
        expect(await writing.happened(ask, number), what).toBe(true);
        expect(await ask('audit_verify'), what).toMatchObject({ intact: true });
      });
      done.push({ writing, number });
    }
    // The long profile counts on beyond the last call that some kinds of writes make; but no fault is there in vain.
    for (const [{ call, error }, times] of struck) expect(times, `${call} ${error}`).toBeGreaterThan(0);
    const reached = [...struck.values()].reduce((sum, times) => sum + times, 0);
    if (!long) expect(reached).toBeGreaterThan(cases.length / 2);
    process.stderr.write(`${reached} of ${cases.length} system calls failed\n`);
    await looking(home, async (ask) => {
      for (const { writing, number } of done)
        expect(await writing.happened(ask, number), `${writing.operation} ${number}`).toBe(true);
      expect(await ask('content_verify')).toMatchObject({ ok: true });
    });
  },
);
