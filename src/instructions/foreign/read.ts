/** Reads foreign files of any kind into facts that derive() makes entries of, with an account of everything else. */
import { readAgentFile } from './agent-file.ts';
import {
  type Draft,
  type ForeignCatalog,
  type ForeignFile,
  type ForeignKind,
  type ForeignOptions,
  type ForeignProblem,
  type IgnoredFile,
  MAX_FILE_BYTES,
  type Mapping,
  type Reading,
} from './catalog.ts';
import { withSettledIds } from './identity.ts';
import { readIndexServer } from './index-server.ts';
import { recognise } from './kind.ts';
import { readMarkdown } from './markdown.ts';

const readers: Readonly<Record<ForeignKind, (file: ForeignFile) => Reading>> = {
  'index-server': readIndexServer,
  markdown: readMarkdown,
  'agent-file': readAgentFile,
};

export function readForeign(files: readonly ForeignFile[], options: ForeignOptions = {}): ForeignCatalog {
  const drafts: Draft[] = [];
  const problems: ForeignProblem[] = [];
  const ignored: IgnoredFile[] = [];
  for (const file of files) {
    const reading = readFile(file, options);
    // One by one: a backup may hold more entries than a call can have arguments.
    for (const draft of reading.drafts) drafts.push(draft);
    for (const problem of reading.problems ?? []) problems.push(problem);
    if (reading.ignored !== undefined) ignored.push({ path: file.path, why: reading.ignored });
  }
  const settled = withSettledIds(drafts);
  return {
    entries: settled.map(({ facts, from }) => ({ facts, from })),
    mappings: settled.flatMap(mappingsOf),
    problems,
    ignored,
  };
}

function readFile({ path, text }: ForeignFile, { kind }: ForeignOptions): Reading {
  // Counting bytes of a text that is surely too long would only cost time.
  if (text.length > MAX_FILE_BYTES || Buffer.byteLength(text) > MAX_FILE_BYTES) {
    const error = `${path} is larger than ${MAX_FILE_BYTES} bytes`;
    return { drafts: [], problems: [{ path, error, code: 'file_too_large' }] };
  }
  const file = { path, text: text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n') };
  const recognised = recognise(file, kind);
  return 'kind' in recognised ? readers[recognised.kind](file) : { drafts: [], ignored: recognised.ignored };
}

function mappingsOf({ path, facts, changes }: Draft): Mapping[] {
  return changes.map(({ field, from, to, why }) => ({
    path,
    id: facts.id,
    field: cut(field),
    from: shown(from),
    to: shown(to),
    why,
  }));
}

/** A mapping is read by people: long values are cut, nested ones written as JSON. */
function shown(value: unknown): unknown {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
  return cut(typeof value === 'string' ? value : written(value));
}

function cut(text: string): string {
  return text.length <= 500 ? text : `${text.slice(0, 499)}…`;
}

function written(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return '(nested too deeply to be shown)';
  }
}
