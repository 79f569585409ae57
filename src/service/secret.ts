/**
 * Masks secrets wherever text leaves for a log, a trace or the audit trail. Threat: a token in an argument or an error
 * message would otherwise lie in files that are read, copied and sent around. The patterns are linear-time: no nested
 * repetition, every run bounded.
 */

export interface SecretRule {
  readonly id: string;
  readonly pattern: RegExp;
}

/** What fields and variables that hold a secret are called. */
export const secretName =
  '(?:password|passwd|secret(?:[_-]?access)?(?:[_-]?key)?|api[_-]?key|access[_-]?token|auth[_-]?token)';

/**
 * The forms in which secrets come. A `_` before one does not hide it: that is how names of files are put together.
 * service/secret-scan.ts looks for the same forms, and asks of each finding whether it is real.
 */
export const secretRules: readonly SecretRule[] = [
  {
    id: 'private-key',
    pattern:
      /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:[A-Za-z0-9+/=\s\\:,]|-(?!----)){0,20000}(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g,
  },
  { id: 'cairn-key', pattern: /\bcairn_[A-Za-z0-9_-]{20,100}/g },
  { id: 'aws-key', pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA)[0-9A-Z]{16}(?![A-Za-z0-9])/g },
  { id: 'github-token', pattern: /(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{30,255})/g },
  { id: 'slack-token', pattern: /(?<![A-Za-z0-9])xox[abeoprs]-[A-Za-z0-9-]{10,200}/g },
  { id: 'stripe-key', pattern: /(?<![A-Za-z0-9])(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,200}/g },
  { id: 'model-key', pattern: /\bsk-[A-Za-z0-9_-]{20,200}/g },
  { id: 'google-key', pattern: /(?<![A-Za-z0-9])AIza[0-9A-Za-z_-]{35}/g },
  { id: 'npm-token', pattern: /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{30,100}/g },
  // Begins only where a run of its characters begins: else each of many beginnings in one run would read all of it.
  { id: 'jwt', pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,2000}\.[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{5,1000}/g },
  { id: 'bearer', pattern: /\b[Bb]earer\s{1,4}[A-Za-z0-9._~+/=-]{16,2000}/g },
  { id: 'url-password', pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{1,100}:[^\s/@]{1,200}@/g },
  {
    id: 'assignment',
    pattern: new RegExp(
      String.raw`${secretName}(?:\\{0,3}["'])?\s{0,4}[:=]\s{0,4}(?:\\{0,3}["'])?[^\s"',;]{6,200}`,
      'gi',
    ),
  },
];

/** The same names as fields of a record. */
const secretField = new RegExp(`${secretName}$`, 'i');

export function mask(text: string): string {
  let masked = text;
  for (const { id, pattern } of secretRules) masked = masked.replace(pattern, (found) => keepStart(found, id));
  return masked;
}

/** Enough of the start stays to recognise which secret it was; never more than a quarter of it. */
export function keepStart(found: string, id: string): string {
  return `${found.slice(0, Math.min(4, Math.floor(found.length / 4)))}…[${id}]`;
}

/**
 * A copy of a JSON value with every string masked; what is nested deeper than a log needs is left out. Text is masked
 * before it becomes JSON, never after: escapes hide where a secret begins, and a match could run across two fields.
 */
export function maskDeep(value: unknown, depth = 8): unknown {
  if (typeof value === 'string') return mask(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return value.toJSON();
  if (depth === 0) return '…';
  if (Array.isArray(value)) return value.map((item) => maskDeep(item, depth - 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [mask(key), maskField(key, item, depth - 1)]));
}

function maskField(name: string, value: unknown, depth: number): unknown {
  const scalar = (typeof value === 'string' && value !== '') || typeof value === 'number';
  return scalar && secretField.test(name) ? keepStart(String(value), 'assignment') : maskDeep(value, depth);
}
