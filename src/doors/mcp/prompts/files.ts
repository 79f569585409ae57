/**
 * Prompts that people write: `PROMPT-*.md` in the prompts folder, named as S4 says (`PROMPT-research-mcp.md` is
 * `research_mcp`). They are read each time they are asked for, so an edit is live.
 *
 * Threat: the folder may come with somebody else's project. A link, a pipe or a folder is no file here (the store sees to
 * that), a large file is not read, and what is no text, or has a name that does not show, is no prompt.
 */
import { CairnError, explain, toCairnError } from '../../../errors.ts';
import type { FileStamp } from '../../../store/store.ts';
import { subjectOf } from './markdown.ts';
import { type Asking, refusal, type WrittenPrompt } from './prompt.ts';

const filePattern = /^PROMPT-(.+)\.md$/u;
const hidden = /[\p{C}\p{Zl}\p{Zp}]/u;
const LARGEST = 1024 * 1024;
/** Enough of a file to see what it is about. */
const BEGINNING = 8 * 1024;
const MOST = 500;

export interface FilePrompt extends WrittenPrompt {
  readonly file: string;
}

interface Candidate {
  readonly name: string;
  readonly file: string;
  readonly size: number;
}

/** One for each name, in the order of the files; those that cannot be served are left out. */
export async function filePrompts(asking: Asking): Promise<FilePrompt[]> {
  const found = new Map<string, FilePrompt>();
  for (const candidate of await candidates(asking)) {
    if (found.size >= MOST) break;
    if (found.has(candidate.name)) continue;
    const prompt = await look(asking, candidate);
    if ('description' in prompt) found.set(prompt.name, prompt);
  }
  return [...found.values()];
}

/** The prompt of that name with its whole text; a file that has the name but cannot be served says why. */
export async function readFilePrompt(
  asking: Asking,
  name: string,
): Promise<{ prompt: FilePrompt; text: string } | { problem: string } | undefined> {
  let problem: string | undefined;
  for (const candidate of await candidates(asking)) {
    if (candidate.name !== name) continue;
    const prompt = await look(asking, candidate);
    if ('description' in prompt) return { prompt, text: await wholeText(asking, prompt.file) };
    problem ??= `${candidate.file} ${prompt.problem}`;
  }
  return problem === undefined ? undefined : { problem };
}

async function candidates({ app }: Asking): Promise<Candidate[]> {
  let stamps: FileStamp[];
  try {
    stamps = await app.store.files.list('prompts');
  } catch (thrown) {
    app.log.warn('The prompts folder cannot be read', { reason: explain(toCairnError(thrown)) });
    return [];
  }
  return stamps.flatMap(({ name: file, size }) => {
    const stem = filePattern.exec(file)?.[1];
    return stem === undefined || hidden.test(stem) ? [] : [{ name: stem.replaceAll('-', '_'), file, size }];
  });
}

async function look(asking: Asking, { name, file, size }: Candidate): Promise<FilePrompt | { problem: string }> {
  if (size > LARGEST) return { problem: 'is larger than 1 MB' };
  try {
    const beginning = await textFrom(asking, file, BEGINNING, size > BEGINNING);
    return { name, file, description: `${subjectOf(beginning) ?? 'Prompt'} (from ${file})` };
  } catch (thrown) {
    return { problem: reasonOf(thrown) };
  }
}

async function wholeText(asking: Asking, file: string): Promise<string> {
  try {
    const text = await textFrom(asking, file, LARGEST + 1, false);
    if (Buffer.byteLength(text) <= LARGEST) return text;
  } catch (thrown) {
    throw refusal(`${file} ${reasonOf(thrown)}.`);
  }
  throw refusal(`${file} is larger than 1 MB.`);
}

/** `partly`: the last character may be cut in two. */
async function textFrom({ app }: Asking, file: string, limit: number, partly: boolean): Promise<string> {
  const bytes = await app.store.files.start('prompts', file, limit);
  if (bytes === undefined) throw new CairnError('not_found', 'is gone');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: partly });
  } catch {
    throw new CairnError('validation_failed', 'is not UTF-8 text');
  }
}

function reasonOf(thrown: unknown): string {
  if (thrown instanceof CairnError) return thrown.message;
  const { code } = thrown as NodeJS.ErrnoException;
  return `cannot be read${code === undefined ? '' : ` (${code})`}`;
}
