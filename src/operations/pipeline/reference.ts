/**
 * `$prev` in the parameters of a step: S4's references to the result of the step before, at any depth. A reference that
 * does not resolve is `null`; `$$prev…` is the literal text `$prev…`, `$$$prev…` the literal `$$prev…`, and so on.
 */

const reference = /^\$prev((?:\.[A-Za-z_$][\w$-]*|\[\d{1,9}\])*)$/;
const escaped = /^\$\$+prev/;
const part = /\.([A-Za-z_$][\w$-]*)|\[(\d{1,9})\]/g;

export function refersToPrevious(value: unknown): boolean {
  if (typeof value === 'string') return reference.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(refersToPrevious);
}

export function substitute(value: unknown, previous: unknown): unknown {
  if (typeof value === 'string') {
    if (escaped.test(value)) return value.slice(1);
    const path = reference.exec(value)?.[1];
    return path === undefined ? value : follow(path, previous);
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => substitute(item, previous));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, substitute(item, previous)]));
}

function follow(path: string, start: unknown): unknown {
  let value: unknown = start;
  for (const [, field, index] of path.matchAll(part)) {
    const key = field ?? Number(index);
    const reachable = typeof value === 'object' && value !== null && (field === undefined) === Array.isArray(value);
    if (!reachable || !Object.hasOwn(value as object, key)) return null;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value ?? null;
}
