/** Installing into the folders of each client, and taking it out again. */
import { chmodSync, lstatSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Client, clients, type Scope } from '../../src/doors/cli/install/clients.ts';
import { parseJsonc, plainValue } from '../../src/doors/cli/install/jsonc.ts';
import { apply, type InstallOptions, plan, planUndo, undo } from '../../src/doors/cli/install/plan.ts';
import { command, type Fixture, fixture } from './fixture.ts';

const scopes: readonly Scope[] = ['project', 'user'];
const everywhere = clients.flatMap((client) => scopes.map((scope) => [client, scope] as const));
const shadow = { name: 'cairn_context.md', context: 'We use tabs.' };
const served = { command: command[0], args: [command[1], 'serve'] };

async function install(client: Client, options: InstallOptions) {
  const planned = await plan(client, options);
  await apply(planned);
  return planned;
}

/** Everything that a client can have: hooks, and for VS Code in a project the shadow file. */
function all(scope: Scope, client: Client, options: InstallOptions): InstallOptions {
  return { ...options, scope, hooks: true, ...(client === 'vscode' && scope === 'project' && { shadow }) };
}

const parsed = (text: string) => plainValue(parseJsonc(text, 'f'));

describe.each(everywhere)('%s, for the %s', (client, scope) => {
  it('is installed into empty folders, changes nothing the second time, and leaves no trace', async () => {
    const here = fixture();
    const before = here.tree();
    const options = all(scope, client, here.options);
    const first = await install(client, options);
    expect(first.files.map(({ action }) => action)).toEqual(first.files.map(() => 'created'));
    const installed = here.tree();
    const second = await install(client, options);
    expect(second.files.every(({ action }) => action === 'unchanged')).toBe(true);
    expect(here.tree()).toEqual(installed);
    const undone = await undo(client, { ...here.options, scope });
    expect(undone.files.every(({ action }) => action === 'removed')).toBe(true);
    rmSync(join(here.home, '.local'), { recursive: true });
    expect(here.tree()).toEqual(before);
  });

  it('keeps what others wrote, byte for byte, and brings it back', async () => {
    const here = fixture();
    const options = all(scope, client, here.options);
    const wanted = await plan(client, options);
    for (const { path } of wanted.files) writeOthers(here, path);
    const before = here.tree();
    const planned = await install(client, options);
    expect(planned.files.map(({ action }) => action)).toEqual(planned.files.map(() => 'changed'));
    for (const { path, before: old, after } of planned.files.filter((file) => !file.path.endsWith(shadow.name))) {
      expect(isSubsequence(old?.toString() ?? '', after?.toString() ?? ''), path).toBe(true);
    }
    const undone = await undo(client, { ...here.options, scope });
    expect(undone.files.every(({ action }) => action === 'restored')).toBe(true);
    rmSync(join(here.home, '.local'), { recursive: true });
    expect(here.tree()).toEqual(before);
  });

  it('keeps what the user changed since, and takes out only its own', async () => {
    const here = fixture();
    const options = all(scope, client, here.options);
    const { files } = await install(client, options);
    for (const { path } of files) {
      const text = readFileSync(path, 'utf8');
      writeFileSync(path, path.endsWith('.json') ? text.replace('{', '{ "mine": true,') : `# mine\n${text}`);
    }
    const undone = await undo(client, { ...here.options, scope });
    expect(undone.notes.length).toBeGreaterThan(0);
    for (const { path } of files.filter((file) => !file.path.endsWith(shadow.name))) {
      const text = readFileSync(path, 'utf8');
      expect(text).not.toMatch(/cairn/i);
      if (path.endsWith('.json')) expect(parsed(text)).toMatchObject({ mine: true });
      else expect(text.trim()).toBe('# mine');
    }
    expect(await planUndo(client, { ...here.options, scope })).toMatchObject({ files: [] });
  });

  it('writes nothing for a plan that is not carried out', async () => {
    const here = fixture();
    const before = here.tree();
    await plan(client, all(scope, client, here.options));
    expect(here.tree()).toEqual(before);
  });

  it('touches no file if one of them cannot be read', async () => {
    const here = fixture();
    const options = all(scope, client, here.options);
    const broken =
      (await plan(client, options)).files.filter(({ path }) => /\.(json|toml)$/.test(path)).at(-1)?.path ?? '';
    mkdirSync(join(broken, '..'), { recursive: true });
    writeFileSync(broken, broken.endsWith('.toml') ? 'a = 1\nb = "' : '{\n  "a": \n');
    const before = here.tree();
    await expect(plan(client, options)).rejects.toThrow(new RegExp(`${broken.replaceAll('.', '\\.')}, line \\d`));
    expect(here.tree()).toEqual(before);
  });
});

function writeOthers(here: Fixture, path: string): void {
  const relative = path.slice(here.home.length + 1);
  if (path.endsWith('.toml'))
    here.write(relative, '# mine\r\nmodel = "x"\r\n\r\n[mcp_servers.other]\r\ncommand = "o" # [mcp_servers.cairn]\r\n');
  else if (path.endsWith(shadow.name)) here.write(relative, '<!-- cairn: generated context -->\nold\n');
  else if (path.endsWith('.md')) here.write(relative, '# Rules\n\nBe kind.');
  else {
    const other =
      '{\r\n\t// mine\r\n\t"mcpServers": { "other": { "command": "o" } }, /* why */\r\n\t"servers": {},\r\n\t"hooks": {\r\n\t\t"Stop": [\r\n\t\t\t{ "hooks": [{ "type": "command", "command": "say done" }] }, // last\r\n\t\t],\r\n\t},\r\n}\r\n';
    here.write(relative, `\uFEFF${other}`, 0o600);
  }
}

function isSubsequence(part: string, whole: string): boolean {
  let at = 0;
  for (const char of whole) if (char === part[at]) at++;
  return at >= part.length;
}

describe('what is written', () => {
  it('registers Claude Code with hooks, as its settings want them', async () => {
    const here = fixture();
    await install('claude', here.options);
    expect(parsed(here.read('.claude.json'))).toEqual({ mcpServers: { cairn: { type: 'stdio', ...served } } });
    const hook = (event: string) => [
      { hooks: [{ type: 'command', command: `/opt/node /opt/cairn/cairn.js hook claude ${event}`, timeout: 5 }] },
    ];
    expect(parsed(here.read('.claude/settings.json'))).toEqual({
      hooks: { UserPromptSubmit: hook('prompt'), Stop: hook('stop') },
    });
  });

  it.each(clients)('is for %s what the page about clients shows', async (client) => {
    const here = fixture();
    const page = readFileSync(join(import.meta.dirname, '../../docs/clients.md'), 'utf8');
    const asShown = { ...here.options, command: ['node', '/opt/cairn/dist/cairn.js'], hooks: true };
    const { files } = await plan(client, { ...asShown, ...(client === 'vscode' && { shadow }) });
    for (const { path, after } of files.filter((file) => !file.path.endsWith(shadow.name))) {
      expect(page, path).toContain(`\n${after?.toString()}\`\`\`\n`);
    }
  });

  it('registers Codex in a table of its own', async () => {
    const here = fixture();
    here.write('.codex/config.toml', 'model = "x"');
    await install('codex', here.options);
    expect(here.read('.codex/config.toml')).toBe(
      'model = "x"\n\n# Written by cairn install; cairn uninstall takes it out.\n[mcp_servers.cairn]\ncommand = "/opt/node"\nargs = ["/opt/cairn/cairn.js", "serve"]\n',
    );
  });

  it('names the home that was asked for, and quotes what a shell would take apart', async () => {
    const here = fixture();
    await install('cursor', { ...here.options, command: ["/a b/it's", '/x/cairn.js'], cairnHome: 'know ledge' });
    const home = join(here.project, 'know ledge');
    const { hooks } = parsed(here.read('code/app/.cursor/hooks.json')) as {
      hooks: Record<string, { command: string }[]>;
    };
    expect(hooks.stop?.[0]?.command).toBe(`'/a b/it'\\''s' /x/cairn.js --home '${home}' hook cursor stop`);
    expect(parsed(here.read('code/app/.cursor/mcp.json'))).toMatchObject({
      mcpServers: { cairn: { args: ['/x/cairn.js', '--home', home, 'serve'] } },
    });
  });

  it('serves Roo Code and Cline where they are present', async () => {
    const here = fixture();
    const storage = '.config/Code/User/globalStorage';
    here.write(`${storage}/saoudrizwan.claude-dev/settings/cline_mcp_settings.json`, '{"mcpServers":{}}');
    mkdirSync(join(here.home, storage, 'rooveterinaryinc.roo-cline/settings'), { recursive: true });
    mkdirSync(join(here.project, '.roo'));
    const forUser = await install('vscode', { ...here.options, scope: 'user' });
    expect(forUser.files.map(({ action }) => action)).toEqual(['created', 'created', 'changed']);
    const forProject = await install('vscode', here.options);
    expect(forProject.files.map(({ path }) => path.slice(here.project.length))).toEqual([
      '/.vscode/mcp.json',
      '/.roo/mcp.json',
    ]);
    expect(forProject.notes.join()).toContain('--scope user');
  });

  it('goes where the environment puts the folders of a client', async () => {
    const here = fixture();
    const env = { CLAUDE_CONFIG_DIR: join(here.home, 'cl'), CODEX_HOME: join(here.home, 'cx') };
    const paths = [
      ...(await plan('claude', { ...here.options, env })).files,
      ...(await plan('codex', { ...here.options, env })).files,
    ];
    expect(paths.map(({ path }) => path.slice(here.home.length))).toEqual([
      '/cl/.claude.json',
      '/cl/settings.json',
      '/cx/config.toml',
      '/cx/hooks.json',
    ]);
  });
});

describe('what is somebody else’s', () => {
  it.each([
    ['claude', '.claude.json', '{ "mcpServers": { "cairn": { "command": "mine" } } }'],
    ['codex', '.codex/config.toml', '[mcp_servers.cairn]\ncommand = "mine"\n'],
  ] as const)('leaves a server named cairn that the user made for %s, unless forced', async (client, path, text) => {
    const here = fixture();
    here.write(path, text);
    const planned = await install(client, here.options);
    expect(here.read(path)).toBe(text);
    expect(planned.notes.join()).toContain('--force');
    await undo(client, here.options);
    expect(here.read(path)).toBe(text);
    await install(client, { ...here.options, force: true });
    expect(here.read(path)).not.toContain('mine');
    await undo(client, here.options);
    expect(here.read(path)).toBe(text);
  });

  it('updates its own server and hooks when Cairn has moved, and still restores the first bytes', async () => {
    const here = fixture();
    here.write('.gemini/settings.json', '{"theme":"x"}');
    await install('gemini', here.options);
    const moved = await install('gemini', { ...here.options, command: ['/new/node', '/new/cairn.js'] });
    expect(moved.files[0]?.action).toBe('changed');
    expect(here.read('.gemini/settings.json')).not.toContain('/opt/');
    expect(here.read('.gemini/settings.json').match(/hook gemini/g)).toHaveLength(2);
    await undo('gemini', here.options);
    expect(here.read('.gemini/settings.json')).toBe('{"theme":"x"}');
  });

  it('leaves a hook where the user has moved it, and takes it out of there', async () => {
    const here = fixture();
    const ours = '/opt/node /opt/cairn/cairn.js hook claude stop';
    here.write(
      '.claude/settings.json',
      JSON.stringify({ hooks: { Stop: [{ hooks: [{ command: 'a' }, { command: ours }, { command: 'b' }] }] } }),
    );
    await install('claude', here.options);
    expect(here.read('.claude/settings.json').match(/hook claude stop/g)).toHaveLength(1);
    here.write('.claude/settings.json', here.read('.claude/settings.json').replace('{', '{ "x": 1,'));
    await undo('claude', here.options);
    expect(parsed(here.read('.claude/settings.json'))).toEqual({
      x: 1,
      hooks: { Stop: [{ hooks: [{ command: 'a' }, { command: 'b' }] }] },
    });
  });

  it('knows its own hooks under a command of any name', async () => {
    const here = fixture();
    const options = { ...here.options, command: ['/opt/knowledge'] };
    await install('claude', options);
    expect((await plan('claude', options)).files.every(({ action }) => action === 'unchanged')).toBe(true);
  });

  it('keeps tables that Codex wrote after ours', async () => {
    const here = fixture();
    await install('codex', here.options);
    const approved = '\n[mcp_servers.cairn.tools.query]\napproval_mode = "approve"\n';
    const theirs = '\n[projects."/x"]\ntrust_level = "trusted"\n';
    here.write('.codex/config.toml', here.read('.codex/config.toml') + approved + theirs);
    await undo('codex', here.options);
    expect(here.read('.codex/config.toml').trim()).toBe(theirs.trim());
  });

  it('says so when mcp_servers of Codex is written in a way that takes no table', async () => {
    const here = fixture();
    here.write('.codex/config.toml', 'mcp_servers = { a = { command = "x" } }\n');
    await expect(plan('codex', here.options)).rejects.toThrow('config.toml, line 1');
    here.write('.codex/config.toml', '[mcp_servers]\ncairn.command = "x"\n');
    await expect(plan('codex', here.options)).rejects.toThrow('line 2: the server cairn is there already');
  });

  it('is found by what it says when the record is lost', async () => {
    const here = fixture();
    here.write('.claude/settings.json', '{ "model": "x" }');
    await install('claude', here.options);
    rmSync(join(here.home, '.local'), { recursive: true });
    await undo('claude', here.options);
    expect(here.read('.claude.json') + here.read('.claude/settings.json')).not.toContain('/opt/cairn');
    expect(parsed(here.read('.claude/settings.json'))).toMatchObject({ model: 'x' });
  });
});

describe('the files themselves', () => {
  it('writes through a link and keeps it, and keeps the mode', async () => {
    const here = fixture();
    const real = here.write('dotfiles/claude.json', '{}', 0o600);
    chmodSync(real, 0o600);
    symlinkSync(real, join(here.home, '.claude.json'));
    await install('claude', here.options);
    expect(lstatSync(join(here.home, '.claude.json')).isSymbolicLink()).toBe(true);
    expect(here.read('dotfiles/claude.json')).toContain('cairn');
    expect(statSync(real).mode & 0o777).toBe(0o600);
    await undo('claude', here.options);
    expect(here.read('dotfiles/claude.json')).toBe('{}');
    expect(lstatSync(join(here.home, '.claude.json')).isSymbolicLink()).toBe(true);
  });

  it('keeps the bytes from before where nobody else can read them', async () => {
    const here = fixture();
    here.write('.claude.json', '{ "apiKey": "secret-of-mine" }');
    const { recordPath } = await install('claude', here.options);
    expect(statSync(recordPath).mode & 0o777).toBe(0o600);
    expect(statSync(join(here.home, '.claude/settings.json')).mode & 0o777).toBe(0o600);
  });

  it.each(['.vscode', '.vscode/mcp.json'])('does not follow %s out of a project', async (link) => {
    const here = fixture();
    const outside = link.endsWith('json')
      ? here.write('private.json', '{}')
      : join(here.write('private/mcp.json', '{}'), '..');
    mkdirSync(join(here.project, link, '..'), { recursive: true });
    symlinkSync(outside, join(here.project, link));
    await expect(plan('vscode', here.options)).rejects.toThrow('leads out of the project');
  });

  it('refuses a link that leads nowhere, a folder, and what is no UTF-8', async () => {
    const here = fixture();
    symlinkSync(join(here.home, 'nowhere'), join(here.home, '.claude.json'));
    await expect(plan('claude', here.options)).rejects.toThrow('leads nowhere');
    mkdirSync(join(here.home, '.gemini/settings.json'), { recursive: true });
    await expect(plan('gemini', here.options)).rejects.toThrow('no file that can be changed');
    here.write('.codex/config.toml', Buffer.from([0x61, 0xff]));
    await expect(plan('codex', here.options)).rejects.toThrow('not UTF-8');
  });

  it('does not write over what a client wrote in the meantime', async () => {
    const here = fixture();
    here.write('.claude.json', '{}');
    const planned = await plan('claude', here.options);
    here.write('.claude.json', '{"numStartups":2}');
    await expect(apply(planned)).rejects.toThrow('changed by another program');
    expect(here.read('.claude.json')).toBe('{"numStartups":2}');
  });

  it('takes an empty file for one without settings', async () => {
    const here = fixture();
    here.write('.gemini/settings.json', '');
    await install('gemini', here.options);
    expect(parsed(here.read('.gemini/settings.json'))).toMatchObject({ mcpServers: { cairn: served } });
    await undo('gemini', here.options);
    expect(here.read('.gemini/settings.json')).toBe('');
  });
});
