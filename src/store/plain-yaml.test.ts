import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { plainFields } from './plain-yaml.ts';

function byYaml(lines: readonly string[]): unknown {
  const document = parseDocument(lines.join('\n'), { schema: 'core', resolveKnownTags: false, stringKeys: true });
  const [wrong] = [...document.errors, ...document.warnings];
  return wrong === undefined ? document.toJS() : wrong.message;
}

const written = [
  'id: "2026-01-01_area_5"',
  'title: How area 5 does its retries',
  'consequences:',
  '  - Part 9676 stays',
  '  - "with: a colon, \\"quotes\\" and \\u2028"',
  'provenance:',
  '  origin: agent',
  '  door: stdio',
  'confidence: 0.75',
  'created: 2026-01-01T00:00:00.000Z',
];

describe('the part of YAML that Cairn writes', () => {
  it('is read', () => {
    expect(plainFields(written)).toEqual({
      id: '2026-01-01_area_5',
      title: 'How area 5 does its retries',
      consequences: ['Part 9676 stays', 'with: a colon, "quotes" and \u2028'],
      provenance: { origin: 'agent', door: 'stdio' },
      confidence: 0.75,
      created: '2026-01-01T00:00:00.000Z',
    });
  });

  it.each([
    [['title: yes']],
    [['title: a: b']],
    [['title: a # b']],
    [['title: "a" # b']],
    [['title: a', '  b']],
    [['title: a', '  - b']],
    [['title: a', 'title: b']],
    [['map:', '  a: b', '  a: c']],
    [['map:', '  a: b', '  - c']],
    [['list:', '- a']],
    [['list: [a, b]']],
    [['true: a']],
    [['title:']],
    [['title: 007']],
    [['title: 1e3']],
    [['title: "\\x41"']],
    [["title: 'a'"]],
    [['title: *a']],
    [['', 'title: a']],
    [['Title: a']],
    [['__proto__: a']],
  ])('leaves %j to the parser that knows all of it', (lines) => {
    expect(plainFields(lines)).toBeUndefined();
  });

  const name = fc.constantFrom('a', 'title', 'on', 'null', 'superseded_by', 'y', 'constructor');
  const scalar = fc.oneof(
    fc.constantFrom(
      '',
      'a',
      'a b',
      'no',
      'a #b',
      '-',
      '- a',
      '1',
      '0.50',
      '-1',
      '1.',
      '2026-01-01T00:00:00Z',
      '~',
      '"',
      "''",
    ),
    fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
    fc.string(),
    fc.double().map(String),
  );
  const line = fc.oneof(
    fc.tuple(name, scalar).map(([key, value]) => `${key}: ${value}`),
    fc.tuple(name, scalar).map(([key, value]) => `  ${key}: ${value}`),
    scalar.map((value) => `  - ${value}`),
    name.map((key) => `${key}:`),
    fc.constantFrom(...written),
  );

  it('means what YAML says it means, whatever lines are put together', () => {
    let read = 0;
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), (lines) => {
        // One line is one line: what breaks it is for the caller, who split the text.
        fc.pre(lines.every((each) => !each.includes('\n')));
        const fields = plainFields(lines);
        if (fields === undefined) return;
        read++;
        expect(fields).toEqual(byYaml(lines));
      }),
      { numRuns: 5000 },
    );
    expect(read).toBeGreaterThan(50);
  });
});
