/**
 * Commands that write files of people and of other programs: a home, the settings of a client, documents that are handed out.
 * Whatever call fails, each file is as it was or as the command leaves it, success is only said where all of it is there, and
 * the command can be run again.
 */
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cairn } from '../support/cairn.ts';
import { freshFolder } from '../support/home.ts';
import { admin, type Call, callsIn, errorsOf, overFailingFiles } from './failing.ts';
import { recordFigures } from './figures.ts';

const long = process.env.CAIRN_TEST_FULL !== undefined;

interface Command {
  readonly name: string;
  readonly args: readonly string[];
  /** What is there before. */
  readonly given: readonly (readonly string[])[];
}

const theirs = '{\n  "theirs": { "key": [1, 2] },\n  "mcpServers": { "other": { "command": "other" } }\n}\n';
const document = (name: string) => [
  'call',
  'add',
  JSON.stringify({ name, content: `${name} is whole.\n`.repeat(3000) }),
];

const commands: readonly Command[] = [
  { name: 'init', args: ['init', '.', '--no-index', '--no-import'], given: [] },
  { name: 'install', args: ['install', 'claude'], given: [] },
  { name: 'uninstall', args: ['uninstall', 'claude'], given: [['install', 'claude']] },
  {
    name: 'restore',
    args: ['call', 'restore', '{"collection":"default","output_directory":"./out"}'],
    given: [['init', '.', '--no-index', '--no-import'], document('a.txt'), document('b/c.txt')],
  },
];

/** A person's folder and a project in it, always at the same path: what is written names it. */
class Stage {
  readonly #folder: string;
  readonly root: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.root = join(folder, 'person');
  }

  async build(given: Command['given']): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
    await mkdir(join(this.root, 'project', '.cairn'), { recursive: true });
    await writeFile(join(this.root, '.claude.json'), theirs);
    await writeFile(join(this.root, 'project', '.cairn', '.gitignore'), '# mine\nnotes');
    for (const args of given) expect((await this.run(args)).code, args.join(' ')).toBe(0);
    await rm(join(this.#folder, 'given'), { recursive: true, force: true });
    await cp(this.root, join(this.#folder, 'given'), { recursive: true });
  }

  async reset(): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
    await cp(join(this.#folder, 'given'), this.root, { recursive: true });
  }

  async run(args: readonly string[], fault?: { at: number; error: string }) {
    const log = join(this.#folder, 'log');
    await rm(log, { force: true });
    const env = { ...admin, HOME: this.root, XDG_STATE_HOME: '', ...overFailingFiles(this.root, log, fault) };
    const outcome = await cairn(args, { env, cwd: join(this.root, 'project') });
    return { ...outcome, calls: await callsIn(log).catch((): Call[] => []) };
  }

  /** All files but the databases, whose bytes differ from run to run. */
  async tree(): Promise<Record<string, string>> {
    const entries = await readdir(this.root, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile() && !/\.db(?:-wal|-shm)?$/.test(entry.name));
    const read = files.map(async ({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path.slice(this.root.length + 1), await readFile(path, 'utf8')] as const;
    });
    return Object.fromEntries((await Promise.all(read)).sort());
  }
}

it('leaves files whole when a call of a command fails', { timeout: long ? 3_600_000 : 300_000 }, async () => {
  const stage = new Stage(await freshFolder());
  const wrong: string[] = [];
  let places = 0;
  for (const { name, args, given } of commands) {
    await stage.build(given);
    const before = await stage.tree();
    const control = await stage.run(args);
    expect(control.code, control.stderr).toBe(0);
    const after = await stage.tree();
    expect(after).not.toEqual(before);
    for (const { call, error, at, path } of placesOf(control.calls)) {
      places++;
      await stage.reset();
      const { code, calls, stdout, stderr } = await stage.run(args, { at, error });
      const found = await stage.tree();
      const what = `${name}, ${at} ${call} ${path} ${error}: ${code} ${stdout.slice(0, 200)} ${stderr.slice(0, 300)}`;
      if (calls.filter(({ struck }) => struck === error).length !== 1) wrong.push(`${what}: did not strike`);
      for (const [file, bytes] of Object.entries(found)) {
        if (call === 'unlink' && file.endsWith('.tmp')) continue;
        if (bytes !== before[file] && bytes !== after[file]) wrong.push(`${what}: ${file} is neither old nor new`);
      }
      const lost = Object.keys(before).filter((file) => !(file in found) && file in after);
      if (lost.length > 0) wrong.push(`${what}: lost ${lost}`);
      if (code === 0 && differs(found, after) && !saysFailed(stdout)) wrong.push(`${what}: it said that all went well`);
      const again = await stage.run(args);
      if (again.code !== 0 || differs(await stage.tree(), after))
        wrong.push(`${what}: again ${again.code} ${again.stderr}`);
    }
  }
  expect(wrong).toEqual([]);
  recordFigures('commands', [
    {
      what: 'calls of commands that fail',
      how: '`init`, `install`, `uninstall` and `restore` over failing files (`test/faults/commands.test.ts`)',
      profile: long ? 'long' : 'short',
      figures: { places },
    },
  ]);
});

const saysFailed = (stdout: string) => /"failed":\s*[1-9]/.test(stdout);

function differs(found: Record<string, string>, wanted: Record<string, string>): boolean {
  const plain = Object.fromEntries(Object.entries(found).filter(([name]) => !name.endsWith('.tmp')));
  return JSON.stringify(plain) !== JSON.stringify(wanted);
}

/** Every call with every error; in short, each kind of call that changes something once, with its last error: the oddest one. */
function placesOf(calls: readonly Call[]) {
  const all = calls.flatMap(({ number: at, call, path }) =>
    at === undefined ? [] : (errorsOf[call] ?? []).map((error) => ({ at, call, path, error })),
  );
  if (long) return all;
  const changing = all.filter(({ call }) => call !== 'open to read' && call !== 'commit');
  return [...new Map(changing.map((place) => [place.call, place])).values()];
}
