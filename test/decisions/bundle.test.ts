/** export_memory_bundle and import_memory_bundle: an equal store elsewhere, or nothing at all. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type Message, serveStdio } from '../support/cairn.ts';
import { freshFolder } from '../support/home.ts';
import { type Memory, openMemory, pathOf, quick, soon, writeByHand } from './memory.ts';
import { allDecisions, answers, expectSound } from './snapshot.ts';

const namespaces = ['default', 'team'];
const bundleName = 'memory_export.tar.gz';

/** Folders that calls may name, beside the home: a bundle lies there on its way. */
async function openBeside(folder: string, name: string, role: 'agent' | 'admin' = 'admin'): Promise<Memory> {
  const roots = join(folder, 'roots');
  await mkdir(roots, { recursive: true });
  return openMemory({ home: join(folder, name), role, env: { CAIRN_ROOTS: roots } });
}

/** Something of everything that memory keeps. */
async function fill(memory: Memory): Promise<void> {
  const first = await memory.record('cache', 'Redis it is', { consequences: ['Install it'] });
  const second = await memory.supersede('cache', 'Valkey it is', [first]);
  await memory.record('cache', 'The team has its own', { namespace: 'team' });
  await memory.record('ünï/cödé', '漢字 and "quotes" 😀', {
    rationale: 'A reason\r\nin two lines:\n\n---\n\tand more.',
  });
  await memory.done('target_alias', { alias: 'kv', target: 'cache' });
  for (const turn of [1, 2, 3]) {
    await memory.done('record_interaction', {
      prompt: `Deployment number ${turn}: which region do we deploy the payment service to?`,
      response: 'The payment service is deployed to the Frankfurt region because customer data stays in Europe.',
    });
  }
  await memory.done('record_interaction', {
    prompt: 'A failure?',
    response: 'Yes.',
    success: false,
    namespace: 'team',
  });
  expect((await memory.done('reflect')).proposals).toHaveLength(1);
  await memory.done('link_interaction_to_decision', { event_id: 1, decision_id: second });
  // Without it the time of the file counts, which no bundle carries.
  const dated = { created: '2026-01-02T03:04:05.000Z', updated: '2026-01-02T03:04:05.000Z' };
  await writeByHand(
    memory,
    'by-ann',
    { ...dated, title: 'By Ann', target: 'hand', colour: 'blue' },
    'Ann’s own,\twith a tab.  ',
  );
  await writeByHand(memory, 'unreadable', {}, 'No title at all.');
  await soon(async () => (await memory.done('get_memory_stats')).stats.semantic_decisions).toBe(4);
}

async function filesOf({ home }: Pick<Memory, 'home'>): Promise<Record<string, string>> {
  const names = existsSync(join(home, 'decisions')) ? await readdir(join(home, 'decisions')) : [];
  // What a killed process had begun to write has a name of its own, and is cleared away later.
  const all = names
    .filter((name) => !name.endsWith('.tmp'))
    .sort()
    .map((name) => join('decisions', name));
  const files = existsSync(join(home, 'targets.json')) ? [...all, 'targets.json'] : all;
  return Object.fromEntries(await Promise.all(files.map(async (name) => [name, await bytes(join(home, name))])));
}

async function bytes(path: string): Promise<string> {
  return (await readFile(path)).toString('base64');
}

/** Everything that memory answers, without where it lies. */
async function told(memory: Memory): Promise<unknown> {
  const { ask } = memory;
  const all = await answers(ask, namespaces, ['redis valkey', 'payment region', 'ann', '漢字']);
  const events: Message[] = [];
  for (const namespace of namespaces) events.push((await ask('event_list', { namespace, limit: 200 })).events);
  const chain = await ask('decision_chain', { target: 'kv' });
  return JSON.parse(JSON.stringify([all, events, chain]).replaceAll(memory.home, 'HOME'));
}

async function exported(memory: Memory, to: string): Promise<Message> {
  return memory.done('export_memory_bundle', { output_filename: to });
}

const tar = (...args: string[]) => execFileSync('tar', args, { stdio: 'pipe' }).toString('utf8');

describe('a bundle', () => {
  it('makes an empty home an equal store: files byte for byte, events with their ids, links, aliases, truths', async () => {
    const folder = await freshFolder();
    const memory = await openBeside(folder, 'one');
    await fill(memory);
    const path = join(folder, 'roots', 'carried.tar.gz');
    const { export_path, decisions, events, bytes: size } = await exported(memory, path);
    expect([export_path, decisions]).toEqual([path, Object.keys(await filesOf(memory)).length - 1]);
    expect(size).toBe((await readFile(path)).length);

    const other = await openBeside(folder, 'two');
    expect(await other.done('import_memory_bundle', { path })).toEqual({
      status: 'success',
      decisions,
      unchanged: 0,
      removed: 0,
      events,
      links: 4,
    });
    expect(await filesOf(other)).toEqual(await filesOf(memory));
    expect(await told(other)).toEqual(await told(memory));
    const all = await allDecisions(other.home, async (op, params) => {
      const answer = await other.ask(op, params);
      return answer.decision === undefined
        ? { decision: { id: params?.decision_id && `decisions/${params.decision_id}` } }
        : answer;
    });
    all.delete('decisions/unreadable.md');
    await expectSound(all, other.ask, namespaces);

    const again = { target: 'kv', title: 'Memcached it is', rationale: 'Somebody prefers it to all the others.' };
    const conflict = await memory.refused('record_decision', again);
    expect(conflict).toMatch(/^CONFLICT: Target 'cache' already has active decisions/);
    expect(await other.refused('record_decision', again)).toBe(conflict);
    const rival = { ...again, target: 'Cache', namespace: 'team' };
    expect(await other.refused('record_decision', rival)).toMatch(/^CONFLICT: /);
    // What comes next has an id of its own.
    const next = await other.done('record_interaction', { prompt: 'And now?', response: 'Onwards.' });
    expect(next.event_id).toBe(events + 1);
    expect((await other.ask('audit_verify')).intact).toBe(true);
  });

  it('is taken twice without a change, and goes on to a third home as the same bundle', async () => {
    const folder = await freshFolder();
    const memory = await openBeside(folder, 'one');
    await fill(memory);
    const { export_path, decisions } = await exported(memory, bundleName);
    expect(export_path).toBe(join(memory.home, 'backups', bundleName));
    const before = await told(memory);
    // By its name, and by the path under which it was announced.
    for (const path of [bundleName, export_path]) {
      expect(await memory.done('import_memory_bundle', { path })).toMatchObject({
        decisions: 0,
        unchanged: decisions,
        events: 0,
        links: 0,
      });
    }
    expect(await told(memory)).toEqual(before);
    const carried = join(folder, 'roots', 'carried.tar.gz');
    await copyFile(export_path, carried);
    const other = await openBeside(folder, 'two');
    await other.done('import_memory_bundle', { path: carried });
    const second = await exported(other, bundleName);
    const [first, copy] = [await unpacked(carried), await unpacked(second.export_path)];
    expect(Object.keys(copy)).toEqual(Object.keys(first));
    for (const name of Object.keys(first)) if (name !== 'manifest.json') expect(copy[name]).toBe(first[name]);
    expect(JSON.parse(copy['manifest.json'] ?? '').files).toEqual(JSON.parse(first['manifest.json'] ?? '').files);
  });

  it('is a plain archive that tar lists and unpacks to the very files', async () => {
    const memory = await openMemory();
    await fill(memory);
    const { export_path } = await exported(memory, bundleName);
    const files = await filesOf(memory);
    expect(tar('-tzf', export_path).trim().split('\n').sort()).toEqual(
      [...Object.keys(files), 'events.jsonl', 'links.jsonl', 'manifest.json'].sort(),
    );
    const contents = await unpacked(export_path);
    for (const [name, text] of Object.entries(files)) {
      expect(Buffer.from(contents[name] ?? '').toString('base64')).toBe(text);
    }
    const manifest = JSON.parse(contents['manifest.json'] ?? '');
    expect(Object.keys(manifest.files).sort()).toEqual(
      Object.keys(contents)
        .filter((each) => each !== 'manifest.json')
        .sort(),
    );
    // Repacked by tar itself, it is still one.
    const folder = await freshFolder();
    const other = await openBeside(folder, 'other');
    tar('-xzf', export_path, '-C', await made(join(folder, 'x')));
    const path = join(folder, 'roots', 'repacked.tar.gz');
    tar('-czf', path, '-C', join(folder, 'x'), '.');
    expect((await other.done('import_memory_bundle', { path })).decisions).toBe(manifest.decisions);
    expect(await filesOf(other)).toEqual(files);
  });

  it('of nothing is one as well, and brings nothing', async () => {
    const memory = await openMemory();
    expect(await exported(memory, 'empty.tar.gz')).toMatchObject({ decisions: 0, events: 0 });
    expect(await memory.done('import_memory_bundle', { path: 'empty.tar.gz' })).toMatchObject({
      decisions: 0,
      unchanged: 0,
      events: 0,
    });
  });
});

async function made(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  return folder;
}

async function unpacked(path: string): Promise<Record<string, string>> {
  const folder = await freshFolder();
  tar('-xzf', path, '-C', folder);
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = names.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1)).sort();
  return Object.fromEntries(
    await Promise.all(paths.map(async (each) => [each, await readFile(join(folder, each), 'utf8')])),
  );
}

describe('a bundle that is not sound', () => {
  /** Takes the unpacked files of a good bundle and makes an archive of something else. */
  type Spoil = (files: string, path: string) => Promise<void>;
  const pack = (files: string, path: string) => tar('-czf', path, '-C', files, '.');
  const spoilFile =
    (change: (files: string) => Promise<unknown>): Spoil =>
    async (files, path) => {
      await change(files);
      pack(files, path);
    };
  const anyDecision = (files: string) => join(files, 'decisions', readdirSync(join(files, 'decisions'))[0] ?? '');
  async function changeManifest(files: string, change: (manifest: Message) => void): Promise<void> {
    const path = join(files, 'manifest.json');
    const manifest = JSON.parse(await readFile(path, 'utf8'));
    change(manifest);
    await writeFile(path, JSON.stringify(manifest));
  }
  const megabyte = gzipSync(Buffer.alloc(1024 * 1024), { level: 1 });

  const cases: [what: string, spoil: Spoil, message: RegExp][] = [
    [
      'a file that was changed',
      spoilFile(async (files) => writeFile(anyDecision(files), 'Something else.', { flag: 'a' })),
      /decisions\/.* does not have the hash/,
    ],
    [
      'events that were changed',
      spoilFile((files) => writeFile(join(files, 'events.jsonl'), '')),
      /events\.jsonl does not/,
    ],
    ['a file that is missing', spoilFile((files) => rm(anyDecision(files))), /decisions\/.* is missing/],
    [
      'a file that the manifest does not know',
      spoilFile((files) => writeFile(join(files, 'decisions', 'extra.md'), 'x')),
      /decisions\/extra\.md is not in its manifest/,
    ],
    [
      'a wrong hash',
      spoilFile((files) =>
        changeManifest(files, ({ files: all }) => Object.assign(all, { 'links.jsonl': 'a'.repeat(64) })),
      ),
      /links\.jsonl does not have the hash/,
    ],
    ['no manifest', spoilFile((files) => rm(join(files, 'manifest.json'))), /manifest\.json is missing/],
    [
      'another format',
      spoilFile((files) => changeManifest(files, (manifest) => Object.assign(manifest, { format: 'cairn-memory-9' }))),
      /its format is "cairn-memory-9"/,
    ],
    ['text', async (_files, path) => writeFile(path, 'This is no archive.'), /cannot be unpacked/],
    ['nothing', async (_files, path) => writeFile(path, ''), /cut off|cannot be unpacked/],
    ['packed text', async (_files, path) => writeFile(path, gzipSync('x'.repeat(2000))), /checksum|header/],
    ['a folder', async (_files, path) => void (await made(path)), /is not a file/],
    [
      'a name that leads upwards',
      async (files, path) =>
        void tar('-czf', path, '-C', files, '--transform=s,^decisions/,../,', 'manifest.json', 'decisions'),
      /Entry \d+ \("\.\.\/.*of the bundle/,
    ],
    [
      'a name from the root',
      async (files, path) =>
        void tar('-czPf', path, '--transform=s,^.*/decisions/,/tmp/cairn-traversal/,', join(files, 'decisions')),
      /Entry \d+ \("\/.*of the bundle/,
    ],
    [
      'a symbolic link',
      spoilFile(async (files) => {
        const name = anyDecision(files);
        await rm(name);
        await symlink('/etc/passwd', name);
      }),
      /is a symbolic link, not a file/,
    ],
    [
      'a decision in a folder of its own',
      spoilFile(async (files) => {
        await made(join(files, 'decisions', 'sub'));
        await rename(anyDecision(files), join(files, 'decisions', 'sub', 'x.md')).catch(() => undefined);
        await writeFile(join(files, 'decisions', 'sub', 'x.md'), 'x');
        await changeManifest(files, ({ files: all }) => {
          for (const name of Object.keys(all)) if (!existsSync(join(files, name))) delete all[name];
          // The hash of "x".
          all['decisions/sub/x.md'] = '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881';
        });
      }),
      /decisions\/sub\/x\.md is no name of a decision/,
    ],
    [
      'half of itself',
      async (files, path) => {
        pack(files, path);
        const whole = await readFile(path);
        await writeFile(path, whole.subarray(0, whole.length / 2));
      },
      /cut off|cannot be unpacked/,
    ],
    [
      'a bundle that unpacks to half a gigabyte',
      async (files, path) => {
        pack(files, path);
        await writeFile(path, Buffer.concat([await readFile(path), ...Array.from({ length: 520 }, () => megabyte)]));
      },
      /more bytes than are allowed/,
    ],
    [
      'a file that is larger than any',
      async (files, path) => {
        pack(files, path);
        const blocks = gunzipSync(await readFile(path));
        const header = blocks.subarray(0, 512);
        // The folder `.` becomes a file of 512 MiB.
        header.write('huge\0', 0, 'latin1');
        header.write('04000000000\0', 124, 'latin1');
        header.write('        0', 148, 'latin1');
        header.write(
          `${header
            .reduce((sum, byte) => sum + byte, 0)
            .toString(8)
            .padStart(6, '0')}\0 `,
          148,
          'latin1',
        );
        await writeFile(path, gzipSync(blocks));
      },
      /has 536870912 bytes, and \d+ are allowed/,
    ],
  ];

  it('is refused with what is wrong with it, and changes nothing, also with replace', async () => {
    const folder = await freshFolder();
    const memory = await openBeside(folder, 'one');
    await fill(memory);
    const good = join(folder, 'good.tar.gz');
    await rename((await exported(memory, bundleName)).export_path, good);
    const other = await openBeside(folder, 'two');
    await other.record('cache', 'A truth that was here before');
    await other.done('record_interaction', { prompt: 'Which cache?', response: 'See decisions.' });
    const before = [await filesOf(other), await told(other)];
    for (const [what, spoil, message] of cases) {
      const files = await made(join(folder, 'unpacked'));
      tar('-xzf', good, '-C', files);
      const path = join(folder, 'roots', 'spoilt.tar.gz');
      await spoil(files, path);
      for (const more of what.includes('gigabyte') ? [{}] : [{}, { replace: true, confirm: true }]) {
        const refusal = await other.refused('import_memory_bundle', { path, ...more });
        expect([what, refusal]).toEqual([what, expect.stringMatching(message)]);
        expect(Buffer.byteLength(refusal)).toBeLessThan(1000);
      }
      await rm(files, { recursive: true });
      await rm(path, { recursive: true });
    }
    expect(await other.refused('import_memory_bundle', { path: 'nowhere.tar.gz' })).toContain('There is no bundle at');
    expect([await filesOf(other), await told(other)]).toEqual(before);
    expect(existsSync('/tmp/cairn-traversal')).toBe(false);
    expect(await readdir(folder)).toEqual(['good.tar.gz', 'one', 'roots', 'two']);
    // No guard was made for what was never begun.
    expect(existsSync(join(other.home, 'backups'))).toBe(false);
  });
});

describe('a bundle and a home that went different ways', () => {
  it('is refused with the ids that contradict it, and then nothing of it is taken', async () => {
    const folder = await freshFolder();
    const memory = await openBeside(folder, 'one');
    await fill(memory);
    const path = join(folder, 'roots', 'carried.tar.gz');
    await exported(memory, path);
    const other = await openBeside(folder, 'two');
    const rival = await other.record('Cache', 'Another truth');
    const before = [await filesOf(other), await told(other)];
    const conflict = await other.ask('import_memory_bundle', { path });
    expect(conflict).toMatchObject({
      status: 'error',
      message: expect.stringMatching(/^CONFLICT: /),
      differing: [],
      other_truths: [rival],
    });
    expect([await filesOf(other), await told(other)]).toEqual(before);

    const third = await openBeside(folder, 'three');
    await third.done('import_memory_bundle', { path });
    const changed = 'decisions/by-ann.md';
    await writeFile(pathOf(third, changed), (await readFile(pathOf(third, changed), 'utf8')).replace('blue', 'green'));
    await third.done('target_alias', { alias: 'store', target: 'cache' });
    expect(await third.ask('import_memory_bundle', { path })).toMatchObject({
      status: 'error',
      differing: [changed, 'targets.json'],
      other_truths: [],
    });
    expect(await readFile(pathOf(third, changed), 'utf8')).toContain('green');
  });

  it('takes what does not contradict it besides what is there', async () => {
    const folder = await freshFolder();
    const memory = await openBeside(folder, 'one');
    await fill(memory);
    const path = join(folder, 'roots', 'carried.tar.gz');
    await exported(memory, path);
    const other = await openBeside(folder, 'two');
    const own = await other.record('queue', 'Rabbits carry messages');
    const { event_id } = await other.done('record_interaction', { prompt: 'Which queue?', response: 'The rabbits.' });
    await other.done('link_interaction_to_decision', { event_id, decision_id: own });
    await other.done('import_memory_bundle', { path });
    expect(Object.keys(await filesOf(other)).sort()).toEqual([own, ...Object.keys(await filesOf(memory))].sort());
    // The number was taken: the events of the bundle got others, and their links went with them.
    expect((await other.get(own)).evidence).toMatchObject([{ event_id, subject: 'Which queue?' }]);
    const subjects = async (each: Memory) => {
      const { proposals } = await each.done('list_proposals');
      return (await each.get(proposals[0].id)).evidence.map(({ subject }: Message) => subject);
    };
    expect(await subjects(other)).toEqual(await subjects(memory));
  });

  it('gives way with replace and confirm, after a guard was made that brings the old state back', async () => {
    const folder = await freshFolder();
    const memory = await openBeside(folder, 'one');
    await fill(memory);
    const path = join(folder, 'roots', 'carried.tar.gz');
    await exported(memory, path);
    const other = await openBeside(folder, 'two');
    const rival = await other.record('cache', 'Another truth');
    const { event_id } = await other.done('record_interaction', { prompt: 'Which cache?', response: 'Another.' });
    await other.done('link_interaction_to_decision', { event_id, decision_id: rival });
    const old = [await filesOf(other), await other.get(rival)];

    expect(await other.refused('import_memory_bundle', { path, replace: true })).toContain('needs confirm: true');
    expect([await filesOf(other), await other.get(rival)]).toEqual(old);

    const replaced = await other.done('import_memory_bundle', { path, replace: true, confirm: true });
    expect(replaced).toMatchObject({ removed: 1, guard: expect.stringContaining(join(other.home, 'backups')) });
    expect(await filesOf(other)).toEqual(await filesOf(memory));
    const { stats } = await other.done('get_memory_stats');
    expect(stats).toMatchObject({ semantic_decisions: 4, active_decisions: 3, open_proposals: 1, conflicts: 0 });
    expect(await other.refused('decision_get', { decision_id: rival })).toContain('No decision has the id');

    // Evidence is replaced with the decisions that it speaks for.
    await other.done('link_interaction_to_decision', { event_id, decision_id: 'by-ann' });
    await other.done('import_memory_bundle', { path, replace: true, confirm: true });
    expect((await other.get('by-ann')).evidence).toEqual([]);

    const { guard } = replaced;
    expect(await other.done('import_memory_bundle', { path: guard, replace: true, confirm: true })).toMatchObject({
      decisions: 1,
      removed: Object.keys(await filesOf(memory)).length - 1,
    });
    expect([await filesOf(other), await other.get(rival)]).toEqual(old);
    expect((await other.done('target_list')).targets).toEqual([{ target: 'cache', decisions: 1, active: 1 }]);
    // And it is a truth again that others conflict with, while the places of the others are free.
    const next = { title: 'Memcached it is', rationale: 'Somebody prefers it to all the others.' };
    expect(await other.refused('record_decision', { ...next, target: 'cache' })).toContain(rival);
    await other.done('record_decision', { ...next, target: 'hand' });
    expect((await other.ask('audit_verify')).intact).toBe(true);
  });
});

describe('who may, and where', () => {
  it('is an admin alone', async () => {
    const folder = await freshFolder();
    const admin = await openBeside(folder, 'one');
    await admin.record('cache', 'Redis it is');
    await exported(admin, bundleName);
    const agent = await openBeside(folder, 'one', 'agent');
    await agent.server.initialize();
    for (const [name, params] of [
      ['export_memory_bundle', { output_filename: 'mine.tar.gz' }],
      ['import_memory_bundle', { path: bundleName }],
    ] as const) {
      const message = "Capability 'purge' is required";
      expect((await agent.server.ask(name, params)).error).toMatchObject({ code: -32004, message });
      const { result } = await agent.server.ask('tools/call', { name, arguments: params });
      expect(result).toMatchObject({ isError: true, structuredContent: { status: 'error', message } });
    }
    expect(await readdir(join(admin.home, 'backups'))).toEqual([bundleName]);
  });

  it('is the backups folder or a path within the roots, and nothing that leads out of them', async () => {
    const folder = await freshFolder();
    const memory = await openBeside(folder, 'one');
    await memory.record('cache', 'Redis it is');
    const { export_path } = await exported(memory, bundleName);
    const outside = await made(join(folder, 'outside'));
    await copyFile(export_path, join(outside, 'b.tar.gz'));
    await symlink(outside, join(folder, 'roots', 'out'));
    await symlink(join(outside, 'b.tar.gz'), join(folder, 'roots', 'link.tar.gz'));
    await made(join(folder, 'roots', '.git'));
    const places = [
      join(outside, 'b.tar.gz'),
      join(folder, 'roots', 'out', 'b.tar.gz'),
      join(folder, 'roots', '..', 'outside', 'b.tar.gz'),
      join(memory.home, 'b.tar.gz'),
      join(memory.home, 'decisions', 'b.tar.gz'),
      join(folder, 'roots', '.git', 'b.tar.gz'),
    ];
    for (const place of places) {
      const refusal = await memory.refused('export_memory_bundle', { output_filename: place });
      expect([place, refusal]).toEqual([place, expect.stringContaining('outside the allowed folders')]);
      expect([place, await memory.refused('import_memory_bundle', { path: place })]).toEqual([
        place,
        expect.stringMatching(/outside the allowed folders|There is nothing at/),
      ]);
    }
    expect(await memory.refused('import_memory_bundle', { path: join(folder, 'roots', 'link.tar.gz') })).toContain(
      'outside the allowed folders',
    );
    for (const name of ['..', '.']) await memory.refused('export_memory_bundle', { output_filename: name });
    expect(await readdir(outside)).toEqual(['b.tar.gz']);
    expect((await readdir(memory.home)).includes('b.tar.gz')).toBe(false);
    // A link that lies where an export goes is replaced, not followed.
    await exported(memory, join(folder, 'roots', 'link.tar.gz'));
    expect(await bytes(join(outside, 'b.tar.gz'))).not.toBe('');
    expect(basename((await exported(memory, join(folder, 'roots', 'fine.tar.gz'))).export_path)).toBe('fine.tar.gz');
  });
});

describe('an import that is killed', () => {
  it('has taken all of the bundle or nothing, and can be done again', async () => {
    const folder = await freshFolder();
    const memory = await openBeside(folder, 'one');
    const COUNT = 60;
    const operations = Array.from({ length: COUNT }, (_, n) => ({
      op: 'record_decision',
      params: { target: `area ${n}`, title: `Rule ${n}`, rationale: `For reason number ${n}.` },
    }));
    expect(await memory.ask('execute', { operations })).toMatchObject({ succeeded: COUNT });
    const path = join(folder, 'roots', 'carried.tar.gz');
    await exported(memory, path);
    const files = await filesOf(memory);
    const events = (await memory.done('event_list', { limit: 1 })).total;
    memory.server.kill('SIGKILL');

    const [all, nothing] = [`${COUNT} decisions, ${events} events`, '0 decisions, 0 events'];
    // Files are prepared under other names first; once one has its own, the rest will follow.
    for (const [round, [ending, count, outcome]] of (
      [
        ['.tmp', 1, [nothing]],
        ['.tmp', COUNT, [nothing, all]],
        ['.md', 1, [all]],
        ['.md', COUNT / 2, [all]],
      ] as const
    ).entries()) {
      const home = join(folder, `home-${round}`);
      const server = serveStdio(['--home', home, '--role', 'admin'], { ...quick, CAIRN_ROOTS: join(folder, 'roots') });
      await server.ask('get_memory_stats');
      const answered = server.ask('import_memory_bundle', { path }).then(
        () => true,
        () => false,
      );
      await filesIn(join(home, 'decisions'), ending, count, answered);
      server.kill('SIGKILL');
      await server.exited;

      const after = await openBeside(folder, `home-${round}`);
      // Until the next write, of whatever kind, files may wait to be put in their place.
      await after.done('record_interaction', { prompt: 'Anybody there?', response: 'Yes.', namespace: 'elsewhere' });
      await soon(async () => {
        const { stats } = await after.done('get_memory_stats');
        return outcome.some(
          (each) => each === `${stats.semantic_decisions} decisions, ${stats.episodic_events} events`,
        );
      }).toBe(true);
      await after.done('import_memory_bundle', { path });
      expect(await filesOf(after)).toEqual(files);
      expect((await after.done('event_list', { limit: 1 })).total).toBe(events);
      expect((await after.done('get_environment_health')).health).toMatchObject({ errors: [], unfinished_writes: 0 });
      expect(
        await after.refused('record_decision', { target: 'area 7', title: 'x', rationale: 'Another reason.' }),
      ).toMatch(/^CONFLICT: /);
      after.server.kill('SIGKILL');
    }
  });

  /** Until so many files are there: in the middle of it, or after it where that was quicker. */
  async function filesIn(folder: string, ending: string, count: number, answered: Promise<boolean>): Promise<void> {
    let over = false;
    void answered.then(() => {
      over = true;
    });
    const there = () => (existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(ending)).length : 0);
    while (!over && there() < count) await delay(1);
  }
});
