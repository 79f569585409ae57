/**
 * A decision or proposal as LedgerMind keeps it: `semantic/*.md`, facts in the front matter, either there or below `context`,
 * the reason as a field or as the text.
 */
import { frontMatterOf } from '../../store/front-matter.ts';
import { DEFAULT_NAMESPACE, type Decision, isId, plainId, type Status } from '../record.ts';

export interface ForeignText {
  /** Relative to the folder that is imported. */
  readonly path: string;
  readonly text: string;
}

export interface Mapping {
  readonly path: string;
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
  readonly why: string;
}

/** Its links still have the ids of the other system. */
export interface Draft extends Omit<Decision, 'provenance' | 'extra'> {
  readonly path: string;
  /** The id as files and links of the other system say it. */
  readonly was: string;
  readonly evidence: readonly number[];
}

export type Reading = { readonly draft: Draft; readonly mappings: readonly Mapping[] } | { readonly skipped: string };

const LONGEST_TITLE = 200;
const LONGEST_REASON = 50_000;
const SHORTEST_REASON = 10;
const MOST_CONSEQUENCES = 50;
const LONGEST_CONSEQUENCE = 2000;
const MAX_FRONT_MATTER = 800_000;
const namespacePattern = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,99}$/;
const MARK = '[via MCP]';

/** Kinds that are decisions here; what else there is, is none. */
const decisionKinds = new Set(['decision', 'constraint', 'assumption']);

export function readLedgermind({ path, text }: ForeignText, found: string): Reading {
  const { fields, body, problem } = frontMatterOf(
    text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n'),
    MAX_FRONT_MATTER,
  );
  if (problem !== undefined) return { skipped: problem };
  const inner = isRecord(fields.context) ? fields.context : fields;
  const kind = textOf(fields.kind ?? inner.kind) || 'decision';
  if (kind !== 'proposal' && !decisionKinds.has(kind)) return { skipped: `its kind is ${kind}, which is no decision` };
  const target = textOf(inner.target);
  if (target === '') return { skipped: 'it has no target' };
  if (target.length > 200) return { skipped: 'its target is longer than 200 characters' };
  const rationale = reasonOf(inner, body);
  if (rationale.length < SHORTEST_REASON)
    return { skipped: `its rationale has fewer than ${SHORTEST_REASON} characters` };
  if (rationale.length > LONGEST_REASON) return { skipped: `its rationale has over ${LONGEST_REASON} characters` };
  return drafted({ path, fields, inner, body, kind, target, rationale, found });
}

interface Material {
  readonly path: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly inner: Readonly<Record<string, unknown>>;
  readonly body: string;
  readonly kind: string;
  readonly target: string;
  readonly rationale: string;
  /** When the file was found, for one that has no time. */
  readonly found: string;
}

function drafted({ path, fields, inner, body, kind, target, rationale, found }: Material): Reading {
  const mappings: Mapping[] = [];
  const tell = (field: string, from: unknown, to: unknown, why: string) =>
    void mappings.push({ path, field, from, to, why });
  const ours = kind === 'proposal' ? 'proposal' : 'decision';
  if (kind !== ours) tell('kind', kind, ours, 'every kind of decision is one here');
  const stem = plainId(path.split(/[\\/]/).at(-1) ?? path);
  const written = textOf(inner.title) || textOf(fields.content) || (/^#+[ \t]+(\S.*)$/m.exec(body)?.[1] ?? stem);
  const title = oneLine(written).slice(0, LONGEST_TITLE) || stem;
  if (oneLine(written) !== title) tell('title', written.slice(0, 300), title, 'at most 200 characters');
  const namespace = namespaceOf(inner.namespace ?? fields.namespace, tell);
  const created = timeOf(fields.timestamp ?? inner.timestamp ?? inner.created ?? inner.first_seen) ?? found;
  const supersededBy = linkOf(inner.superseded_by);
  const convertedTo = linkOf(inner.converted_to);
  const suggested = linksOf(inner.suggested_supersedes);
  const draft: Draft = {
    path,
    was: stem,
    id: repaired(stem),
    kind: ours,
    title,
    target,
    namespace,
    status: statusOf(inner.status ?? fields.status, ours, tell),
    rationale,
    consequences: consequencesOf(inner.consequences, tell),
    supersedes: linksOf(inner.supersedes),
    ...(supersededBy !== undefined && { supersededBy }),
    ...(suggested.length > 0 && { suggestedSupersedes: suggested }),
    ...(convertedTo !== undefined && { convertedTo }),
    confidence: fraction(inner.confidence),
    created,
    updated: timeOf(inner.last_updated ?? inner.updated) ?? created,
    evidence: numbersOf(inner.evidence_event_ids),
  };
  return { draft, mappings };
}

type Tell = (field: string, from: unknown, to: unknown, why: string) => void;

/** The words of the original and ours; one that neither knows is history. */
const statusWords: Readonly<Record<'decision' | 'proposal', Readonly<Record<string, Status>>>> = {
  decision: { active: 'active', superseded: 'superseded', deprecated: 'deprecated' },
  proposal: {
    draft: 'proposed',
    proposed: 'proposed',
    accepted: 'accepted',
    rejected: 'rejected',
    falsified: 'rejected',
    superseded: 'superseded',
  },
};

function statusOf(raw: unknown, kind: 'decision' | 'proposal', tell: Tell): Status {
  const word = textOf(raw) || (kind === 'proposal' ? 'draft' : 'active');
  const known = Object.hasOwn(statusWords[kind], word) ? statusWords[kind][word] : undefined;
  const status = known ?? 'deprecated';
  if (status !== word)
    tell('status', word, status, known === undefined ? 'no status that is known' : 'our word for it');
  return status;
}

function reasonOf(inner: Readonly<Record<string, unknown>>, body: string): string {
  const whole = (textOf(inner.rationale) || body).trim();
  // Who wrote it is noted as an import; the mark would make readers of the original think otherwise.
  return whole.endsWith(MARK) ? whole.slice(0, -MARK.length).trimEnd() : whole;
}

function namespaceOf(raw: unknown, tell: Tell): string {
  const word = textOf(raw) || DEFAULT_NAMESPACE;
  if (namespacePattern.test(word)) return word;
  tell('namespace', word.slice(0, 200), DEFAULT_NAMESPACE, 'no name that a namespace may have');
  return DEFAULT_NAMESPACE;
}

function consequencesOf(raw: unknown, tell: Tell): string[] {
  const list = typeof raw === 'string' ? [raw] : Array.isArray(raw) ? raw : [];
  const texts = list.map((item) => oneLine(textOf(item)).slice(0, LONGEST_CONSEQUENCE)).filter((item) => item !== '');
  const kept = texts.slice(0, MOST_CONSEQUENCES);
  if (kept.length < list.length) tell('consequences', list.length, kept.length, 'only texts, and at most 50');
  return kept;
}

function linksOf(raw: unknown): string[] {
  const list = typeof raw === 'string' ? [raw] : Array.isArray(raw) ? raw : [];
  return [...new Set(list.flatMap((item) => linkOf(item) ?? []))].slice(0, 100);
}

/** As files are named: `decisions/x.md`, `x.md` and `x` are one. */
function linkOf(raw: unknown): string | undefined {
  const text = textOf(raw);
  return text === '' ? undefined : plainId(text.split(/[\\/]/).at(-1) ?? text);
}

function numbersOf(raw: unknown): number[] {
  return Array.isArray(raw) ? raw.filter((item) => Number.isSafeInteger(item) && item > 0).slice(0, 10_000) : [];
}

function fraction(raw: unknown): number {
  return typeof raw === 'number' && raw >= 0 && raw <= 1 ? raw : 1;
}

/** Python writes times without a zone, and means its own; UTC is the nearest that can be said. */
export function timeOf(raw: unknown): string | undefined {
  const text = textOf(raw);
  if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return undefined;
  const zoned = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(text) || text.length <= 10 ? text : `${text}Z`;
  const milliseconds = Date.parse(zoned.replace(' ', 'T'));
  return Number.isNaN(milliseconds) ? undefined : new Date(milliseconds).toISOString();
}

/** The nearest id that is allowed. */
export function repaired(id: string): string {
  if (isId(id)) return id;
  const plain = id
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9._-]+/g, '_')
    .replace(/\.{2,}/g, '.')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 100)
    .replace(/[^A-Za-z0-9_-]+$/, '');
  return isId(plain) ? plain : 'imported';
}

function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}

function textOf(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? value.trim() : '';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
