/**
 * Texts of others inside a drawing, as DOT or mermaid.
 *
 * Ids and labels may come from files that others wrote, and both languages have ways out of a quoted label: a quote, a
 * backslash before it, a line break, and in mermaid also HTML, `%%{init}%%` directives anywhere in the text and keywords
 * where a node id stands. So labels keep only characters known to be harmless, and mermaid ids are made of letters, digits
 * and `_` alone.
 */

/**
 * DOT knows two escapes inside quotes, `\"` and `\\`. Line breaks and other control characters are written as a single
 * backslash and letters: no text can yield that, since its own backslashes are doubled, so two ids never become one.
 */
export function dotString(text: string): string {
  return `"${text.replace(/["\\\p{Cc}\p{Zl}\p{Zp}]/gu, dotEscape)}"`;
}

function dotEscape(character: string): string {
  if (character === '"' || character === '\\') return `\\${character}`;
  return character === '\n' ? '\\n' : character === '\r' ? '\\r' : unicodeEscape(character);
}

export function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * Mermaid's own escapes are `#<code>;`. Everything but letters, digits and plain punctuation takes that form; so do
 * runs of hyphens, which look like a link or the end of the front matter, and the blank after `direction`, because
 * mermaid takes any line that contains `direction TB` for a statement, quoted or not.
 */
export function mermaidLabel(text: string): string {
  // Mermaid refuses a label of nothing.
  if (text === '') return ' ';
  return text.replace(/-{3,}|(?<=direction) |[^\p{L}\p{M}\p{N} _.,:/+=()-]/gu, (found) =>
    Array.from(found, (character) => `#${character.codePointAt(0)};`).join(''),
  );
}

/** Words that mermaid's grammar, or the plain objects inside its older versions, would not take as the id of a node. */
const keywords = new Set([
  ...['graph', 'flowchart', 'subgraph', 'end', 'style', 'linkstyle', 'classdef', 'class', 'default', 'interpolate'],
  ...['click', 'href', 'call', '_self', '_blank', '_parent', '_top', '__proto__', 'constructor'],
]);

/** Gives each id a name of its own, in the order of first use; of several that reduce to one, later ones get a number. */
export function mermaidNames() {
  const named = new Map<string, string>();
  const taken = new Set<string>();
  const lastNumber = new Map<string, number>();
  const fresh = (id: string): string => {
    // A line that ends in `direction`, before one that begins with `TB`, is that same statement to mermaid.
    const base = id.replace(/[^A-Za-z0-9_]/gu, '_').replace(/^(?=TB|BT|LR|RL|TD)/, '_');
    if (base !== '' && !keywords.has(base.toLowerCase()) && !taken.has(base)) return base;
    let number = lastNumber.get(base) ?? 1;
    do number += 1;
    while (taken.has(`${base}_${number}`));
    lastNumber.set(base, number);
    return `${base}_${number}`;
  };
  return {
    of(id: string): string {
      const known = named.get(id);
      if (known !== undefined) return known;
      const name = fresh(id);
      taken.add(name);
      named.set(id, name);
      return name;
    },
    all: (): readonly (readonly [string, string])[] => [...named],
  };
}
