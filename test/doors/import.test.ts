/** `cairn import KIND DIR`: folders as the original systems leave them, made here, and hostile ones. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Database } from '../../src/store/embedded/database.ts';
import { sha256 } from '../../src/store/hash.ts';
import { cairn } from '../support/cairn.ts';
import { freshFolder } from '../support/home.ts';
import { hasTerminals, onTerminal } from '../support/terminal.ts';

const env = { CAIRN_EMBEDDINGS: 'none', CAIRN_HOME: '', MCP_ENABLE_MUTATION: '1', CAIRN_WRITE_COOLDOWN_MS: '0' };

interface Project {
  readonly folder: string;
  write(path: string, text: string): Promise<string>;
  run(...args: string[]): Promise<{ code: number | null; result: Answer; stderr: string }>;
}

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted on field by field, which is the check
type Answer = any;

async function project(): Promise<Project> {
  const folder = join(await freshFolder(), 'project');
  await mkdir(join(folder, '.cairn'), { recursive: true });
  return {
    folder,
    async write(path, text) {
      const full = join(folder, path);
      await mkdir(dirname(full), { recursive: true });
      await writeFile(full, text);
      return full;
    },
    async run(...args) {
      const { code, stdout, stderr } = await cairn(args, { cwd: folder, env });
      return { code, stderr, result: stdout === '' ? undefined : JSON.parse(stdout) };
    },
  };
}

/** As the original writes one: the event in front, what it decided below `context`. */
const kept = (facts: Record<string, unknown>, timestamp = '2024-01-15T10:30:00.123456') =>
  `---\nschema_version: 1\nsource: agent\nkind: ${facts.kind ?? 'decision'}\ncontent: ${facts.title}\ntimestamp: '${timestamp}'\ncontext:\n${Object.entries(
    facts,
  )
    .filter(([name]) => name !== 'kind')
    .map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`)
    .join('\n')}\n---\n\n# ${facts.title}\n`;

const why = 'Redis provides sub-millisecond latency and native expiry.';

const memory = {
  'semantic/decision_2024_redis.md': kept({
    title: 'Use Redis',
    target: 'session_storage',
    status: 'superseded',
    rationale: `${why} [via MCP]`,
    consequences: ['Install redis'],
    superseded_by: 'decisions/decision_2025_valkey.md',
    evidence_event_ids: [1],
  }),
  'semantic/decision_2025_valkey.md': kept(
    {
      title: 'Move to Valkey',
      target: 'session_storage',
      status: 'active',
      rationale: 'The licence of Valkey suits us better than that of Redis.',
      supersedes: ['decision_2024_redis.md'],
    },
    '2025-02-01T00:00:00+00:00',
  ),
  'semantic/proposal_abc.md': kept({
    kind: 'proposal',
    title: 'Shard by customer',
    target: 'sharding',
    status: 'draft',
    rationale: 'Three incidents had the same cause: one hot shard.',
    confidence: 0.8,
  }),
  'semantic/flat.md':
    '---\ntitle: Flat facts\ntarget: layout\nstatus: active\n---\nThe reason stands in the text below.\n',
  'semantic/limit (old) äöü.md': kept({
    title: 'Limit',
    target: 'limits',
    rationale: 'A limit is a limit is a limit.',
  }),
};

async function ledgermind({ write }: Project, files: Record<string, string> = memory): Promise<void> {
  for (const [name, text] of Object.entries(files)) await write(join('lm', name), text);
}

type EventRow = readonly [string, string, string, string, string, string | null];

const events: readonly EventRow[] = [
  ['user', 'prompt', 'Which cache do we use?', '{}', '2024-01-14T08:00:00', null],
  ['agent', 'result', 'Redis.', '{"success": true}', '2024-01-14T08:00:05', 'decision_2025_valkey.md'],
  ['agent', 'error', 'Build failed with AKIAIOSFODNN7EXAMPLE in the log', '{}', '2024-01-16T08:00:00', null],
];

function episodic(path: string, rows: readonly EventRow[], keepOpen = false): void {
  const database = new Database(path);
  database.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE events (id INTEGER PRIMARY KEY AUTOINCREMENT, source TEXT, kind TEXT, content TEXT, context TEXT,
      timestamp TEXT, status TEXT DEFAULT 'active', linked_id TEXT DEFAULT NULL, link_strength REAL DEFAULT 1.0)`);
  for (const row of rows)
    database.run(
      'INSERT INTO events (source, kind, content, context, timestamp, linked_id) VALUES (?,?,?,?,?,?)',
      ...row,
    );
  if (keepOpen) onTestFinished(() => database.close());
  else {
    database.exec('PRAGMA journal_mode = DELETE');
    database.close();
  }
}

const rowOf = (result: Answer, what: string) => result.rows.find((row: Answer) => row.what === what);

describe('cairn import ledgermind', () => {
  it('keeps ids, chains, states, times and evidence, and says what it changed', async () => {
    const here = await project();
    await ledgermind(here);
    episodic(join(here.folder, 'lm/episodic.db'), events);
    const { code, result, stderr } = await here.run('import', 'ledgermind', 'lm');
    expect(code, stderr + JSON.stringify(result)).toBe(0);
    expect(rowOf(result, 'decisions and proposals')).toMatchObject({ found: 5, imported: 5, present: 0, skipped: 0 });
    expect(rowOf(result, 'events')).toMatchObject({ found: 3, imported: 3 });
    expect(rowOf(result, 'evidence links').imported).toBe(2);
    expect(result.ids).toEqual([{ from: 'limit (old) äöü', to: expect.stringMatching(/^limit_old_a[\w]*$/) }]);
    const chain = (await here.run('why', 'session_storage', '--json')).result;
    expect(JSON.stringify(chain)).toMatch(
      /decision_2024_redis.*decision_2025_valkey|decision_2025_valkey.*decision_2024_redis/s,
    );
    const file = await readFile(join(here.folder, '.cairn/decisions/decision_2024_redis.md'), 'utf8');
    expect(file).toContain('status: superseded');
    expect(file).toContain('superseded_by: decisions/decision_2025_valkey.md');
    expect(file).toContain('origin: import');
    expect(file).toContain('2024-01-15T10:30:00.123Z');
    expect(file).not.toContain('[via MCP]');
    const proposals = (await here.run('list_proposals')).result.proposals;
    expect(proposals).toMatchObject([
      { title: 'Shard by customer', status: 'proposed', confidence: expect.any(Number) },
    ]);
    const listed = (await here.run('event', 'list', '--limit', '10')).result.events as Answer[];
    expect(listed.map(({ kind }) => kind).sort()).toEqual(['error', 'interaction', 'interaction']);
    expect(JSON.stringify(listed)).not.toContain('AKIAIOSFODNN7EXAMPLE');
    expect((await here.run('doctor')).result.findings.filter(({ state }: Answer) => state === 'problem')).toEqual([]);
  });

  it('brings nothing twice, and what is new the next time', async () => {
    const here = await project();
    await ledgermind(here);
    episodic(join(here.folder, 'lm/episodic.db'), events);
    await here.run('import', 'ledgermind', 'lm');
    const names = async () => (await readdir(join(here.folder, '.cairn/decisions'))).sort();
    const before = await names();
    const again = (await here.run('import', 'ledgermind', 'lm')).result;
    expect(rowOf(again, 'decisions and proposals')).toMatchObject({ imported: 0, present: 5, skipped: 0 });
    expect(rowOf(again, 'events')).toMatchObject({ imported: 0, present: 3 });
    expect(rowOf(again, 'evidence links').imported).toBe(0);
    expect(await names()).toEqual(before);
    await here.write(
      'lm/semantic/new.md',
      kept({ title: 'New', target: 'new', rationale: 'A reason that is new to all.' }),
    );
    expect(rowOf((await here.run('import', 'ledgermind', 'lm')).result, 'decisions and proposals').imported).toBe(1);
  }, 30_000);

  it('changes nothing in a dry run, and says the same', async () => {
    const here = await project();
    await ledgermind(here);
    const { result } = await here.run('import', 'ledgermind', 'lm', '--dry-run');
    expect(result).toMatchObject({ dryRun: true });
    expect(await readdir(join(here.folder, '.cairn'))).toEqual([]);
    const real = (await here.run('import', 'ledgermind', 'lm')).result;
    expect(real.rows).toEqual(result.rows);
    expect(real.mappings).toEqual(result.mappings);
  });

  it('reads what is still in the log beside the database, and touches neither', async () => {
    const here = await project();
    await ledgermind(here, {});
    await here.write('lm/semantic/.keep', '');
    const path = join(here.folder, 'lm/episodic.db');
    episodic(path, events, true);
    expect(existsSync(`${path}-wal`)).toBe(true);
    const bytes = async () =>
      Promise.all(['', '-wal'].map(async (end) => sha256(await readFile(path + end, 'base64'))));
    const before = await bytes();
    const { result } = await here.run('import', 'ledgermind', 'lm');
    expect(rowOf(result, 'events').imported).toBe(3);
    expect(await bytes()).toEqual(before);
  });

  it('opens a database that nobody writes without leaving a file beside it', async () => {
    const here = await project();
    await ledgermind(here, {});
    await here.write('lm/semantic/.keep', '');
    episodic(join(here.folder, 'lm/episodic.db'), events);
    await here.run('import', 'ledgermind', 'lm');
    expect((await readdir(join(here.folder, 'lm'))).sort()).toEqual(['episodic.db', 'semantic']);
  });

  it('lets what is here stand, and takes the newer of two truths', async () => {
    const here = await project();
    await here.run(
      'record_decision',
      '--title',
      'Ours',
      '--target',
      'layout',
      '--rationale',
      'We decided it here, first.',
    );
    await ledgermind(here, {
      ...memory,
      'semantic/a_old.md': kept({ title: 'Old', target: 'twice', rationale: 'The older of two truths.' }, '2023-01-01'),
      'semantic/b_new.md': kept({ title: 'New', target: 'twice', rationale: 'The newer of two truths.' }, '2024-01-01'),
    });
    const { code, result } = await here.run('import', 'ledgermind', 'lm');
    expect(code).toBe(1);
    expect(result.skipped).toHaveLength(2);
    expect(result.skipped).toEqual(
      expect.arrayContaining([
        { item: 'semantic/flat.md', reason: expect.stringMatching(/target 'layout' has an active decision already/) },
        { item: 'semantic/a_old.md', reason: expect.stringContaining('b_new') },
      ]),
    );
    expect((await here.run('doctor')).result.findings.filter(({ state }: Answer) => state === 'problem')).toEqual([]);
  });

  it('follows no link, refuses secrets and what is no decision, and mends circles', async () => {
    const here = await project();
    const secret = await freshFolder();
    await writeFile(
      join(secret, 'out.md'),
      kept({ title: 'Out', target: 'out', rationale: 'It lies outside of the folder.' }),
    );
    await ledgermind(here, {
      'semantic/key.md': kept({
        title: 'Key',
        target: 'k',
        rationale: 'Use ghp_16C7e42F292c6912E7710c838347Ae178B4a for it.',
      }),
      'semantic/task.md': kept({ kind: 'task', title: 'Task', target: 't', rationale: 'Not a decision at all.' }),
      'semantic/short.md': kept({ title: 'Short', target: 's', rationale: 'no' }),
      'semantic/none.md': kept({ title: 'None', rationale: 'It is about nothing in particular.' }),
      'semantic/yaml.md': '---\na: [\n---\nText\n',
      'semantic/a.md': kept({
        title: 'A',
        target: 'x',
        status: 'superseded',
        rationale: 'One half of a circle.',
        superseded_by: 'b',
      }),
      'semantic/b.md': kept({
        title: 'B',
        target: 'x',
        status: 'superseded',
        rationale: 'The other half of it.',
        superseded_by: 'a',
      }),
      'semantic/lost.md': kept({
        title: 'Lost',
        target: 'l',
        rationale: 'It replaces what is not here.',
        supersedes: ['../../etc/passwd'],
      }),
      'semantic/esc.md': kept({
        title: 'T\u001b[31m',
        target: 'esc',
        rationale: 'A title that would colour the terminal.',
      }),
    });
    await symlink(join(secret, 'out.md'), join(here.folder, 'lm/semantic/out.md'));
    await symlink(secret, join(here.folder, 'lm/semantic/folder'));
    await symlink(join(secret, 'gone.db'), join(here.folder, 'lm/episodic.db'));
    const { result } = await here.run('import', 'ledgermind', 'lm');
    const reasons = Object.fromEntries(
      result.skipped.map(({ item, reason }: Answer) => [item.replace(/^semantic./, ''), reason]),
    );
    expect(reasons).toMatchObject({
      'key.md': expect.stringContaining('secret'),
      'task.md': expect.stringContaining('kind is task'),
      'short.md': expect.stringContaining('fewer than 10'),
      'none.md': 'it has no target',
      'yaml.md': expect.stringContaining('front matter'),
      'out.md': expect.stringContaining('link'),
      folder: expect.stringContaining('link'),
    });
    expect(JSON.stringify(result)).not.toContain('ghp_16C7');
    expect((await readdir(join(here.folder, '.cairn/decisions'))).sort()).toEqual([
      'a.md',
      'b.md',
      'esc.md',
      'lost.md',
    ]);
    const told = result.mappings.map(({ why: reason }: Answer) => reason).join('\n');
    expect(told).toContain('closes a circle');
    expect(told).toContain('leads to what is not here');
    expect(
      (await here.run('doctor')).result.findings.filter(
        ({ check, state }: Answer) => check === 'decisions' && state !== 'ok',
      ),
    ).toEqual([]);
  });

  it.each([
    ['no database at all', async (path: string) => writeFile(path, 'text, long enough to be looked at as something')],
    ['a database without events', async (path: string) => sql(path, 'CREATE TABLE other (id)')],
    [
      'a view in their place',
      async (path: string) => sql(path, 'CREATE VIEW events AS SELECT 1 AS id, 2 AS kind, 3 AS content'),
    ],
  ])('names %s, and takes the decisions', async (_, make) => {
    const here = await project();
    await ledgermind(here);
    await make(join(here.folder, 'lm/episodic.db'));
    const { result } = await here.run('import', 'ledgermind', 'lm');
    expect(result.skipped).toEqual([{ item: 'episodic.db', reason: expect.stringContaining('cannot be read') }]);
    expect(rowOf(result, 'decisions and proposals').imported).toBe(5);
  });

  it.skipIf(!hasTerminals)('shows a person a table', async () => {
    const here = await project();
    await ledgermind(here);
    const { screen, code } = await onTerminal(['import', 'ledgermind', 'lm', '--dry-run'], {
      cwd: here.folder,
      env,
      columns: 120,
    });
    expect(screen).toMatch(/found +would import +here already +not taken/);
    expect(screen).toMatch(/decisions and proposals +5 +5 +0 +0/);
    expect(code).toBe(0);
  });
});

function sql(path: string, statement: string): void {
  const database = new Database(path);
  database.exec(statement);
  database.close();
}

describe('cairn import index-server', () => {
  const entry = (id: string, more: object = {}) =>
    JSON.stringify({
      id,
      title: `About ${id}`,
      body: `Do as ${id} says.`,
      priority: 20,
      audience: 'all',
      requirement: 'recommended',
      categories: ['style'],
      version: '2.3.4',
      createdAt: '2024-05-01T00:00:00.000Z',
      updatedAt: '2024-06-01T00:00:00.000Z',
      ...more,
    });

  it('takes the catalog of a server folder with its versions and times, once', async () => {
    const here = await project();
    await here.write('is/instructions/tabs.json', entry('tabs'));
    await here.write('is/instructions/Odd Name.json', entry('Odd Name', { audience: 'devs' }));
    await here.write('is/instructions/torn.json', '{"id": "torn"');
    await here.write('is/instructions/gates.json', '{"gates": []}');
    await here.write('is/package.json', entry('not-looked-at'));
    const dry = await here.run('import', 'index-server', 'is', '--dry-run');
    expect(await readdir(join(here.folder, '.cairn'))).toEqual([]);
    const { code, result } = await here.run('import', 'index-server', 'is');
    expect(code).toBe(1);
    expect(result.rows).toEqual([{ what: 'instructions', found: 3, imported: 2, present: 0, skipped: 1 }]);
    expect(dry.result.rows).toEqual(result.rows);
    expect(result.skipped).toEqual([{ item: 'torn.json', reason: expect.stringContaining('not JSON') }]);
    expect(result.ids).toEqual([{ from: 'Odd Name', to: 'odd-name' }]);
    expect(result.notes.join(' ')).toContain('gates.json');
    const stored = JSON.parse(await readFile(join(here.folder, '.cairn/instructions/tabs.json'), 'utf8'));
    expect(stored).toMatchObject({ version: '2.3.4', createdAt: '2024-05-01T00:00:00.000Z' });
    const again = (await here.run('import', 'index-server', 'is')).result;
    expect(again.rows).toMatchObject([{ imported: 0, present: 2 }]);
  });
});

describe('cairn import yams', () => {
  it('takes a folder that restore wrote, and a second time nothing', async () => {
    const here = await project();
    await here.write('out/notes/a.md', '# A\n');
    await here.write('out/b.txt', 'B\n');
    expect((await here.run('import', 'yams', 'out', '--dry-run')).result.rows).toMatchObject([
      { found: 2, imported: 2 },
    ]);
    expect(await readdir(join(here.folder, '.cairn'))).toEqual([]);
    expect((await here.run('import', 'yams', 'out')).result.rows).toMatchObject([
      { found: 2, imported: 2, present: 0 },
    ]);
    expect((await here.run('import', 'yams', 'out')).result.rows).toMatchObject([
      { found: 2, imported: 0, present: 2 },
    ]);
  });

  it('takes a file of documents with tags and metadata, and checks the hashes that it gives', async () => {
    const here = await project();
    const documents = [
      { path: '/tmp/notes/a.md', content: '# A\n', hash: `sha256-${sha256('# A\n')}`, tags: ['x'], metadata: ['k=v'] },
      { name: 'b.md', content: '# B\n', metadata: { author: 'Jane', pages: 3 } },
      { path: 'c.md', content: 'cut', hash: sha256('whole') },
      { path: '../../etc/passwd', content: 'x' },
      { path: 'd.md', hash: sha256('d') },
      7,
    ];
    await here.write('export.json', JSON.stringify({ documents }));
    const { code, result } = await here.run('import', 'yams', 'export.json');
    expect(code).toBe(1);
    expect(result.rows).toEqual([{ what: 'documents', found: 6, imported: 2, present: 0, skipped: 4 }]);
    expect(result.skipped).toEqual([
      { item: 'c.md', reason: 'its content has another hash' },
      { item: '../../etc/passwd', reason: expect.stringContaining('no path') },
      { item: 'd.md', reason: expect.stringContaining('include_content') },
      { item: 'item 6', reason: 'it is no object' },
    ]);
    const listed = (await here.run('call', 'list', '{}')).result.documents;
    expect(listed.map(({ path, tags, metadata }: Answer) => [path, tags, metadata]).sort()).toEqual([
      ['b.md', [], { author: 'Jane', pages: '3' }],
      ['tmp/notes/a.md', ['x'], { k: 'v' }],
    ]);
    await here.write(
      'lines.jsonl',
      documents
        .slice(0, 2)
        .map((each) => JSON.stringify(each))
        .join('\n'),
    );
    expect((await here.run('import', 'yams', 'lines.jsonl')).result.rows).toMatchObject([
      { found: 2, imported: 0, present: 2 },
    ]);
  });

  it('says of the storage itself that its form is not documented, and what to do', async () => {
    const here = await project();
    await here.write('store/yams.db', 'x');
    const { code, stderr } = await here.run('import', 'yams', 'store');
    expect(code).toBe(1);
    expect(stderr).toContain('not documented');
    expect(stderr).toContain('output_directory');
  });
});

describe('cairn import', () => {
  it('names the kinds that there are, and reads nothing outside of the project for an agent', async () => {
    const here = await project();
    expect((await here.run('import', 'obsidian', 'x')).stderr).toContain('ledgermind, index-server, yams');
    expect((await here.run('import', 'ledgermind')).code).toBe(2);
    const outside = await freshFolder();
    const { code, stderr, result } = await here.run('import', 'ledgermind', outside);
    expect(code).not.toBe(0);
    expect(stderr + JSON.stringify(result ?? '')).toContain('outside the allowed folders');
  });
});
