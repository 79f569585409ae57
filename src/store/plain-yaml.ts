/**
 * The small part of YAML that Cairn itself writes at the top of a decision: names with a scalar, a list of scalars or a map of
 * scalars, where each scalar is bare and cannot be misread, or JSON. Reading it here takes a tenth of the time of a whole YAML
 * parser, which gets everything else; whatever is read here, that one reads in the same way (a test compares them).
 */

type Fields = Record<string, unknown>;

/** `undefined` where anything is beyond that part. */
export function plainFields(lines: readonly string[]): Fields | undefined {
  const fields: Fields = {};
  let inner: Fields | unknown[] | undefined;
  for (let at = 0; at < lines.length; at++) {
    const [, indent = '', dash, name = '', text = ''] = form.exec(lines[at] ?? '') ?? [];
    if (indent === '') {
      if (!isBare(name) || Object.hasOwn(fields, name)) return undefined;
      inner = text === '' ? emptyFor(lines[at + 1]) : undefined;
      const value = inner ?? scalar(text);
      if (value === undefined) return undefined;
      fields[name] = value;
      continue;
    }
    const value = scalar(text);
    if (value === undefined) return undefined;
    if (dash !== undefined && Array.isArray(inner)) inner.push(value);
    else if (dash === undefined && isFields(inner) && isBare(name) && !Object.hasOwn(inner, name)) inner[name] = value;
    else return undefined;
  }
  return fields;
}

function isFields(value: Fields | unknown[] | undefined): value is Fields {
  return value !== undefined && !Array.isArray(value);
}

/** `name: scalar`, `name:`, and two blanks further in `- scalar` and `name: scalar`. */
const form = /^(?:(?=[a-z])|( {2}))(?:(- )|([a-z][a-z_]*):(?: |$))(.*)$/;

/** What a name without a value holds, by the line below it. */
function emptyFor(next: string | undefined): Fields | unknown[] | undefined {
  if (next?.startsWith('  - ')) return [];
  return next?.startsWith('  ') ? {} : undefined;
}

const bare = /^(?:[A-Za-z][A-Za-z0-9_./@-]*(?: [A-Za-z0-9_./@(),;-]+)*|\d{4}-\d\d-\d\dT[\d:.]+Z)$/;
const keyword = /^(?:true|false|null|yes|no|on|off|y|n)$/i;
const number = /^(?:0|[1-9]\d{0,8})(?:\.\d{1,9})?$/;
/** Its escapes mean the same in JSON and in YAML, and nothing stands after it. */
const quoted = /^"(?:[^"\\\p{Cc}\u2028\u2029\ufeff\ufffe\uffff]+|\\(?:["\\/bfnrt]|u[0-9a-f]{4}))*"$/u;

/** Whether a text can stand without quotes, in any reader of YAML. */
export function isBare(text: string): boolean {
  return bare.test(text) && !keyword.test(text);
}

function scalar(text: string): unknown {
  if (isBare(text)) return text;
  if (number.test(text)) return Number(text);
  return quoted.test(text) ? JSON.parse(text) : undefined;
}
