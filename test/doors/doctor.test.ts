/** `cairn doctor`: every fault of its table is planted in a sound home, and named. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, chmod, cp, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { commands } from '../../src/doors/cli/commands.ts';
import { lockHolder } from '../../src/doors/cli/doctor/databases.ts';
import { type FaultName, faults } from '../../src/doors/cli/doctor/faults.ts';
import { freeSpace, nodeVersion } from '../../src/doors/cli/doctor/machine.ts';
import { networked, synced } from '../../src/doors/cli/doctor/place.ts';
import { verbIn } from '../../src/doors/cli/documents/verbs.ts';
import { surface } from '../../src/operations/surface.ts';
import { Database } from '../../src/store/embedded/database.ts';
import { openEmbedded } from '../../src/store/embedded/engine.ts';
import { cairn, serveHttp } from '../support/cairn.ts';
import { freshFolder } from '../support/home.ts';

interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'problem';
  readonly detail: string;
  readonly remedy?: string;
  readonly fault?: FaultName;
}

interface Ground {
  readonly user: string;
  readonly project: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
}

const cited = 'export const limit = 3;\n';

function groundAt(user: string): Ground {
  const project = join(user, 'code', 'app');
  const env = { HOME: user, CAIRN_HOME: '', CAIRN_EMBEDDINGS: 'none', XDG_CONFIG_HOME: '', MCP_ENABLE_MUTATION: '1' };
  return { user, project, home: join(project, '.cairn'), env };
}

let sound = '';

/** A user's folder, and a project in it with a home that holds something of every kind. */
async function ground(): Promise<Ground> {
  const user = join(await freshFolder(), 'user');
  await cp(sound, user, { recursive: true, preserveTimestamps: true });
  return groundAt(user);
}

beforeAll(async () => {
  sound = await mkdtemp(join(tmpdir(), 'cairn-doctor-'));
  const here = groundAt(sound);
  const { project } = here;
  await mkdir(join(project, 'src'), { recursive: true });
  await writeFile(join(project, 'src/limit.ts'), cited);
  await writeFile(join(project, 'AGENTS.md'), '# Limits\n\nThree, see src/limit.ts.\n');
  gitIn(project, 'init', '-q');
  await run(here, ['init', '--yes']);
  await run(here, ['record_decision', ...decision('limits', 'Three is what the vendor allows us to have.')]);
});

afterAll(() => rm(sound, { recursive: true, force: true }));

const decision = (target: string, rationale: string) => ['--title', 'T', '--target', target, '--rationale', rationale];

function gitIn(cwd: string, ...args: string[]): void {
  const { status, stderr } = spawnSync('git', args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

async function run({ project, env }: Ground, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await cairn(args, { cwd: project, env });
  if (code !== 0) throw new Error(`cairn ${args.join(' ')}: ${stdout} ${stderr}`);
  return stdout;
}

interface Seen {
  readonly code: number | null;
  readonly findings: readonly Finding[];
  of(fault: FaultName): Finding | undefined;
}

async function doctor(
  { project, env }: Ground,
  more: { args?: readonly string[]; env?: Readonly<Record<string, string>>; cwd?: string } = {},
): Promise<Seen> {
  const { code, stdout, stderr } = await cairn(['doctor', '--json', ...(more.args ?? [])], {
    cwd: more.cwd ?? project,
    env: { ...env, ...more.env },
  });
  if (stdout === '') throw new Error(stderr);
  const findings = JSON.parse(stdout).findings as Finding[];
  return { code, findings, of: (fault) => findings.find((each) => each.fault === fault) };
}

type More = Parameters<typeof doctor>[1];
type Plant = (here: Ground) => Promise<More | undefined>;

const write = async (path: string, text: string): Promise<undefined> => {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
};

async function withStore(home: string, work: (store: ReturnType<typeof openEmbedded>) => Promise<unknown>) {
  const store = openEmbedded({ home });
  await work(store);
  await store.close();
}

function sql(path: string, statement: string): void {
  const database = new Database(path);
  database.exec(statement);
  database.close();
}

/** Bytes in the middle of it, as a bad disk leaves them. */
async function tear(path: string): Promise<void> {
  sql(path, 'PRAGMA wal_checkpoint(TRUNCATE)');
  const bytes = await readFile(path);
  bytes.fill(0x5a, 4096, Math.min(bytes.length, 4096 * 12));
  await writeFile(path, bytes);
  for (const end of ['-wal', '-shm']) await rm(`${path}${end}`, { force: true });
}

const longAgo = new Date(Date.now() - 60 * 86_400_000);

const plants: Partial<Record<FaultName, Plant>> = {
  'bad-configuration': ({ home }) => write(join(home, 'config.json'), '{"maxRespons": 5000}'),
  'unknown-variable': async () => ({ env: { CAIRN_TOOLSET: 'all' } }),
  'unread-variable': async () => ({ env: { MCP_FORCE_REBUILD: '1' } }),
  'log-unwritable': async ({ project }) => ({ env: { MCP_LOG_FILE: join(project, 'AGENTS.md', 'log') } }),
  'home-synced': async ({ user, home }) => {
    const box = join(user, 'Dropbox', 'home');
    await mkdir(dirname(box));
    spawnSync('cp', ['-r', home, box]);
    return { args: ['--home', box] };
  },
  'home-above': async ({ user }) => void (await mkdir(join(user, 'code', '.cairn'))),
  'home-elsewhere': async ({ user }) => ({ env: { CAIRN_HOME: join(user, 'other') } }),
  'home-of-user': async ({ user }) => {
    await mkdir(join(user, '.cairn'));
    const bare = join(user, 'code', 'bare');
    await mkdir(bare);
    gitIn(bare, 'init', '-q');
    return { cwd: bare };
  },
  'store-damaged': async ({ home }) => void (await tear(join(home, 'state.db'))),
  'store-lost': async (here) => {
    await run(here, ['add', '.']);
    for (const end of ['', '-wal', '-shm']) await rm(join(here.home, `state.db${end}`), { force: true });
    return undefined;
  },
  'file-misplaced': async ({ home }) => {
    await rm(join(home, 'instructions'), { recursive: true });
    await writeFile(join(home, 'instructions'), 'no folder');
    return undefined;
  },
  'store-newer': async ({ home }) => void sql(join(home, 'state.db'), 'PRAGMA user_version = 999'),
  'store-unusable': async ({ home }) => void sql(join(home, 'state.db'), 'DROP TABLE file_intent'),
  'store-locked': async ({ home }) => {
    const held = new Database(join(home, 'state.db'));
    held.exec('BEGIN IMMEDIATE');
    onTestFinished(() => held.close());
    return undefined;
  },
  'writes-unfinished': async ({ home }) =>
    void sql(
      join(home, 'state.db'),
      `INSERT INTO file_intent (path, staged, before, after) VALUES ('${join(home, 'x')}', NULL, NULL, NULL)`,
    ),
  'index-damaged': async ({ home }) => void (await tear(join(home, 'index.db'))),
  'objects-damaged': async ({ home }) => void (await tear(join(home, 'objects.db'))),
  'objects-missing': async ({ home }) => {
    for (const end of ['', '-wal', '-shm']) await rm(join(home, `objects.db${end}`), { force: true });
    return undefined;
  },
  'git-missing': async ({ project }) => ({ env: { PATH: project } }),
  'history-broken': async ({ home }) => {
    await withStore(home, (store) => store.history.settle());
    await writeFile(join(home, 'history.git/refs/heads/main'), `${'1'.repeat(40)}\n`);
    return undefined;
  },
  'home-ignored': ({ project }) => write(join(project, '.gitignore'), '.cairn/\n'),
  'databases-committed': async ({ project }) => gitIn(project, 'add', '-f', '.cairn/state.db') as undefined,
  'instruction-unreadable': ({ home }) =>
    write(join(home, 'instructions/torn.json'), '<<<<<<< HEAD\n{"id":"torn"}\n=======\n{}\n>>>>>>> theirs\n'),
  'instruction-edited': async ({ home }) => {
    const path = join(home, 'instructions/agents-limits.json');
    await writeFile(path, (await readFile(path, 'utf8')).replace('Three, see', 'Four, see'));
    return undefined;
  },
  'reviews-overdue': async ({ home }) => {
    const path = join(home, 'instructions/agents-limits.json');
    const entry = JSON.parse(await readFile(path, 'utf8'));
    await writeFile(path, JSON.stringify({ ...entry, nextReviewDue: '2020-01-01T00:00:00.000Z' }, null, 2));
    return undefined;
  },
  'owners-malformed': ({ home }) => write(join(home, 'owners.json'), '{"owners": "me"}'),
  'gates-malformed': ({ home }) => write(join(home, 'gates.json'), '{"gates": [{"id": "g", "op": "=>"}]}'),
  'criteria-malformed': ({ home }) => write(join(home, 'prompt-criteria.json'), '{"version": 1'),
  'decision-unreadable': ({ home }) =>
    write(join(home, 'decisions/torn.md'), '---\n<<<<<<< HEAD\ntarget: a\n=======\ntarget: b\n>>>>>>> x\n---\nWhy.\n'),
  'decisions-contested': ({ home }) =>
    write(
      join(home, 'decisions/second.md'),
      '---\ntitle: Second\ntarget: limits\nstatus: active\n---\nAnother reason.\n',
    ),
  'decisions-unlinked': ({ home }) =>
    write(join(home, 'decisions/lost.md'), '---\ntitle: L\ntarget: l\nsupersedes: [gone]\n---\nReplaces one.\n'),
  'targets-malformed': ({ home }) => write(join(home, 'targets.json'), '{"aliases": []}'),
  'citations-stale': async (here) => {
    await writeFile(join(here.project, 'src/limit.ts'), 'export const limit = 4;\n');
    await run(here, ['add', '.']);
    return undefined;
  },
  'backup-old': async ({ home }) => {
    await utimes(join(home, 'instructions/agents-limits.json'), longAgo, longAgo);
    return undefined;
  },
  'audit-broken': async ({ home }) =>
    void sql(join(home, 'state.db'), "UPDATE audit SET operation = 'nothing' WHERE seq = 1"),
  'clock-behind': async ({ home }) => {
    const time = new Date(Date.now() + 86_400_000).toISOString();
    const record = { time, operation: 'x', principal: 'p', role: 'agent', door: 'cli', outcome: 'ok', ids: [] };
    await withStore(home, (store) => store.write((change) => change.audit.append(record)));
    return undefined;
  },
  'port-taken': async () => {
    const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    return { args: ['--http', String((server.address() as { port: number }).port)] };
  },
  'http-open': async () => ({ args: ['--http', '0.0.0.0:0'] }),
  'keys-revoked': async (here) => {
    const admin = ['--role', 'admin'];
    const env = { ...here.env, CAIRN_ROLE: 'admin' };
    const { id } = JSON.parse(await run({ ...here, env }, ['call', 'keys_add', '{"name":"a"}', ...admin]));
    await run({ ...here, env }, ['keys', 'revoke', id]);
    return undefined;
  },
  'webhooks-failing': async ({ home }) => {
    const state = { id: 'w', address: 'https://example.com/hook', cursor: 0, created: new Date().toISOString() };
    await withStore(home, async ({ webhooks }) => {
      await webhooks.register(state);
      await webhooks.failed('w', 'answers 500', Date.now());
    });
    return undefined;
  },
  'client-lost': async ({ project }) => {
    const cairnThere = { command: process.execPath, args: [join(project, 'gone/cairn.js'), 'serve'] };
    await write(join(project, '.cursor/mcp.json'), JSON.stringify({ mcpServers: { cairn: cairnThere } }));
    return undefined;
  },
  'model-unavailable': async ({ project }) => ({ env: { CAIRN_EMBEDDINGS: `onnx:${join(project, 'no-model')}` } }),
  'model-key-open': async () => ({
    env: {
      CAIRN_EMBEDDINGS: 'openai',
      CAIRN_EMBEDDINGS_URL: 'http://192.0.2.1:1/v1',
      CAIRN_EMBEDDINGS_MODEL: 'm',
      CAIRN_EMBEDDINGS_KEY: 'k'.repeat(20),
    },
  }),
  'check-failed': async ({ home }) => void sql(join(home, 'state.db'), 'DROP TABLE api_key'),
};

/** What no test can make of a machine is tried on the function that judges it. */
const judged: readonly FaultName[] = ['node-too-old', 'disk-full', 'disk-low', 'home-on-network', 'home-not-writable'];

describe('cairn doctor', () => {
  it('has nothing to say against a sound home', async () => {
    const { code, findings } = await doctor(await ground());
    expect(findings.filter(({ state }) => state !== 'ok')).toEqual([]);
    expect(code).toBe(0);
  });

  it.each(Object.entries(plants) as [FaultName, Plant][])(
    'names %s, and what mends it',
    async (name, plant) => {
      const here = await ground();
      const { code, of, findings } = await doctor(here, await plant(here));
      const finding = of(name);
      expect(finding, JSON.stringify(findings.filter(({ state }) => state !== 'ok'))).toBeDefined();
      expect(finding).toMatchObject({ check: faults[name].check, state: faults[name].state });
      expect(finding?.remedy).toMatch(/\w/);
      const grave = findings.some(({ state }) => state === 'problem');
      expect(code).toBe(grave ? 1 : 0);
      // One fault is one finding: what follows from it is not told as another.
      const alsoTold: Partial<Record<FaultName, FaultName[]>> = {
        'model-key-open': ['model-unavailable'],
        'decision-unreadable': ['decisions-unlinked'],
      };
      const names = new Set(findings.flatMap(({ fault }) => (fault === undefined ? [] : [fault])));
      for (const known of alsoTold[name] ?? []) names.delete(known);
      expect([...names]).toEqual([name]);
    },
    30_000,
  );

  it('leaves no fault of the table untried', () => {
    expect([...Object.keys(plants), ...judged].sort()).toEqual(Object.keys(faults).sort());
  });

  it('tells an old Node, a full disk, and file systems that do not lock', () => {
    expect(nodeVersion('18.20.4')).toMatchObject([{ fault: 'node-too-old', state: 'problem' }]);
    expect(nodeVersion('20.18.9')).toMatchObject([{ fault: 'node-too-old' }]);
    expect([...nodeVersion('20.19.0'), ...nodeVersion('24.0.0')].map(({ state }) => state)).toEqual(['ok', 'ok']);
    expect(freeSpace(1_000_000)).toMatchObject([{ fault: 'disk-full', state: 'problem' }]);
    expect(freeSpace(500_000_000)).toMatchObject([{ fault: 'disk-low', state: 'warning' }]);
    expect(freeSpace(5_000_000_000)).toMatchObject([{ state: 'ok' }]);
    expect(networked(0x6969, 'linux', '/mnt/x')).toMatchObject([
      { fault: 'home-on-network', detail: '/mnt/x lies on NFS' },
    ]);
    // The type may come as a signed number.
    expect(networked(0xfe534d42 | 0, 'linux', '/mnt/x')).toMatchObject([{ fault: 'home-on-network' }]);
    expect([...networked(0xef53, 'linux', '/x'), ...networked(0x6969, 'darwin', '/x')]).toEqual([]);
  });

  it.each([
    ['/home/a/Dropbox/p/.cairn', true],
    ['C:\\Users\\a\\OneDrive - Firm\\p\\.cairn', true],
    ['/Users/a/Library/Mobile Documents/com~apple~CloudDocs/p/.cairn', true],
    ['/Users/a/Library/CloudStorage/GoogleDrive-a/p/.cairn', true],
    ['/home/a/dropbox-client/.cairn', false],
    ['/home/a/onedriver/.cairn', false],
  ])('sees whether %s is kept equal by a program: %s', (path, expected) => {
    expect(synced(path).length > 0).toBe(expected);
  });

  it.skipIf(process.getuid?.() === 0)('names a home that may not be written', async () => {
    const here = await ground();
    await chmod(here.home, 0o555);
    onTestFinished(() => chmod(here.home, 0o755));
    expect((await doctor(here)).of('home-not-writable')).toBeDefined();
  });

  it('says which process holds the lock', async () => {
    const here = await ground();
    const script = `
      const { DatabaseSync } = require('@photostructure/sqlite');
      const held = new DatabaseSync(process.argv[1]);
      held.exec('BEGIN IMMEDIATE');
      process.stdout.write('held');
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['-e', script, join(here.home, 'state.db')], { cwd: process.cwd() });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    const finding = (await doctor(here)).of('store-locked');
    if (existsSync('/proc/locks')) {
      expect(finding?.detail).toContain(`Process ${child.pid} (`);
      expect(finding?.remedy).toContain(`kill ${child.pid}`);
    } else expect(finding).toBeDefined();
    child.kill('SIGKILL');
    await once(child, 'close');
    expect((await doctor(here)).of('store-locked')).toBeUndefined();
  });

  it('reads the holder of the byte that writers lock, and of no other', () => {
    const locks = [
      '1: POSIX  ADVISORY  READ  100 08:01:77 123 123',
      '2: POSIX  ADVISORY  WRITE 200 08:01:78 120 120',
      '3: POSIX  ADVISORY  WRITE 300 08:01:77 128 128',
      '3: -> POSIX  ADVISORY  WRITE 0 08:01:77 120 120',
      '4: POSIX  ADVISORY  WRITE 400 08:01:77 120 120',
    ].join('\n');
    expect(lockHolder(locks, 77)).toBe(400);
    expect(lockHolder(locks, 99)).toBeUndefined();
  });

  it('knows its own server on the port, with a key and without', async () => {
    const here = await ground();
    for (const env of [here.env, { ...here.env, CAIRN_API_KEY: 'a-key-of-some-length' }]) {
      const server = await serveHttp(['--home', here.home], env);
      const { findings } = await doctor({ ...here, env }, { args: ['--http', new URL(server.url).port] });
      expect(findings.find(({ check }) => check === 'http')).toMatchObject({ state: 'ok', detail: /Cairn serves/ });
      await server.stop();
    }
  });

  it('goes on where the settings are wrong, and names what was meant', async () => {
    const here = await ground();
    await writeFile(join(here.home, 'config.json'), '{"maxRespons": 5000, "workers": "many"}');
    await appendFile(join(here.home, 'gates.json'), 'torn');
    const { code, findings, of } = await doctor(here, { env: { CAIRN_LOCK_WAIT_M: '5' } });
    expect(code).toBe(1);
    const complaints = findings.filter(({ fault }) => fault === 'bad-configuration');
    expect(complaints.map(({ detail }) => detail).join()).toMatch(/maxRespons.*workers/s);
    expect(complaints.map(({ remedy }) => remedy).join()).toContain('Did you mean maxResponse?');
    expect(of('unknown-variable')?.remedy).toBe('Did you mean CAIRN_LOCK_WAIT_MS?');
    expect(of('gates-malformed')).toBeDefined();
    await writeFile(join(here.home, 'config.json'), '{');
    expect((await doctor(here)).of('bad-configuration')?.detail).toContain('is not JSON');
  });

  it('names only commands that there are', () => {
    const typed = Object.values(faults).flatMap(({ mend }) =>
      [...mend.matchAll(/`cairn ([^`]+)`/g)].map(([, line]) => line),
    );
    expect(typed.length).toBeGreaterThan(15);
    const unknown = typed.filter((line = '') => {
      const words = line.split(' ').filter((word) => /^[a-z_]+$/.test(word));
      const names = words.map((_, at) => words.slice(0, at + 1));
      return !names.some(
        (some) => some.join(' ') in commands || surface.find(some.join('_')) !== undefined || verbIn(some, undefined),
      );
    });
    expect(unknown).toEqual([]);
  });
});
