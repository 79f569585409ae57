/** Markdown with YAML front matter, such as Copilot's `*.instructions.md`: one entry a file. */

import { frontMatterOf } from '../../store/front-matter.ts';
import { MAX_BODY } from '../change.ts';
import { repairedId } from '../entry.ts';
import type { Change, ForeignFile, ForeignProblem, Reading } from './catalog.ts';
import { nameOf, slashed, stemOf } from './kind.ts';
import { type ForeignRecord, factsOf } from './record.ts';
import { headingsOf } from './sections.ts';

export function readMarkdown({ path, text }: ForeignFile): Reading {
  const { fields, body, problem } = frontMatterOf(text);
  const malformed = frontMatterProblems(path, problem);
  const refused = bodyProblem(path, body);
  if (refused !== undefined) return { drafts: [], problems: [...malformed, refused] };
  const stem = stemOf(nameOf(path));
  const { record, changes: renamed } = inOurWords(fields);
  const { facts, changes } = factsOf(record, body);
  const title = facts.title ?? firstHeading(body) ?? stem;
  const id = typeof record.id === 'string' && !isBlank(record.id.trim()) ? record.id : repairedId(stem);
  const entry = { ...facts, id, title, body, source: facts.source ?? slashed(path) };
  return { drafts: [{ path, from: path, facts: entry, changes: [...renamed, ...changes] }], problems: malformed };
}

export function frontMatterProblems(path: string, problem: string | undefined): ForeignProblem[] {
  if (problem === undefined) return [];
  return [{ path, error: `${path} is imported without its fields: ${problem}`, code: 'invalid_front_matter' }];
}

export function bodyProblem(path: string, body: string, from = path): ForeignProblem | undefined {
  if (body.trim() === '') return { path, error: `${from} has no text under its front matter`, code: 'empty_body' };
  if (body.length <= MAX_BODY) return undefined;
  const error = `${from} has a body of ${body.length} characters; ${MAX_BODY} are allowed`;
  return { path, error, code: 'body_too_large' };
}

const otherNames: readonly (readonly [theirs: string, ours: string])[] = [
  ['applyTo', 'appliesTo'],
  ['globs', 'appliesTo'],
  ['name', 'title'],
];

/** What other tools call a field. Where both names are given, ours wins and the other is told as dropped. */
export function inOurWords(fields: ForeignRecord): { record: ForeignRecord; changes: Change[] } {
  const changes: Change[] = [];
  const record: Record<string, unknown> = { ...fields };
  for (const [theirs, ours] of otherNames) {
    if (record[theirs] === undefined || record[ours] !== undefined) continue;
    record[ours] = record[theirs];
    delete record[theirs];
  }
  const { alwaysApply } = record;
  if (typeof alwaysApply === 'boolean') {
    delete record.alwaysApply;
    const everywhere = alwaysApply && isBlank(record.appliesTo);
    if (everywhere) record.appliesTo = ['**'];
    const why = everywhere
      ? 'a rule that always applies is for every file'
      : 'when a rule applies is said by appliesTo';
    changes.push({ field: 'alwaysApply', from: alwaysApply, to: everywhere ? '**' : null, why });
  }
  return { record, changes };
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function firstHeading(body: string): string | undefined {
  const text = headingsOf(body.split('\n')).find((heading) => heading.text !== '')?.text;
  return text?.slice(0, 200);
}
