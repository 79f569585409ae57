/** How a client starts Cairn: as a list of words where it takes one, as a line for a shell where it takes that. */
import { CairnError } from '../../../errors.ts';

export const hookEvents = ['prompt', 'response', 'stop'] as const;
export type HookEvent = (typeof hookEvents)[number];

/**
 * The node that runs us and our own script, by their full paths: an editor started from a dock has no PATH to find them
 * with, and a hook has no time for npx. The cache of npx is no place to point to, so what came from there is npx again.
 */
export function runningCommand(script: string | undefined, platform: NodeJS.Platform): string[] {
  const npx = platform === 'win32' ? ['cmd', '/c', 'npx', '-y', 'cairn-mcp'] : ['npx', '-y', 'cairn-mcp'];
  return script === undefined || /[\\/]_npx[\\/]/.test(script) ? npx : [process.execPath, script];
}

/** `--command "npx -y cairn-mcp"`: words parted by blanks, double quotes around those that have some. */
export function commandFrom(written: string): string[] {
  return [...written.matchAll(/"([^"]*)"|(\S+)/g)].map(([, inQuotes, bare]) => inQuotes ?? bare ?? '');
}

/** The line that a client gives to its shell. Only our own words are in it: what a person typed comes through stdin. */
export function hookLine(
  words: readonly string[],
  client: string,
  event: HookEvent,
  platform: NodeJS.Platform,
): string {
  const line = platform === 'win32' ? windowsLine(words) : words.map(posixWord).join(' ');
  return `${line} hook ${client} ${event}`;
}

function posixWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * The same line must do for cmd, PowerShell and Git Bash. A quoted first word is no command in PowerShell, so a node whose
 * path has blanks is called by its name; slashes lean forward, which all three understand.
 */
function windowsLine(words: readonly string[]): string {
  const [program = '', ...rest] = words.map((word) => word.replaceAll('\\', '/'));
  const unsafe = [program, ...rest].find((word) => /["%$`!^&|<>]/.test(word));
  if (unsafe !== undefined) {
    throw new CairnError('validation_failed', `${unsafe} has a character that no Windows shell takes as it is.`, {
      suggestion: 'Move Cairn to a folder without such characters, or add --no-hooks.',
    });
  }
  const called = program.includes(' ') ? (program.split('/').at(-1) ?? program).replace(/\.exe$/i, '') : program;
  return [called, ...rest.map((word) => (word.includes(' ') ? `"${word}"` : word))].join(' ');
}

/** Whether an entry of a hook list, flat or with a list of its own, does nothing but call Cairn. */
export function isOurHook(entry: unknown): boolean {
  if (typeof entry !== 'object' || entry === null) return false;
  const { command, hooks } = entry as { command?: unknown; hooks?: unknown };
  if (Array.isArray(hooks)) return hooks.length > 0 && hooks.every(isOurHook);
  return typeof command === 'string' && isOurLine(command);
}

function isOurLine(line: string): boolean {
  const [, words, event = ''] = /^(.*)\shook\s+[a-z]+\s+([a-z]+)\s*$/s.exec(line) ?? [];
  return words !== undefined && /cairn/i.test(words) && (hookEvents as readonly string[]).includes(event);
}
