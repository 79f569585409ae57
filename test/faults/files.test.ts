/**
 * Every call that changes a file can fail, and so can every commit: first the calls of each kind of write are counted, then
 * each of them fails once. Works wherever Node does (failing-files.mjs); what SQLite asks of the system is for
 * syscalls.test.ts.
 */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Message, serveStdio } from '../support/cairn.ts';
import { freshFolder } from '../support/home.ts';
import { everyWriting, type HomeWriting } from './every-writing.ts';
import { admin, askOf, type Call, errorsOf, inFolder, inTurn, NEXT, toldBy, unfinishedIn, written } from './failing.ts';
import { recordFigures } from './figures.ts';
import { writings } from './writing.ts';

const long = process.env.CAIRN_TEST_FULL !== undefined;
/** An opening after a fault takes a fraction of it; on a busy machine it still says whether one hangs. */
const OPENING_MS = 10_000;

interface Place {
  readonly writing: HomeWriting;
  readonly number: number;
  /** A home that the write itself makes, or one that is there. */
  readonly fresh: boolean;
  readonly call: Call & { readonly number: number };
  readonly error: string;
}

const BASE = 900;

/** A home with something of everything in it, and with all that the writes need before them. */
async function makeTemplate(home: string): Promise<void> {
  const server = serveStdio(['--home', home], admin);
  const ask = askOf(server);
  for (const writing of writings) {
    await writing.prepare?.(ask, BASE);
    await ask(writing.operation, writing.input(BASE));
  }
  for (const [number, writing] of everyWriting.entries()) await writing.prepare?.(ask, number);
  server.endInput();
  expect(await server.exited).toBe(0);
}

/** Every call of every write, and every way in which it can fail. */
async function placesIn(folder: string, template: string): Promise<Place[]> {
  const places: Place[] = [];
  const kinds = everyWriting.flatMap((writing, number) => [
    { writing, number, fresh: false },
    ...(writing.prepare === undefined ? [{ writing, number, fresh: true }] : []),
  ]);
  await inTurn(kinds, (kind) =>
    inFolder(folder, async (home, log) => {
      if (!kind.fresh) await cp(template, home, { recursive: true });
      const { told, message, calls } = await written(home, log, kind.writing, kind.number);
      expect(told, `${kind.writing.operation}: ${message}`).toBe('done');
      for (const { number: at, ...call } of calls) {
        if (at === undefined) continue;
        // No call is passed over because nobody thought of it.
        expect(errorsOf[call.call], call.call).toBeDefined();
        for (const error of errorsOf[call.call] ?? []) places.push({ ...kind, call: { ...call, number: at }, error });
      }
    }),
  );
  // In an order that does not depend on which of them was quicker.
  const rank = ({ number, fresh, call }: Place) => number * 10_000 + (fresh ? 5000 : 0) + call.number;
  return places.sort((one, other) => rank(one) - rank(other));
}

/** Each way to fail of each call once, by turns in all kinds of writes; and each kind of write at least once. */
function chosen(places: readonly Place[]): Place[] {
  const kinds = new Map<string, Place[]>();
  const kindOf = ({ call, error }: Place) => `${call.call === 'commit' ? call.path : ''} ${call.call} ${error}`;
  for (const place of places) kinds.set(kindOf(place), [...(kinds.get(kindOf(place)) ?? []), place]);
  const uses = new Map<HomeWriting, number>();
  const usesOf = ({ writing }: Place) => uses.get(writing) ?? 0;
  const rarest = [...kinds.values()].sort((one, other) => one.length - other.length);
  const picked = rarest.map((of) => {
    const place = of.reduce((least, each) => (usesOf(each) < usesOf(least) ? each : least));
    uses.set(place.writing, usesOf(place) + 1);
    return place;
  });
  const left = everyWriting.filter((writing) => !uses.has(writing));
  return [
    ...picked,
    ...places.filter(
      ({ writing }, at) => left.includes(writing) && places.findIndex((each) => each.writing === writing) === at,
    ),
  ];
}

async function hold(folder: string, template: string, place: Place): Promise<void> {
  const { writing, number, fresh, call, error } = place;
  await inFolder(folder, async (home, log) => {
    if (!fresh) await cp(template, home, { recursive: true });
    const outcome = await written(home, log, writing, number, { at: call.number, error });
    const { calls, next } = outcome;
    const where = `${writing.operation}${fresh ? ' into nothing' : ''}, ${call.number} ${call.call} ${call.path} ${error}`;
    const what = `${where}: ${outcome.told} ${outcome.message.slice(0, 600)}`;
    expect(calls.filter(({ struck }) => struck === error).length, what).toBe(1);
    expect(outcome.told, what).not.toBe('nothing');
    // Whoever met a fault goes on; what strikes behind the answer may strike the next write instead.
    const struckFirst =
      calls.findIndex(({ struck }) => struck) < calls.findIndex(({ call: each }) => each === 'answer');
    if (struckFirst) expect(next, what).toMatchObject({ told: 'done' });
    const before = Date.now();
    const server = serveStdio(['--home', home], admin);
    const ask = askOf(server);
    const happened = await writing.happened(ask, number, home).catch((thrown: Error) => thrown.message);
    expect(Date.now() - before, what).toBeLessThan(OPENING_MS);
    expect(happened, what).toBe(outcome.told === 'done');
    if (happened === false) {
      const again = toldBy(await server.ask(writing.operation, writing.input(number)));
      expect(again.told, `${what}; again: ${again.message}`).toBe('done');
      expect(await writing.happened(ask, number, home), what).toBe(true);
    }
    if (!fresh)
      for (const other of writings) expect(await other.happened(ask, BASE), `${what}; ${other.operation}`).toBe(true);
    const { entries } = await ask('feedback_list', { limit: 100 });
    expect(entries.filter(({ title }: Message) => title === NEXT.title).length, what).toBe(
      next?.told === 'done' ? 1 : 0,
    );
    expect(await ask('audit_verify'), what).toMatchObject({ intact: true });
    expect(await ask('content_verify'), what).toMatchObject({ ok: true });
    server.endInput();
    expect(await server.exited, what).toBe(0);
    // What could not be removed stays for an hour; anything else that was begun is finished or cleared away.
    if (call.call !== 'unlink') expect(await unfinishedIn(home), what).toEqual([]);
  });
}

it('holds when a call that changes a file fails', { timeout: long ? 7_200_000 : 300_000 }, async () => {
  const folder = await freshFolder();
  const template = join(folder, 'template');
  await makeTemplate(template);
  const all = await placesIn(folder, template);
  const places = long ? all : chosen(all);
  expect(new Set(places.map(({ writing }) => writing.operation)).size).toBe(everyWriting.length);
  const wrong: string[] = [];
  await inTurn(places, async (place) => {
    await hold(folder, template, place).catch((thrown: Error) => wrong.push(thrown.message));
  });
  expect(wrong).toEqual([]);
  const calls = new Set(places.map(({ call }) => call.call));
  recordFigures('files', [
    {
      what: 'calls that change files, and commits, that fail',
      how: 'a layer under the file port makes each call of each kind of write fail once (`test/faults/files.test.ts`)',
      profile: long ? 'long' : 'short',
      figures: { places: places.length, 'kinds of writes': everyWriting.length, 'kinds of calls': calls.size },
    },
  ]);
  process.stderr.write(`${places.length} of ${all.length} places failed, each once\n`);
});
