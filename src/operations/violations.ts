/**
 * Turns what zod found wrong into the error shape that the seeds document, which is Ajv's. A test compares the result
 * with Ajv's own on the generated schemas.
 */
import type { z } from 'zod';
import type { SchemaViolation } from '../errors.ts';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** The part of a JSON Schema that the issues leave out: zod calls an integer a number, and a time `datetime`. */
interface Declared {
  readonly type?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Declared;
  readonly properties?: Readonly<Record<string, Declared>>;
  readonly additionalProperties?: Declared | boolean;
}

/** What was wrong, in Ajv's words. `schema` is the JSON Schema made from the definition that found it. */
export function violationsOf(error: z.ZodError, input: unknown, schema: Declared = {}): SchemaViolation[] {
  // Zod also measures what has the wrong type (a list where a text belongs has a length), and judges the size of an
  // integer twice; Ajv does neither.
  const mistyped = new Set(error.issues.filter(isWrongType).map(({ path }) => pointer(path)));
  const bounded = new Set(error.issues.filter((issue) => !isUnsafe(issue) && isBound(issue)).map(placeOf));
  return error.issues
    .filter((issue) => !(isBound(issue) && mistyped.has(placeOf(issue))))
    .filter((issue) => !(isUnsafe(issue) && bounded.has(placeOf(issue))))
    .flatMap((issue) => fromIssue(issue, input, declaredAt(schema, issue.path)));
}

function placeOf({ path }: Issue): string {
  return pointer(path);
}

function isWrongType(issue: Issue): boolean {
  return issue.code === 'invalid_type' && issue.expected !== 'int';
}

function isBound(issue: Issue): issue is Extract<Issue, { code: 'too_small' | 'too_big' }> {
  return issue.code === 'too_small' || issue.code === 'too_big';
}

/** An integer that a double cannot hold exactly. */
function isUnsafe(issue: Issue): boolean {
  return isBound(issue) && issue.origin === 'int';
}

function fromIssue(issue: Issue, input: unknown, declared: Declared): SchemaViolation[] {
  if (isMissing(input, issue.path)) return missing(issue.path);
  const instancePath = pointer(issue.path);
  const found = (keyword: string, message: string, params: Record<string, unknown>): SchemaViolation[] => [
    { instancePath, keyword, message, params },
  ];
  const wrongType = (type: string) => found('type', `must be ${type}`, { type });
  switch (issue.code) {
    case 'invalid_type':
      if (issue.expected === 'int')
        return [...wrongType('integer'), ...outside(Number(valueAt(input, issue.path)), declared, found)];
      return wrongType(declared.type ?? (issue.expected === 'record' ? 'object' : issue.expected));
    case 'unrecognized_keys':
      return issue.keys.flatMap((additionalProperty) =>
        found('additionalProperties', 'must NOT have additional properties', {
          additionalProperty: shortened(additionalProperty),
        }),
      );
    case 'too_small':
    case 'too_big':
      return bound(issue, found);
    case 'invalid_value': {
      const text = typeof valueAt(input, issue.path) === 'string';
      return [
        ...(declared.type === 'string' && !text ? wrongType('string') : []),
        ...found('enum', 'must be equal to one of the allowed values', { allowedValues: issue.values }),
      ];
    }
    case 'invalid_format':
      return format(issue, declared, found);
    case 'not_multiple_of':
      return found('multipleOf', `must be multiple of ${issue.divisor}`, { multipleOf: issue.divisor });
    default:
      return found('rule', issue.message, {});
  }
}

type Found = (keyword: string, message: string, params: Record<string, unknown>) => SchemaViolation[];

/** A named format is also a pattern in the generated schema, and so it is both in the answer. */
function format(
  issue: Extract<Issue, { code: 'invalid_format' }>,
  declared: Declared,
  found: Found,
): SchemaViolation[] {
  const name = declared.format ?? issue.format;
  const named = issue.format === 'regex' ? [] : found('format', `must match format "${name}"`, { format: name });
  const pattern = issue.pattern?.replace(/^\/|\/[a-z]*$/g, '');
  return pattern === undefined
    ? named
    : [...named, ...found('pattern', `must match pattern "${pattern}"`, { pattern })];
}

function bound(issue: Extract<Issue, { code: 'too_small' | 'too_big' }>, found: Found): SchemaViolation[] {
  const small = issue.code === 'too_small';
  const limit = Number(small ? issue.minimum : issue.maximum);
  const more = small ? 'fewer' : 'more';
  if (issue.origin === 'string') {
    return found(small ? 'minLength' : 'maxLength', `must NOT have ${more} than ${limit} characters`, { limit });
  }
  if (issue.origin === 'array' || issue.origin === 'set') {
    return found(small ? 'minItems' : 'maxItems', `must NOT have ${more} than ${limit} items`, { limit });
  }
  const exclusive = issue.inclusive === false;
  const keyword = small ? (exclusive ? 'exclusiveMinimum' : 'minimum') : exclusive ? 'exclusiveMaximum' : 'maximum';
  const comparison = `${small ? '>' : '<'}${exclusive ? '' : '='}`;
  return found(keyword, `must be ${comparison} ${limit}`, { comparison, limit });
}

/** The bounds of an integer hold for a fraction too; zod does not look at them once the type is wrong. */
function outside(
  value: number,
  { minimum = -Infinity, maximum = Infinity }: Declared,
  found: Found,
): SchemaViolation[] {
  if (value < minimum) return found('minimum', `must be >= ${minimum}`, { comparison: '>=', limit: minimum });
  return value > maximum ? found('maximum', `must be <= ${maximum}`, { comparison: '<=', limit: maximum }) : [];
}

function declaredAt(schema: Declared, path: Path): Declared {
  let declared = schema;
  for (const key of path) {
    const { items, properties, additionalProperties } = declared;
    const named = typeof key === 'string' && properties && Object.hasOwn(properties, key) ? properties[key] : undefined;
    const other = typeof additionalProperties === 'object' ? additionalProperties : undefined;
    declared = (typeof key === 'number' ? items : (named ?? other)) ?? {};
  }
  return declared;
}

/** Ajv reports a missing property at its parent. */
function missing(path: Path): SchemaViolation[] {
  const missingProperty = String(path.at(-1) ?? '');
  return [
    {
      instancePath: pointer(path.slice(0, -1)),
      keyword: 'required',
      message: `must have required property '${missingProperty}'`,
      params: { missingProperty },
    },
  ];
}

function isMissing(input: unknown, path: Path): boolean {
  return path.length > 0 && valueAt(input, path) === undefined;
}

function valueAt(input: unknown, path: Path): unknown {
  let value: unknown = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

function pointer(path: Path): string {
  return path.map((key) => `/${shortened(String(key)).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The violations as one sentence for people: a format by its name alone, and nothing of the input at full length. */
export function sentence(violations: readonly SchemaViolation[]): string {
  const named = new Set(
    violations.filter(({ keyword }) => keyword === 'format').map(({ instancePath }) => instancePath),
  );
  const said = violations.filter(({ keyword, instancePath }) => keyword !== 'pattern' || !named.has(instancePath));
  const parts = said.slice(0, 5).map(({ instancePath, message, params }) => {
    const where = instancePath === '' ? 'the arguments' : shortened(instancePath.slice(1).replaceAll('/', '.'));
    const extra =
      'allowedValues' in params
        ? `: ${(params.allowedValues as unknown[]).slice(0, 20).join(', ')}`
        : 'additionalProperty' in params
          ? `: ${JSON.stringify(shortened(String(params.additionalProperty)))}`
          : '';
    return `${where} ${message}${extra}`;
  });
  const more = said.length > 5 ? [`and ${said.length - 5} more`] : [];
  return [...parts, ...more].join('; ');
}

/** Threat: a name may be as long as a frame. What is wrong with it is told by its beginning. */
function shortened(text: string): string {
  return text.length <= 100 ? text : `${text.slice(0, 100)}…`;
}
