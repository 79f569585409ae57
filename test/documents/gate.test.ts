/** Who may write documents, and that those who may not leave everything as it was. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, it } from 'vitest';
import { type Message, serveStdio } from '../support/cairn.ts';
import { openProject, type Project, treeOf } from './project.ts';

const writes: Record<string, object> = {
  add: { name: 'new.txt', content: 'new' },
  update: { name: 'a.txt', metadata: ['a=b'] },
  restore: { collection: 'default', output_directory: 'out' },
  snapshot: { label: 'new' },
  delete: { name: 'a.txt' },
  gc: {},
};
const previews: Record<string, object> = {
  update: { name: 'a.txt', metadata: ['a=b'], dry_run: true },
  delete: { name: 'a.txt', dry_run: true },
  restore: { collection: 'default', output_directory: 'out', dry_run: true },
};
const reads: Record<string, object> = {
  list: {},
  get: { name: 'a.txt', include_content: true },
  list_collections: {},
  list_snapshots: {},
  status: { detailed: true, file_types: true },
  content_verify: {},
};

async function stateOf(project: Project): Promise<unknown> {
  const { documents } = await project.ask('list');
  const { snapshots } = await project.ask('list_snapshots');
  const files = (await readdir(project.folder)).sort();
  return { documents, snapshots, files };
}

async function filled(): Promise<Project> {
  const project = await openProject();
  await project.ask('add', { name: 'a.txt', content: 'x', tags: ['t'] });
  await project.ask('snapshot', { label: 'first' });
  return project;
}

/** As a raw method, as a tool, in a batch, and as a command of the documented spelling. */
async function everyWay(project: Project, op: string, params: object): Promise<Message[]> {
  const raw = await project.server.ask(op, params);
  const tool = await project.server.ask('tools/call', { name: op, arguments: params });
  const batch = await project.server.ask('execute', { operations: [{ op, params }], continueOnError: true });
  const steps = await project.server.ask('query', { steps: [{ op, params }] });
  return [raw, tool, batch, steps];
}

function isRefused({ result, error }: Message): boolean {
  return error !== undefined || result.isError === true || (result.succeeded === 0 && result.failed === 1);
}

describe.each([
  ['a viewer', ['--role', 'viewer'], "Capability 'write' is required"],
  ['a caller of a read-only server', ['--read-only'], 'read-only'],
  ['an admin of a read-only server', ['--read-only', '--role', 'admin'], 'read-only'],
])('%s', (_who, flags, why) => {
  it('reads everything and writes nothing, through no door, not even as a dry run', async () => {
    const project = await filled();
    const before = await stateOf(project);
    project.server.kill('SIGTERM');
    await project.server.exited;
    const home = await treeOf(join(project.folder, '.cairn'));
    project.server = project.start(flags);
    await project.server.initialize();
    for (const [op, params] of [...Object.entries(writes), ...Object.entries(previews)]) {
      const answers = await everyWay(project, op, params);
      for (const answer of answers) expect(isRefused(answer), `${op} ${JSON.stringify(answer)}`).toBe(true);
      expect(answers[0]?.error.message).toContain(why);
    }
    await project.refusal('get', { name: 'a.txt', outputPath: 'copy.txt' });
    for (const [op, params] of Object.entries(reads)) await project.ask(op, params);
    expect(await stateOf(project)).toEqual(before);
    if (!flags.includes('--read-only')) return;
    project.server.kill('SIGTERM');
    await project.server.exited;
    // Reading writes nothing: every byte of the home is what it was, but for the logs that SQLite clears away.
    const after = await treeOf(join(project.folder, '.cairn'));
    for (const [path, bytes] of home) {
      if (!/-(?:wal|shm)$/.test(path)) expect(after.get(path)?.equals(bytes), path).toBe(true);
    }
  });
});

describe('a read-only server that looks for damage', () => {
  it('leaves the file as it is', async () => {
    const project = await filled();
    project.server.kill('SIGTERM');
    await project.server.exited;
    const path = join(project.folder, '.cairn/objects.db');
    const database = new DatabaseSync(path);
    database.exec("UPDATE body SET data = x'00'; PRAGMA wal_checkpoint(TRUNCATE)");
    database.close();
    project.server = project.start(['--read-only']);
    expect(await project.ask('content_verify')).toMatchObject({ ok: false });
    const marked = new DatabaseSync(path, { readOnly: true });
    const { found } = marked.prepare('SELECT count(*) AS found FROM chunk WHERE damaged = 1').get() as {
      found: number;
    };
    marked.close();
    expect(found).toBe(0);
  });
});

describe('the audit trail', () => {
  it('has a line for every write that changed something, with what it was about, and none for dry runs', async () => {
    const project = await filled();
    for (const [op, params] of Object.entries(previews)) await project.ask(op, params);
    for (const [op, params] of Object.entries(writes)) if (op !== 'gc') await project.ask(op, params);
    await project.ask('add', { name: 'b.txt', content: 'b' });
    await project.ask('get', { name: 'b.txt', outputPath: 'copy.txt' });
    const { entries } = await project.ask('audit_list', { limit: 100 });
    const counts: Record<string, number> = {};
    for (const { operation } of entries as Message[]) counts[operation] = (counts[operation] ?? 0) + 1;
    expect(counts).toEqual({ add: 3, update: 1, delete: 1, snapshot: 2, restore: 1, get: 1 });
    expect((await project.ask('audit_verify')).intact).toBe(true);
  });
});

it('never takes its own home, whatever that is called', async () => {
  const { folder } = await openProject();
  await mkdir(join(folder, 'work/knowledge'), { recursive: true });
  await writeFile(join(folder, 'work/a.txt'), 'a');
  const server = serveStdio(['--home', join(folder, 'work/knowledge')], { CAIRN_ROOTS: folder });
  await server.ask('add', { name: 'first.txt', content: 'makes the home' });
  const { result } = await server.ask('add', { path: join(folder, 'work') });
  expect(result).toMatchObject({ added: 1, failed: 0 });
});
