/**
 * Text for a person's terminal. Threat: a stored text or a file name that moves the cursor, renames the window or turns the
 * direction of writing around. So a line is made of pieces; whatever is in a piece is shown and never obeyed, and colour is
 * added to it afterwards.
 */

export type Tone = 'strong' | 'faint' | 'good' | 'bad' | 'change' | 'name' | 'number' | 'match';

export interface Toned {
  readonly text: string;
  readonly tone: Tone;
}
export type Piece = string | Toned;
export type Line = readonly Piece[];

const codes: Readonly<Record<Tone, string>> = {
  strong: '1',
  faint: '2',
  good: '32',
  bad: '31',
  change: '33',
  name: '35',
  number: '32',
  match: '1;31',
};

export function toned(tone: Tone, text: string): Toned {
  return { tone, text };
}

export function wordsOf(piece: Piece): string {
  return typeof piece === 'string' ? piece : piece.text;
}

export function written(lines: readonly Line[], colour: boolean): string {
  return lines.map((line) => `${line.map((piece) => painted(piece, colour)).join('')}\n`).join('');
}

function painted(piece: Piece, colour: boolean): string {
  const text = visible(wordsOf(piece));
  return colour && typeof piece !== 'string' && text !== '' ? `\x1b[${codes[piece.tone]}m${text}\x1b[0m` : text;
}

/** Marks that turn the direction of writing around. */
const turning = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const unshown = new RegExp(`[\\p{Cc}\\u2028\\u2029]|${turning.source}`, 'gu');

/** What would act on the terminal, written out: a newline in a name is `\n`. Tabs stay. */
export function visible(text: string): string {
  return text.replace(unshown, (character) => {
    if (character === '\t') return character;
    if (character === '\n') return '\\n';
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u${code.padStart(4, '0')}`;
  });
}

/** https://no-color.org: any value but the empty one switches colour off. */
export function hasColour(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
}

/** Made when first needed: it takes longer to make than most commands need it. */
let segmenter: Intl.Segmenter | undefined;

function graphemesOf(text: string): string[] {
  segmenter ??= new Intl.Segmenter();
  return [...segmenter.segment(text)].map(({ segment }) => segment);
}

const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;

/** Columns that a text takes, as nearly as can be known without asking the terminal. */
export function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  return graphemesOf(text).reduce((width, grapheme) => width + columnsOf(grapheme), 0);
}

function columnsOf(grapheme: string): number {
  if (wide.test(grapheme)) return 2;
  return /^[\p{M}\p{Cf}]+$/u.test(grapheme) ? 0 : 1;
}

/** At most so many columns, with `…` for what is missing: the end of the text, or (of a path) its beginning. */
export function cut(text: string, width: number, keep: 'start' | 'end' = 'start'): string {
  if (widthOf(text) <= width) return text;
  if (width < 1) return '';
  const parts = graphemesOf(text);
  if (keep === 'end') parts.reverse();
  const kept: string[] = [];
  let room = width - 1;
  for (const part of parts) {
    room -= columnsOf(part);
    if (room < 0) break;
    kept.push(part);
  }
  return keep === 'end' ? `…${kept.reverse().join('')}` : `${kept.join('')}…`;
}
