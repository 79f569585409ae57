/** Readers of files that others wrote, and writers of drawings, given texts that are nearly right. The same cases in every run. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDecision, serialize } from '../../src/decisions/file.ts';
import { readLedgermind } from '../../src/decisions/foreign/ledgermind.ts';
import { mermaid as decisionGraph } from '../../src/decisions/graph.ts';
import { readExport } from '../../src/documents/export-file.ts';
import { CairnError } from '../../src/errors.ts';
import { drawn } from '../../src/graph/render.ts';
import { readEntry } from '../../src/instructions/file.ts';
import { readForeign } from '../../src/instructions/foreign/read.ts';
import { evaluateGates, parseGates } from '../../src/instructions/gates.ts';
import { frontMatterOf } from '../../src/store/front-matter.ts';
import { fuzzing } from './arena.ts';

const names = [
  'id',
  'title',
  'target',
  'status',
  'kind',
  'body',
  'created',
  'provenance',
  'origin',
  'context',
  'globs',
  'alwaysApply',
  '__proto__',
  'constructor',
  'supersedes',
  'namespace',
  'consequences',
  'tags',
  'categories',
  'priority',
  '<<',
];
const scalar = fc.oneof(
  fc.constantFrom(
    'active',
    'human',
    'true',
    'null',
    '~',
    '0x1f',
    '1e999',
    '.nan',
    '2026-01-01',
    '*a',
    '&a x',
    '!!binary x',
    '|',
    '>-',
    "'",
    '"',
    '[',
    '{',
    '- ',
    '? ',
    ': ',
    '%YAML 1.2',
    '\t',
    '---',
    '...',
    '#',
    '@',
    '`',
  ),
  fc.string({ maxLength: 20 }),
  fc.integer().map(String),
  fc.json({ maxDepth: 2 }),
);
const line = fc
  .tuple(
    fc.nat({ max: 4 }),
    fc.constantFrom(...names),
    fc.constantFrom(': ', ':', ':\n  - ', ': |\n  ', ': &a ', ''),
    scalar,
  )
  .map(([indent, name, sign, value]) => `${' '.repeat(indent)}${name}${sign}${value}`);
const matter = fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n'));
const markdown = fc
  .tuple(
    fc.constantFrom('---\n', '---', '--- \n', '\uFEFF---\n', '', '+++\n'),
    matter,
    fc.constantFrom('\n---\n', '\n...\n', '\n---', '', '\n--- x\n'),
    fc.string({ maxLength: 80 }),
  )
  .map((parts) => parts.join(''));
const record = fc.dictionary(fc.constantFrom(...names), fc.oneof(fc.jsonValue({ maxDepth: 2 }), scalar), {
  maxKeys: 10,
});
const json = fc.oneof(
  record.map((value) => JSON.stringify(value)),
  fc.json({ maxDepth: 3 }),
  fc.json().map((text) => text.slice(0, -1)),
  fc.string(),
);

/** What goes wrong is told, as our own kind of error or in the result. */
function told(read: () => unknown): void {
  try {
    const result = read();
    expect(() => JSON.stringify(result ?? null)).not.toThrow();
  } catch (thrown) {
    if (!(thrown instanceof CairnError)) throw thrown;
  }
  expect(({} as { polluted?: unknown; origin?: unknown }).polluted).toBeUndefined();
  expect(Object.getPrototypeOf({})).toBe(Object.prototype);
}

describe('a reader', () => {
  it('of front matter gives fields or a problem, and never more text than there was', () => {
    fc.assert(
      fc.property(markdown, (text) => {
        told(() => frontMatterOf(text));
        const { body, fields, problem } = frontMatterOf(text);
        expect(text.endsWith(body)).toBe(true);
        if (problem !== undefined) expect(fields).toEqual({});
        expect(Object.getPrototypeOf(fields)).toBe(Object.prototype);
      }),
      fuzzing(1500),
    );
  });

  it('of decisions never takes an agent for a person because of what the text says, and reads what it writes', () => {
    fc.assert(
      fc.property(markdown, (text) => {
        told(() => readDecision('d1', text, '2026-01-01T00:00:00.000Z'));
        const reading = readDecision('d1', text, '2026-01-01T00:00:00.000Z');
        if (!('decision' in reading)) return;
        const agent = { ...reading.decision, provenance: { origin: 'agent', agent: 'x', door: 'mcp' } as const };
        const again = readDecision('d1', serialize(agent), '2026-01-01T00:00:00.000Z');
        if ('decision' in again) expect(again.decision.provenance.origin).toBe('agent');
      }),
      fuzzing(1000),
    );
  });

  it('of instructions, catalogs of others and exports gives entries or reasons', () => {
    fc.assert(
      fc.property(
        json,
        markdown,
        fc.constantFrom(
          'a.json',
          'AGENTS.md',
          '.cursor/rules/a.mdc',
          'CLAUDE.md',
          '__proto__',
          '../../x.md',
          'constructor.json',
        ),
        (text, page, path) => {
          told(() => readEntry('a', text));
          told(() =>
            readForeign([
              { path, text },
              { path, text: page },
              { path: 'same.md', text: page },
            ]),
          );
          told(() => readExport(text));
          told(() => readLedgermind({ path: 'semantic/a.md', text: page }, '2026-01-01T00:00:00.000Z'));
        },
      ),
      fuzzing(800),
    );
  });

  it('of gates says what it cannot take, and what is unknown never passes', () => {
    const test = fc.letrec((tie) => ({
      where: fc.oneof(
        { maxDepth: 3 },
        fc.jsonValue({ maxDepth: 1 }),
        fc.dictionary(
          fc.constantFrom(...names, 'all', 'any', 'not', 'and', 'or', 'matches', 'contains', 'gte', 'in', 'exists'),
          tie('where'),
          { maxKeys: 3 },
        ),
        fc.array(tie('where'), { maxLength: 3 }),
      ),
    })).where;
    const gate = fc.record(
      {
        id: fc.string({ maxLength: 5 }),
        type: fc.constantFrom('count', 'x'),
        op: fc.constantFrom('>=', '==', '=~', '__proto__'),
        value: fc.oneof(fc.integer(), fc.string()),
        severity: fc.constantFrom('error', 'fatal'),
        where: test,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(gate, { maxLength: 4 }), (gates) => {
        told(() => parseGates(JSON.stringify({ gates })));
        const report = evaluateGates(parseGates(JSON.stringify({ gates })), [], new Date());
        expect(report.results).toHaveLength(gates.length);
        for (const { error, passed } of report.results) if (error !== undefined) expect(passed).toBe(false);
        for (const [at, { op }] of gates.entries())
          if (op === '=~' || op === '__proto__') expect(report.results[at]?.passed).toBe(false);
      }),
      fuzzing(600),
    );
  });
});

describe('a drawing', () => {
  const hostile = fc.oneof(
    fc.string({ maxLength: 30, unit: 'binary' }),
    fc.constantFrom(
      'direction LR',
      'a --- b',
      '',
      '"];\n  evil -> evil;',
      '\\',
      '\\"',
      '"]\nclick a call x()',
      '%%{init: {}}%%',
      '</script>',
      '#34;',
      '\u2028',
      'end',
      'subgraph x',
      '--> b',
      '`x`',
      ';',
      '\r',
      '|x|',
      '[["x"]]',
    ),
  );
  const node = fc.tuple(hostile, hostile).map(([key, label]) => ({ key, label, type: 'document' as const }));

  it('has one line for each node and each edge, whatever they are called, in DOT and in mermaid', () => {
    const string = String.raw`"(?:[^"\\\p{Cc}\p{Zl}\p{Zp}]|\\.)*"`;
    fc.assert(
      fc.property(fc.uniqueArray(node, { selector: ({ key }) => key, minLength: 1, maxLength: 6 }), (nodes) => {
        const [first] = nodes;
        const edges = nodes.map(({ key }) => ({
          source: first?.key ?? '',
          target: key,
          relation: 'MENTIONS' as never,
        }));
        const dot = drawn({ nodes, edges }, 'dot').split(/[\n\r\u2028\u2029\u0085]/);
        expect(dot).toHaveLength(2 + nodes.length * 2);
        for (const each of dot.slice(1, 1 + nodes.length))
          expect(each).toMatch(new RegExp(`^ {2}${string} \\[label=${string}\\];$`, 'u'));
        for (const each of dot.slice(1 + nodes.length, -1))
          expect(each).toMatch(new RegExp(`^ {2}${string} -> ${string} \\[label="MENTIONS"\\];$`, 'u'));
        const mermaid = drawn({ nodes, edges }, 'mermaid').split(/[\n\r\u2028\u2029\u0085]/);
        expect(mermaid).toHaveLength(1 + nodes.length * 2);
        for (const each of mermaid.slice(1, 1 + nodes.length))
          expect(each).toMatch(/^ {2}\w+\["(?:[\p{L}\p{M}\p{N} _.,:/+=()-]|#\d+;)+"\]$/u);
        for (const each of mermaid.slice(1 + nodes.length)) expect(each).toMatch(/^ {2}\w+ -->\|MENTIONS\| \w+$/);
        for (const each of mermaid) expect(each.replace('-->|', '')).not.toMatch(/---|%%|direction\s+[A-Z]{2}/);
        const heads = nodes.map(({ key, label }, at) => ({
          id: `d${at}`,
          title: label,
          target: key,
          status: 'active',
        }));
        const graph = decisionGraph(heads.map((head) => ({ head, events: [] })) as never);
        const decided = graph.split(/[\n\r\u2028\u2029\u0085]/);
        expect(decided).toHaveLength(4 + nodes.length);
        for (const each of decided.slice(1, 1 + nodes.length)) {
          expect(each).toMatch(/^ {2}D\d+\["(?:[\p{L}\p{M}\p{N} _.,:/+=()-]|#\d+;|<br\/>)+"\]:::active$/u);
          expect(each).not.toMatch(/---|%%|direction\s+[A-Z]{2}/);
        }
        // Two things never become one.
        expect(new Set(mermaid.slice(1, 1 + nodes.length).map((each) => each.split('[')[0])).size).toBe(nodes.length);
      }),
      fuzzing(600),
    );
  });
});
