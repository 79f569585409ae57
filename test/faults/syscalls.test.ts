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
import { frequentWritings as everyWriting, type HomeWriting } from './every-writing.ts';
import { recordFigures } from './figures.ts';
import { looking, plain, writings } from './writing.ts';

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
  /** How many of the calls of a write fail in the long profile, spread over all of them. */
  readonly most: number;
  /** Those that fail in the short one, counted from the first. */
  readonly short?: readonly number[];
}

const faults: readonly Fault[] = [
  { call: 'pwrite64', error: 'ENOSPC', most: 24, short: [1, 8, 30] },
  { call: 'pwrite64', error: 'EIO', most: 8, short: [20] },
  { call: 'fsync', error: 'EIO', most: 8, short: [1, 2] },
  { call: 'fdatasync', error: 'EIO', most: 8 },
  { call: 'ftruncate', error: 'EIO', most: 6 },
  { call: 'rename', error: 'EACCES', most: 3, short: [1] },
  { call: 'rename', error: 'EROFS', most: 3 },
  { call: 'openat', error: 'EMFILE', most: 16, short: [50, 60] },
  { call: 'openat', error: 'EROFS', most: 5 },
  { call: 'mkdir', error: 'ENOSPC', most: 4, short: [1] },
  { call: 'unlink', error: 'EACCES', most: 4 },
  { call: 'write', error: 'ENOSPC', most: 5 },
];
/** The earlier ones load the program. */
const OPENED_BY_NODE = 40;

interface Place {
  readonly writing: HomeWriting;
  readonly fault: Fault;
  readonly at: number;
}

const shortPlaces: readonly Place[] = faults
  .flatMap((fault) => (fault.short ?? []).map((at) => ({ fault, at })))
  .map((place, number) => ({ ...place, writing: writings[number % writings.length] as HomeWriting }));

/** As many as there are calls: first they are counted. */
async function longPlaces(home: string, folder: string): Promise<Place[]> {
  const places: Place[] = [];
  for (const [number, writing] of everyWriting.entries()) {
    await looking(home, async (ask) => writing.prepare?.(ask, number));
    const counts = await counted(home, folder, writing, number);
    for (const fault of faults) {
      const from = fault.call === 'openat' ? OPENED_BY_NODE : 0;
      const there = (counts.get(fault.call) ?? 0) - from;
      const step = Math.max(1, there / fault.most);
      for (let at = 1; at <= there; at += step) places.push({ writing, fault, at: from + Math.round(at) });
    }
  }
  return places;
}

async function counted(home: string, folder: string, writing: HomeWriting, number: number) {
  const log = join(folder, 'count');
  const calls = [...new Set(faults.map(({ call }) => call))];
  await traced(log, ['-e', `trace=${calls.join()}`], home, writing, number);
  // Each thread counts for itself, and so does strace.
  const threads = new Map<string, number>();
  const counts = new Map<string, number>();
  for (const [line, call = ''] of (await readFile(log, 'utf8')).matchAll(/^\d+ +(\w+)\(/gm)) {
    const count = (threads.get(line) ?? 0) + 1;
    threads.set(line, count);
    counts.set(call, Math.max(count, counts.get(call) ?? 0));
  }
  return counts;
}

interface Outcome {
  /** What it said: done, refused with a reason, or nothing, because it died or could not answer. */
  readonly told: 'done' | 'refused' | 'nothing';
  readonly struck: boolean;
  readonly output: string;
}

function traced(log: string, how: readonly string[], home: string, writing: HomeWriting, number: number) {
  const command = [process.execPath, program, '--home', home, '--json', 'call', writing.operation];
  const args = ['-f', '-qq', '-o', log, ...how, ...command, JSON.stringify(writing.input(number))];
  return new Promise<{ stdout: string; stderr: string }>((resolve) => {
    const options = { env: { ...process.env, ...plain, CAIRN_ROLE: 'admin' }, timeout: 60_000 };
    execFile('strace', args, options, (_, stdout, stderr) => resolve({ stdout, stderr }));
  });
}

async function failing(home: string, folder: string, { writing, fault, at }: Place, number: number): Promise<Outcome> {
  const log = join(folder, 'trace');
  const how = ['-e', `inject=${fault.call}:error=${fault.error}:when=${at}`, '-e', `trace=${fault.call}`];
  const { stdout, stderr } = await traced(log, how, home, writing, number);
  const struck = (await readFile(log, 'utf8')).includes('(INJECTED)');
  return { told: toldIn(stdout, stderr), struck, output: `${stdout}${stderr}` };
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

it.skipIf(!canTrace)('holds when a call to the system fails', { timeout: long ? 7_200_000 : 300_000 }, async () => {
  const folder = await freshFolder();
  const home = join(folder, 'home');
  await looking(home, (ask) => ask('record_decision', { title: 'There', target: 'begin', rationale: 'Before all.' }));
  const places = long ? await longPlaces(home, folder) : shortPlaces;
  const struck = new Map(places.map(({ fault }) => [fault, 0]));
  for (const [index, place] of places.entries()) {
    const number = 1000 + index;
    const { writing, fault, at } = place;
    await looking(home, async (ask) => writing.prepare?.(ask, number));
    const outcome = await failing(home, folder, place, number);
    if (outcome.struck) struck.set(fault, (struck.get(fault) ?? 0) + 1);
    const what = `${writing.operation}, ${fault.call} ${at} ${fault.error}: ${outcome.told} ${outcome.output.slice(0, 500)}`;
    await looking(home, async (ask) => {
      const happened = await writing.happened(ask, number, home);
      if (outcome.told === 'done') expect(happened, what).toBe(true);
      if (outcome.told === 'refused') expect(happened, what).toBe(false);
      // What did not happen can be done now.
      if (!happened) await ask(writing.operation, writing.input(number));
      expect(await writing.happened(ask, number, home), what).toBe(true);
      expect(await ask('audit_verify'), what).toMatchObject({ intact: true });
    });
  }
  // Threads take turns, so a count may be off by some calls; but no fault is there in vain.
  for (const [{ call, error }, times] of struck) expect(times, `${call} ${error}`).toBeGreaterThan(0);
  const reached = [...struck.values()].reduce((sum, times) => sum + times, 0);
  expect(reached).toBeGreaterThan(places.length * (long ? 0.85 : 0.5));
  await looking(home, async (ask) => {
    for (const [index, { writing }] of places.entries())
      expect(await writing.happened(ask, 1000 + index, home), `${writing.operation} ${1000 + index}`).toBe(true);
    expect(await ask('content_verify')).toMatchObject({ ok: true });
  });
  recordFigures('syscalls', [
    {
      what: 'calls to the system that fail',
      how: 'strace makes one call of a write fail: out of space, broken, forbidden, read-only, no descriptors (`test/faults/syscalls.test.ts`; said aloud where tracing is not allowed)',
      profile: long ? 'long' : 'short',
      figures: {
        places: places.length,
        reached,
        'kinds of writes': new Set(places.map(({ writing }) => writing)).size,
      },
    },
  ]);
});
