/**
 * Reviews a prompt against criteria (CONTRACT section 4). Threat: both come from outside. The patterns of a file run in
 * RE2 alone, which takes linear time whatever they say; sizes are bounded; and no answer repeats a secret.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { RE2JS, RE2JSException } from 're2js';
import * as z from 'zod';
import { CairnError } from '../errors.ts';
import { mask } from '../service/secret.ts';
import { type SecretFinding, scanForSecrets } from '../service/secret-scan.ts';
import {
  type CriteriaText,
  defaultCriteria,
  noSecrets,
  type RuleFacts,
  type RuleText,
  type Severity,
  severities,
} from './review-criteria.ts';

export interface Rule extends RuleFacts {
  readonly category: string;
  /** Whether the expression is missed where it does not match, rather than blamed where it does. */
  readonly wanted: boolean;
  readonly expression: RE2JS;
}

export interface Criteria {
  readonly version: string;
  readonly rules: readonly Rule[];
}

export interface Issue {
  readonly ruleId: string;
  readonly severity: Severity;
  readonly description: string;
  readonly category: string;
  readonly remediation?: string;
  /** What was found, secrets masked; `start` and `end` count in the prompt without its NULs. Absent with `mustContain`. */
  readonly match?: string;
  readonly start?: number;
  readonly end?: number;
}

export interface Review {
  readonly issues: readonly Issue[];
  readonly summary: {
    readonly counts: Readonly<Partial<Record<Severity, number>>>;
    readonly highestSeverity?: Severity;
  };
}

const PROMPT_BYTES = 10_240;
/** Enough to see a pattern in it; also what keeps a rule linear that matches at every character. */
const MATCHES_PER_RULE = 50;
const MATCH_LENGTH = 200;

export async function reviewPrompt(prompt: string, criteria: Criteria): Promise<Review> {
  const bytes = Buffer.byteLength(prompt);
  if (bytes > PROMPT_BYTES) {
    throw new CairnError('limit_exceeded', `The prompt has ${bytes} bytes; a review takes at most ${PROMPT_BYTES}.`, {
      limit: PROMPT_BYTES,
      suggestion: 'Shorten the prompt, or have it reviewed in parts.',
    });
  }
  const text = prompt.replaceAll('\0', '');
  const secrets = await scanForSecrets(text);
  const secretRule = criteria.rules.find(({ id }) => id === noSecrets.id) ?? noSecrets;
  const issues = secrets.map((secret) => issueOf(secretRule, { ...secret, match: secret.masked }));
  for (const rule of criteria.rules) {
    issues.push(...issuesOf(rule, text, secrets));
    // A first use compiles: others are not to wait for all of it.
    await nextTurn();
  }
  issues.sort(byPosition);
  return { issues, summary: summaryOf(issues) };
}

let builtIn: Criteria | undefined;

export function builtInCriteria(): Criteria {
  builtIn ??= {
    version: defaultCriteria.version,
    rules: defaultCriteria.categories.flatMap(({ id, rules }) => rules.map((rule) => lazily(rule, id))),
  };
  return builtIn;
}

/** Ours need no check, and all of them together take a third of a second to compile: each when it is first asked. */
function lazily(text: RuleText, category: string): Rule {
  let rule: Rule | undefined;
  return {
    ...text,
    category,
    wanted: text.mustContain !== undefined,
    get expression() {
      rule ??= ruleOf(text, category);
      return rule.expression;
    },
  };
}

/** The criteria of a prompt-criteria.json. Whatever it says that has no meaning is an error that names the rule. */
export function parseCriteria(text: string): Criteria {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (thrown) {
    throw refused([`it is not JSON (${thrown instanceof Error ? thrown.message : thrown})`]);
  }
  const parsed = criteriaSchema.safeParse(document);
  if (!parsed.success) {
    throw refused(parsed.error.issues.map((issue) => `${placeOf(issue.path, document)}: ${complaintOf(issue)}`));
  }
  return compiled(parsed.data);
}

interface Found {
  readonly start: number;
  readonly end: number;
  readonly match: string;
}

function issuesOf(rule: Rule, text: string, secrets: readonly SecretFinding[]): Issue[] {
  if (rule.wanted) return rule.expression.test(text) ? [] : [issueOf(rule)];
  // A file may keep its own no-secrets rule: what it finds of the secrets already reported is not news.
  const known = rule.id === noSecrets.id ? secrets : [];
  return rangesOf(rule.expression, text)
    .filter(({ start, end }) => !known.some((secret) => secret.start < end && start < secret.end))
    .map(({ start, end }) => issueOf(rule, { start, end, match: shown(text, start, end, secrets) }));
}

function issueOf(rule: RuleFacts & { readonly category: string }, found?: Found): Issue {
  const { id: ruleId, severity, description, category, remediation } = rule;
  return {
    ruleId,
    severity,
    description,
    category,
    ...(remediation !== undefined && { remediation }),
    ...(found !== undefined && { match: found.match, start: found.start, end: found.end }),
  };
}

function rangesOf(expression: RE2JS, text: string): { start: number; end: number }[] {
  const ranges: { start: number; end: number }[] = [];
  // Most rules find nothing, and whether is a question that RE2 answers much faster than where.
  if (!expression.test(text)) return ranges;
  const matcher = expression.matcher(text);
  for (let turn = 0; turn < MATCHES_PER_RULE && matcher.find(); turn++) {
    const [start, end] = [matcher.start(), matcher.end()];
    // An empty match says something once ("the prompt is blank"), not between all the characters.
    if (end > start || turn === 0) ranges.push({ start, end });
  }
  return ranges;
}

function shown(text: string, start: number, end: number, secrets: readonly SecretFinding[]): string {
  let match = '';
  let at = start;
  for (const secret of secrets.filter((found) => found.start < end && start < found.end)) {
    match += mask(text.slice(at, Math.max(at, secret.start))) + secret.masked;
    at = Math.min(end, secret.end);
  }
  match += mask(text.slice(at, end));
  return match.length <= MATCH_LENGTH ? match : `${match.slice(0, MATCH_LENGTH).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** By position, then as the rules stand in the criteria (the sort is stable); what is missed comes last. */
function byPosition(a: Issue, b: Issue): number {
  const [first, second] = [a.start ?? Infinity, b.start ?? Infinity];
  return first === second ? 0 : first - second;
}

function summaryOf(issues: readonly Issue[]): Review['summary'] {
  const counts: Partial<Record<Severity, number>> = {};
  for (const severity of severities) {
    const count = issues.filter((issue) => issue.severity === severity).length;
    if (count > 0) counts[severity] = count;
  }
  const highestSeverity = severities.find((severity) => counts[severity] !== undefined);
  return { counts, ...(highestSeverity !== undefined && { highestSeverity }) };
}

const PATTERN_LENGTH = 4_000;
const RULES = 500;
/** RE2 takes time in proportion to the size of its program: 20,000 instructions need six seconds for 10 KB at worst. */
const PROGRAM_SIZE = 20_000;

const name = z.string().min(1).max(100);
const prose = z.string().min(1).max(1_000);
const expression = z.string().min(1).max(PATTERN_LENGTH).optional();

const ruleSchema = z
  .strictObject({
    id: name,
    severity: z.enum(severities),
    description: prose,
    remediation: prose.optional(),
    pattern: expression,
    mustContain: expression,
  })
  .refine(({ pattern, mustContain }) => (pattern === undefined) !== (mustContain === undefined), {
    error: 'needs either "pattern" or "mustContain"',
  });

const criteriaSchema = z.strictObject({
  version: z.union([z.string(), z.number()]).transform(String),
  categories: z.array(z.strictObject({ id: name, rules: z.array(ruleSchema).max(RULES) })).max(RULES),
});

function compiled({ version, categories }: CriteriaText): Criteria {
  const problems: string[] = [];
  const rules: Rule[] = [];
  const [ids, categoryIds] = [new Set<string>(), new Set<string>()];
  for (const { id: category, rules: texts } of categories) {
    if (categoryIds.has(category)) problems.push(`the category "${category}" stands there twice`);
    categoryIds.add(category);
    for (const text of texts) {
      if (ids.has(text.id)) problems.push(`the rule "${text.id}" stands there twice`);
      ids.add(text.id);
      try {
        rules.push(ruleOf(text, category));
      } catch (thrown) {
        if (!(thrown instanceof RE2JSException)) throw thrown;
        problems.push(`the rule "${text.id}": RE2 refuses its pattern (${thrown.message})`);
      }
    }
  }
  const size = rules.reduce((sum, rule) => sum + rule.expression.programSize(), 0);
  if (size > PROGRAM_SIZE) problems.push(`its patterns are too large together (${size} steps of ${PROGRAM_SIZE})`);
  if (problems.length > 0) throw refused(problems);
  return { version, rules };
}

function ruleOf({ pattern, mustContain, ...facts }: RuleText, category: string): Rule {
  const wanted = mustContain !== undefined;
  return {
    ...facts,
    category,
    wanted,
    expression: RE2JS.compile(mustContain ?? pattern ?? '', RE2JS.CASE_INSENSITIVE),
  };
}

function refused(problems: readonly string[]): CairnError {
  const [first = '', ...others] = problems;
  const more = others.length > 0 ? ` (and ${others.length} more, see problems)` : '';
  return new CairnError('validation_failed', `The prompt criteria cannot be used: ${first}${more}.`, {
    problems,
    suggestion: 'Correct prompt-criteria.json; without the file the built-in criteria are used.',
  });
}

/** Where in the document, by the names that its author gave. */
function placeOf(path: readonly PropertyKey[], document: unknown): string {
  const named: string[] = [];
  let value = document;
  for (const [at, key] of path.entries()) {
    value =
      typeof value === 'object' && value !== null ? Object.getOwnPropertyDescriptor(value, key)?.value : undefined;
    if (typeof key === 'number') {
      const id: unknown = typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined;
      named.push(
        `the ${path[at - 1] === 'rules' ? 'rule' : 'category'} ${typeof id === 'string' ? `"${id}"` : `at ${key}`}`,
      );
    } else if (typeof path[at + 1] !== 'number') named.push(String(key));
  }
  return named.length === 0 ? 'the file' : named.join(', ');
}

function complaintOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'unrecognized_keys') return issue.message;
  return `does not know ${issue.keys.map((key) => `"${key}"`).join(', ')}`;
}
