/**
 * A result as compact text: what an agent reads in `content` and a person on a terminal. Every value is there once;
 * nothing is indented for its own sake.
 */

export function render(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return inline(value);
  return Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .map(([key, item]) => field(key, item))
    .join('\n');
}

function field(key: string, value: unknown): string {
  if (!Array.isArray(value)) {
    const text = inline(value);
    return text.includes('\n') ? `${key}:\n${text}` : `${key}: ${text}`;
  }
  if (value.length === 0) return `${key}: none`;
  if (value.every(isScalar) && value.join(', ').length <= 160) return `${key}: ${value.map(inline).join(', ')}`;
  return `${key}:\n${value.map((item) => `- ${row(item)}`).join('\n')}`;
}

/** One line of a list: the fields of the item, side by side. */
function row(item: unknown): string {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return inline(item);
  return Object.entries(item)
    .filter(([, part]) => part !== undefined)
    .map(([key, part]) => `${key}: ${inline(part)}`)
    .join(', ');
}

function inline(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}
