/** Texts cut to a length and to one kind of line end; both in one pass, whatever the text. */

/** The beginning of the text, never half a surrogate pair. */
export function shortened(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const last = text.charCodeAt(maxChars - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maxChars - 1 : maxChars);
}

export function linesEnded(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}
