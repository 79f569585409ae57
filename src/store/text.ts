/** The one rule for characters that no database keeps in a text: half a surrogate pair, and NUL, at which SQLite cuts. */

/** The text as it will be read back: each such character stands as U+FFFD. */
export function storable(text: string): string {
  // Most texts have neither, nor any pair: to find that out takes a tenth of the time.
  if (!/[\0\ud800-\udfff]/.test(text)) return text;
  return text.replace(/[\0\p{Surrogate}]/gu, '\ufffd');
}
