/** `cairn install` and `cairn uninstall` as a person and a program see them. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseArguments } from '../../src/doors/cli/arguments.ts';
import { installCommand, uninstallCommand } from '../../src/doors/cli/install/command.ts';
import { installFlags } from '../../src/doors/cli/install/flags.ts';
import { commandFrom, hookLine, isOurHook, runningCommand } from '../../src/doors/cli/install/invocation.ts';
import { findServer, putServer, takeServer } from '../../src/doors/cli/install/toml.ts';
import { unifiedDiff } from '../../src/service/unified-diff.ts';
import { type Fixture, fixture } from './fixture.ts';

const call = async () => ({ context: 'We use tabs.' });

function run(here: Fixture, ...argv: string[]) {
  const { words, flags } = parseArguments(argv, installFlags);
  const [command, ...rest] = words;
  const request = { words: rest, flags, call, defaults: here.options };
  return command === 'uninstall' ? uninstallCommand(request) : installCommand(request);
}

describe('the answers', () => {
  it('say what was done, what comes next and how to undo it', async () => {
    const here = fixture();
    const { text, result, exitCode } = await run(here, 'install', 'claude');
    expect(exitCode).toBe(0);
    expect(text).toBe(
      [
        'Cairn is registered with Claude Code.',
        `  created   ${here.home}/.claude.json`,
        `  created   ${here.home}/.claude/settings.json`,
        'Start Claude Code anew; /mcp and /hooks show what it found.',
        'To undo: cairn uninstall claude',
      ].join('\n'),
    );
    expect(result).toMatchObject({
      client: 'claude',
      scope: 'user',
      hooks: true,
      files: [{ action: 'created' }, { action: 'created' }],
    });
    expect((await run(here, 'install', 'claude')).text).toBe('Claude Code has Cairn already: nothing was changed.');
    expect((await run(here, 'uninstall', 'claude')).text).toContain('Cairn is taken out of Claude Code.');
    expect((await run(here, 'uninstall', 'claude')).text).toContain('not installed for Claude Code here');
  });

  it('show a diff with --dry-run, without the keys of others, and write nothing', async () => {
    const here = fixture();
    here.write('.claude.json', `{\n  "mcpServers": {\n    "gh": "ghp_${'a1'.repeat(20)}"\n  }\n}\n`);
    const before = here.tree();
    const { text, result } = await run(here, 'install', 'claude', '--dry-run', '--no-hooks');
    expect(here.tree()).toEqual(before);
    expect(text).toContain('+    "cairn": {');
    expect(text).not.toContain('a1a1');
    expect(result.diff).toContain(`+++ ${here.home}/.claude.json`);
    expect(result.files).toHaveLength(1);
    await run(here, 'install', 'claude');
    const installed = here.tree();
    expect((await run(here, 'uninstall', 'claude', '--dry-run')).text).toContain('-    "cairn": {');
    expect(here.tree()).toEqual(installed);
  });

  it('take a shadow file for VS Code and take it away again', async () => {
    const here = fixture();
    const before = here.tree();
    const { result } = await run(here, 'install', 'vscode', '--shadow=ledgermind_context.md');
    expect(here.read('code/app/.vscode/ledgermind_context.md')).toContain('We use tabs.');
    expect(here.read('code/app/.github/copilot-instructions.md')).toContain('.vscode/ledgermind_context.md');
    expect(result.files).toHaveLength(3);
    here.write(
      'code/app/.vscode/ledgermind_context.md',
      `${here.read('code/app/.vscode/ledgermind_context.md')}newer\n`,
    );
    await run(here, 'uninstall', 'vscode');
    expect(Object.keys(here.tree()).filter((path) => !path.startsWith('.local'))).toEqual(Object.keys(before));
  });

  it('go to the project of --path', async () => {
    const here = fixture();
    const { result } = await run(here, 'install', 'vscode', '--path', join(here.home, 'code'));
    expect(result.files[0]?.path).toBe(join(here.home, 'code/.vscode/mcp.json'));
  });

  it.each([
    [['install'], 'needs a client; there are vscode, claude'],
    [['install', 'emacs'], 'does not know "emacs"'],
    [['uninstall', 'claude', 'cursor'], 'takes one client'],
    [['install', 'claude', '--scope', 'team'], 'allowed is project, user'],
    [['install', 'claude', '--shadow'], 'is for vscode'],
    [['install', 'vscode', '--shadow', '--scope', 'user'], 'belongs to a project'],
    [['install', 'vscode', '--shadow=../x.md'], 'the name of a Markdown file'],
    [['install', 'claude', '--command', ' '], '--command is empty'],
  ])('refuse %j', async (argv, why) => {
    await expect(run(fixture(), ...argv)).rejects.toThrow(why);
  });
});

describe('the line of a hook', () => {
  it('is one that every shell of the platform understands', () => {
    const windows = ['C:\\Program Files\\nodejs\\node.exe', 'C:\\My Tools\\cairn.js'];
    expect(hookLine(windows, 'claude', 'stop', 'win32')).toBe('node "C:/My Tools/cairn.js" hook claude stop');
    expect(() => hookLine(['C:\\100%\\cairn.js'], 'claude', 'stop', 'win32')).toThrow('no Windows shell');
    expect(hookLine(['/n', '/a;b/cairn.js'], 'codex', 'prompt', 'linux')).toBe("/n '/a;b/cairn.js' hook codex prompt");
  });

  it('is known again', () => {
    expect(isOurHook({ command: "/n '/a b/cairn.js' --home '/x y' hook codex prompt" })).toBe(true);
    expect(isOurHook({ hooks: [{ command: 'npx -y cairn-mcp hook claude stop' }] })).toBe(true);
    expect(isOurHook({ hooks: [{ command: 'cairn hook claude stop' }, { command: 'other' }] })).toBe(false);
    expect(isOurHook({ command: 'echo cairn hook' })).toBe(false);
    expect(isOurHook('cairn hook claude stop')).toBe(false);
  });

  it('starts what runs, or npx where that is only a cache', () => {
    expect(runningCommand('/x/cairn.js', 'linux')).toEqual([process.execPath, '/x/cairn.js']);
    expect(runningCommand('/h/.npm/_npx/1/node_modules/.bin/cairn', 'linux')).toEqual(['npx', '-y', 'cairn-mcp']);
    expect(runningCommand(undefined, 'win32')[0]).toBe('cmd');
    expect(commandFrom('"/a b/node"  x.js')).toEqual(['/a b/node', 'x.js']);
  });
});

describe('a diff', () => {
  it('shows changes with three lines around them', () => {
    const before = Array.from({ length: 20 }, (_, index) => `${index}\n`).join('');
    const after = before.replace('2\n', 'two\n').replace('17\n', '').replace('19\n', '19\nend');
    expect(unifiedDiff('f', before, after).split('\n')).toEqual([
      '--- f',
      '+++ f',
      '@@ -1,6 +1,6 @@',
      ' 0',
      ' 1',
      '-2',
      '+two',
      ' 3',
      ' 4',
      ' 5',
      '@@ -15,6 +15,6 @@',
      ' 14',
      ' 15',
      ' 16',
      '-17',
      ' 18',
      ' 19',
      '+end',
      '\\ No newline at end of file',
    ]);
  });

  it('copes with texts that have nothing in common', () => {
    const a = Array.from({ length: 3000 }, (_, index) => `a${index}`).join('\n');
    expect(unifiedDiff('f', a, a.replaceAll('a', 'b')).split('\n').length).toBeGreaterThan(6000);
  });
});

describe('TOML', () => {
  const server = { command: 'C:\\node "x"', args: ['a', 'serve'] };

  it.each([
    '',
    'a = 1\n',
    '# c\r\n[x.y]\r\nb = """\r\n[mcp_servers.cairn]\r\n"""\r\n',
    "s = '''\n# no ''' # yes\n\n[[a.b]]\nlist = [ # one\n  1, 'two]', # three\n]\n",
    '[projects."/a b"]\nt = { x = "}", y = [1] }\n',
  ])('takes a server and gives it back: %j', (text) => {
    const put = putServer({ file: 'f', text }, server);
    expect(put.startsWith(text)).toBe(true);
    expect(findServer({ file: 'f', text: put }).owner).toBe('cairn');
    expect(takeServer({ file: 'f', text: put })).toBe(text);
    expect(putServer({ file: 'f', text: put }, server)).toBe(put);
  });

  it.each([
    ['a = "x\n', 1],
    ['a = 1\n[x\n', 2],
    ['a = [1\n', 1],
    ['a\n', 1],
    ['a = 1 ]\n', 1],
    ['\n= 1\n', 2],
    ['a = """x', 1],
    ['a =\n', 1],
    ['[a] b = 1\n', 1],
  ])('names the line of what is wrong in %j', (text, line) => {
    expect(() => putServer({ file: 'config.toml', text }, server)).toThrow(`config.toml, line ${line}`);
  });

  it('knows every way to write the name', () => {
    const owner = (text: string) => findServer({ file: 'f', text }).owner;
    expect(owner('[ mcp_servers . "cairn" ]\ncommand = "x"\n')).toBe('user');
    expect(owner("[mcp_servers.'cairn']\n")).toBe('user');
    expect(owner('[mcp_servers.cairns]\n')).toBe('nobody');
  });
});
