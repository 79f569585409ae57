/** The inside of a paragraph: emphasis, code, links. Pure; every character is passed once. */
import { safeLink } from './safe-link.ts';

export type Span =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'break' }
  | { readonly kind: 'strong' | 'emphasis' | 'struck'; readonly spans: readonly Span[] }
  | { readonly kind: 'link'; readonly href: string; readonly spans: readonly Span[] };

const MOST_DEPTH = 6;

/** Up to where no mark closes anything: what was looked through once is not looked through again. */
type Barren = Map<string, number>;

/** A piece that begins here, and where the text goes on after it. */
type Found = readonly [Span, number];

export function spansOf(text: string, depth = 0): Span[] {
  const spans: Span[] = [];
  const barren: Barren = new Map();
  let plain = '';
  let at = 0;
  const flush = () => {
    if (plain !== '') spans.push({ kind: 'text', text: plain });
    plain = '';
  };
  while (at < text.length) {
    const found = depth < MOST_DEPTH ? pieceAt(text, at, depth, barren) : undefined;
    if (found === undefined) {
      // A backslash takes the meaning from the mark behind it.
      const escaped = text[at] === '\\' && /[!-/:-@[-`{-~]/.test(text[at + 1] ?? '');
      if (escaped) at++;
      plain += text[at];
      at++;
      continue;
    }
    flush();
    spans.push(found[0]);
    at = found[1];
  }
  flush();
  return spans;
}

function pieceAt(text: string, at: number, depth: number, barren: Barren): Found | undefined {
  switch (text[at]) {
    case '`':
      return codeAt(text, at);
    case '*':
    case '_':
    case '~':
      return emphasisAt(text, at, depth, barren);
    case '!':
      // An image is not loaded: it is a link to itself.
      return text[at + 1] === '[' ? linkAt(text, at + 1, depth) : undefined;
    case '[':
      return linkAt(text, at, depth);
    case '<':
      return angledAt(text, at);
    case 'h':
      return bareAt(text, at);
    case '\n':
      return /(?: {2,}|\\)$/.test(text.slice(Math.max(0, at - 3), at)) ? [{ kind: 'break' }, at + 1] : undefined;
    default:
      return undefined;
  }
}

function codeAt(text: string, at: number): Found | undefined {
  const ticks = /^`+/.exec(text.slice(at, at + 20))?.[0] ?? '`';
  const end = text.indexOf(ticks, at + ticks.length);
  if (end === -1 || text[end + ticks.length] === '`') return undefined;
  return [{ kind: 'code', text: text.slice(at + ticks.length, end).replace(/^ (.*) $/s, '$1') }, end + ticks.length];
}

const marks = [
  ['**', 'strong'],
  ['__', 'strong'],
  ['~~', 'struck'],
  ['*', 'emphasis'],
  ['_', 'emphasis'],
] as const;

function emphasisAt(text: string, at: number, depth: number, barren: Barren): Found | undefined {
  for (const [mark, kind] of marks) {
    if (!text.startsWith(mark, at) || /\s|^$/.test(text[at + mark.length] ?? '')) continue;
    // Underscores inside of a word are part of a name.
    if (mark.startsWith('_') && /\w/.test(text[at - 1] ?? '')) continue;
    const end = closing(text, mark, at + mark.length, barren);
    if (end !== -1) return [{ kind, spans: spansOf(text.slice(at + mark.length, end), depth + 1) }, end + mark.length];
  }
  return undefined;
}

const FARTHEST = 2000;

function closing(text: string, mark: string, from: number, barren: Barren): number {
  const limit = Math.min(text.length, from + FARTHEST);
  const start = Math.max(from + 1, barren.get(mark) ?? 0);
  for (let end = text.indexOf(mark, start); end !== -1 && end < limit; end = text.indexOf(mark, end + 1)) {
    const inside = mark.startsWith('_') && /\w/.test(text[end + mark.length] ?? '');
    const longer = mark.length === 1 && (text[end + 1] === mark || text[end - 1] === mark);
    if (!/[\s\\]/.test(text[end - 1] ?? '') && !inside && !longer) return end;
  }
  barren.set(mark, limit);
  return -1;
}

const LONGEST_LINK = 1500;

function linkAt(text: string, at: number, depth: number): Found | undefined {
  const label = /^\[((?:[^[\]\\]|\\.){0,500})\]\(/.exec(text.slice(at, at + 1010));
  if (label === null) return undefined;
  const start = at + label[0].length;
  const length = text.slice(start, start + LONGEST_LINK).indexOf(')');
  const inside = /^\s*<?([^\s<>]*)>?(?:\s+"[^"]*")?\s*$/.exec(text.slice(start, start + Math.max(0, length)));
  if (length === -1 || inside === null) return undefined;
  const address = inside[1] ?? '';
  const end = start + length + 1;
  const href = safeLink(address);
  // What may not be followed is shown as it was written.
  if (href === undefined) return [{ kind: 'text', text: text.slice(at, end) }, end];
  return [{ kind: 'link', href, spans: spansOf(label[1] || address, depth + 1) }, end];
}

function angledAt(text: string, at: number): Found | undefined {
  const found = /^<((?:https?:\/\/|mailto:)[^\s<>]{1,2000})>/i.exec(text.slice(at, at + 2100));
  const href = found === null ? undefined : safeLink(found[1] ?? '');
  if (found === null || href === undefined) return undefined;
  return [{ kind: 'link', href, spans: [{ kind: 'text', text: found[1] ?? '' }] }, at + found[0].length];
}

function bareAt(text: string, at: number): Found | undefined {
  if (/\w/.test(text[at - 1] ?? '')) return undefined;
  const found = /^https?:\/\/[^\s<>"'`]{1,2000}/.exec(text.slice(at, at + 2100));
  const address = found?.[0].replace(/[.,;:!?)\]}]+$/, '');
  if (address === undefined || safeLink(address) === undefined) return undefined;
  return [{ kind: 'link', href: address, spans: [{ kind: 'text', text: address }] }, at + address.length];
}
