/**
 * What a `.gitignore` means, to the byte as git reads it. Threat: the file belongs to whoever wrote the project, and a
 * pattern such as `*a*a*a*a*b` makes a matcher that tries one way after the other run for hours. Here all ways are
 * followed at once, so a test costs at most pattern times name, and every step is paid for from an effort that ends.
 *
 * Names are compared as bytes, because git does: `?` is one byte of `é`. A string of bytes (latin1) stands for them.
 */

/** One `.gitignore`: the rules of it, and how long the path of its folder is (with the slash; 0 at the root). */
export interface IgnoreFile {
  readonly base: number;
  readonly rules: readonly Rule[];
}

/** Steps that may still be taken; below zero the answers are no longer to be trusted, and the caller stops. */
export interface Effort {
  left: number;
}

interface Rule {
  readonly negated: boolean;
  readonly foldersOnly: boolean;
  /** Compared with the path below the folder of the file; otherwise with the name alone. */
  readonly wholePath: boolean;
  /** What stands before the first wildcard. */
  readonly literal: string;
  /** Empty when the rule has no wildcard. */
  readonly steps: readonly Step[];
  /** The common `*.log`: what the name ends with. */
  readonly ending?: string;
}

/** A set of bytes, to be met once or (`star`) any number of times. */
interface Step {
  readonly bytes: Uint8Array;
  readonly kind: 'once' | 'star' | 'gate';
}

export function parseIgnore(content: Uint8Array, folder = ''): IgnoreFile {
  const text = bytesOf(content).replace(/^\u00ef\u00bb\u00bf/, '');
  const rules = text.split('\n').flatMap((line) => parseRule(line) ?? []);
  return { base: folder === '' ? 0 : bytesOf(folder).length + 1, rules };
}

/** `files` from the root down to the folder of `path`; the folders above it are taken to be not ignored. */
export function isIgnored(files: readonly IgnoreFile[], path: string, isFolder: boolean, effort: Effort): boolean {
  const bytes = bytesOf(path);
  const name = bytes.slice(bytes.lastIndexOf('/') + 1);
  for (let at = files.length - 1; at >= 0; at--) {
    const { rules, base } = files[at] as IgnoreFile;
    const below = bytes.slice(base);
    // The last rule that fits decides.
    for (let line = rules.length - 1; line >= 0; line--) {
      const rule = rules[line] as Rule;
      if (effort.left-- < 0) return false;
      if (rule.foldersOnly && !isFolder) continue;
      if (fits(rule, rule.wholePath ? below : name, effort)) return !rule.negated;
    }
  }
  return false;
}

function bytesOf(text: string | Uint8Array): string {
  return Buffer.from(text as string).toString('latin1');
}

function parseRule(line: string): Rule | undefined {
  if (line.startsWith('#')) return undefined;
  let [pattern = ''] = withoutTrailingSpaces(line.replace(/\r$/, '')).split('\0');
  const negated = pattern.startsWith('!');
  if (negated) pattern = pattern.slice(1);
  const foldersOnly = pattern.endsWith('/');
  if (foldersOnly) pattern = pattern.slice(0, -1);
  const wholePath = pattern.includes('/');
  if (pattern.startsWith('/')) pattern = pattern.slice(1);
  if (pattern === '') return undefined;
  const wild = pattern.search(/[*?[\\]/);
  const literal = wild < 0 ? pattern : pattern.slice(0, wild);
  const steps = wild < 0 ? [] : parseSteps(pattern.slice(wild));
  if (steps === undefined) return undefined;
  const ending = !wholePath && /^\*[^*?[\\]+$/.test(pattern) ? { ending: pattern.slice(1) } : {};
  return { negated, foldersOnly, wholePath, literal, steps, ...ending };
}

/** A backslash keeps the space after it, and itself as well: the matcher reads it as an escape. */
function withoutTrailingSpaces(line: string): string {
  let end = 0;
  for (let at = 0; at < line.length; at++) {
    if (line[at] === ' ') continue;
    if (line[at] === '\\') at++;
    end = at + 1;
  }
  return line.slice(0, end);
}

const every = byteSet(() => true);
const none = byteSet(() => false);
const notSlash = byteSet((byte) => byte !== 0x2f);
const single = Array.from({ length: 256 }, (_, only) => byteSet((byte) => byte === only));

function byteSet(holds: (byte: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => (holds(byte) ? 1 : 0));
}

/** `undefined` for a pattern that is broken off: git lets it match nothing. */
function parseSteps(pattern: string): Step[] | undefined {
  const steps: Step[] = [];
  const once = (bytes: Uint8Array) => steps.push({ bytes, kind: 'once' });
  for (let at = 0; at < pattern.length; at++) {
    if (pattern[at] === '*') {
      const begin = at;
      while (pattern[at + 1] === '*') at++;
      steps.push(...starAt(pattern, begin, at + 1));
    } else if (pattern[at] === '?') once(notSlash);
    else if (pattern[at] === '[') {
      const set = parseSet(pattern, at + 1);
      if (set === undefined) return undefined;
      once(set.bytes);
      at = set.end;
    } else {
      if (pattern[at] === '\\') at++;
      if (at === pattern.length) return undefined;
      once(single[pattern.charCodeAt(at)] as Uint8Array);
    }
  }
  return steps;
}

/** Two stars or more cross slashes if they stand alone between slashes, or where the literal beginning was cut off (git). */
function starAt(pattern: string, begin: number, end: number): Step[] {
  const alone =
    end - begin > 1 &&
    (begin === 0 || pattern[begin - 1] === '/') &&
    (end === pattern.length || pattern[end] === '/' || pattern.startsWith('\\/', end));
  const star: Step = { bytes: alone ? every : notSlash, kind: 'star' };
  return alone && pattern[end] === '/' ? [gate, star] : [star];
}

/** Stands before a double star and its slash, and lets a path go round both: they may mean no folder at all. */
const gate: Step = { bytes: none, kind: 'gate' };

const classes: Readonly<Record<string, RegExp>> = {
  alnum: /[0-9A-Za-z]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the class is made of them.
  cntrl: /[\0-\x1f\x7f]/,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[ \t\n\r]/,
  upper: /[A-Z]/,
  xdigit: /[0-9A-Fa-f]/,
};

/** What `[…]` holds, `at` being the place after the bracket; never a slash. */
function parseSet(pattern: string, at: number): { bytes: Uint8Array; end: number } | undefined {
  const bytes = new Uint8Array(256);
  const negated = pattern[at] === '!' || pattern[at] === '^';
  const first = negated ? at + 1 : at;
  let before: number | undefined;
  for (let here = first; here < pattern.length; here++) {
    if (pattern[here] === ']' && here > first) return { bytes: closed(bytes, negated), end: here };
    if (pattern[here] === '-' && before !== undefined && here + 1 < pattern.length && pattern[here + 1] !== ']') {
      here += pattern[here + 1] === '\\' ? 2 : 1;
      if (here >= pattern.length) return undefined;
      bytes.fill(1, before, Math.max(before, pattern.charCodeAt(here) + 1));
      before = undefined;
    } else if (pattern.startsWith('[:', here)) {
      const end = pattern.indexOf(']', here + 2);
      if (end < 0) return undefined;
      if (pattern[end - 1] === ':' && end > here + 2) {
        const named = classes[pattern.slice(here + 2, end - 1)];
        if (named === undefined) return undefined;
        for (let byte = 0; byte < 128; byte++) if (named.test(String.fromCharCode(byte))) bytes[byte] = 1;
        before = undefined;
        here = end;
      } else {
        before = pattern.charCodeAt(here);
        bytes[before] = 1;
      }
    } else {
      if (pattern[here] === '\\') here++;
      if (here >= pattern.length) return undefined;
      before = pattern.charCodeAt(here);
      bytes[before] = 1;
    }
  }
  return undefined;
}

function closed(bytes: Uint8Array, negated: boolean): Uint8Array {
  const set = negated ? bytes.map((held) => 1 - held) : bytes;
  set[0x2f] = 0;
  return set;
}

function fits(rule: Rule, text: string, effort: Effort): boolean {
  if (rule.ending !== undefined) return text.endsWith(rule.ending);
  if (rule.steps.length === 0) return text === rule.literal;
  return text.startsWith(rule.literal) && stepsFit(rule, text, effort);
}

/** Every step that the text so far may have come to is kept on a list, each once. */
function stepsFit({ steps, literal }: Rule, text: string, effort: Effort): boolean {
  let here: number[] = [];
  beginList(steps.length + 1);
  reach(0, steps, here);
  for (let at = literal.length; at < text.length && here.length > 0; at++) {
    const byte = text.charCodeAt(at);
    const next: number[] = [];
    beginList(steps.length + 1);
    for (const step of here) {
      const { bytes, kind } = steps[step] ?? theEnd;
      if (bytes[byte] === 1) reach(kind === 'star' ? step : step + 1, steps, next);
    }
    effort.left -= here.length + next.length;
    here = next;
  }
  return here.includes(steps.length);
}

/** The place behind the last step, which no byte leads on from. */
const theEnd: Step = { bytes: none, kind: 'once' };

/** Which list each step was last put on. It serves all rules, one after the other: a mark for each list saves clearing it. */
let seen = new Uint32Array(256);
let mark = 0;

function beginList(length: number): void {
  if (length > seen.length) seen = new Uint32Array(2 * length);
  mark = (mark + 1) >>> 0;
  if (mark === 0) seen.fill(mark++);
}

/** Puts a step on the list, with those behind it that can be reached without a byte. */
function reach(from: number, steps: readonly Step[], list: number[]): void {
  for (let step = from; seen[step] !== mark; ) {
    put(step, list);
    const { kind } = steps[step] ?? theEnd;
    if (kind === 'once') return;
    if (kind === 'gate') {
      put(step + 1, list);
      put(step + 2, list);
    }
    step += kind === 'gate' ? 3 : 1;
  }
}

function put(step: number, list: number[]): void {
  if (seen[step] === mark) return;
  seen[step] = mark;
  list.push(step);
}
