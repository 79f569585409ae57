/**
 * The YAML block at the top of a Markdown file. It comes from strangers, so: no tags of any kind, few aliases, a limit on
 * its size, and whatever goes wrong is told as text; the Markdown below it is not the worse for it.
 */
import { parseDocument } from 'yaml';
import { plainFields } from './plain-yaml.ts';

export interface FrontMatter {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** What is wrong with the block; then `fields` is empty. */
  readonly problem?: string;
}

const MAX_LENGTH = 65_536;
/** Each name is compared with all others. */
const MAX_LINES = 2000;
/** Enough for a hand-written block, and too few for the kind that unfolds to gigabytes. */
const MAX_ALIASES = 20;

export function frontMatterOf(text: string, maxLength = MAX_LENGTH): FrontMatter {
  const lines = text.split('\n');
  if (lines[0]?.trimEnd() !== '---') return { fields: {}, body: text };
  const end = lines.findIndex((line, index) => index > 0 && /^(?:---|\.\.\.)[ \t]*$/.test(line));
  if (end < 0) return { fields: {}, body: text, problem: 'its front matter begins with --- and never ends' };
  const body = lines.slice(end + 1).join('\n');
  const block = lines.slice(1, end);
  const problem = excessOf(block, maxLength);
  if (problem !== undefined) return { fields: {}, body, problem };
  const fields = plainFields(block);
  if (fields !== undefined) return { body, fields };
  const yaml = block.map(withQuotedGlob).join('\n');
  return { body, ...fieldsOf(yaml) };
}

/** Threat: a block that is written to keep its reader busy. Said before anything looks closer. */
function excessOf(lines: readonly string[], maxLength: number): string | undefined {
  const length = lines.reduce((sum, line) => sum + line.length + 1, 0);
  if (length > maxLength) return `its front matter has over ${maxLength} characters`;
  if (lines.length > MAX_LINES) return `its front matter has over ${MAX_LINES} lines`;
  return lines.some((line) => /(?:[[{][ \t]*){50}/.test(line))
    ? 'its front matter is not sound YAML: it is nested too deep'
    : undefined;
}

function fieldsOf(yaml: string): Pick<FrontMatter, 'fields' | 'problem'> {
  try {
    const document = parseDocument(yaml, {
      schema: 'core',
      resolveKnownTags: false,
      stringKeys: true,
    });
    const [wrong] = [...document.errors, ...document.warnings];
    if (wrong !== undefined) return malformed(wrong.message);
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    if (value === null) return { fields: {} };
    if (isCircular(value)) return malformed('a value contains itself');
    return isRecord(value) ? { fields: value } : malformed('it is not a list of names and values');
  } catch (thrown) {
    return malformed(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

/** An alias inside of its own anchor is sound YAML, and endless for whoever walks through it or writes it down. */
function isCircular(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return false;
  } catch {
    return true;
  }
}

function malformed(reason: string): Pick<FrontMatter, 'fields' | 'problem'> {
  const [line = ''] = reason.split('\n');
  return { fields: {}, problem: `its front matter is not sound YAML: ${line.replace(/:$/, '')}` };
}

/** Cursor writes `globs: **\/*.ts` without quotes, which YAML takes for an alias. An alias never looks like a path. */
function withQuotedGlob(line: string): string {
  const [, name, glob] = /^(\s*(?:-|[\w-]+:)\s+)(\*(?:|[^\s'"]*[/.*{][\s\S]*))$/.exec(line.trimEnd()) ?? [];
  return name === undefined || glob === undefined ? line : `${name}'${glob.replaceAll("'", "''")}'`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
