/**
 * Turns what zod found wrong into the error shape that the seeds document, which is Ajv's. A test compares the result
 * with Ajv's own on the generated schemas.
 */
import type { z } from 'zod';
import type { SchemaViolation } from '../errors.ts';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

export function violationsOf(error: z.ZodError, input: unknown): SchemaViolation[] {
  return error.issues.flatMap((issue) => fromIssue(issue, input));
}

function fromIssue(issue: Issue, input: unknown): SchemaViolation[] {
  const instancePath = pointer(issue.path);
  const found = (keyword: string, message: string, params: Record<string, unknown>): SchemaViolation[] => [
    { instancePath, keyword, message, params },
  ];
  switch (issue.code) {
    case 'invalid_type': {
      if (isMissing(input, issue.path)) return missing(issue.path);
      const type = issue.expected === 'int' ? 'integer' : issue.expected === 'record' ? 'object' : issue.expected;
      return found('type', `must be ${type}`, { type });
    }
    case 'unrecognized_keys':
      return issue.keys.flatMap((additionalProperty) =>
        found('additionalProperties', 'must NOT have additional properties', { additionalProperty }),
      );
    case 'too_small':
    case 'too_big':
      return bound(issue, found);
    case 'invalid_value': {
      if (isMissing(input, issue.path)) return missing(issue.path);
      return found('enum', 'must be equal to one of the allowed values', { allowedValues: issue.values });
    }
    case 'invalid_format':
      if (issue.format === 'regex') {
        const pattern = String(issue.pattern ?? '').replace(/^\/|\/[a-z]*$/g, '');
        return found('pattern', `must match pattern "${pattern}"`, { pattern });
      }
      return found('format', `must match format "${issue.format}"`, { format: issue.format });
    case 'not_multiple_of':
      return found('multipleOf', `must be multiple of ${issue.divisor}`, { multipleOf: issue.divisor });
    default:
      if (isMissing(input, issue.path)) return missing(issue.path);
      return found('rule', issue.message, {});
  }
}

function bound(
  issue: Extract<Issue, { code: 'too_small' | 'too_big' }>,
  found: (keyword: string, message: string, params: Record<string, unknown>) => SchemaViolation[],
): SchemaViolation[] {
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
  if (path.length === 0) return false;
  let value: unknown = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return true;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value === undefined;
}

function pointer(path: Path): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The violations as one sentence for people. */
export function sentence(violations: readonly SchemaViolation[]): string {
  const parts = violations.slice(0, 5).map(({ instancePath, message, params }) => {
    const where = instancePath === '' ? 'the arguments' : instancePath.slice(1).replaceAll('/', '.');
    const extra =
      'allowedValues' in params
        ? `: ${(params.allowedValues as unknown[]).slice(0, 20).join(', ')}`
        : 'additionalProperty' in params
          ? `: ${JSON.stringify(params.additionalProperty)}`
          : '';
    return `${where} ${message}${extra}`;
  });
  const more = violations.length > 5 ? [`and ${violations.length - 5} more`] : [];
  return [...parts, ...more].join('; ');
}
