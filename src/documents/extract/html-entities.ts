/** The named letters that pages are full of. Rare ones stay as they are written, and a parser may know them. */

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ensp: ' ',
  emsp: ' ',
  thinsp: ' ',
  hairsp: ' ',
  numsp: ' ',
  puncsp: ' ',
  emsp13: ' ',
  emsp14: ' ',
  MediumSpace: ' ',
  NonBreakingSpace: ' ',
  ThinSpace: ' ',
  VeryThinSpace: ' ',
  Tab: '\t',
  NewLine: '\n',
  shy: '',
  zwj: '\u200d',
  zwnj: '\u200c',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  lsquo: '‘',
  rsquo: '’',
  sbquo: '‚',
  ldquo: '“',
  rdquo: '”',
  bdquo: '„',
  laquo: '«',
  raquo: '»',
  lsaquo: '‹',
  rsaquo: '›',
  bull: '•',
  middot: '·',
  copy: '©',
  reg: '®',
  trade: '™',
  deg: '°',
  plusmn: '±',
  times: '×',
  divide: '÷',
  minus: '−',
  le: '≤',
  ge: '≥',
  ne: '≠',
  larr: '←',
  rarr: '→',
  euro: '€',
  pound: '£',
  yen: '¥',
  cent: '¢',
  sect: '§',
  para: '¶',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  Auml: 'Ä',
  Ouml: 'Ö',
  Uuml: 'Ü',
  szlig: 'ß',
  aacute: 'á',
  agrave: 'à',
  acirc: 'â',
  aring: 'å',
  atilde: 'ã',
  ccedil: 'ç',
  eacute: 'é',
  egrave: 'è',
  ecirc: 'ê',
  euml: 'ë',
  iacute: 'í',
  ntilde: 'ñ',
  oacute: 'ó',
  ocirc: 'ô',
  oslash: 'ø',
  uacute: 'ú',
};

export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d{1,8})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z]\w{1,20}));?/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return Object.hasOwn(named, name) && whole.endsWith(';') ? (named[name] ?? whole) : whole;
    return letterOf(decimal === undefined ? Number.parseInt(hex, 16) : Number.parseInt(decimal, 10));
  });
}

function letterOf(code: number): string {
  if (code === 0xa0) return ' ';
  return code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? '\ufffd' : String.fromCodePoint(code);
}

/**
 * A text back in a page, as it was. What looks like the name of a letter was one that we do not know, and stays one; where
 * we know it, somebody wrote about the name. Only what a parser would mistake is encoded: it makes a piece of each.
 */
export function encodeText(text: string): string {
  return text.replace(/&(?:#|([a-zA-Z]\w{1,20});)|</g, (found, name) => {
    if (found === '<') return '&lt;';
    return name === undefined || Object.hasOwn(named, name) ? `&amp;${found.slice(1)}` : found;
  });
}
