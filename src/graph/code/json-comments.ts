/** JSON as configuration files write it: with comments and commas too many. */

export function readConfig(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(withoutComments(text));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    // A file that cannot be read maps nothing; what depends on it stays unresolved.
    return undefined;
  }
}

/** Strings are matched as well, so that what looks like a comment inside one stays. */
function withoutComments(text: string): string {
  const bare = text
    .replace(/^\uFEFF/, '')
    .replace(/("(?:[^"\\\n]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_, string: string | undefined) => string ?? ' ');
  return bare.replace(/("(?:[^"\\\n]|\\.)*")|,(?=\s*[}\]])/g, (_, string: string | undefined) => string ?? '');
}
