/**
 * A decision as a Markdown file: facts in the front matter, the reason as the text. Written by us in one fixed form, read in
 * any form that a person may have left it in: what is missing is filled, what is wrong is named.
 */
import { frontMatterOf } from '../store/front-matter.ts';
import { isBare } from '../store/plain-yaml.ts';
import {
  DEFAULT_NAMESPACE,
  type Decision,
  isId,
  kinds,
  origins,
  type Provenance,
  plainId,
  publicId,
  statuses,
} from './record.ts';

/** Readers of the original system tell by these words what an agent wrote. Cairn itself goes by `provenance`. */
const MARK = '[via MCP]';

/** The longest that may be recorded, with every character escaped, and room for what people add. */
const MAX_FRONT_MATTER = 800_000;

export function serialize(decision: Decision): string {
  const { supersededBy, suggestedSupersedes, convertedTo, convertedFrom, provenance } = decision;
  const fields: [string, unknown][] = [
    ['id', decision.id],
    ['kind', decision.kind],
    ['title', decision.title],
    ['target', decision.target],
    ['namespace', decision.namespace],
    ['status', decision.status],
    ['consequences', decision.consequences],
    ['anchors', decision.anchors],
    ['supersedes', decision.supersedes.map(publicId)],
    ['superseded_by', supersededBy && publicId(supersededBy)],
    ['suggested_supersedes', suggestedSupersedes?.map(publicId)],
    ['converted_to', convertedTo && publicId(convertedTo)],
    ['converted_from', convertedFrom && publicId(convertedFrom)],
    ['provenance', provenance],
    ['confidence', decision.confidence],
    ['created', decision.created],
    ['updated', decision.updated],
  ];
  const own = fields.filter(([, value]) => value !== undefined && !isEmptyList(value));
  const head = [...own, ...Object.entries(decision.extra)].flatMap(([name, value]) => lines(name, value)).join('\n');
  const mark = provenance.origin === 'agent' ? `\n\n${MARK}` : '';
  return `---\n${head}\n---\n\n${withoutMarks(decision.rationale)}${mark}\n`;
}

/** A reason may quote a merge conflict without being one: such a line gets a backslash, which Markdown does not show. */
function withoutMarks(text: string): string {
  return text.replace(/^(?=\\*[<>]{7} )/gm, '\\');
}

function withMarks(text: string): string {
  return text.replace(/^\\(?=\\*[<>]{7} )/gm, '');
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function lines(name: string, value: unknown): string[] {
  const key = scalar(name);
  if (isEmptyList(value)) return [`${key}: []`];
  if (Array.isArray(value)) return [`${key}:`, ...value.map((item) => `  - ${scalar(item)}`)];
  if (typeof value !== 'object' || value === null) return [`${key}: ${scalar(value)}`];
  const inner = Object.entries(value).filter(([, each]) => each !== undefined);
  if (inner.length === 0) return [`${key}: {}`];
  return [`${key}:`, ...inner.map(([each, text]) => `  ${scalar(each)}: ${scalar(text)}`)];
}

/** Bare where nothing can be misread, else as JSON, which is YAML too. */
function scalar(value: unknown): string {
  if (typeof value === 'string' && isBare(value)) return value;
  // Characters that YAML wants escaped and JSON does not.
  const json = JSON.stringify(value) ?? 'null';
  return json.replace(/[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

export type Reading = { readonly decision: Decision } | { readonly problem: string };

/** `found` is when the file was last changed, for files that do not say. */
export function readDecision(id: string, text: string, found: string): Reading {
  // All of a run at once: what is left of it would be taken for a line end the next time.
  const source = text.replace(/^\ufeff/, '').replace(/(?<!\r)\r+\n/g, '\n');
  if (/^<{7} .*$/m.test(source) && /^>{7} /m.test(source)) {
    return { problem: 'has the marks of a merge conflict: choose one side, remove the marks' };
  }
  const { fields, body, problem } = frontMatterOf(source, MAX_FRONT_MATTER);
  if (problem !== undefined) return { problem };
  try {
    return { decision: decisionOf(id, fields, body.trim(), found) };
  } catch (thrown) {
    if (thrown instanceof Problem) return { problem: thrown.message };
    throw thrown;
  }
}

class Problem extends Error {}

type Fields = Readonly<Record<string, unknown>>;

const known = new Set(
  `id kind title target namespace status rationale consequences anchors supersedes superseded_by suggested_supersedes converted_to
   converted_from provenance confidence created updated`.split(/\s+/),
);

function decisionOf(id: string, fields: Fields, body: string, found: string): Decision {
  if (fields.id !== undefined && ![String(fields.id), plainId(String(fields.id))].includes(id)) {
    throw new Problem(`says that it is ${JSON.stringify(fields.id)}: give the file the name of its id`);
  }
  const kind = oneOf('kind', kinds, fields.kind ?? 'decision');
  const created = time(fields.created, found);
  const provenance = provenanceOf(fields.provenance, body);
  const rationale = rationaleOf(fields, body, provenance);
  const supersededBy = link('superseded_by', fields.superseded_by);
  const convertedTo = link('converted_to', fields.converted_to);
  const convertedFrom = link('converted_from', fields.converted_from);
  const anchors = anchorsOf(fields.anchors);
  return {
    id,
    kind,
    title: titleOf(fields, body, id),
    target: required('target', fields.target),
    namespace: text(fields.namespace) || DEFAULT_NAMESPACE,
    status: oneOf('status', statuses, fields.status ?? (kind === 'proposal' ? 'proposed' : 'active')),
    rationale,
    consequences: texts('consequences', fields.consequences),
    ...(anchors !== undefined && { anchors }),
    supersedes: links('supersedes', fields.supersedes),
    ...(supersededBy !== undefined && { supersededBy }),
    provenance,
    confidence: fraction(fields.confidence ?? 1),
    created,
    updated: time(fields.updated, created),
    ...(fields.suggested_supersedes !== undefined && {
      suggestedSupersedes: links('suggested_supersedes', fields.suggested_supersedes),
    }),
    ...(convertedTo !== undefined && { convertedTo }),
    ...(convertedFrom !== undefined && { convertedFrom }),
    extra: Object.fromEntries(
      Object.entries(fields).filter(([name]) => !known.has(name) || isBeside(name, fields, body)),
    ),
  };
}

/** A field of somebody's own that has one of our names: the reason is the text, or anchors are no list of texts. */
function isBeside(name: string, fields: Fields, body: string): boolean {
  if (name === 'anchors') return anchorsOf(fields.anchors) === undefined;
  return name === 'rationale' && body !== '';
}

function anchorsOf(value: unknown): string[] | undefined {
  const isList = Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string');
  return isList ? (value as string[]) : undefined;
}

function titleOf(fields: Fields, body: string, id: string): string {
  return text(fields.title) || (/^#+[ \t]+(\S.*)$/m.exec(body)?.[1]?.trim() ?? id);
}

/** The text below the front matter; the field of that name where an older file has it. */
function rationaleOf(fields: Fields, body: string, { origin }: Provenance): string {
  const whole = body === '' ? text(fields.rationale) : withMarks(body);
  return origin === 'agent' && whole.endsWith(MARK) ? whole.slice(0, -MARK.length).trimEnd() : whole;
}

/** A file that does not say who made it was made by a person, unless it ends in the old mark; a person may write about that. */
function provenanceOf(value: unknown, body: string): Provenance {
  if (typeof value !== 'object' || value === null) return { origin: body.endsWith(MARK) ? 'agent' : 'human' };
  const { origin, agent, door } = value as Fields;
  return {
    origin: oneOf('provenance.origin', origins, origin ?? 'human'),
    ...(text(agent) !== '' && { agent: text(agent) }),
    ...(text(door) !== '' && { door: text(door) }),
  };
}

function oneOf<T extends string>(name: string, allowed: readonly T[], value: unknown): T {
  const found = allowed.find((each) => each === value);
  if (found === undefined) {
    throw new Problem(`has ${name} ${JSON.stringify(value)}; allowed is ${allowed.join(', ')}`);
  }
  return found;
}

function required(name: string, value: unknown): string {
  const found = text(value);
  if (found === '') throw new Problem(`has no ${name}`);
  return found;
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}

function texts(name: string, value: unknown): string[] {
  if (value === undefined || value === null) return [];
  if (typeof value === 'string') return value.trim() === '' ? [] : [value];
  if (Array.isArray(value) && value.every((item) => text(item) !== '')) return value.map((item) => String(item));
  throw new Problem(`has ${name} that are not a list of texts`);
}

function links(name: string, value: unknown): string[] {
  return texts(name, value).map((item) => checkedLink(name, item));
}

function link(name: string, value: unknown): string | undefined {
  return value === undefined || value === null || value === '' ? undefined : checkedLink(name, String(value));
}

function checkedLink(name: string, value: string): string {
  const id = plainId(value.trim());
  if (!isId(id)) throw new Problem(`has ${name} ${JSON.stringify(value)}, which is no id of a decision`);
  return id;
}

function fraction(value: unknown): number {
  if (typeof value === 'number' && value >= 0 && value <= 1) return value;
  throw new Problem(`has confidence ${JSON.stringify(value)}; it is a number from 0 to 1`);
}

function time(value: unknown, otherwise: string): string {
  const parsed = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(parsed) ? otherwise : new Date(parsed).toISOString();
}
