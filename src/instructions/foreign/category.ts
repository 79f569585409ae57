/** The allowed spelling of a category (CONTRACT section 4), and the nearest one to what others write. */

export const MAX_CATEGORIES = 25;
const MAX_LENGTH = 49;
const pattern = /^[a-z0-9][a-z0-9:_-]{0,48}$/;
const scopeToken = /^scope:(?:workspace|user|team):./i;

/** S0's `scope:workspace:X` and its kin: not a topic, but a field of the entry in disguise. */
export function isScopeToken(category: string): boolean {
  return scopeToken.test(category.trim());
}

/** `CI/CD` becomes `ci-cd`; `undefined` where no letter or digit is left. */
export function repairedCategory(category: string): string | undefined {
  const repaired = category
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9:_-]+/g, '-')
    .replace(/-{2,}/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, MAX_LENGTH);
  const end = lastWordCharacter(repaired);
  return pattern.test(repaired.slice(0, end)) ? repaired.slice(0, end) : undefined;
}

/** Only hyphens are cut at the end: they stand for what could not be spelled. A colon or underline may be meant. */
function lastWordCharacter(text: string): number {
  let end = text.length;
  while (end > 0 && text[end - 1] === '-') end--;
  return end;
}
