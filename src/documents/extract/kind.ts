/**
 * What a file is. Packed formats show in their first bytes, whatever they are called; among texts the name speaks first
 * where it names code or Markdown (a template may begin like a page, and is code), and the content where it does not.
 */
import { baseOf, endingOf, languageOfName, languageOfShebang } from './languages.ts';
import { isDocx } from './zip.ts';

export type Kind = 'text' | 'markdown' | 'html' | 'pdf' | 'docx' | 'notebook' | 'code' | 'binary';

export interface TextKind {
  readonly kind: Kind;
  readonly mime: string;
  readonly language?: string;
}

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const BINARY = 'application/octet-stream';

/** A format, the bytes that begin it and where they stand. */
const signatures: readonly (readonly [mime: string, bytes: string, at?: number])[] = [
  ['image/png', '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', '\xff\xd8\xff'],
  ['image/gif', 'GIF87a'],
  ['image/gif', 'GIF89a'],
  ['image/webp', 'WEBP', 8],
  ['image/tiff', 'II*\0'],
  ['image/tiff', 'MM\0*'],
  ['audio/wav', 'WAVE', 8],
  ['audio/ogg', 'OggS\0'],
  ['audio/flac', 'fLaC\0'],
  ['audio/mpeg', 'ID3\x03'],
  ['audio/mpeg', 'ID3\x04'],
  ['video/mp4', 'ftyp', 4],
  ['video/webm', '\x1aE\xdf\xa3'],
  ['font/woff2', 'wOF2\0'],
  ['font/woff', 'wOFF\0'],
  ['application/gzip', '\x1f\x8b\x08'],
  ['application/x-bzip2', 'BZh91AY&SY'],
  ['application/x-xz', '\xfd7zXZ\0'],
  ['application/zstd', '\x28\xb5\x2f\xfd'],
  ['application/x-7z-compressed', '7z\xbc\xaf\x27\x1c'],
  ['application/vnd.rar', 'Rar!\x1a\x07'],
  ['application/vnd.sqlite3', 'SQLite format 3\0'],
  ['application/x-elf', '\x7fELF'],
  ['application/wasm', '\0asm'],
  ['application/java-vm', '\xca\xfe\xba\xbe'],
  ['application/x-ole-storage', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'],
];

const binaryEndings: Readonly<Record<string, string>> = {
  bin: BINARY,
  doc: 'application/msword',
  epub: 'application/epub+zip',
  exe: 'application/vnd.microsoft.portable-executable',
  jar: 'application/java-archive',
  odt: 'application/vnd.oasis.opendocument.text',
  ppt: 'application/vnd.ms-powerpoint',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  tar: 'application/x-tar',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  zip: 'application/zip',
};

const textMimes: Readonly<Record<string, string>> = {
  adoc: 'text/asciidoc',
  csv: 'text/csv',
  eml: 'message/rfc822',
  ics: 'text/calendar',
  rst: 'text/x-rst',
  rtf: 'application/rtf',
  srt: 'application/x-subrip',
  tsv: 'text/tab-separated-values',
  vtt: 'text/vtt',
};

const codeMimes: Readonly<Record<string, string>> = {
  css: 'text/css',
  javascript: 'text/javascript',
  json: 'application/json',
  toml: 'application/toml',
  xml: 'application/xml',
  yaml: 'application/yaml',
};

const markdownEndings = new Set(['md', 'markdown', 'mdown', 'mkd', 'mdx', 'mdc', 'qmd', 'rmd']);
const htmlEndings = new Set(['html', 'htm', 'xhtml']);
/** What a name like this says of the content is next to nothing. */
const plainEndings = new Set(['', 'txt', 'text', 'log', 'out', 'tmp', 'bak']);

/** A packed format, or nothing where the bytes may be letters. */
export function signatureOf(name: string, data: Buffer): { kind: Kind; mime: string } | undefined {
  // A PDF may stand behind a few stray bytes; only its name tells that from a text about PDFs.
  const pdf = data.subarray(0, 1024).indexOf('%PDF-');
  if (pdf === 0 || (pdf > 0 && endingOf(name) === 'pdf')) return { kind: 'pdf', mime: 'application/pdf' };
  if (begins(data, 'PK\x03\x04') || begins(data, 'PK\x05\x06')) {
    return isDocx(name, data) ? { kind: 'docx', mime: DOCX } : { kind: 'binary', mime: zipMimeOf(name) };
  }
  const [mime] = signatures.find(([, bytes, at = 0]) => begins(data, bytes, at)) ?? [];
  if (mime === undefined) return undefined;
  return { kind: 'binary', mime: mime === 'application/x-ole-storage' ? binaryMimeOf(name) : mime };
}

function begins(data: Buffer, bytes: string, at = 0): boolean {
  return data.toString('latin1', at, at + bytes.length) === bytes;
}

export function binaryMimeOf(name: string): string {
  return lookup(binaryEndings, endingOf(name)) ?? BINARY;
}

function zipMimeOf(name: string): string {
  const mime = binaryMimeOf(name);
  return mime === BINARY ? 'application/zip' : mime;
}

export function textKindOf(name: string, text: string): TextKind {
  const ending = endingOf(name);
  const head = text.slice(0, 4096);
  if (ending === 'ipynb' || isNotebook(ending, text)) return { kind: 'notebook', mime: 'application/x-ipynb+json' };
  if (markdownEndings.has(ending)) return { kind: 'markdown', mime: 'text/markdown' };
  if (htmlEndings.has(ending)) return html;
  const language = languageOfName(name) ?? languageOfShebang(head);
  if (language !== undefined) return code(language);
  if (looksLikeHtml(head)) return html;
  if (/^\s*<\?xml\s/.test(head)) return code('xml');
  if (/^readme$/.test(baseOf(name))) return { kind: 'markdown', mime: 'text/markdown' };
  return { kind: 'text', mime: lookup(textMimes, ending) ?? 'text/plain' };
}

const html: TextKind = { kind: 'html', mime: 'text/html' };

function code(language: string): TextKind {
  return { kind: 'code', language, mime: lookup(codeMimes, language) ?? 'text/plain' };
}

/** Comments and an XML line may stand before the page; each is passed over once, from the left. */
function looksLikeHtml(head: string): boolean {
  let rest = head.trimStart();
  while (rest.startsWith('<!--') || rest.startsWith('<?xml')) {
    const end = rest.indexOf(rest.startsWith('<?') ? '?>' : '-->');
    if (end < 0) return false;
    rest = rest.slice(end + 3).trimStart();
  }
  return /^<(?:!doctype\s+html|html|head|body)[\s>]/i.test(rest);
}

/** By content: JSON whose format number is that of a notebook. It stands at the end, behind the cells, or at the beginning. */
function isNotebook(ending: string, text: string): boolean {
  if (ending !== 'json' && !plainEndings.has(ending)) return false;
  if (!/^\s*\{/.test(text.slice(0, 200))) return false;
  const edges = text.slice(0, 2000) + text.slice(-2000);
  return /"nbformat"\s*:\s*\d/.test(edges) && text.includes('"cells"');
}

function lookup(table: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
