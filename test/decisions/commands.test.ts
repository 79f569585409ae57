/** Decision memory and the catalog from the command line, and as the clients' hooks run it: the real program, piped. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { cairn, type Message, type Outcome, program } from '../support/cairn.ts';
import { freshFolder, freshHome } from '../support/home.ts';
import { type Memory, openMemory, quick, textOf } from './memory.ts';

/** A user's folder and a project in it; nothing of the machine that runs the test is looked at. */
async function user(): Promise<{
  readonly home: string;
  readonly project: string;
  readonly env: Record<string, string>;
}> {
  const home = await freshFolder();
  const project = join(home, 'code', 'app');
  await mkdir(project, { recursive: true });
  const foreign = ['XDG_STATE_HOME', 'XDG_CONFIG_HOME', 'CLAUDE_CONFIG_DIR', 'CODEX_HOME', 'CURSOR_PROJECT_DIR'];
  const none = Object.fromEntries(foreign.map((name) => [name, '']));
  return { home, project, env: { ...quick, ...none, HOME: home } };
}

async function tree(root: string, way = ''): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of (await readdir(join(root, way))).sort()) {
    const path = join(way, name);
    if ((await lstat(join(root, path))).isDirectory())
      Object.assign(found, { [`${path}/`]: '' }, await tree(root, path));
    else found[path] = await readFile(join(root, path), 'base64');
  }
  return found;
}

async function run(home: string, ...args: string[]): Promise<Outcome & { readonly json: Message }> {
  const outcome = await cairn([...args, '--home', home], { env: quick });
  return { ...outcome, json: outcome.stdout.startsWith('{') ? JSON.parse(outcome.stdout) : {} };
}

async function committed(memory: Memory): Promise<void> {
  await expect
    .poll(async () => (await memory.done('get_environment_health')).health.not_committed_yet, {
      timeout: 20_000,
      interval: 50,
    })
    .toBe(0);
}

const indent = { id: 'indent', title: 'Indent', priority: 40, audience: 'all', requirement: 'optional', owner: 'ann' };
async function write(memory: Memory, body: string, more: Message = {}): Promise<void> {
  const entry = { ...indent, categories: ['style'], body, ...more };
  const answer = await memory.ask('instructions_add', { entry, overwrite: true, lax: true });
  expect(answer.error).toBeUndefined();
}

describe('cairn why', () => {
  it('tells the chain of a target as JSON where it is piped, and ends with 0', async () => {
    const memory = await openMemory();
    const first = await memory.record('session_storage', 'Redis it is');
    const second = await memory.supersede('session_storage', 'Valkey it is', [first]);
    await memory.record('session_storage', 'The team has its own', { namespace: 'team' });
    const { code, stderr, json } = await run(memory.home, 'why', 'Session Storage');
    expect([code, stderr]).toEqual([0, '']);
    expect(json).toMatchObject({ status: 'success', target: 'session_storage', active: second });
    expect(json.chain).toMatchObject([
      { id: first, status: 'superseded', superseded_by: second, until: json.chain[1].created },
      { id: second, status: 'active', supersedes: [first], rationale: 'Valkey it is, for a better reason.' },
    ]);
    const team = await run(memory.home, 'why', 'session_storage', '--namespace', 'team');
    expect(team.json.chain).toMatchObject([{ title: 'The team has its own' }]);
  });

  it('ends with 1 for a target that nobody decided about, names the near ones, and with 2 for bad words', async () => {
    const memory = await openMemory();
    await memory.record('session_storage', 'Redis it is');
    const { code, json } = await run(memory.home, 'why', 'session_storrage');
    expect([code, json.status]).toEqual([1, 'error']);
    expect(json.message).toContain('Did you mean: session_storage?');
    for (const words of [['why'], ['why', 'one', 'two'], ['why', 'x', '--colour', 'red']]) {
      const wrong = await run(memory.home, ...words);
      expect([words, wrong.code, wrong.stdout]).toEqual([words, 2, '']);
    }
    const nowhere = await freshHome();
    expect((await run(nowhere, 'why', 'anything')).code).toBe(1);
    expect(existsSync(nowhere)).toBe(false);
  });

  it('draws a timeline for a person at a terminal', async () => {
    const memory = await openMemory();
    const first = await memory.record('cache', 'Redis it is', { consequences: ['Install it'] });
    const { event_id } = await memory.done('record_interaction', { prompt: 'Fast?', response: 'Very.' });
    const second = await memory.supersede('cache', 'Valkey it is', [first]);
    await memory.done('link_interaction_to_decision', { event_id, decision_id: second });
    const lines = (await atTerminal(['why', 'cache', '--home', memory.home])).split(/\r?\n/);
    expect(lines[0]).toBe('cache');
    expect(lines).toContain('○ Redis it is');
    expect(lines).toContain('│   → Install it');
    expect(lines).toContain('● Valkey it is');
    expect(lines.find((line) => line.includes('since'))).toMatch(
      /^ {4}active, since \d{4}-\d\d-\d\d, by an agent, 1 event speaks for it$/,
    );
  });
});

/** `script` gives the program a terminal of its own. */
async function atTerminal(args: readonly string[]): Promise<string> {
  const line = [process.execPath, program, ...args].map((word) => `'${word}'`).join(' ');
  return execFileSync('script', ['-qec', line, '/dev/null'], {
    env: { ...process.env, ...quick },
    stdio: 'pipe',
  }).toString();
}

describe('cairn history', () => {
  it('lists the versions of an instruction, shows one, and makes one the present one', async () => {
    const memory = await openMemory();
    for (const body of ['Two blanks.', 'Four blanks.', 'Tabs.']) await write(memory, body);
    await committed(memory);
    const list = await run(memory.home, 'history', 'indent');
    expect(list.code).toBe(0);
    const { versions } = list.json;
    expect(versions).toHaveLength(3);
    expect(versions[0]).toMatchObject({ author: 'admin', removed: false, message: expect.stringContaining('indent') });
    expect((await run(memory.home, 'history', 'indent', '--limit', '1')).json.versions).toEqual([versions[0]]);
    const shown = await run(memory.home, 'history', 'indent', versions[2].commit);
    expect([shown.code, shown.json.entry.body]).toEqual([0, 'Two blanks.']);

    const refused = await run(memory.home, 'history', 'restore', 'indent', versions[2].commit);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('Mutation disabled')]);
    const restored = await run(memory.home, 'history', 'restore', 'indent', versions[2].commit, '--mutation');
    expect([restored.code, restored.json.restored]).toEqual([0, versions[2].commit]);
    expect((await memory.ask('instructions_get', { id: 'indent' })).item.body).toBe('Two blanks.');
    const after = (await run(memory.home, 'history', 'indent')).json.versions;
    expect(after).toHaveLength(4);
    expect(after.slice(1)).toMatchObject(versions.map(({ message }: Message) => ({ message })));
  });

  it('brings back an instruction that was removed', async () => {
    const memory = await openMemory();
    await write(memory, 'Two blanks.');
    await memory.ask('instructions_remove', { ids: ['indent'] });
    expect((await memory.ask('instructions_list')).count).toBe(0);
    await committed(memory);
    const { versions } = (await run(memory.home, 'history', 'indent')).json;
    expect(versions.map(({ removed }: Message) => removed)).toEqual([true, false]);
    const { code } = await run(memory.home, 'history', 'restore', 'indent', versions[1].commit, '--mutation');
    expect(code).toBe(0);
    expect((await memory.ask('instructions_get', { id: 'indent' })).item.body).toBe('Two blanks.');
  });

  it('lists the versions of a decision, shows one, and leaves its past alone', async () => {
    const memory = await openMemory();
    const first = await memory.record('cache', 'Redis it is');
    const original = await textOf(memory, first);
    await memory.supersede('cache', 'Valkey it is', [first]);
    const changed = await textOf(memory, first);
    await committed(memory);
    const { code, json } = await run(memory.home, 'history', first);
    expect(code).toBe(0);
    expect(json.versions.map(({ message }: Message) => message.split(':')[0])).toEqual([
      'supersede_decision',
      'record_decision',
    ]);
    for (const [at, text] of [changed, original].entries()) {
      const shown = await run(memory.home, 'history', first, json.versions[at].commit);
      expect([shown.code, shown.json.text]).toEqual([0, text]);
    }
    const restore = await run(memory.home, 'history', 'restore', first, json.versions[1].commit, '--mutation');
    expect([restore.code, restore.stderr]).toEqual([2, expect.stringContaining('supersede_decision')]);
    expect(await textOf(memory, first)).toBe(changed);
  });

  it('ends with another code than 0 for what is not there', async () => {
    const memory = await openMemory();
    await write(memory, 'Two blanks.');
    for (const [words, code] of [
      [['nothing-here'], 1],
      [['decisions/none.md'], 1],
      [['indent', '0000000'], 1],
      [['restore', 'indent', '0000000', '--mutation'], 1],
      [[], 2],
      [['indent', '0000000', 'more'], 2],
    ] as const) {
      const outcome = await run(memory.home, 'history', ...words);
      expect([words, outcome.code]).toEqual([words, code]);
    }
  });

  it('is a bare repository with a commit for every write, whose messages say what happened and who did it', async () => {
    const memory = await openMemory();
    const first = await memory.record('cache', 'Redis it is');
    const second = await memory.supersede('cache', 'Valkey it is', [first]);
    await write(memory, 'Two blanks.');
    for (let n = 4; n <= 25; n++) await memory.record(`area ${n}`, `Rule ${n}`);
    await committed(memory);
    const folder = join(memory.home, 'history.git');
    const git = (...args: string[]) =>
      execFileSync('git', ['--git-dir', folder, ...args], { stdio: 'pipe' }).toString();
    expect(git('rev-parse', '--is-bare-repository').trim()).toBe('true');
    const subjects = git('log', '--reverse', '--format=%s').trim().split('\n');
    expect(subjects).toHaveLength(25);
    expect(subjects[0]).toBe(`record_decision: ${first}`);
    expect(subjects[1]).toMatch(/^supersede_decision: /);
    expect(subjects[1]).toContain(second);
    expect(subjects[2]).toBe('instructions_add: indent');
    expect(git('log', '-1', '--format=%an %b')).toMatch(/^admin Rule 25\n\nBy admin \(admin\) through rpc/);
    const paths = git('ls-tree', '-r', '--name-only', 'main').trim().split('\n');
    expect(paths).toHaveLength(25);
    const path = paths.find((each) => each.endsWith(`/${basename(second)}`));
    expect(git('show', `main:${path}`)).toBe(await textOf(memory, second));
    git('fsck', '--strict');
  });
});

describe('cairn install and cairn uninstall', () => {
  const clients = ['vscode', 'claude', 'cursor', 'gemini', 'codex'] as const;

  it('register Cairn with every client, write nothing on a dry run, and give every byte back', async () => {
    const { home, project, env } = await user();
    const act = async (...args: string[]) => {
      const { code, stdout, stderr } = await cairn(args, { env, cwd: project });
      expect([args, code, stderr]).toEqual([args, 0, '']);
      return JSON.parse(stdout) as Message;
    };
    const files: Record<string, string> = {
      '.claude.json': '{\r\n\t"numStartups": 7,\r\n\t"mcpServers": {"gh": {"command": "gh"}}\r\n}',
      '.codex/config.toml': '# mine\nmodel = "x"\n\n[mcp_servers.gh]\ncommand = "gh"',
      'code/app/.vscode/mcp.json': '{\n  // mine\n  "servers": {},\n}\n',
    };
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(home, path)), { recursive: true });
      await writeFile(join(home, path), text);
    }
    const before = await tree(home);
    const written = new Map<string, string[]>();
    await Promise.all(
      clients.map(async (client) => {
        const planned = await act('install', client, '--dry-run');
        expect(planned.diff).toContain('cairn');
        written.set(
          client,
          planned.files.map(({ path }: Message) => path),
        );
      }),
    );
    expect(await tree(home)).toEqual(before);

    for (const client of clients) {
      const { files: done } = await act('install', client);
      expect(done.map(({ path }: Message) => path)).toEqual(written.get(client));
      for (const { path } of done) expect(await readFile(path, 'utf8')).toContain('cairn.js');
    }
    expect(await readFile(join(home, '.claude.json'), 'utf8')).toContain('"numStartups": 7,\r\n');
    const installed = await tree(home);
    const again = await act('install', 'codex');
    expect(again.files.map(({ action }: Message) => action)).toEqual(['unchanged', 'unchanged']);
    await act('uninstall', 'claude', '--dry-run');
    expect(await tree(home)).toEqual(installed);

    for (const client of clients) await act('uninstall', client);
    const after = Object.entries(await tree(home)).filter(([path]) => !path.startsWith('.local/'));
    expect(Object.fromEntries(after)).toEqual(before);
  });

  it('register a command that starts a server which answers', async () => {
    const { home, project, env } = await user();
    await cairn(['install', 'claude', '--home', '.cairn'], { env, cwd: project });
    const { command, args } = JSON.parse(await readFile(join(home, '.claude.json'), 'utf8')).mcpServers.cairn;
    const hello = { jsonrpc: '2.0', id: 1, method: 'get_memory_stats', params: {} };
    const input = `${JSON.stringify(hello)}\n`;
    const answer = execFileSync(command, args, { input, env: { ...process.env, ...env }, cwd: home }).toString();
    expect(JSON.parse(answer.split('\n')[0] ?? '').result.stats.storage_path).toBe(join(project, '.cairn'));
  });

  it('end with 2 for a client that nobody knows', async () => {
    const { home, env } = await user();
    const { code, stderr } = await cairn(['install', 'emacs'], { env, cwd: home });
    expect([code, stderr]).toEqual([2, expect.stringContaining('there are vscode, claude, cursor, gemini, codex')]);
    expect(await tree(home)).toEqual({ 'code/': '', 'code/app/': '' });
  });
});

describe('cairn hook', () => {
  const prompt = 'Do invoices travel through the RabbitMQ broker?';

  /** A project with a home of its own, in which something is known about the prompt. */
  async function informed() {
    const here = await user();
    const memory = await openMemory({ home: join(here.project, '.cairn') });
    for (const topic of ['kitchen', 'garden', 'paint', 'bicycle', 'weather', 'library', 'coffee']) {
      await memory.record(topic, `About the ${topic}`);
    }
    const id = await memory.record('queue', 'Invoices travel through the RabbitMQ broker');
    return { ...here, memory, id };
  }

  const hook = (env: Record<string, string>, event: string, input: string, ...more: string[]) =>
    cairn(['hook', 'claude', event, ...more], { env, input });

  /** It answers within 300 ms or not at all, and on a busy machine that is not at all. */
  async function patiently<T>(look: () => Promise<T | undefined>): Promise<T> {
    for (let attempt = 1; attempt <= 30; attempt++) {
      const found = await look();
      if (found !== undefined) return found;
      await delay(50 * attempt);
    }
    throw new Error('Thirty attempts were not enough.');
  }

  it('adds what is known to a prompt that it concerns, and nothing to another', async () => {
    const { env, project, id } = await informed();
    const payload = { session_id: 's', cwd: project, hook_event_name: 'UserPromptSubmit', prompt };
    const answer = await patiently(async () => {
      const { code, stdout, stderr } = await hook(env, 'prompt', JSON.stringify(payload));
      expect([code, stderr]).toEqual([0, '']);
      return stdout === '' ? undefined : JSON.parse(stdout);
    });
    expect(Object.keys(answer)).toEqual(['hookSpecificOutput']);
    expect(answer.hookSpecificOutput.hookEventName).toBe('UserPromptSubmit');
    const [header, ...rest] = answer.hookSpecificOutput.additionalContext.split('\n');
    expect(header).toBe('[LEDGERMIND KNOWLEDGE BASE ACTIVE]');
    expect(JSON.parse(rest.join('\n')).memories).toMatchObject([{ id, kind: 'decision', trust: 'agent' }]);
    const other = await hook(
      env,
      'prompt',
      JSON.stringify({ ...payload, prompt: 'Write a haiku about autumn leaves' }),
    );
    expect(other).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('says nothing and ends with 0 whatever is wrong', async () => {
    const { env, project, home } = await user();
    const good = JSON.stringify({ session_id: 's', cwd: project, prompt });
    const nothing = { code: 0, stdout: '', stderr: '' };
    const before = Object.keys(await tree(home));
    for (const garbage of [
      '',
      'no JSON',
      '[]',
      'null',
      '{"prompt": 7}',
      '{"cwd": "\\u0000"}',
      '\u0000\ufffd',
      '{'.repeat(5000),
    ]) {
      expect([garbage.slice(0, 20), await hook(env, 'prompt', garbage)]).toEqual([garbage.slice(0, 20), nothing]);
    }
    expect(await hook(env, 'prompt', good)).toEqual(nothing);
    expect(await hook(env, 'prompt', JSON.stringify({ cwd: '/nowhere/at/all', prompt }))).toEqual(nothing);
    expect(await hook(env, 'prompt', good, '--colour', 'red')).toEqual(nothing);
    expect(await cairn(['hook', 'emacs', 'prompt'], { env, input: good })).toEqual(nothing);
    expect(await cairn(['hook'], { env, input: good })).toEqual(nothing);
    // No home came of it; only what was asked is remembered until the answer is there.
    expect(Object.keys(await tree(home)).filter((path) => !path.startsWith('.local/'))).toEqual(before);
    // A home that cannot be read as one.
    await mkdir(join(project, '.cairn'));
    await writeFile(join(project, '.cairn', 'config.json'), '{"embeddings": ');
    await writeFile(join(project, '.cairn', 'state.db'), 'This is no database.');
    expect(await hook(env, 'prompt', good)).toEqual(nothing);
    expect(await hook(env, 'stop', JSON.stringify({ cwd: project, prompt, last_assistant_message: 'So.' }))).toEqual(
      nothing,
    );
  });

  it('reads a home that it may only read, leaves it alone, and never fails', async () => {
    const { env, home: folder, project, memory, id } = await informed();
    memory.server.endInput();
    await memory.server.exited;
    execFileSync('chmod', ['-R', 'a+rX,a-w', folder]);
    const before = await tree(folder);
    const writable = join(await freshFolder(), 'user');
    await mkdir(writable);
    execFileSync('chmod', ['a+rwx', writable, dirname(writable)]);
    const input = JSON.stringify({ session_id: 's', cwd: project, prompt, last_assistant_message: 'So.' });
    // Root may write everywhere: who runs the test as root lends the hook somebody else's name.
    const somebody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    const answer = (event: string, HOME: string): string => {
      const options = { input, cwd: project, env: { ...process.env, ...env, HOME }, ...somebody };
      const { status, stdout } = spawnSync(process.execPath, [program, 'hook', 'claude', event], options);
      expect([event, status]).toEqual([event, 0]);
      return stdout.toString();
    };
    const told = await patiently(async () => answer('prompt', writable) || undefined);
    expect(JSON.parse(told).hookSpecificOutput.additionalContext).toContain(id);
    expect(answer('stop', writable)).toBe('');
    for (const event of ['prompt', 'stop']) answer(event, folder);
    expect(await tree(folder)).toEqual(before);
    execFileSync('chmod', ['-R', 'u+w', folder]);
    const later = await openMemory({ home: memory.home });
    expect((await later.done('event_list', { kind: 'interaction' })).total).toBe(0);
  });

  it('records what was asked and answered when the agent stops, once, with secrets masked', async () => {
    const { env, project, memory } = await informed();
    const stop = { session_id: 's', cwd: project, hook_event_name: 'Stop' };
    const said = { prompt: 'How do we indent?', last_assistant_message: `With tabs. ghp_${'a1B2'.repeat(9)}` };
    const recorded = async () => (await memory.done('event_list', { kind: 'interaction' })).events;
    const events = await patiently(async () => {
      expect(await hook(env, 'stop', JSON.stringify({ ...stop, ...said }))).toEqual({
        code: 0,
        stdout: '',
        stderr: '',
      });
      const found = await recorded();
      return found.length === 0 ? undefined : found;
    });
    expect(events).toMatchObject([{ subject: 'How do we indent?', success: true }]);
    await hook(env, 'stop', JSON.stringify({ ...stop, ...said }));
    expect(await recorded()).toHaveLength(1);
    await memory.done('export_memory_bundle', { output_filename: 'look.tar.gz' });
    const kept = execFileSync('tar', ['-xzOf', join(memory.home, 'backups', 'look.tar.gz'), 'events.jsonl']).toString();
    expect(kept).toContain('With tabs. ghp_…[github-token]');
  });

  it('remembers the prompt until the answer comes, where the client sends them apart', async () => {
    const { env, project, memory } = await informed();
    const both = { session_id: 's', cwd: project };
    const events = await patiently(async () => {
      await hook(env, 'prompt', JSON.stringify({ ...both, prompt: 'Which way is north?' }));
      await hook(env, 'stop', JSON.stringify({ ...both, last_assistant_message: 'Up.' }));
      const found = (await memory.done('event_list', { kind: 'interaction' })).events;
      return found.length === 0 ? undefined : found;
    });
    expect(events).toMatchObject([{ subject: 'Which way is north?' }]);
  });
});

describe('instructions_reset', () => {
  const ids = async (memory: Memory): Promise<string[]> =>
    (await memory.ask('instructions_list')).items.map(({ id }: Message) => id);
  const seeded = ['cairn-first-steps', 'cairn-write-instructions'];

  async function catalog(env: Record<string, string> = {}): Promise<Memory> {
    const memory = await openMemory({ env });
    for (const id of ['indent', 'quotes', 'naming']) await write(memory, `About ${id}.`, { id });
    return memory;
  }

  it('needs a confirmation, an admin, and a mode that exists', async () => {
    const memory = await catalog();
    for (const mode of ['empty', 'seed', 'empty-and-seed']) {
      expect((await memory.server.ask('instructions_reset', { mode })).error.message).toContain('needs confirm: true');
    }
    expect((await memory.server.ask('instructions_reset', { mode: 'all', confirm: true })).error.code).toBe(-32602);
    const agent = await openMemory({ home: memory.home, role: 'agent' });
    expect((await agent.server.ask('instructions_reset', { mode: 'empty', confirm: true })).error.message).toBe(
      "Capability 'purge' is required",
    );
    expect(await ids(memory)).toEqual(['indent', 'naming', 'quotes']);
    expect((await memory.ask('backup_list')).backups).toEqual([]);
  });

  it('empties the catalog after a backup, which brings every byte back', async () => {
    const memory = await catalog();
    const before = await tree(join(memory.home, 'instructions'));
    const answer = await memory.ask('instructions_reset', { mode: 'empty', confirm: true });
    expect(answer).toMatchObject({ removed: 3, seeded: 0, backup: expect.any(String) });
    expect(await ids(memory)).toEqual([]);
    expect(await tree(join(memory.home, 'instructions'))).toEqual({});
    expect((await memory.ask('backup_list')).backups).toMatchObject([{ backup: answer.backup }]);
    expect(await memory.ask('backup_restore', { backup: answer.backup })).toMatchObject({ restored: 3 });
    expect(await tree(join(memory.home, 'instructions'))).toEqual(before);
    expect(await ids(memory)).toEqual(['indent', 'naming', 'quotes']);
  });

  it('puts the seed beside what is there, or in its place, and twice is once', async () => {
    const memory = await catalog();
    const first = await memory.ask('instructions_reset', { mode: 'seed', confirm: true });
    expect(first).toMatchObject({ removed: 0 });
    const all = await ids(memory);
    expect(all).toEqual(expect.arrayContaining(['indent', 'naming', 'quotes', seeded[0]]));
    expect(first.seeded).toBe(all.length - 3);
    await write(memory, 'Changed by somebody.', { id: 'cairn-first-steps', title: 'Changed' });
    expect(await memory.ask('instructions_reset', { mode: 'empty-and-seed', confirm: true })).toMatchObject({
      removed: all.length,
      seeded: first.seeded,
    });
    expect(await ids(memory)).toHaveLength(first.seeded);
    expect((await memory.ask('instructions_get', { id: 'cairn-first-steps' })).item.title).not.toBe('Changed');
    const again = await memory.ask('instructions_reset', { mode: 'empty-and-seed', confirm: true });
    expect(again).toMatchObject({ removed: first.seeded, seeded: first.seeded });
    expect((await memory.ask('backup_list')).backups).toHaveLength(3);
  });

  it('takes a seed of one’s own from within the roots, and nothing happens where there is none', async () => {
    const folder = await freshFolder();
    const memory = await catalog({ CAIRN_ROOTS: folder });
    await cp(join(memory.home, 'instructions'), join(folder, 'own'), { recursive: true });
    await memory.ask('instructions_reset', { mode: 'empty', confirm: true });
    await write(memory, 'Alone.', { id: 'alone' });
    for (const [source, why] of [
      [join(folder, 'nowhere'), 'There is nothing at'],
      [await freshFolder(), 'outside the allowed folders'],
    ]) {
      const { error } = await memory.server.ask('instructions_reset', {
        mode: 'empty-and-seed',
        confirm: true,
        source,
      });
      expect(error.message).toContain(why);
    }
    expect(await ids(memory)).toEqual(['alone']);
    const own = { mode: 'empty-and-seed', confirm: true, source: join(folder, 'own') };
    expect(await memory.ask('instructions_reset', own)).toMatchObject({ removed: 1, seeded: 3 });
    expect(await ids(memory)).toEqual(['indent', 'naming', 'quotes']);
  });
});
