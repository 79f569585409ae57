/** Paths that lead elsewhere, in every argument that could be one: nothing outside is read, and nothing outside is written. */
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Message } from '../support/cairn.ts';
import { type Arena, CANARY, exampleOf, full, local, openArena, slotsOf, textsBelow } from './arena.ts';

function waysOut({ around, home }: Arena): string[] {
  const outside = join(around, 'outside.txt');
  return [
    outside,
    '../outside.txt',
    'src/../../outside.txt',
    'src/link.txt',
    'src/up/outside.txt',
    'src/up',
    'src//..//../outside.json',
    `file://${outside}`,
    '.git/config',
    '.GIT/config',
    join(home, 'state.db'),
    '.cairn/state.db',
    '/etc/passwd',
    '/proc/self/environ',
    '/dev/zero',
    '~/outside.txt',
    '..\\outside.txt',
    `${outside}\u0000.md`,
    '-rf',
    '--output=/tmp/x',
    '\u202e../outside.txt',
    '.',
    '/',
  ];
}

/** Every text that might be taken for a path or a name of a file by somebody. */
const pathLike = /(?:path|paths|source|repo_path|directory|filename|file|base|name|names|backup|ref|id)(?:\[\])?$/i;

describe('a path', () => {
  it('that leads out of the project reads nothing and writes nothing, in any argument of any operation', async () => {
    const arena = await openArena({ flags: ['--role', 'admin', '--mutation'], env: { HOME: '/nonexistent' } });
    const { around, folder, server } = arena;
    const ways = waysOut(arena);
    const outside = async () => {
      const texts = [...(await textsBelow(around))].filter(([path]) => !path.startsWith('project/'));
      return new Map([...texts, ['.git/config', (await textsBelow(join(folder, '.git'))).get('config') ?? '']]);
    };
    const before = await outside();
    for (const entry of local) {
      const input = await exampleOf(entry, server);
      for (const slot of slotsOf(entry.inputSchema, 'string').filter(({ path }) => pathLike.test(path))) {
        const answers = await Promise.all(ways.map((way) => server.ask(entry.name, slot.put(input, way))));
        for (const [at, answer] of answers.entries())
          expect(JSON.stringify(answer), `${entry.name} ${slot.path} ${ways[at]}`).not.toContain(CANARY);
      }
    }
    expect(await outside()).toEqual(before);
    // What was read would be in the store by now.
    for (const [op, params] of [
      ['grep', { pattern: 'canary-7f3a' }],
      ['search', { query: 'canary outside project', kind: 'all' }],
      ['instructions_search', { q: 'canary-7f3a' }],
    ] as const)
      expect(JSON.stringify((await server.ask(op, params)).result ?? {}), op).not.toContain(CANARY);
  });

  it('is not found by asking: what is outside and what is nowhere look alike', async () => {
    const { server, around } = await openArena({ flags: ['--mutation'] });
    const there = await server.ask('add', { path: join(around, 'outside.txt') });
    const nowhere = await server.ask('add', { path: join(around, 'nothing.txt') });
    const said = ({ error }: Message) => error?.message.replace(/\S*(?:outside|nothing)\.txt/, 'PATH');
    expect(said(there)).toBe(said(nowhere));
  });

  it('that is swapped for a link while it is used leads nowhere else', { timeout: 120_000 }, async () => {
    const arena = await openArena({ flags: ['--role', 'admin', '--mutation'] });
    const { around, folder, server } = arena;
    await mkdir(join(around, 'private'));
    await writeFile(join(around, 'private/data.json'), JSON.stringify([{ id: 'raced', title: CANARY, body: CANARY }]));
    await writeFile(join(around, 'private/data.txt'), CANARY);
    const [inside, aside] = [join(folder, 'swap'), join(folder, 'swap-aside')];
    await mkdir(inside);
    await writeFile(join(inside, 'data.json'), '[{"id":"fine","title":"Fine","body":"Fine."}]');
    await writeFile(join(inside, 'data.txt'), 'fine');
    let racing = true;
    const race = (async () => {
      while (racing) {
        await rename(inside, aside);
        await symlink(join(around, 'private'), inside);
        await rm(inside);
        await rename(aside, inside);
      }
    })();
    const calls: [string, object][] = [
      ['add', { path: 'swap/data.txt' }],
      ['add', { path: 'swap' }],
      ['instructions_import', { source: 'swap/data.json', mode: 'overwrite', dryRun: true }],
      ['bootstrap_project_context', { path: 'swap' }],
      ['restore', { collection: 'default', output_directory: 'swap/out', overwrite: true }],
      ['get', { name: 'swap/data.txt', outputPath: 'swap/copy.txt', overwrite: true }],
    ];
    await server.ask('add', { name: 'seed.txt', content: 'seed' });
    for (let round = 0; round < (full ? 1000 : 100); round++)
      for (const [op, params] of calls) expect(JSON.stringify(await server.ask(op, params)), op).not.toContain(CANARY);
    racing = false;
    await race;
    expect([...(await textsBelow(join(around, 'private'))).keys()].sort()).toEqual(['data.json', 'data.txt']);
    expect(JSON.stringify((await server.ask('grep', { pattern: 'canary-7f3a' })).result)).not.toContain(CANARY);
  });
});
