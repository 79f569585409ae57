/** owners.json: who answers for which instructions. `{owners: [{match: "web-*", owner: "team-web"}]}`, the first match wins. */

import type { FileShelf } from '../store/store.ts';

export const UNOWNED = 'unowned';

/** The text of owners.json: beside the entries, else in the home. */
export async function readOwners(files: Pick<FileShelf, 'read'>): Promise<string | undefined> {
  return (await files.read('instructions', 'owners.json')) ?? files.read('home', 'owners.json');
}

/** What is wrong with the file, where it cannot say who owns what. */
export function ownersProblem(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    const { owners } = JSON.parse(text) as { owners?: unknown };
    return Array.isArray(owners) ? undefined : 'has no list of "owners"';
  } catch (thrown) {
    return `is not JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
  }
}

export function ownerFor(id: string, text: string | undefined): string {
  if (text === undefined) return UNOWNED;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return UNOWNED;
  }
  const rules = (parsed as { owners?: unknown } | null)?.owners;
  if (!Array.isArray(rules)) return UNOWNED;
  const rule = rules.find(
    (one): one is { match: string; owner: string } =>
      typeof one?.match === 'string' &&
      typeof one.owner === 'string' &&
      one.owner.trim() !== '' &&
      matches(one.match, id),
  );
  return rule?.owner ?? UNOWNED;
}

/** `*` stands for any run of characters; compared part by part, in one pass. */
function matches(pattern: string, id: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return pattern === id;
  const last = rest.pop() ?? '';
  if (!id.startsWith(first) || !id.endsWith(last) || id.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of rest) {
    const found = id.indexOf(part, at);
    if (found === -1 || found + part.length > id.length - last.length) return false;
    at = found + part.length;
  }
  return true;
}
