/** Colours for code: comments, strings, numbers, words of the language. One pass, one line at a time where it can be. */

export interface Token {
  readonly kind: 'comment' | 'string' | 'number' | 'keyword' | 'name' | 'plain';
  readonly text: string;
}

interface Grammar {
  readonly comment: string;
  readonly string: string;
  readonly keywords: ReadonlySet<string>;
}

const words = (text: string) => new Set(text.split(' '));
const slashes = String.raw`\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)`;
const hash = String.raw`#[^\n]*`;
const quotes = String.raw`"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?`;

const script: Grammar = {
  comment: slashes,
  string: `${quotes}|\`(?:[^\`\\\\]|\\\\[^])*\`?`,
  keywords: words(
    'abstract as async await boolean break case catch class const continue debugger default delete do else enum export extends false finally for from function get if implements import in instanceof interface let new null number of package private protected public readonly return satisfies set static string super switch this throw true try type typeof undefined unknown var void while with yield',
  ),
};
const cLike: Grammar = {
  comment: slashes,
  string: quotes,
  keywords: words(
    'auto bool boolean break byte case catch chan char class const continue default defer delete do double else enum explicit extends extern false final finally float fn for fn func go goto if impl implements import in inline instanceof int interface let long loop map match mod move mut namespace new nil null nullptr override package private protected pub public range return select self short signed sizeof static std string struct super switch template this throw throws trait true try type typedef union unsafe unsigned use using var virtual void volatile where while',
  ),
};
const python: Grammar = {
  comment: hash,
  string: `"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|${quotes}`,
  keywords: words(
    'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try while with yield',
  ),
};
const shell: Grammar = {
  comment: hash,
  string: quotes,
  keywords: words(
    'begin case def do done elif else elsif end esac exit export false fi for function if in local module nil require return set source then true unless until while',
  ),
};
const data: Grammar = { comment: hash, string: quotes, keywords: words('true false null yes no on off') };
const json: Grammar = { comment: slashes, string: quotes, keywords: words('true false null') };
const sql: Grammar = {
  comment: `--[^\\n]*|${slashes}`,
  string: quotes,
  keywords: words(
    'add all alter and as asc begin between by case check column commit constraint create default delete desc distinct drop else end exists foreign from full group having if in index inner insert into is join key left like limit not null offset on or order outer primary references right rollback select set table then union unique update using values view when where with',
  ),
};
const markup: Grammar = {
  comment: '<!--[^]*?(?:-->|$)',
  string: quotes,
  keywords: words('a body div head html input link meta p script span style table td th tr ul ol li'),
};

const grammars: Readonly<Record<string, Grammar>> = Object.fromEntries(
  (
    [
      ['js jsx ts tsx mjs cjs mts cts javascript typescript', script],
      ['c h cc cpp hpp cxx cs java kt go rs rust swift scala dart proto php css scss less', cLike],
      ['py python pyi', python],
      ['sh bash zsh rb ruby fish pl r jl ex exs dockerfile makefile mk', shell],
      ['yaml yml toml ini conf cfg env properties', data],
      ['json jsonc json5 ndjson', json],
      ['sql', sql],
      ['html htm xml svg vue', markup],
    ] as const
  ).flatMap(([names, grammar]) => names.split(' ').map((name) => [name, grammar])),
);

/** Longer texts stay without colours. */
const LONGEST = 300_000;

export function tokensOf(text: string, language: string): Token[] {
  const grammar = grammars[language.toLowerCase()];
  if (grammar === undefined || text.length > LONGEST) return [{ kind: 'plain', text }];
  const pattern = new RegExp(
    `(?<comment>${grammar.comment})|(?<string>${grammar.string})|(?<number>\\b\\d[\\w.]*)|(?<word>[A-Za-z_$][\\w$-]*)`,
    'g',
  );
  const tokens: Token[] = [];
  let last = 0;
  const plain = (end: number) => {
    if (end > last) tokens.push({ kind: 'plain', text: text.slice(last, end) });
  };
  for (const match of text.matchAll(pattern)) {
    const kind = kindOf(match, grammar, text);
    if (kind === 'plain') continue;
    plain(match.index);
    tokens.push({ kind, text: match[0] });
    last = match.index + match[0].length;
  }
  plain(text.length);
  return tokens;
}

function kindOf({ groups, index, 0: found }: RegExpExecArray, grammar: Grammar, text: string): Token['kind'] {
  if (groups?.comment !== undefined) return 'comment';
  if (groups?.string !== undefined) return grammar === json && isKey(text, index + found.length) ? 'name' : 'string';
  if (groups?.number !== undefined) return 'number';
  const word = grammar === sql ? found.toLowerCase() : found;
  if (grammar.keywords.has(word)) return 'keyword';
  return grammar === data && text[index + found.length] === ':' ? 'name' : 'plain';
}

function isKey(text: string, from: number): boolean {
  return /^\s*:/.test(text.slice(from, from + 8));
}

export function languageOfPath(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return name.includes('.') ? name.slice(name.lastIndexOf('.') + 1) : name;
}
