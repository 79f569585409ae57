/**
 * What disks, people and programs do to a home, in one table: it is detected and named, everything else is served, what can be
 * mended is mended, and what cannot be read keeps its bytes. Marks of a merge are in merges.test.ts and test/decisions/files.test.ts,
 * damaged contents in test/documents/damage.test.ts, every finding of the doctor in test/doors/doctor.test.ts.
 */
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../../src/store/embedded/database.ts';
import { cairn, type Message, type StdioServer, serveStdio } from '../support/cairn.ts';
import { freshFolder } from '../support/home.ts';
import { recordFigures } from './figures.ts';
import { looking, plain } from './writing.ts';

const long = process.env.CAIRN_TEST_FULL !== undefined;
const RULES = 5;
const NOTES = 5;
const note = (at: number) => `Note ${at} speaks of granite.\n`.repeat(40);
const reason = 'Because it was weighed against the others.';

let sound = '';

function sql(path: string, statement: string): void {
  const database = new Database(path);
  database.exec(statement);
  // What waits beside the file would change it later, and look like somebody's writing.
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

beforeAll(async () => {
  sound = join(await mkdtemp(join(tmpdir(), 'cairn-sound-')), 'home');
  await looking(sound, async (ask) => {
    for (let at = 0; at < RULES; at++) {
      const entry = { id: `rule-${at}`, title: `Rule ${at}`, body: `Obey number ${at}.`, owner: 'ann', priority: 20 };
      await ask('instructions_add', { entry, lax: true });
    }
    const first = await ask('record_decision', { title: 'Redis', target: 'cache', rationale: reason });
    const old_decision_ids = [first.decision_id];
    await ask('supersede_decision', { title: 'Valkey', target: 'cache', rationale: reason, old_decision_ids });
    for (let at = 0; at < NOTES; at++) {
      await ask('add', { name: `notes/${at}.txt`, content: note(at) });
      await ask('record_interaction', { prompt: `Question ${at}?`, response: 'An answer.' });
      await ask('feedback_submit', { type: 'other', severity: 'low', title: `F${at}`, description: 'D.' });
    }
    await ask('search', { query: 'granite' });
  });
  for (const name of ['state.db', 'index.db', 'objects.db']) sql(join(sound, name), 'PRAGMA wal_checkpoint(TRUNCATE)');
}, 60_000);

afterAll(() => rmSync(join(sound, '..'), { recursive: true, force: true }));

async function copyOfSound(): Promise<string> {
  const home = join(await freshFolder(), 'home');
  cpSync(sound, home, { recursive: true, preserveTimestamps: true });
  return home;
}

let written = 0;

/** What can still be asked for; `true` where it is whole, `false` where it was refused in so many words. */
const parts: Readonly<Record<string, (ask: Ask) => Promise<boolean>>> = {
  async instructions(ask) {
    const { items } = await ask('instructions_list', { limit: 100 });
    const { item } = await ask('instructions_get', { id: 'rule-2' });
    return item?.body === 'Obey number 2.' && items.length >= RULES - 1;
  },
  async decisions(ask) {
    const { chain } = await ask('decision_chain', { target: 'cache' });
    return chain.map(({ title }: Message) => title).join() === 'Redis,Valkey';
  },
  async documents(ask) {
    const { content } = await ask('get', { name: 'notes/1.txt', include_content: true });
    return content === note(1);
  },
  async search(ask) {
    const { results } = await ask('search', { query: 'granite', kind: 'document' });
    return results.length === NOTES;
  },
  async records(ask) {
    const { total } = await ask('feedback_list', { limit: 1 });
    const { events } = await ask('event_list', { kind: 'interaction', limit: 50 });
    return total === NOTES && events.length === NOTES;
  },
  async writing(ask) {
    const entry = { id: `new-${++written}`, title: 'New', body: 'It goes on.', owner: 'ann', priority: 20 };
    return (await ask('instructions_add', { entry, lax: true })).created === true;
  },
};
type Part = 'instructions' | 'decisions' | 'documents' | 'search' | 'records' | 'writing';

type Ask = (operation: string, input?: Message) => Promise<Message>;

class Refused extends Error {}

function asking(server: StdioServer): Ask {
  return async (operation, input = {}) => {
    const { result, error } = await server.ask(operation, input);
    const told = error ?? (result.status === 'error' || result.error !== undefined ? result : undefined);
    if (told === undefined) return result;
    const name = told.data?.name ?? told.name ?? told.error;
    // Whatever is damaged, the caller is told what, and that it is not their fault.
    expect(name, `${operation}: ${JSON.stringify(told)} ${server.stderr()}`).toMatch(
      /^(store_unavailable|integrity_error|not_found)$/,
    );
    throw new Refused(`${operation}: ${told.message}`);
  };
}

interface Damage {
  readonly what: string;
  harm(home: string): void;
  /** The findings of the doctor, or operations that name it, and what they say. */
  readonly named: Readonly<Record<string, RegExp>>;
  /** What does not come back by itself. */
  readonly lost?: readonly Part[];
  /** Bytes that nobody may touch. */
  readonly kept?: readonly string[];
  /** Much like another one: for the long profile. */
  readonly rare?: boolean;
  /** As the doctor's remedy says. */
  mend?(home: string): void;
}

const remove = (home: string, name: string) => rmSync(join(home, name), { recursive: true, force: true });
const halve = (home: string, name: string) => truncateSync(join(home, name), statSync(join(home, name)).size >> 1);
const garbage = 'This is no database, and never was one.\n'.repeat(200);

function tear(home: string, name: string): void {
  const bytes = readFileSync(join(home, name));
  bytes.fill(0x5a, 4096, Math.min(bytes.length, 4096 * 12));
  writeFileSync(join(home, name), bytes);
}

function folderInstead(home: string, name: string): void {
  remove(home, name);
  mkdirSync(join(home, name));
}

const ofState: readonly Part[] = ['decisions', 'documents', 'search', 'records', 'writing'];
const ofObjects: readonly Part[] = ['documents'];

const damages: readonly Damage[] = [
  ...(
    [
      ['cut in half', (home) => halve(home, 'state.db')],
      ['cut to a hundred bytes', (home) => truncateSync(join(home, 'state.db'), 100)],
      ['torn', (home) => tear(home, 'state.db')],
      ['garbage', (home) => writeFileSync(join(home, 'state.db'), garbage)],
    ] as const satisfies readonly (readonly [string, (home: string) => void])[]
  ).map(
    ([how, harm]): Damage => ({
      what: `state.db is ${how}`,
      rare: how !== 'torn',
      harm,
      named: { 'store-damaged': /state\.db/, get_environment_health: /state\.db cannot be read/ },
      lost: ofState,
      kept: ['state.db'],
      mend: (home) => cpSync(join(sound, 'state.db'), join(home, 'state.db')),
    }),
  ),
  {
    what: 'state.db is a folder',
    rare: true,
    harm: (home) => folderInstead(home, 'state.db'),
    named: { 'store-damaged': /state\.db/ },
    lost: ofState,
    mend(home) {
      remove(home, 'state.db');
      cpSync(join(sound, 'state.db'), join(home, 'state.db'));
    },
  },
  {
    what: 'state.db is gone',
    harm: (home) => remove(home, 'state.db'),
    named: { 'store-lost': /objects\.db/, get_environment_health: /state\.db is gone/ },
    lost: ['documents', 'search', 'records'],
  },
  {
    what: 'state.db is empty',
    rare: true,
    harm: (home) => writeFileSync(join(home, 'state.db'), ''),
    named: { 'store-lost': /objects\.db/, get_environment_health: /state\.db is gone/ },
    lost: ['documents', 'search', 'records'],
  },
  {
    what: 'state.db is of a newer version',
    harm: (home) => sql(join(home, 'state.db'), 'PRAGMA user_version = 999'),
    named: { 'store-newer': /schema 999/ },
    lost: ofState,
    kept: ['state.db'],
    mend: (home) => cpSync(join(sound, 'state.db'), join(home, 'state.db')),
  },
  ...(
    [
      ['gone', (home) => remove(home, 'index.db'), false],
      ['empty', (home) => writeFileSync(join(home, 'index.db'), ''), false],
      ['cut in half', (home) => halve(home, 'index.db'), true],
      ['torn', (home) => tear(home, 'index.db'), true],
      ['garbage', (home) => writeFileSync(join(home, 'index.db'), garbage), true],
      ['of a newer version', (home) => sql(join(home, 'index.db'), 'PRAGMA user_version = 999'), false],
      ['a folder', (home) => folderInstead(home, 'index.db'), true],
    ] as const satisfies readonly (readonly [string, (home: string) => void, boolean])[]
  ).map(
    ([how, harm, told]): Damage => ({
      // Derived: it is built again, by itself, and what is merely absent needs no word.
      what: `index.db is ${how}`,
      rare: !['gone', 'torn', 'a folder'].includes(how),
      harm,
      named: told ? { 'index-damaged': /index\.db/ } : {},
    }),
  ),
  ...(
    [
      ['cut in half', (home) => halve(home, 'objects.db'), 'objects-damaged'],
      ['garbage', (home) => writeFileSync(join(home, 'objects.db'), garbage), 'objects-damaged'],
      ['empty', (home) => writeFileSync(join(home, 'objects.db'), ''), 'objects-missing'],
      ['gone', (home) => remove(home, 'objects.db'), 'objects-missing'],
      ['of a newer version', (home) => sql(join(home, 'objects.db'), 'PRAGMA user_version = 999'), 'store-newer'],
    ] as const satisfies readonly (readonly [string, (home: string) => void, string])[]
  ).map(
    ([how, harm, fault]): Damage => ({
      what: `objects.db is ${how}`,
      rare: !['cut in half', 'of a newer version'].includes(how),
      harm,
      named: { [fault]: /./ },
      lost: ofObjects,
      ...(fault !== 'objects-missing' && { kept: ['objects.db'] }),
      mend: (home) => cpSync(join(sound, 'objects.db'), join(home, 'objects.db')),
    }),
  ),
  {
    what: 'instructions is a file',
    harm(home) {
      remove(home, 'instructions');
      writeFileSync(join(home, 'instructions'), 'not a folder');
    },
    named: {
      'file-misplaced': /instructions is a file/,
      integrity_verify: /instructions.*should be a folder/,
      instructions_health: /degraded.*should be a folder/,
    },
    lost: ['instructions', 'writing'],
    kept: ['instructions'],
  },
  {
    what: 'decisions is a file',
    harm(home) {
      remove(home, 'decisions');
      writeFileSync(join(home, 'decisions'), 'not a folder');
    },
    named: { 'file-misplaced': /decisions is a file/, get_environment_health: /should be a folder/ },
    lost: ['decisions'],
    kept: ['decisions'],
  },
  {
    what: 'folders lie where files are read',
    harm(home) {
      folderInstead(home, 'instructions/rule-4.json');
      folderInstead(home, 'gates.json');
    },
    named: { 'file-misplaced': /gates\.json|rule-4\.json/ },
  },
  {
    what: 'one instruction is empty, and one decision',
    harm(home) {
      writeFileSync(join(home, 'instructions/rule-4.json'), '');
      writeFileSync(join(home, 'decisions/empty.md'), '');
    },
    named: {
      'instruction-unreadable': /rule-4\.json/,
      'decision-unreadable': /empty\.md/,
      integrity_verify: /rule-4\.json/,
    },
    kept: ['instructions/rule-4.json', 'decisions/empty.md'],
  },
  {
    what: 'foreign files lie about',
    harm(home) {
      for (const name of [
        'instructions/README.txt',
        'instructions/.DS_Store',
        'decisions/notes.txt',
        'state.db.bak',
        'x.bin',
      ])
        writeFileSync(join(home, name), 'Somebody left this here.');
      writeFileSync(join(home, 'instructions/foreign.json'), '[1, 2]');
    },
    named: { 'instruction-unreadable': /foreign\.json is not a JSON object/ },
    kept: ['instructions/README.txt', 'instructions/foreign.json', 'decisions/notes.txt', 'state.db.bak', 'x.bin'],
  },
];

async function findingsIn(home: string): Promise<Message[]> {
  const env = { ...plain, HOME: join(home, '..'), CAIRN_HOME: '' };
  const { stdout, stderr } = await cairn(['doctor', '--json', '--home', home], { env, cwd: join(home, '..') });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout).findings;
}

/** Every part is served, or refused in a way that the table knows of. The second time counts: what is derived mends itself. */
async function expectServed(
  home: string,
  lost: readonly Part[],
  what: string,
  told: readonly (readonly [string, RegExp])[] = [],
): Promise<void> {
  const server = serveStdio(['--home', home], plain);
  const ask = asking(server);
  for (const [operation, said] of told)
    expect(JSON.stringify((await server.ask(operation, {})).result), what).toMatch(said);
  for (const round of ['first', 'second']) {
    for (const [part, look] of Object.entries(parts)) {
      const whole = await look(ask).catch((thrown) => {
        if (thrown instanceof Refused) return thrown.message;
        throw thrown;
      });
      if (round === 'second' && !lost.includes(part as Part)) expect(whole, `${what}: ${part}`).toBe(true);
    }
  }
  server.kill();
  await server.exited;
}

describe('a home of which', () => {
  it.each(damages.filter(({ rare }) => long || !rare))(
    '$what',
    async ({ what, harm, named, lost = [], kept = [], mend }) => {
      const home = await copyOfSound();
      harm(home);
      const before = kept.map((name) => readFileSync(join(home, name)));
      const findings = await findingsIn(home);
      const told = Object.entries(named).filter(([name]) => !name.includes('-'));
      for (const [name, said] of Object.entries(named).filter(([each]) => each.includes('-'))) {
        const own = findings.filter(({ fault }) => fault === name);
        expect(own.map(({ detail }) => detail).join('\n'), JSON.stringify(findings)).toMatch(said);
        expect(own[0]?.remedy).toMatch(/\w/);
      }
      // A fault that the table does not know of would be one of our making.
      const faults = findings.flatMap(({ fault }) => (fault === undefined ? [] : [fault]));
      expect(faults.filter((fault) => !(fault in named))).toEqual([]);
      await expectServed(home, lost, what, told);
      expect(kept.map((name) => readFileSync(join(home, name)).equals(before[kept.indexOf(name)] as Buffer))).toEqual(
        kept.map(() => true),
      );
      if (mend !== undefined) {
        for (const name of ['state.db', 'objects.db'])
          for (const end of ['-wal', '-shm']) remove(home, `${name}${end}`);
        mend(home);
        await expectServed(home, [], `${what}, mended`);
      }
    },
    60_000,
  );

  it.skipIf(process.getuid?.() === 0 || process.platform === 'win32')(
    'one instruction and one database may not be read',
    async () => {
      const home = await copyOfSound();
      chmodSync(join(home, 'instructions/rule-4.json'), 0);
      chmodSync(join(home, 'objects.db'), 0);
      expect((await findingsIn(home)).some(({ state }) => state === 'problem')).toBe(true);
      await expectServed(home, ['documents', 'search'], 'unreadable');
    },
  );
  if (process.getuid?.() === 0) process.stderr.write('SKIPPED: root may read everything, so no permission is tried\n');

  it('one bit is flipped, anywhere in a database: no wrong instruction, decision or content, and no crash', async () => {
    const flips = long ? 60 : 2;
    let refused = 0;
    for (const name of ['state.db', 'index.db', 'objects.db']) {
      for (let n = 0; n < flips; n++) {
        const home = await copyOfSound();
        const bytes = readFileSync(join(home, name));
        // Spread over the file, and half of them where SQLite keeps what leads to the rest.
        const at = n % 2 === 0 ? Math.floor((n / flips) * bytes.length) : Math.floor(Math.random() * bytes.length);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << (n % 8));
        writeFileSync(join(home, name), bytes);
        const server = serveStdio(['--home', home], plain);
        const ask = asking(server);
        const what = `${name}, byte ${at}`;
        const seen = async (part: Part) =>
          parts[part]?.(ask).catch((thrown) => {
            if (!(thrown instanceof Refused)) throw thrown;
            refused++;
            return 'refused';
          });
        // Twice: what is derived is built again once the damage was met.
        for (const round of [1, 2]) {
          const contents = await seen('documents');
          if (contents !== 'refused') expect(contents, what).toBe(true);
          const rules = await seen('instructions');
          if (round === 2 && name !== 'index.db') expect(rules, what).toBe(true);
          for (const part of ['decisions', 'search', 'records'] as const) await seen(part);
        }
        expect((await server.ask('health_check', {})).result.status, what).toBe('ok');
        server.kill();
        await server.exited;
        await findingsIn(home);
      }
    }
    recordFigures('corruption', [
      {
        what: 'damaged homes',
        how: 'databases cut, torn, emptied, deleted, newer; folders for files and files for folders; foreign and empty files; single bits flipped (`test/faults/corruption.test.ts`)',
        profile: long ? 'long' : 'short',
        figures: {
          damages: damages.filter(({ rare }) => long || !rare).length,
          'bits flipped': 3 * flips,
          'calls refused for a flipped bit': refused,
        },
      },
    ]);
  }, 900_000);
});
