/** As a phrase of FTS5's query language, so that nothing in the text is an operator. */
export function phrase(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
