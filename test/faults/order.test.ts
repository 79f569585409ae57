/**
 * A kill loses nothing that the system was told, so it cannot show an fsync that is missing. The order in which the program
 * writes, waits for the disk, commits, renames and answers can: it is what docs/decisions/one-fsync-a-write.md promises.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Message, serveStdio } from '../support/cairn.ts';
import { freshFolder } from '../support/home.ts';
import { admin, askOf, type Call, callsIn, overFailingFiles } from './failing.ts';
import { recordFigures } from './figures.ts';

/** The calls that one request leads to, to the end of its server's life. */
async function tracedCalls(
  operation: string,
  input: Message,
  given: readonly [string, Message][] = [],
): Promise<Call[]> {
  const folder = await freshFolder();
  const [below, log] = [join(folder, 'below'), join(folder, 'log')];
  const home = join(below, 'project', 'home');
  await mkdir(below);
  if (given.length > 0) {
    const server = serveStdio(['--home', home], admin);
    for (const [each, params] of given) await askOf(server)(each, params);
    server.endInput();
    await server.exited;
  }
  const server = serveStdio(['--home', home], { ...admin, ...overFailingFiles(below, log) });
  const result = await askOf(server)(operation, input);
  expect(result.status, JSON.stringify(result)).not.toBe('error');
  server.endInput();
  expect(await server.exited).toBe(0);
  return (await callsIn(log)).map((call) => ({
    ...call,
    ...(call.path && { path: inHome(call.path) }),
    ...(call.to && { to: inHome(call.to) }),
  }));
}

const inHome = (path: string) => (path.startsWith('project/home/') ? path.slice('project/home/'.length) : path);

/** That each of these comes, and only after the one before it. */
function expectInOrder(calls: readonly Call[], steps: Readonly<Record<string, (call: Call) => boolean>>): void {
  let last = -1;
  const trace = calls.map(({ call, path = '', to = '' }, at) => `${at} ${call} ${path} ${to}`).join('\n');
  for (const [name, isStep] of Object.entries(steps)) {
    const at = calls.findIndex((call, index) => index > last && isStep(call));
    expect(at, `${name} does not follow in\n${trace}`).toBeGreaterThan(-1);
    last = at;
  }
}

const first = (calls: readonly Call[], isStep: (call: Call) => boolean) => calls.findIndex(isStep);
const isAnswer = ({ call }: Call) => call === 'answer';
/** What SQLite does where nothing is said is to wait. */
const commits = (file: string) => (each: Call) =>
  each.call === 'commit' && each.path === file && (each.synchronous === 'FULL' || each.synchronous === '');
const decides = (each: Call) => each.call === 'commit' && each.path === 'state.db' && each.synchronous === 'FULL';
const syncs = (path: RegExp) => (each: Call) => each.call === 'fsync' && path.test(each.path ?? '');
const renamesTo = (path: RegExp) => (each: Call) => each.call === 'rename' && path.test(each.to ?? '');
const writes = (path: RegExp) => (each: Call) => each.call === 'writeFile' && path.test(each.path ?? '');

const decision = { title: 'Use Redis', target: 'cache', rationale: 'It was weighed against the others.' };
const rule = (id: string, body: string): [string, Message] => [
  'instructions_add',
  { entry: { id, title: id, body, owner: 'ann', priority: 20 }, lax: true },
];

describe('a small file', () => {
  it.each([
    ['record_decision', decision, /^decisions\/[^.].*\.md$/, /^decisions\/\..*\.tmp$/, /^decisions$/],
    [
      ...rule('small', 'Keep it small.'),
      /^instructions\/small\.json$/,
      /^instructions\/\.small.*\.tmp$/,
      /^instructions$/,
    ],
  ] as const)(
    'of %s is decided durably, put in place, answered, synced, forgotten',
    async (operation, input, file, staged, folder) => {
      const calls = await tracedCalls(operation, input, [rule('before', 'It was here.')]);
      expect(first(calls, renamesTo(file))).toBeGreaterThan(first(calls, decides));
      expectInOrder(calls, {
        'the staged bytes': writes(staged),
        'the commit that decides': decides,
        'the rename': renamesTo(file),
        'the answer': isAnswer,
        'the fsync of the file': syncs(file),
        'the fsync of the folder': syncs(folder),
        'the commit that forgets': decides,
      });
      // Nobody waits for the disk twice.
      expect(first(calls, syncs(staged))).toBe(-1);
    },
  );
});

it('a removal is decided durably, made, synced and then answered', async () => {
  const calls = await tracedCalls('instructions_remove', { ids: ['gone'] }, [rule('gone', 'It was here.')]);
  const removes = ({ call, path }: Call) => call === 'unlink' && path === 'instructions/gone.json';
  expect(first(calls, removes)).toBeGreaterThan(first(calls, decides));
  expectInOrder(calls, {
    'the commit that decides': decides,
    'the removal': removes,
    'the fsync of the folder': syncs(/^instructions$/),
    'the answer': isAnswer,
  });
});

it('a large file is on the disk before anything is decided about it', async () => {
  const rules = Array.from({ length: 20 }, (_, at) => rule(`large-${at}`, `${at} ${'words and words. '.repeat(900)}`));
  const calls = await tracedCalls('backup_create', {}, rules);
  const file = /^backups\/instructions-.*\.json$/;
  const staged = /^backups\/\..*\.tmp$/;
  expect(first(calls, renamesTo(file))).toBeGreaterThan(first(calls, decides));
  expectInOrder(calls, {
    'the staged bytes': writes(staged),
    'their fsync': syncs(staged),
    'the commit that decides': decides,
    'the rename': renamesTo(file),
    'the fsync of the folder': syncs(/^backups$/),
    'the answer': isAnswer,
  });
});

it('an export is on the disk under its name before the answer', async () => {
  const calls = await tracedCalls('export_memory_bundle', { output_filename: 'out.tar.gz' }, [
    ['record_decision', decision],
  ]);
  expectInOrder(calls, {
    'the staged bytes': writes(/^backups\/\.out.*\.tmp$/),
    'their fsync': syncs(/^backups\/\.out.*\.tmp$/),
    'the rename': renamesTo(/^backups\/out\.tar\.gz$/),
    'the fsync of the folder': syncs(/^backups$/),
    'the answer': isAnswer,
  });
});

it('the content of a document is durable before the document is, and both before the answer', async () => {
  const calls = await tracedCalls('add', { name: 'a.txt', content: 'One store for everything.' }, [
    rule('before', 'There.'),
  ]);
  expectInOrder(calls, { content: commits('objects.db'), document: decides, answer: isAnswer });
  const content = calls.findLastIndex((each, at) => each.path === 'objects.db' && at < first(calls, decides));
  expect(calls[content]?.synchronous).toBe('FULL');
});

it.each([
  ['record_interaction', { prompt: 'Why?', response: 'Because.' }],
  ['feedback_submit', { type: 'other', severity: 'low', title: 'Slow', description: 'It takes long.' }],
  ['session_start', { label: 'one' }],
  ['keys_add', { name: 'build', role: 'viewer' }],
] as const)('the rows of %s are durable before the answer', async (operation, input) => {
  const calls = await tracedCalls(operation, input, [rule('before', 'There.')]);
  expectInOrder(calls, { 'the commit': decides, 'the answer': isAnswer });
});

it('a folder that is made is on the disk before the answer', async () => {
  const calls = await tracedCalls(...rule('first', 'The home is made for it.'));
  const made = calls.filter(({ call, path }) => call === 'mkdir' && path !== undefined);
  expect(made.map(({ path }) => path)).toContain('project/home');
  expect(made.map(({ path }) => path)).toContain('instructions');
  for (const parent of ['', 'project', 'project/home']) {
    const synced = calls.findIndex(({ call, path }) => call === 'fsync' && path === parent);
    expect(synced, `${parent || 'the first folder'} is synced`).toBeGreaterThan(-1);
    expect(synced).toBeLessThan(first(calls, isAnswer));
  }
  expectInOrder(calls, {
    'the staged bytes': writes(/^\.\.gitignore.*\.tmp$/),
    'their fsync': syncs(/^\.\.gitignore.*\.tmp$/),
    'the rename': renamesTo(/^\.gitignore$/),
    'the fsync of the folder': syncs(/^project\/home$/),
  });
  recordFigures('order', [
    {
      what: 'waits for the disk that are missing',
      how: 'the order of writes, fsyncs, commits, renames and answers is what the design promises (`test/faults/order.test.ts`)',
      profile: process.env.CAIRN_TEST_FULL === undefined ? 'short' : 'long',
      figures: { 'kinds of writes': 10 },
    },
  ]);
});
