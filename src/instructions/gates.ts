/**
 * Gates: rules about how many entries of a catalog may be of some kind (S0 gates/evaluate, with S0's planned
 * combinators). A gate that says something without meaning must not pass unseen: it fails with an error of its own,
 * and the others are evaluated all the same. Everything is compiled once, then asked of each entry.
 */
import { CairnError } from '../errors.ts';
import {
  audiences,
  classifications,
  type Entry,
  fieldOrder,
  type Head,
  requirements,
  statuses,
  tiers,
} from './entry.ts';

/** An entry whose body may be left on disk; a gate that asks about bodies says so (`readsBody`). */
export type Subject = Head & { readonly body?: string };

export const gateSeverities = ['error', 'warning', 'info'] as const;
export type GateSeverity = (typeof gateSeverities)[number];

interface GateFacts {
  readonly id: string;
  readonly op: string;
  readonly value: number;
  readonly severity: GateSeverity;
}

type Test = (entry: Subject, now: number) => boolean;

export type Gate = GateFacts &
  (
    | { readonly where: Test; readonly passes: (count: number) => boolean; readonly readsBody: boolean }
    | { readonly error: string }
  );

export interface GateResult extends GateFacts {
  readonly passed: boolean;
  readonly count: number;
  readonly error?: string;
}

export interface GateReport {
  readonly generatedAt: string;
  readonly results: readonly GateResult[];
  /** Failed gates by severity, and how many gates there are. */
  readonly summary: { readonly errors: number; readonly warnings: number; readonly total: number };
}

export function evaluateGates(gates: readonly Gate[], entries: readonly Subject[], now: Date): GateReport {
  const results = gates.map((gate) => resultOf(gate, entries, now.getTime()));
  const failed = (severity: GateSeverity) =>
    results.filter((result) => !result.passed && result.severity === severity).length;
  return {
    generatedAt: now.toISOString(),
    results,
    summary: { errors: failed('error'), warnings: failed('warning'), total: results.length },
  };
}

/** The gates of a gates.json. Only a file that holds no list of gates is refused as a whole. */
export function parseGates(text: string): Gate[] {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (thrown) {
    throw malformed(`gates.json is not JSON (${thrown instanceof Error ? thrown.message : thrown})`);
  }
  // Other keys of the file are let be: grooming of the seeds' servers leaves `version` and `changeLog` there.
  const list = isRecord(document) && Object.hasOwn(document, 'gates') ? document.gates : undefined;
  if (!Array.isArray(list)) throw malformed('gates.json holds no list "gates"');
  const seen = new Set<string>();
  return list.map((definition: unknown, at) => {
    const facts = factsOf(definition, at);
    try {
      if (seen.has(facts.id)) throw malformed(`another gate has the id "${facts.id}"`);
      seen.add(facts.id);
      return compiled(definition, facts);
    } catch (thrown) {
      if (!(thrown instanceof CairnError)) throw thrown;
      return { ...facts, error: thrown.message };
    }
  });
}

function resultOf(gate: Gate, entries: readonly Subject[], now: number): GateResult {
  const { id, op, value, severity } = gate;
  const failure = (error: string) => ({ id, passed: false, count: 0, op, value, severity, error });
  if ('error' in gate) return failure(gate.error);
  if (gate.readsBody && entries.some((entry) => entry.body === undefined)) return failure('the bodies are not loaded');
  let count = 0;
  for (const entry of entries) if (gate.where(entry, now)) count++;
  return { id, passed: gate.passes(count), count, op, value, severity };
}

const comparisons = new Map<string, (a: number, b: number) => boolean>([
  ['>=', (a, b) => a >= b],
  ['>', (a, b) => a > b],
  ['<=', (a, b) => a <= b],
  ['<', (a, b) => a < b],
  ['==', (a, b) => a === b],
  ['!=', (a, b) => a !== b],
]);

const gateKeys = ['id', 'type', 'where', 'op', 'value', 'severity', 'description'];

function compiled(definition: unknown, facts: GateFacts): Gate {
  if (!isRecord(definition)) throw malformed(`a gate is an object, not ${shown(definition)}`);
  for (const key of Object.keys(definition)) if (!gateKeys.includes(key)) throw notKnown('key', key, gateKeys);
  const { id, type, where = {}, op, value, severity, description = '' } = definition;
  if (typeof id !== 'string' || id === '') throw malformed('a gate needs an "id"');
  if (type !== 'count') throw malformed(`type is "count", not ${shown(type)}`);
  if (severity !== facts.severity) throw notKnown('severity', severity, gateSeverities);
  if (typeof description !== 'string') throw malformed(`description is text, not ${shown(description)}`);
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw malformed(`value is a whole number from 0, not ${shown(value)}`);
  }
  const compares = comparisons.get(facts.op);
  if (compares === undefined) throw notKnown('op', op, [...comparisons.keys()]);
  const fields = new Set<string>();
  const test = whereOf(where, 'where', 1, fields);
  return { ...facts, where: test, passes: (count) => compares(count, value), readsBody: fields.has('body') };
}

/** What can be said of a gate even where it is malformed; without a severity of its own it is an error. */
function factsOf(definition: unknown, at: number): GateFacts {
  const { id, op, value, severity } = isRecord(definition) ? definition : {};
  return {
    id: typeof id === 'string' && id !== '' ? id : `gates[${at}]`,
    op: typeof op === 'string' ? op : '',
    value: typeof value === 'number' ? value : 0,
    severity: gateSeverities.find((word) => word === severity) ?? 'error',
  };
}

/** How the values of a field are compared; a list names all the values that there are. */
type Kind = 'text' | 'number' | 'time' | 'texts' | 'log' | readonly string[];

/** The fields that are not plain text. */
const kinds = new Map<keyof Entry, Kind>([
  ...kindOfAll('number', 'priority', 'riskScore', 'reviewIntervalDays'),
  ...kindOfAll('time', 'createdAt', 'updatedAt', 'lastReviewedAt', 'nextReviewDue'),
  ...kindOfAll('texts', 'categories', 'tags', 'examples', 'dependencies', 'teamIds', 'appliesTo'),
  ['changeLog', 'log'],
  ['audience', audiences],
  ['requirement', requirements],
  ['status', statuses],
  ['classification', classifications],
  ['priorityTier', tiers],
]);

function kindOfAll(kind: Kind, ...fields: readonly (keyof Entry)[]): [keyof Entry, Kind][] {
  return fields.map((field) => [field, kind]);
}

const kindOf = (field: keyof Entry): Kind => kinds.get(field) ?? 'text';
const combinators = ['all', 'any', 'not'];
const operators = [...comparisons.keys(), 'contains', 'before', 'after', 'exists'];
const DEEPEST = 16;

function whereOf(where: unknown, path: string, depth: number, fields: Set<string>): Test {
  if (!isRecord(where)) throw malformed(`${path} is an object of conditions, not ${shown(where)}`);
  if (depth > DEEPEST) throw malformed(`${path.slice(0, 40)}… is nested deeper than ${DEEPEST}`);
  const parts = Object.entries(where).map(([key, value]): Test => {
    const at = `${path}.${key}`;
    if (key === 'not') return inverted(whereOf(value, at, depth + 1, fields));
    if (key === 'all' || key === 'any') {
      if (!Array.isArray(value) || value.length === 0) throw malformed(`${at} is a list of conditions`);
      const listed = value.map((item, index) => whereOf(item, `${at}[${index}]`, depth + 1, fields));
      return key === 'all' ? all(listed) : any(listed);
    }
    const field = fieldOrder.find((name) => name === key);
    if (field === undefined) throw notKnown(`${path}: the field`, key, [...fieldOrder, ...combinators]);
    fields.add(field);
    return fieldCondition(field, value, at);
  });
  return all(parts);
}

const all =
  (parts: readonly Test[]): Test =>
  (entry, now) =>
    parts.every((part) => part(entry, now));

const any =
  (parts: readonly Test[]): Test =>
  (entry, now) =>
    parts.some((part) => part(entry, now));

const inverted =
  (test: Test): Test =>
  (entry, now) =>
    !test(entry, now);

function fieldCondition(field: keyof Entry, condition: unknown, path: string): Test {
  if (!isRecord(condition)) return equality(field, condition, path);
  const parts = Object.entries(condition);
  if (parts.length === 0) throw malformed(`${path} has no operator (${operators.join(', ')})`);
  return all(
    parts.map(([operator, operand]) => {
      if (!operators.includes(operator)) throw notKnown(`${path}: the operator`, operator, operators);
      return operation(field, operator, operand, `${path}.${operator}`);
    }),
  );
}

function operation(field: keyof Entry, operator: string, operand: unknown, path: string): Test {
  const kind = kindOf(field);
  switch (operator) {
    case '==':
      return equality(field, operand, path);
    case '!=':
      return inverted(equality(field, operand, path));
    case 'exists':
      if (typeof operand !== 'boolean') throw malformed(`${path} is true or false, not ${shown(operand)}`);
      return (entry) => valuesOf(entry, field).length > 0 === operand;
    case 'contains': {
      if (kind === 'texts') return equality(field, operand, path);
      if (kind !== 'text' && kind !== 'log') throw malformed(`${path}: only text can contain something`);
      if (typeof operand !== 'string' || operand === '') throw malformed(`${path} is text, not ${shown(operand)}`);
      const part = operand.toLowerCase();
      return (entry) => valuesOf(entry, field).some((value) => String(value).toLowerCase().includes(part));
    }
    default: {
      const word = operator === 'before' ? '<' : operator === 'after' ? '>' : operator;
      const compares = comparisons.get(word);
      const fits = kind === 'time' || (kind === 'number' && word === operator);
      if (compares === undefined || !fits) throw malformed(`${path}: the values of ${field} have no such order`);
      const wanted = operandOf(field, operand, path);
      return (entry, now) => valuesOf(entry, field).some((value) => compares(Number(value), Number(wanted(now))));
    }
  }
}

/** Equal to the value, or to any of a list; a field that is a list matches where one of its values does. */
function equality(field: keyof Entry, operand: unknown, path: string): Test {
  const list: readonly unknown[] = Array.isArray(operand) ? operand : [operand];
  if (list.length === 0) throw malformed(`${path} is an empty list, which nothing can match`);
  const wanted = list.map((item) => operandOf(field, item, path));
  return (entry, now) => valuesOf(entry, field).some((value) => wanted.some((wish) => wish(now) === value));
}

type Scalar = string | number;

function operandOf(field: keyof Entry, operand: unknown, path: string): (now: number) => Scalar {
  const kind = kindOf(field);
  if (kind === 'number') {
    if (typeof operand !== 'number') throw malformed(`${path}: ${field} is a number, not ${shown(operand)}`);
    return () => operand;
  }
  if (typeof operand !== 'string') throw malformed(`${path}: ${field} is text, not ${shown(operand)}`);
  if (typeof kind === 'object' && !kind.includes(operand)) throw notKnown(`${path}: the ${field}`, operand, kind);
  if (kind !== 'time') return () => operand;
  if (operand === 'now') return (now) => now;
  const time = /^\d{4}-\d{2}-\d{2}(?:T|$)/.test(operand) ? Date.parse(operand) : Number.NaN;
  if (Number.isNaN(time)) throw malformed(`${path}: a time is "now" or like 2025-08-24, not ${shown(operand)}`);
  return () => time;
}

/** All values of a field, times as milliseconds; none where the field is absent or an empty list. */
function valuesOf(entry: Subject, field: keyof Entry): readonly Scalar[] {
  const value = Object.hasOwn(entry, field) ? entry[field] : undefined;
  if (value === undefined) return [];
  if (typeof value === 'number') return [value];
  if (typeof value === 'string') return [kindOf(field) === 'time' ? Date.parse(value) : value];
  return value.flatMap((item) => (typeof item === 'string' ? [item] : [item.version, item.summary]));
}

function notKnown(what: string, word: unknown, words: readonly string[]): CairnError {
  const near = typeof word === 'string' ? `; the nearest is "${nearestOf(word, words)}"` : ` (${words.join(', ')})`;
  return malformed(`${what} ${shown(word)} is not known${near}`);
}

/** By the letters and pairs of letters that two words share. */
function nearestOf(word: string, words: readonly string[]): string {
  const grams = (text: string) => {
    const letters = [...text.toLowerCase().slice(0, 60)];
    return new Set([...letters, ...letters.slice(1).map((letter, at) => `${letters[at]}${letter}`)]);
  };
  const asked = grams(word);
  const likeness = (name: string) => {
    const own = grams(name);
    return [...own].filter((gram) => asked.has(gram)).length / (own.size + asked.size);
  };
  return words.reduce((best, name) => (likeness(name) > likeness(best) ? name : best));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Only what is flat is quoted: a value may be nested deeper than JSON can be written. */
function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  const text = JSON.stringify(value);
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}

function malformed(message: string): CairnError {
  return new CairnError('validation_failed', message, { suggestion: 'Correct gates.json.' });
}
