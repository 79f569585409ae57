/** Where the attacks take place: a project with things in it, a folder around it that nobody may touch, and the real program. */
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { substitute } from '../../src/operations/pipeline/reference.ts';
import { type SurfaceEntry, surface } from '../../src/operations/surface.ts';
import { type Message, type StdioServer, serveStdio } from '../support/cairn.ts';
import { freshFolder } from '../support/home.ts';

/** Stands in files outside of the project: an answer that holds it has read one of them. */
export const CANARY = 'canary-7f3a-outside-of-the-project';

export const full = process.env.CAIRN_TEST_FULL === '1';
/** The same cases in every run; the long profile takes more of them. */
export const fuzzing = (runs: number) => ({ seed: 20_261_116, numRuns: full ? runs * 20 : runs });

export const entries: readonly SurfaceEntry[] = surface.entries;
/** Does not answer where the network does not. */
export const local = entries.filter(({ openWorld }) => !openWorld);

export interface Arena {
  readonly around: string;
  readonly folder: string;
  readonly home: string;
  readonly server: StdioServer;
  start(flags: readonly string[], env?: Readonly<Record<string, string>>): StdioServer;
}

export interface Entrance {
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export const quiet = { CAIRN_EMBEDDINGS: 'none', CAIRN_WRITE_COOLDOWN_MS: '0' };
const admin = ['--role', 'admin', '--mutation'];

export async function openArena({ flags = admin, env = {} }: Entrance = {}): Promise<Arena> {
  const around = await freshFolder();
  const folder = join(around, 'project');
  const home = join(folder, '.cairn');
  await mkdir(join(folder, 'src'), { recursive: true });
  await mkdir(join(folder, '.git'));
  await writeFile(join(around, 'outside.txt'), `${CANARY}\n`);
  await writeFile(join(around, 'outside.json'), JSON.stringify([{ id: 'stolen', title: CANARY, body: CANARY }]));
  await writeFile(join(folder, '.git/config'), `# ${CANARY}\n`);
  await writeFile(join(folder, 'src/a.ts'), 'export const a = 1;\n');
  await symlink(join(around, 'outside.txt'), join(folder, 'src/link.txt'));
  await symlink(around, join(folder, 'src/up'));
  const start: Arena['start'] = (more, vars = {}) => serveStdio(['--home', home, ...more], { ...quiet, ...vars });
  return { around, folder, home, server: start(flags, env), start };
}

/** The arguments of an operation's own example, after what it needs to be there. */
export async function exampleOf({ example }: SurfaceEntry, server: StdioServer): Promise<Message> {
  let previous: unknown = {};
  for (const { op, params } of example.given ?? [])
    previous = (await server.ask(op, substitute(params, previous))).result;
  return substitute(example.input, previous) as Message;
}

/** What a call came to: an error of any kind, or nothing for one that was carried out. */
export function refusalOf({ result, error }: Message): Message | undefined {
  if (error !== undefined) return error;
  if (result?.status === 'error') return { message: result.message, kind: result.error };
  if (result?.isError === true) return { message: result.content[0].text };
  return result?.error === undefined || typeof result.error !== 'string' ? undefined : { message: result.error };
}

export async function textsBelow(folder: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    // Temporary files of a running server come and go.
    const text = entry.isFile() ? await readFile(path, 'latin1').catch(() => undefined) : undefined;
    if (text !== undefined) found.set(path.slice(folder.length + 1), text);
  }
  return found;
}

/** Kilobytes of memory that a process holds at this moment; nothing where the system does not say. */
export async function memoryOf(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  return kilobytes === undefined ? undefined : Number(kilobytes);
}

type Schema = Readonly<Record<string, unknown>> & {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
};

export interface Slot {
  /** The way to it, for messages. */
  readonly path: string;
  readonly schema: Schema;
  /** A copy of the arguments in which this place has that value. */
  put(input: unknown, value: unknown): unknown;
}

/** Every place of an operation's arguments where a value of a type may stand: fields, items of lists, fields within fields. */
export function slotsOf(schema: unknown, type: string, path = '$', depth = 0): Slot[] {
  const here = (schema ?? {}) as Schema;
  const own: Slot[] = here.type === type ? [{ path, schema: here, put: (_input, value) => value }] : [];
  if (depth > 4) return own;
  const fields = Object.entries(here.properties ?? {}).flatMap(([name, inner]) =>
    slotsOf(inner, type, `${path}.${name}`, depth + 1).map((slot) => ({
      ...slot,
      put: (input: unknown, value: unknown) => {
        const before = isRecord(input) ? input : {};
        return { ...before, [name]: slot.put(before[name], value) };
      },
    })),
  );
  const items =
    here.items === undefined
      ? []
      : slotsOf(here.items, type, `${path}[]`, depth + 1).map((slot) => ({
          ...slot,
          put: (input: unknown, value: unknown) => [slot.put(Array.isArray(input) ? input[0] : undefined, value)],
        }));
  return [...own, ...fields, ...items];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
