/** Which kind a foreign file is, by its name and, where the name leaves it open, its content; or why it is of none. */
import type { ForeignFile, ForeignKind } from './catalog.ts';

export type Recognition = { readonly kind: ForeignKind } | { readonly ignored: string };

/** Files that a coding agent reads whole, and the category that entries from them get. */
const agentFiles: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\/)agents\.md$/i, 'agents'],
  [/(?:^|\/)claude\.md$/i, 'claude'],
  [/(?:^|\/)gemini\.md$/i, 'gemini'],
  [/(?:^|\/)\.cursorrules$/i, 'cursor'],
  [/\.mdc$/i, 'cursor'],
  [/(?:^|\/)copilot-instructions\.md$/i, 'copilot'],
  [/(?:^|\/)\.windsurfrules$/i, 'windsurf'],
  [/(?:^|\/)\.clinerules$/i, 'cline'],
  [/(?:^|\/)\.roorules$/i, 'roo'],
  [/(?:^|\/)\.junie\/guidelines\.md$/i, 'junie'],
];

/** Folders whose every Markdown file is a rule; one with front matter is one entry, as Copilot's are. */
const ruleFolders: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\/)\.windsurf\/rules\/[^/]+\.md$/i, 'windsurf'],
  [/(?:^|\/)\.clinerules\/[^/]+\.md$/i, 'cline'],
  [/(?:^|\/)\.roo\/rules[^/]*\/[^/]+\.md$/i, 'roo'],
  [/(?:^|\/)\.kiro\/steering\/[^/]+\.md$/i, 'kiro'],
];

/** Files that begin with a dot and have no ending. */
export const dottedRules = /^\.(?:cursor|windsurf|cline|roo)rules$/i;

/** Whether a file of a project is there to tell coding agents how to work, going by its name alone. */
export function isRuleFile(path: string): boolean {
  const way = slashed(path);
  if (/\.mdc$/i.test(way)) return /(?:^|\/)\.cursor\/rules\//i.test(way);
  if (/\.instructions\.md$/i.test(way)) return true;
  return [...agentFiles, ...ruleFolders].some(([name]) => name.test(way));
}

/** Files of an index-server folder that configure it. */
const settings = new Set(['gates.json', 'owners.json']);

export function recognise({ path, text }: ForeignFile, wanted?: ForeignKind): Recognition {
  const unfit = notAnInstruction(path, text);
  if (unfit !== undefined) return { ignored: unfit };
  const kind = wanted === undefined ? kindOf(path, text) : couldBe(path, wanted) ? wanted : undefined;
  if (kind !== undefined) return { kind };
  return { ignored: wanted === undefined ? noneOf(path) : `it cannot be read as ${wanted}` };
}

export function agentOf(path: string): string {
  return [...agentFiles, ...ruleFolders].find(([name]) => name.test(slashed(path)))?.[1] ?? 'agents';
}

export const slashed = (path: string): string => path.replaceAll('\\', '/');

export function nameOf(path: string): string {
  return slashed(path).split('/').at(-1) ?? path;
}

/** `a11y.instructions.md` is `a11y`; `.cursorrules` is `cursorrules`. */
export function stemOf(name: string): string {
  return name.replace(/^\./, '').replace(/(?:\.instructions)?\.(?:md|mdc|markdown|json)$/i, '');
}

function notAnInstruction(path: string, text: string): string | undefined {
  const name = nameOf(path);
  if (slashed(path).split('/').includes('_templates')) return 'it is a template of the index server';
  if (isJson(path) && name.startsWith('_')) return 'its name begins with _: a side file of the index server';
  if (settings.has(name.toLowerCase())) return 'it holds settings, not an instruction';
  return text.trim() === '' ? 'it is empty' : undefined;
}

function kindOf(path: string, text: string): ForeignKind | undefined {
  if (agentFiles.some(([name]) => name.test(slashed(path)))) return 'agent-file';
  if (/\.instructions\.md$/i.test(path) || (isMarkdown(path) && hasFrontMatter(text))) return 'markdown';
  if (ruleFolders.some(([name]) => name.test(slashed(path)))) return 'agent-file';
  return isJson(path) ? 'index-server' : undefined;
}

function couldBe(path: string, kind: ForeignKind): boolean {
  return kind === 'index-server'
    ? isJson(path)
    : isMarkdown(path) || /\.(?:mdc|txt)$/i.test(path) || dottedRules.test(nameOf(path));
}

function noneOf(path: string): string {
  if (isMarkdown(path)) return 'it is Markdown without front matter, under a name that no agent reads';
  return 'neither its name nor its content is of a kind that Cairn reads';
}

const isJson = (path: string): boolean => /\.json$/i.test(path);
const isMarkdown = (path: string): boolean => /\.(?:md|markdown)$/i.test(path);

/** Between two lines of dashes, and with a name and a value in it: else the dashes are only a rule on the page. */
function hasFrontMatter(text: string): boolean {
  const lines = text.split('\n');
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---');
  return lines[0]?.trimEnd() === '---' && lines.slice(1, Math.max(1, end)).some((line) => /^[\w-]+:/.test(line));
}
