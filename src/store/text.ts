/** The one rule for characters that no database keeps in a text: half a surrogate pair, and NUL, at which SQLite cuts. */

/** The text as it will be read back: each such character stands as U+FFFD. */
export function storable(text: string): string {
  return text.replace(/[\0\p{Surrogate}]/gu, '\ufffd');
}
