/**
 * The clients, and what each wants to find where. The formats are those of autumn 2026; docs/clients.md names the sources
 * and shows the files as they come out.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Edit } from './edit.ts';
import { type HookEvent, hookLine } from './invocation.ts';
import { shadowEdits } from './shadow.ts';

export const clients = ['vscode', 'claude', 'cursor', 'gemini', 'codex'] as const;
export type Client = (typeof clients)[number];
export type Scope = 'project' | 'user';

export interface Place {
  readonly client: Client;
  readonly scope: Scope;
  /** The folder of the user. */
  readonly home: string;
  readonly project: string;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The words that start Cairn, `--home` included. */
  readonly words: readonly string[];
  readonly hooks: boolean;
  readonly shadow?: { readonly name: string; readonly context: string };
}

export interface FileEdits {
  readonly path: string;
  readonly edits: readonly Edit[];
}

export interface ClientFacts {
  readonly name: string;
  /** Where an install goes when nobody says. */
  readonly scope: Scope;
  /** Whether hooks are written when nobody says. */
  readonly hooks: boolean;
  readonly next: string;
  files(place: Place): FileEdits[];
  notes?(place: Place): string[];
}

/** Long enough for a slow machine to start node; Cairn itself answers within 300 ms or not at all. */
const SECONDS = 5;

export const clientFacts: Readonly<Record<Client, ClientFacts>> = {
  claude: {
    name: 'Claude Code',
    scope: 'user',
    hooks: true,
    next: 'Start Claude Code anew; /mcp and /hooks show what it found.',
    files(place) {
      const folder = place.scope === 'project' ? join(place.project, '.claude') : claudeFolder(place);
      const servers = place.scope === 'project' ? join(place.project, '.mcp.json') : claudeServers(place);
      return [
        { path: servers, edits: [server(place, ['mcpServers'], { type: 'stdio' })] },
        {
          path: join(folder, 'settings.json'),
          edits: groupedHooks(place, { UserPromptSubmit: 'prompt', Stop: 'stop' }, SECONDS),
        },
      ];
    },
  },
  cursor: {
    name: 'Cursor',
    scope: 'project',
    hooks: true,
    next: 'Open a new chat in Cursor; Settings, MCP and Settings, Hooks show what it found.',
    files(place) {
      const folder = join(place.scope === 'project' ? place.project : place.home, '.cursor');
      return [
        { path: join(folder, 'mcp.json'), edits: [server(place, ['mcpServers'], { type: 'stdio' })] },
        {
          path: join(folder, 'hooks.json'),
          edits: flatHooks(place, { beforeSubmitPrompt: 'prompt', afterAgentResponse: 'response', stop: 'stop' }, {}),
        },
      ];
    },
  },
  gemini: {
    name: 'Gemini CLI',
    scope: 'user',
    hooks: true,
    next: 'Start Gemini CLI anew; /mcp and /hooks show what it found.',
    files(place) {
      const folder = join(place.scope === 'project' ? place.project : place.home, '.gemini');
      const hooks = groupedHooks(place, { BeforeAgent: 'prompt', AfterAgent: 'stop' }, SECONDS * 1000);
      return [{ path: join(folder, 'settings.json'), edits: [server(place, ['mcpServers'], {}), ...hooks] }];
    },
  },
  codex: {
    name: 'Codex',
    scope: 'user',
    hooks: true,
    next: 'Start Codex anew; it runs the hooks once you have approved them in /hooks.',
    files(place) {
      const folder = place.scope === 'project' ? join(place.project, '.codex') : codexFolder(place);
      const { command, args } = started(place);
      return [
        { path: join(folder, 'config.toml'), edits: [{ kind: 'toml', server: { command, args } }] },
        {
          path: join(folder, 'hooks.json'),
          edits: groupedHooks(place, { UserPromptSubmit: 'prompt', Stop: 'stop' }, SECONDS),
        },
      ];
    },
    notes(place) {
      const config = join(
        place.scope === 'project' ? join(place.project, '.codex') : codexFolder(place),
        'config.toml',
      );
      const inline = place.hooks && existsSync(config) && /^\s*\[+\s*hooks\b/m.test(readFileSync(config, 'utf8'));
      return [
        ...(place.scope === 'project' ? ['Codex reads .codex/ of a project only once you trust the project.'] : []),
        ...(inline
          ? ['Codex reads hooks from config.toml and hooks.json both, and remarks on it when it starts.']
          : []),
      ];
    },
  },
  vscode: {
    name: 'VS Code',
    scope: 'project',
    // Hooks are a preview there, and a project's are run by the cloud agent as well: only when asked for.
    hooks: false,
    next: 'Run "MCP: List Servers" in VS Code and start cairn.',
    files(place) {
      const settings = place.scope === 'project' ? join(place.project, '.vscode') : codeFolder(place);
      const hooks = place.scope === 'project' ? join(place.project, '.github') : join(place.home, '.copilot');
      return [
        { path: join(settings, 'mcp.json'), edits: [server(place, ['servers'], { type: 'stdio' })] },
        ...extensions(place).map((path) => ({ path, edits: [server(place, ['mcpServers'], {})] })),
        {
          path: join(hooks, 'hooks', 'cairn.json'),
          edits: flatHooks(place, { UserPromptSubmit: 'prompt', Stop: 'stop' }, { type: 'command' }),
        },
        ...(place.shadow === undefined ? [] : shadowEdits(place.project, place.shadow.name, place.shadow.context)),
      ];
    },
    notes(place) {
      const present = clineFolders(place).some((folder) => existsSync(folder));
      return place.scope === 'project' && present
        ? ['Cline knows no settings of a project; cairn install vscode --scope user registers Cairn there.']
        : [];
    },
  },
};

function started({ words }: Place): { command: string; args: string[] } {
  const [command = '', ...args] = words;
  return { command, args: [...args, 'serve'] };
}

function server(place: Place, at: readonly string[], more: object): Edit {
  return { kind: 'server', at: [...at, 'cairn'], value: { ...more, ...started(place) } };
}

/** Claude Code, Gemini CLI and Codex: each entry of an event is a group of hooks. */
function groupedHooks(place: Place, events: Readonly<Record<string, HookEvent>>, timeout: number): Edit[] {
  if (!place.hooks) return [];
  return Object.entries(events).map(([name, event]) => ({
    kind: 'hook',
    at: ['hooks', name],
    value: { hooks: [{ type: 'command', command: lineFor(place, event), timeout }] },
  }));
}

/** Cursor and VS Code: each entry of an event is a hook, and the file says its version. */
function flatHooks(place: Place, events: Readonly<Record<string, HookEvent>>, more: object): Edit[] {
  if (!place.hooks) return [];
  return [
    { kind: 'default', at: ['version'], value: 1 },
    ...Object.entries(events).map(
      ([name, event]): Edit => ({
        kind: 'hook',
        at: ['hooks', name],
        value: { ...more, command: lineFor(place, event), timeout: SECONDS },
      }),
    ),
  ];
}

function lineFor({ words, client, platform }: Place, event: HookEvent): string {
  return hookLine(words, client, event, platform);
}

function claudeFolder({ home, env }: Place): string {
  return env.CLAUDE_CONFIG_DIR || join(home, '.claude');
}

function claudeServers({ home, env }: Place): string {
  return join(env.CLAUDE_CONFIG_DIR || home, '.claude.json');
}

function codexFolder({ home, env }: Place): string {
  return env.CODEX_HOME || join(home, '.codex');
}

/** Where VS Code keeps what belongs to the user. */
function codeFolder({ home, env, platform }: Place): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Code', 'User');
  if (platform === 'win32') return join(env.APPDATA || join(home, 'AppData', 'Roaming'), 'Code', 'User');
  return join(env.XDG_CONFIG_HOME || join(home, '.config'), 'Code', 'User');
}

/** Roo Code and Cline have settings of their own; they are served where they are present. */
function extensions(place: Place): string[] {
  const roo = join(codeFolder(place), 'globalStorage', 'rooveterinaryinc.roo-cline', 'settings');
  const folders: [string, string][] =
    place.scope === 'project'
      ? [[join(place.project, '.roo'), 'mcp.json']]
      : [
          [roo, 'mcp_settings.json'],
          ...clineFolders(place).map((folder): [string, string] => [folder, 'cline_mcp_settings.json']),
        ];
  return folders.filter(([folder]) => existsSync(folder)).map(([folder, name]) => join(folder, name));
}

/** The folder of the extension, and the one that Cline's newer programs share. */
function clineFolders(place: Place): string[] {
  return [
    join(codeFolder(place), 'globalStorage', 'saoudrizwan.claude-dev', 'settings'),
    join(place.home, '.cline', 'data', 'settings'),
  ];
}
