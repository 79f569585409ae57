import { describe, expect, it } from 'vitest';
import type { SchemaViolation } from '../errors.ts';
import { sentence } from './violations.ts';

function violation(instancePath: string, keyword: string, message: string, params = {}): SchemaViolation {
  return { instancePath, keyword, message, params };
}

const extra = (additionalProperty: string) =>
  violation('', 'additionalProperties', 'must NOT have additional properties', { additionalProperty });

describe('violations as a sentence for people', () => {
  it('name the place, what is wrong, and what would be right', () => {
    const allowedValues = ['one', 'two'];
    const said = sentence([
      violation('/word', 'enum', 'must be equal to one of the allowed values', { allowedValues }),
      violation('/inner/list/0', 'required', "must have required property 'id'", { missingProperty: 'id' }),
      extra('colour'),
    ]);
    expect(said).toBe(
      'word must be equal to one of the allowed values: one, two; ' +
        "inner.list.0 must have required property 'id'; " +
        'the arguments must NOT have additional properties: "colour"',
    );
  });

  it('name a format and spare the reader its pattern, but not a pattern that stands alone', () => {
    const format = violation('/since', 'format', 'must match format "date-time"', { format: 'date-time' });
    const pattern = (at: string) => violation(at, 'pattern', 'must match pattern "^x$"', { pattern: '^x$' });
    expect(sentence([format, pattern('/since'), pattern('/id')])).toBe(
      'since must match format "date-time"; id must match pattern "^x$"',
    );
  });

  it('count what they leave out, and repeat no enormous name', () => {
    const names = Array.from({ length: 50 }, (_, index) => `${index}`.padEnd(10_000, 'x'));
    const said = sentence([...names.map(extra), violation(`/${'y'.repeat(10_000)}`, 'type', 'must be string')]);
    expect(said).toMatch(/and 46 more$/);
    expect(said.length).toBeLessThan(1000);
    expect(sentence([violation(`/${'y'.repeat(10_000)}`, 'type', 'must be string')])).toMatch(
      /^y{100}… must be string$/,
    );
  });

  it('quote odd names so that they cannot be taken for the text around them', () => {
    expect(sentence([extra('x"; all is well')])).toContain('"x\\"; all is well"');
  });
});
