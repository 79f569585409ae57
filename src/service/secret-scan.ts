/**
 * Finds secrets in a text that is about to be stored or reviewed. Threat: a key pasted into an instruction or a prompt
 * reaches every agent that reads it. mask() hides whatever has the form of a secret, at no cost; a finding here refuses
 * somebody's work, so each is asked whether it is real: `password=<your-password>` is documentation.
 *
 * Linear in the text: every pattern is bounded. Known limits: a password made of plain words (`password=swordfish`) and
 * one that is written with blanks are not told from prose.
 */
import { keepStart, type SecretRule, secretName, secretRules } from './secret.ts';

export interface SecretFinding {
  /** Which rule found it, for example `aws-key`. */
  readonly rule: string;
  readonly start: number;
  readonly end: number;
  /** The finding without the secret, for messages: `AKIA…[aws-key]`. */
  readonly masked: string;
}

/** All secrets in the order of the text; what overlaps is one finding, named by the most telling rule. */
export async function scanForSecrets(text: string): Promise<SecretFinding[]> {
  const ours = rules.flatMap((rule, rank) => foundBy(rule, rank, text));
  return merged([...ours, ...(await foundByPreset(text))]).map(({ rule, start, end }) => ({
    rule,
    start,
    end,
    masked: keepStart(text.slice(start, end), rule),
  }));
}

interface Found {
  readonly rule: string;
  /** Smaller is more telling. */
  readonly rank: number;
  readonly start: number;
  readonly end: number;
}

/** Forms that only a search asks about: hiding all of them would make holes in every log. */
const scanOnly: readonly SecretRule[] = [
  { id: 'url-password', pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/:[^\s:/@]{1,200}@/g },
  {
    id: 'assignment',
    pattern: new RegExp(
      String.raw`(?:${secretName}|pwd|passphrase|(?:api|bot|deploy|refresh|session)[_-]?token|(?<![a-z0-9_-])token|(?:account|encryption|private|shared[_-]?access|signing)[_-]?key)(?:\\{0,3}["'])?\s{0,4}(?:=>|:=|[:=])\s{0,4}(?:\\{0,3}["'])?[^\s"',;]{6,200}`,
      'gi',
    ),
  },
];

/** Ours for assignments finds all that the narrower one to be hidden finds. */
const rules: readonly SecretRule[] = [...secretRules.filter(({ id }) => id !== 'assignment'), ...scanOnly];

/** What a text must hold before the rule itself is worth the time: most texts have addresses, few with a password. */
const hints: Readonly<Record<string, RegExp>> = { 'url-password': /:\/\/[^\s/@]{1,301}@/ };
/** A rule of the preset knows its vendor: it tells more than `bearer` and what follows, less than our own before it. */
const presetRank = rules.findIndex(({ id }) => id === 'bearer') - 0.5;

function foundBy({ id, pattern }: SecretRule, rank: number, text: string): Found[] {
  if (hints[id]?.test(text) === false) return [];
  return [...text.matchAll(pattern)]
    .filter(({ 0: found, index }) => isReal(id, found, index + found.length === text.length))
    .map(({ 0: found, index }) => ({ rule: id, rank, start: index, end: index + found.length }));
}

/** Which forms are so loose that words have them too: `sk-` begins names, `Bearer` stands in prose. */
const loose = new Set(['cairn-key', 'slack-token', 'slack', 'model-key', 'bearer', 'assignment']);

function isReal(rule: string, found: string, endsText: boolean): boolean {
  switch (rule) {
    case 'private-key':
      return holdsKey(found, endsText);
    case 'url-password':
      return isRealPassword(found);
    case 'assignment':
      return isRealValue(found.replace(/^[^:=]*(?:=>|:=|[:=])\s*(?:\\{0,3}["'])?/, ''));
    case 'bearer':
      return isRealValue(found.replace(/^\S+\s+/, ''));
    default:
      return !isMonotonous(found) && !(loose.has(rule) && (isPlaceholder(found) || readsAsWords(found)));
  }
}

/** A header inside a sentence is how people write about keys; a key has lines below it, or much text behind it. */
function holdsKey(pem: string, endsText: boolean): boolean {
  const body = pem.slice(pem.indexOf('KEY-----') + 'KEY-----'.length);
  if (body.trim() === '') return endsText;
  return /^[ \t]*(?:\\r)?(?:\\n|\r?\n)\s*[A-Za-z0-9+/]/.test(body) || /^\s*[A-Za-z0-9+/]{16}/.test(body);
}

function isRealPassword(address: string): boolean {
  const [, user = '', password = ''] = /:\/\/([^:]*):(.*)@$/s.exec(address) ?? [];
  const named = /^(?:user(?:name)?|pass(?:word|wd)?|pwd|secret|token)$/i.test(password);
  return password.length > 2 && password !== user && !named && !isPlaceholder(password) && !isMonotonous(password);
}

function isRealValue(text: string): boolean {
  const value = text.replace(/[`)\]}>.*_]{1,9}$/, '');
  return (
    value.length > 5 && !isPlaceholder(text) && !isExpression(text) && !isMonotonous(value) && !readsAsWords(value)
  );
}

const stands = new RegExp(
  [
    String.raw`^[<[{(*]|\$\{|\{\{|\$\(|<[a-z]`,
    String.raw`^\$[a-z_][\w.:>-]*$|^%\w+%$`,
    String.raw`x{4}|\*{3}|\.{3}|…|•`,
    '(?:^|[^a-z])your|example|placeholder|redacted|dummy|sample|fake|todo',
    '(?:change|replace)[_-]?(?:it|me|this|with)|insert[_-]|not[_-]?a[_-]?secret',
  ].join('|'),
  'i',
);

/** What stands for a secret in documentation and templates. */
function isPlaceholder(value: string): boolean {
  return stands.test(value);
}

/** Where the value comes from, rather than the value: a call, a type with parameters, a path, an address. */
function isExpression(value: string): boolean {
  return /^[a-z_$.]+[([<{]|^(?:\.{1,2}|~)\/|^\/(?:etc|home|mnt|opt|root|run|secrets|srv|tmp|usr|var)\/|^[a-z]+:\/\//i.test(
    value,
  );
}

const LEAST_BITS = 2;

/** One character over and over, a run such as 123456, or too little variety to keep anybody out. */
function isMonotonous(value: string): boolean {
  const counts = new Map<string, number>();
  let steps = 0;
  for (let at = 0; at < value.length; at++) {
    counts.set(value.charAt(at), (counts.get(value.charAt(at)) ?? 0) + 1);
    const step = value.charCodeAt(at) - value.charCodeAt(at - 1);
    if (step === 1 || step === -9) steps++;
  }
  const shares = [...counts.values()].map((count) => count / value.length);
  const bits = shares.reduce((sum, share) => sum - share * Math.log2(share), 0);
  return steps === value.length - 1 || Math.max(...shares) > 0.5 || bits < LEAST_BITS;
}

/** Names and prose: `userPassword`, `process.env.API_KEY`, `must-not-be-empty`. Random letters do not fall into words. */
function readsAsWords(value: string): boolean {
  if (!/^[^A-Za-z0-9]*[A-Za-z]+(?:[_.:/\\?!-]+[A-Za-z]+)*[^A-Za-z0-9]*$/.test(value)) return false;
  const words = value.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/).filter((word) => word !== '');
  return words.every((word) => /^(?:[A-Z]?[a-z]+|[A-Z]+)$/.test(word) && (word.length < 5 || /[aeiouy]/i.test(word)));
}

function merged(found: readonly Found[]): Found[] {
  const inOrder = found.toSorted((a, b) => a.start - b.start || b.end - a.end || a.rank - b.rank);
  const apart: Found[] = [];
  for (const next of inOrder) {
    const last = apart.at(-1);
    if (last === undefined || next.start >= last.end) apart.push(next);
    else apart[apart.length - 1] = joined(last, next);
  }
  return apart;
}

function joined(a: Found, b: Found): Found {
  const { rule, rank } = b.rank < a.rank ? b : a;
  return { rule, rank, start: Math.min(a.start, b.start), end: Math.max(a.end, b.end) };
}

type Preset = typeof import('@secretlint/secretlint-rule-preset-recommend').creator;
type PresetRule = Preset['rules'][number];
type PresetContext = Parameters<PresetRule['create']>[0];
type PresetSource = Parameters<NonNullable<ReturnType<PresetRule['create']>['file']>>[0];

/**
 * Left out: `filter-comments`, with which a text could switch the search off for itself; and those whose forms our own
 * rules cover with less noise (`aws` and `npm` also report ranges that miss the secret or swallow the line).
 */
const leftOut = new Set(['filter-comments', 'aws', 'npm', 'basicauth', 'database-connection-string', 'privatekey']);
const nameOf = (rule: PresetRule) => rule.meta.id.replace('@secretlint/secretlint-rule-', '');

let loading: Promise<readonly PresetRule[]> | undefined;

async function loadPreset(): Promise<readonly PresetRule[]> {
  const { creator } = await import('@secretlint/secretlint-rule-preset-recommend');
  return creator.rules.filter((rule) => !leftOut.has(nameOf(rule)));
}

/**
 * Runs the rules themselves, without the core of secretlint: its profiler keeps 84 marks of every run for ever and
 * searches them (1,000 scans in, each takes 28 ms instead of 4), and it removes duplicates in quadratic time.
 */
async function foundByPreset(text: string): Promise<Found[]> {
  loading ??= loadPreset();
  const found: Found[] = [];
  const source = sourceOf(text);
  for (const rule of await loading) {
    await rule.create(contextFor(nameOf(rule), text, found), {}).file?.(source);
  }
  return found;
}

function contextFor(rule: string, text: string, found: Found[]): PresetContext {
  return {
    sharedOptions: {},
    createTranslator: () => (messageId) => ({ message: '', messageId: String(messageId), data: undefined }),
    report: ({ range: [start, end] }) => {
      const real = isReal(rule, text.slice(start, end), end === text.length);
      if (real) found.push({ rule, rank: presetRank, start, end });
    },
    ignore: () => {},
  };
}

function sourceOf(content: string): PresetSource {
  // Lines and columns are asked for by filter-comments only.
  const nowhere = { line: 1, column: 0 };
  return {
    content,
    contentType: 'text',
    ext: '.txt',
    hasBOM: false,
    filePath: undefined,
    physicalFilePath: undefined,
    getFilePath: () => undefined,
    getPhysicalFilePath: () => undefined,
    locationToRange: () => [0, 0],
    rangeToLocation: () => ({ start: nowhere, end: nowhere }),
    positionToIndex: () => 0,
    indexToPosition: () => nowhere,
  };
}
