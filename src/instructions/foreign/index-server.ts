/**
 * The catalog of the original system (S0–S2): one JSON object a file, or a backup with many. It is lenient about values,
 * so real ones hold audiences such as "devs" and sentences as requirement.
 */
import { MAX_BODY } from '../change.ts';
import type { Draft, ForeignFile, ForeignProblem, Reading } from './catalog.ts';
import { isRecord } from './form.ts';
import { nameOf, stemOf } from './kind.ts';
import { type ForeignRecord, factsOf } from './record.ts';

const MAX_PROBLEMS = 100;

export function readIndexServer({ path, text }: ForeignFile): Reading {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    return { drafts: [], problems: [{ path, error: `${path} is not JSON: ${reason}`, code: 'invalid_json' }] };
  }
  const list = listOf(content);
  if (list?.length === 0) return { drafts: [], ignored: 'it is a list without entries' };
  if (list !== undefined) return sorted(list.map((item, index) => readItem(item, path, index)));
  if (!isRecord(content) || (content.id === undefined && content.body === undefined)) {
    return { drafts: [], ignored: 'it has neither an id nor a body, so it is not an instruction' };
  }
  return sorted([readItem(content, path)]);
}

/** An array, or the wrapper of an export or backup; an entry that has such a field of its own is not a wrapper. */
function listOf(content: unknown): readonly unknown[] | undefined {
  if (Array.isArray(content)) return content;
  if (!isRecord(content) || content.body !== undefined) return undefined;
  return [content.entries, content.items].find(Array.isArray);
}

function readItem(item: unknown, path: string, index?: number): Draft | ForeignProblem {
  const from = index === undefined ? path : `${path}[${index}]`;
  if (!isRecord(item)) return { path, error: `${from} is not a JSON object`, code: 'not_an_entry' };
  const { body } = item;
  if (typeof body !== 'string' || body.trim() === '') {
    const has = body === undefined ? 'no body' : 'a body that is not text or blank';
    const id = typeof item.id === 'string' ? ` (id ${item.id.slice(0, 120)})` : '';
    return { path, error: `${from}${id} has ${has}`, code: 'empty_body' };
  }
  if (body.length > MAX_BODY) {
    const error = `${from} has a body of ${body.length} characters; ${MAX_BODY} are allowed`;
    return { path, error, code: 'body_too_large' };
  }
  const { facts, changes } = factsOf(item, body);
  const id = idOf(item, path, index);
  const noted =
    id === item.id ? [] : [{ field: 'id', from: item.id ?? null, to: id, why: 'the entry has no id as text' }];
  return { path, from, facts: { ...facts, id, body }, changes: [...noted, ...changes] };
}

function idOf({ id, title }: ForeignRecord, path: string, index?: number): string {
  if (typeof id === 'string' && id.trim() !== '') return id;
  if (typeof id === 'number') return String(id);
  const stem = stemOf(nameOf(path));
  if (index === undefined) return stem;
  return typeof title === 'string' && title.trim() !== '' ? title : `${stem}-${index + 1}`;
}

function sorted(results: readonly (Draft | ForeignProblem)[]): Reading {
  const problems = results.filter((result) => 'code' in result);
  return { drafts: results.filter((result) => 'facts' in result), problems: summed(problems) };
}

/** A list of a million numbers has a million things wrong with it; a person reads the first hundred. */
function summed(problems: readonly ForeignProblem[]): readonly ForeignProblem[] {
  const [next] = problems.slice(MAX_PROBLEMS);
  if (next === undefined) return problems;
  const error = `${next.path} has ${problems.length - MAX_PROBLEMS} more items that are no entries`;
  return [...problems.slice(0, MAX_PROBLEMS), { path: next.path, error, code: 'not_an_entry' }];
}
