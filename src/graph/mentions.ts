/**
 * What a text names: files, symbols, and other instructions and decisions. Pure, and linear in the length of the text. It says
 * what may be meant; whether there is such a thing is for whoever asks.
 */

export const mentionTypes = ['path', 'symbol', 'id'] as const;
export type MentionType = (typeof mentionTypes)[number];

export interface Mention {
  readonly type: MentionType;
  /** A path with slashes; the name of a symbol, its parts joined by dots; an id without folder and suffix. */
  readonly value: string;
  /** Of a path: the symbol in it that is meant (`src/a.ts#open`). */
  readonly symbol?: string;
  /** Of a path that was given with one: the collection that it lies in. */
  readonly collection?: string;
}

const MOST = 200;
const LONGEST = 300;

/** The first two hundred different ones, in the order of the text. */
export function mentionsIn(text: string): Mention[] {
  const found = new Found();
  let fenced = false;
  for (let start = 0; start <= text.length && !found.full; ) {
    const end = lineEnd(text, start);
    const line = text.slice(start, end);
    start = end + 1;
    if (/^[ \t]{0,3}(?:```|~~~)/.test(line)) fenced = !fenced;
    else lookThrough(line, fenced, found);
  }
  return found.mentions;
}

function lineEnd(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end < 0 ? text.length : end;
}

/** More pieces than any text of ours has: what comes after them names nothing. */
const MOST_PIECES = 20_000;

class Found {
  readonly mentions: Mention[] = [];
  readonly #keys = new Set<string>();
  readonly #pieces = new Set<string>();

  get full(): boolean {
    return this.mentions.length >= MOST || this.#pieces.size >= MOST_PIECES;
  }

  /** Whether a piece is worth a look: each is looked at once. */
  isNew(piece: string): boolean {
    if (this.#pieces.has(piece)) return false;
    this.#pieces.add(piece);
    return true;
  }

  add(mention: Mention): void {
    const { type, value, symbol = '', collection = '' } = mention;
    const key = `${type}\0${value}\0${symbol}\0${collection}`;
    if (this.full || this.#keys.has(key)) return;
    this.#keys.add(key);
    this.mentions.push(mention);
  }
}

/**
 * A piece between backticks, the target of a link, a quotation without blanks, or a word. Every repetition ends at a bound or at
 * the character that opens the next piece, so no part of a line is looked at again and again.
 */
const pieces = () => /`([^`]+)`|\]\(([^)\s]{1,500})|"([^"\s]{1,300})"|'([^'\s]{1,300})'|([^\s`"'()[\]<>{}|,;*]+)/g;

function lookThrough(line: string, fenced: boolean, found: Found): void {
  const pattern = pieces();
  for (let match = pattern.exec(line); match !== null && !found.full; match = pattern.exec(line)) {
    const [piece, code, link, double, single, word] = match;
    const called = word !== undefined && !fenced && line.startsWith('()', pattern.lastIndex);
    // Most words are just words.
    if (word !== undefined && !called && !/[./\\_-]/.test(word)) continue;
    if (!found.isNew(called ? `${piece}()` : piece)) continue;
    if (code !== undefined) lookAtCode(code, found);
    else if (link !== undefined) addAll(found, pathsIn(link.replace(/^<|>$/g, ''), true));
    else if (double !== undefined || single !== undefined) lookAtQuoted(double ?? single ?? '', fenced, found);
    else if (word !== undefined) lookAtWord(word, called, found);
  }
}

/** One name as a rule; a command or an expression is looked at word by word, for the files in it. */
function lookAtCode(code: string, found: Found): void {
  const piece = code.trim();
  if (piece.length > LONGEST || /\s/.test(piece)) {
    for (const [word] of piece.matchAll(/[^\s"'()<>{}|,;=]+/g))
      addAll(found, [...pathsIn(word, false), ...idsIn(word)]);
    return;
  }
  addAll(found, classified(piece, true));
}

function lookAtQuoted(piece: string, fenced: boolean, found: Found): void {
  const paths = pathsIn(piece, true);
  addAll(found, paths.length > 0 || fenced ? paths : [...idsIn(piece), ...kebabIds(piece)]);
}

function lookAtWord(word: string, called: boolean, found: Found): void {
  if (word.length > LONGEST) return;
  const plain = withoutPunctuation(word);
  addAll(found, pathsIn(plain, false));
  addAll(found, idsIn(plain));
  const symbol = called && plain === word ? symbolIn(plain) : undefined;
  if (symbol !== undefined) found.add({ type: 'symbol', value: symbol });
}

function addAll(found: Found, mentions: readonly Mention[]): void {
  for (const mention of mentions) found.add(mention);
}

function classified(piece: string, quoted: boolean): Mention[] {
  const paths = pathsIn(piece, quoted);
  if (paths.length > 0) return paths;
  const called = /\([^()]*\)$/.exec(piece);
  const name = called === null ? piece : piece.slice(0, called.index);
  const symbol = symbolIn(name);
  const isSymbol = symbol !== undefined && (called !== null || looksLikeSymbol(name));
  return [
    ...idsIn(piece),
    ...(isSymbol ? [{ type: 'symbol', value: symbol } as const] : []),
    ...(called === null ? kebabIds(piece) : []),
  ];
}

function withoutPunctuation(word: string): string {
  let end = word.length;
  while (end > 0 && '.,:;!?'.includes(word[end - 1] ?? '')) end--;
  return word.slice(0, end);
}

// ── paths ────────────────────────────────────────────────────────────────────────────────────────────────────────────

const extensions = new Set(
  `astro bash bat c cc cfg cjs clj cmake cmd conf cpp cs csproj css csv cts cxx dart dockerfile ejs elm erl ex exs fs fsx go gql
   gradle graphql groovy h hbs hh hpp hs htm html http hxx ini ipynb java jl js json json5 jsonc jsonl jsx kt kts less lock lua m
   md mdc mdx mjs mk ml mm mts nim nix org pdf php pl pm prisma properties proto ps1 py pyi r rb rs rst sass scala scss sh sol
   sql svelte svg swift tex tf tfvars toml ts tsx txt vb vue wasm xml yaml yml zig zsh`.split(/\s+/),
);

/** Files that are known by their whole name. */
const names = new Set(
  `.dockerignore .editorconfig .env.example .eslintrc .gitattributes .gitignore .gitlab-ci.yml .npmrc .nvmrc .prettierrc
   brewfile caddyfile codeowners dockerfile gemfile jenkinsfile justfile license makefile procfile rakefile vagrantfile`.split(
    /\s+/,
  ),
);

/** A path, and the symbol after it both within the path and on its own. */
function pathsIn(piece: string, quoted: boolean): Mention[] {
  if (piece.length > LONGEST || !(/[./\\]/.test(piece) || names.has(piece.toLowerCase())) || isAddress(piece))
    return [];
  const { path: written, symbol } = parted(piece);
  const path = written.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '');
  if (!isRelative(path) || !looksLikePath(path, quoted) || decisionId(path) !== undefined) return [];
  if (symbol === undefined) return [{ type: 'path', value: path }];
  return [
    { type: 'path', value: path, symbol },
    { type: 'symbol', value: symbol },
  ];
}

/** Addresses, mail, packages with a scope: what has slashes and dots and is no file. */
function isAddress(piece: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]*:\/\/|^www\.|^mailto:|^\/\/|^@/.test(piece) || /^[^/]*@[^/]*\./.test(piece);
}

/** Without the line that it ends in, and without the symbol: `a.ts:12:3`, `a.ts#L5-L9`, `a.ts#open`, `a_test.py::Case::test`. */
function parted(piece: string): { path: string; symbol?: string } {
  const plain = piece.replace(
    /(?::\d{1,7}(?:[:-]\d{1,7}){0,2}|#L\d{1,7}(?:C\d+)?(?:-L?\d{1,7}(?:C\d+)?)?|\?[^#]*)$/,
    '',
  );
  const at = [plain.indexOf('#'), plain.indexOf('::')].filter((each) => each > 0);
  if (at.length === 0) return { path: plain };
  const cut = Math.min(...at);
  const path = plain.slice(0, cut);
  const named = plain
    .slice(cut)
    .replace(/^(?:#|::)/, '')
    .replace(/\(\)$/, '');
  const symbol = /\.(?:md|mdx|html?|rst|txt)$/i.test(path) ? undefined : symbolIn(named);
  return { path, ...(symbol !== undefined && { symbol }) };
}

function isRelative(path: string): boolean {
  if (/^(?:\/|~|[A-Za-z]:)|[*?<>{}$%=|\p{Cc}]|…|\.{3}/u.test(path)) return false;
  return !path.split('/').some((part) => part === '..' || part === '.' || part === '');
}

function looksLikePath(path: string, quoted: boolean): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  if (names.has(name.toLowerCase())) return quoted || path.includes('/');
  if (dot > 0 && extensions.has(name.slice(dot + 1).toLowerCase())) return true;
  // Without an extension that is known, prose has too many words such as and/or.
  return quoted && /^[\p{L}\p{N}_.@+-]+(?:\/[\p{L}\p{N}_.@+-]+)+$/u.test(path);
}

// ── symbols ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function symbolIn(name: string): string | undefined {
  if (!/^#?[\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::|#|->)#?[\p{L}_$][\p{L}\p{N}_$]*){0,8}$/u.test(name)) return undefined;
  return name
    .replace(/::|->|#/g, '.')
    .replace(/\.{2,}/g, '.')
    .replace(/^\./, '');
}

/** Case or underscores inside, or several parts: words of a sentence have none of them. */
function looksLikeSymbol(name: string): boolean {
  return /\p{Ll}\p{Lu}|\p{L}_\p{L}|[.#:>]|^\p{Lu}\p{Ll}{2}/u.test(name);
}

// ── instructions and decisions ───────────────────────────────────────────────────────────────────────────────────────

const dated = /^(?:proposal_)?\d{4}-\d{2}-\d{2}_(?:[a-z0-9_]{1,80}_)?[0-9a-f]{8}$/;

function decisionId(piece: string): string | undefined {
  const [, inFolder] = /^decisions\/([A-Za-z0-9][A-Za-z0-9._-]{0,119})$/.exec(piece) ?? [];
  if (inFolder !== undefined) return inFolder.replace(/\.md$/, '');
  const name = piece.replace(/\.md$/, '');
  return dated.test(name) || /^(?:ADR-\d{1,6}|decision_[A-Za-z0-9_-]{1,100})$/.test(name) ? name : undefined;
}

/** Ids that cannot be anything else, wherever they stand. */
function idsIn(piece: string): Mention[] {
  const [, resource] = /^cairn:\/\/(?:instruction|decision)\/([A-Za-z0-9][A-Za-z0-9._-]{0,119})$/.exec(piece) ?? [];
  const [, entry] = /^instructions\/([a-z0-9][a-z0-9._-]{0,119})$/.exec(piece) ?? [];
  const id = resource?.replace(/\.md$/, '') ?? entry?.replace(/\.json$/, '') ?? decisionId(piece);
  return id === undefined ? [] : [{ type: 'id', value: id }];
}

/** Of a name that somebody set apart: several parts in lower case. */
function kebabIds(piece: string): Mention[] {
  const isId = piece.length <= 120 && /^[a-z0-9]+(?:[._-]+[a-z0-9]+)+$/.test(piece) && !/^[\d.]+$/.test(piece);
  return isId && !piece.includes('..') ? [{ type: 'id', value: piece }] : [];
}
