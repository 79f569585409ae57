import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDecision, serialize } from './file.ts';
import { type Decision, isId, kinds, origins, type Provenance, statuses } from './record.ts';

const FOUND = '2026-03-04T05:06:07.000Z';

function decision(facts: Partial<Decision> = {}): Decision {
  return {
    id: '2026-01-02_cache_1a2b3c4d',
    kind: 'decision',
    title: 'Use Redis',
    target: 'cache',
    namespace: 'default',
    status: 'active',
    rationale: 'It is fast.',
    consequences: [],
    supersedes: [],
    provenance: { origin: 'human' },
    confidence: 1,
    created: '2026-01-02T03:04:05.678Z',
    updated: '2026-01-02T03:04:05.678Z',
    extra: {},
    ...facts,
  };
}

function read(text: string, id = 'x'): Decision {
  const reading = readDecision(id, text, FOUND);
  if ('problem' in reading) throw new Error(reading.problem);
  return reading.decision;
}

function problem(text: string): string {
  const reading = readDecision('x', text, FOUND);
  return 'problem' in reading ? reading.problem : 'none';
}

const block = (yaml: string, body = 'Because.') => `---\n${yaml}\n---\n\n${body}\n`;
const again = (given: Decision) => read(serialize(given), given.id);

// ── what we write ────────────────────────────────────────────────────────────────────────────────────────────────────

const awkward = fc.constantFrom(
  ...['---', '...', '- a', '# a', '@a', '!a', '!!js x', '&a', '*a', '*', '**/*.ts', '? a', '| a', '> a', '%a', '`a`'],
  ...[
    'a: b',
    'a:',
    ':a',
    'a #b',
    '"a"',
    "'a",
    'a\\',
    '{a: 1}',
    '[a',
    '~',
    'null',
    'True',
    'no',
    'y',
    '1',
    '1e3',
    '0x1f',
  ],
  ...['.inf', '2026-01-02', '2026-01-02T03:04:05Z', '<<', '[via MCP]', '<<<<<<< HEAD', '=======', '>>>>>>> theirs'],
  ...[
    '\\<<<<<<< HEAD',
    '\\\\>>>>>>> x',
    '__proto__',
    'constructor',
    'a\tb',
    'a\nb',
    'a\r\nb',
    'a\rb',
    '\ufeffa',
    '\u0000',
  ],
  ...['\u0085', '\u2028a', '\u2029', '\ud800', '\uffff', '😀', 'é', 'e\u0301', '\u202eabc', 'a  b', ' a', 'a '],
);
const anyText = fc.oneof(awkward, fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.string());
/** The schema of the operations trims these; a file cannot tell a blank from none. */
const trimmed = anyText.map((text) => text.trim()).filter((text) => text !== '');
/** The schema trims it, and line ends are those of Unix once it is read. */
const rationale = fc
  .array(fc.oneof(anyText, fc.constantFrom('', '```', '# Title')), { maxLength: 6 })
  .map((lines) => lines.join('\n').replace(/\r+\n/g, '\n').trim());
const id = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,20}[A-Za-z0-9_-](\.md)?$/).filter(isId);
const time = fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
const ids = fc.array(id, { maxLength: 3 });
const provenance = fc
  .record({ origin: fc.constantFrom(...origins), agent: trimmed, door: trimmed }, { requiredKeys: ['origin'] })
  .map((value): Provenance => value);
const reserved = Object.keys(read(block('target: x'))).concat(
  'superseded_by suggested_supersedes converted_to converted_from'.split(' '),
);
/** As YAML can hold it: JSON, less the zero that JSON does not write. */
const json = fc
  .jsonValue({ depthSize: 'small', stringUnit: 'binary' })
  .map((value): unknown => JSON.parse(JSON.stringify(value)));
const extra = fc
  .array(fc.tuple(anyText, fc.oneof(json, anyText)), { maxLength: 4 })
  .map((entries) => Object.fromEntries(entries.filter(([name]) => !reserved.includes(name))));

const anyDecision: fc.Arbitrary<Decision> = fc.record(
  {
    id,
    kind: fc.constantFrom(...kinds),
    title: trimmed,
    target: trimmed,
    namespace: trimmed,
    status: fc.constantFrom(...statuses),
    rationale,
    consequences: fc.array(trimmed, { maxLength: 3 }),
    supersedes: ids,
    supersededBy: id,
    provenance,
    confidence: fc.double({ min: 0, max: 1, noNaN: true }).map(Math.abs),
    created: time,
    updated: time,
    suggestedSupersedes: fc.array(id, { minLength: 1, maxLength: 3 }),
    convertedTo: id,
    convertedFrom: id,
    extra,
  },
  {
    requiredKeys: [
      ...(['id', 'kind', 'title', 'target', 'namespace', 'status', 'rationale', 'consequences', 'supersedes'] as const),
      ...(['provenance', 'confidence', 'created', 'updated', 'extra'] as const),
    ],
  },
);

describe('a decision that was written', () => {
  it('reads as it was, whatever is in it', () => {
    fc.assert(
      fc.property(anyDecision, (given) => {
        expect(again(given)).toEqual(given);
      }),
      { numRuns: 2000 },
    );
  });

  it('is written the same way again', () => {
    fc.assert(
      fc.property(anyDecision, (given) => serialize(again(given)) === serialize(given)),
      { numRuns: 300 },
    );
  });

  it('reads the same with the line ends of Windows', () => {
    const quiet = anyDecision.filter((given) => !/\r/.test(given.rationale));
    fc.assert(
      fc.property(quiet, (given) => {
        expect(read(serialize(given).replace(/\n/g, '\r\n'), given.id)).toEqual(given);
      }),
      { numRuns: 300 },
    );
  });

  it('has the mark for old readers where an agent made it, and only there', () => {
    expect(serialize(decision({ provenance: { origin: 'agent', agent: 'a' } }))).toMatch(/fast\.\n\n\[via MCP\]\n$/);
    expect(serialize(decision())).not.toContain('[via MCP]');
  });

  it.each(['Ends in [via MCP]', '[via MCP]', '[via MCP]\n\n[via MCP]', '[via MCP] and more'])(
    'keeps a reason that has the mark itself: %j',
    (text) => {
      for (const origin of origins) {
        expect(again(decision({ rationale: text, provenance: { origin } })).rationale).toBe(text);
      }
    },
  );

  it('may quote a merge conflict', () => {
    const quoted = 'Do so:\n\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> branch\n\\<<<<<<< not one';
    expect(again(decision({ rationale: quoted })).rationale).toBe(quoted);
  });

  it('keeps the fields that people added, empty ones too', () => {
    const added = { owner: 'ada', tags: ['a', { b: null }], none: [], nothing: {}, nested: { a: { b: [1, 'x: y'] } } };
    expect(again(decision({ extra: added })).extra).toEqual(added);
  });

  it('loses an empty list of suggestions, which says as much as none', () => {
    expect(again(decision({ suggestedSupersedes: [] }))).toEqual(decision());
  });
});

// ── what people write ────────────────────────────────────────────────────────────────────────────────────────────────

describe('a decision written by hand', () => {
  it('needs no more than a target', () => {
    expect(read(block('target: cache'))).toEqual(
      decision({ id: 'x', title: 'x', rationale: 'Because.', created: FOUND, updated: FOUND }),
    );
    expect(read(block('target: cache\nkind: proposal')).status).toBe('proposed');
  });

  it('has its first heading for a title', () => {
    expect(read(block('target: cache', 'Intro\n\n##  Use Redis  \n\n# Later')).title).toBe('Use Redis');
    expect(read(block('target: cache\ntitle: Given', '# Use Redis')).title).toBe('Given');
  });

  it('may begin with a byte order mark, and end its lines as Windows does', () => {
    const text = `\ufeff${block('target: cache\nconsequences:\n  - one', 'First.\n\nSecond.')}`.replace(/\n/g, '\r\n');
    expect(read(text)).toMatchObject({ target: 'cache', consequences: ['one'], rationale: 'First.\n\nSecond.' });
  });

  it('may have its reason in the front matter; beside a text that is a field like others', () => {
    expect(read(block('target: cache\nrationale: It is fast.', ''))).toMatchObject({
      rationale: 'It is fast.',
      extra: {},
    });
    const both = read(block('target: cache\nrationale: short', 'Long.'));
    expect(both).toMatchObject({ rationale: 'Long.', extra: { rationale: 'short' } });
    expect(again(both)).toEqual(both);
  });

  it('is read leniently where it is plain what was meant', () => {
    const yaml =
      'target: 42\ntitle: 2026\nconsequences: just one\nsupersedes: decisions/old.md\nsuperseded_by: ""\ncreated: 2026-01-02';
    expect(read(block(yaml))).toMatchObject({
      target: '42',
      title: '2026',
      consequences: ['just one'],
      supersedes: ['old'],
      created: '2026-01-02T00:00:00.000Z',
      updated: '2026-01-02T00:00:00.000Z',
    });
    expect(read(block('target: a\nsupersedes: ""\nconsequences:\ncreated: yesterday'))).toEqual(
      decision({ id: 'x', title: 'x', target: 'a', rationale: 'Because.', created: FOUND, updated: FOUND }),
    );
    expect(read(block('id: decisions/x.md\ntarget: a')).id).toBe('x');
    expect(readDecision('x.md', block('id: x.md\ntarget: a'), FOUND)).toMatchObject({ decision: { id: 'x.md' } });
  });

  it.each([
    ['no front matter', '# Use Redis\n\nIt is fast.', /no target/],
    ['nothing', '', /no target/],
    ['front matter that never ends', '---\ntarget: a\n', /never ends/],
    ['no target', block('title: a'), /no target/],
    ['a blank target', block('target: "  "'), /no target/],
    ['a target that is a list', block('target: [a]'), /no target/],
    ['another id', block('id: y\ntarget: a'), /says that it is "y"/],
    ['an unknown kind', block('kind: idea\ntarget: a'), /kind "idea"; allowed is decision, proposal/],
    ['an unknown status', block('status: [active]\ntarget: a'), /status \["active"\]/],
    ['an unknown origin', block('target: a\nprovenance: {origin: robot}'), /provenance.origin "robot"/],
    ['too much confidence', block('target: a\nconfidence: 1.5'), /confidence 1.5/],
    ['confidence in words', block('target: a\nconfidence: high'), /confidence "high"/],
    ['confidence that is no number', block('target: a\nconfidence: .nan'), /confidence/],
    ['consequences that are no texts', block('target: a\nconsequences: [{a: 1}]'), /not a list of texts/],
    ['a link out of the folder', block('target: a\nsupersedes: [../../etc/passwd]'), /no id/],
    ['a link that is a list', block('target: a\nsuperseded_by: [[a]]\nconverted_to: {a: 1}'), /no id/],
    ['a conflict of merging', block('<<<<<<< HEAD\ntarget: a\n=======\ntarget: b\n>>>>>>> other'), /merge conflict/],
    [
      'a conflict in the text',
      block('target: a', 'x\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\ny'),
      /merge conflict/,
    ],
    ['unsound YAML', block('target: "a'), /not sound YAML/],
    ['a name given twice', block('target: a\ntarget: b'), /not sound YAML/],
    ['a tag', block('target: !!js/function "x"'), /not sound YAML/],
    ['an alias of nothing', block('target: a\nowner: *who'), /not sound YAML/],
    ['a list that contains itself', block('target: a\nextra: &x [*x]'), /contains itself/],
    ['a kind that contains itself', block('target: a\nkind: &x {y: *x}'), /contains itself/],
  ])('is refused with a reason for %s', (_what, text, reason) => {
    expect(problem(text)).toMatch(reason);
  });

  it('cannot unfold to more than it is', () => {
    const levels = ['b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const of = (name: string) => String.fromCharCode(name.charCodeAt(0) - 1);
    const bomb = levels.map(
      (name) =>
        `${name}: &${name} [${Array(9)
          .fill(`*${of(name)}`)
          .join(',')}]`,
    );
    expect(problem(block(['target: x', 'a: &a [1]', ...bomb].join('\n')))).toMatch(/alias/);
    expect(problem(block(`target: x\ndeep: ${'['.repeat(20_000)}${']'.repeat(20_000)}`))).toMatch(/not sound YAML/);
  });

  it('cannot reach into objects', () => {
    const yaml =
      'target: a\n__proto__: {status: rejected, polluted: 1}\nconstructor: b\nprovenance:\n  __proto__: {origin: agent}';
    const found = read(block(yaml));
    expect(found).toMatchObject({ status: 'active', provenance: { origin: 'human' } });
    expect(Object.getPrototypeOf(found.extra)).toBe(Object.prototype);
    expect(Object.keys(found.extra)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(Object.keys(again(found).extra)).toEqual(['__proto__', 'constructor']);
  });

  it.each([
    ['spaces', ' '.repeat(1_000_000)],
    ['marks of headings', '#'.repeat(1_000_000)],
    ['headings without a title', '# \n'.repeat(350_000)],
    ['spaces behind a mark', `# ${' '.repeat(1_000_000)}`],
    ['marks of conflicts', '<<<<<<< x\n'.repeat(100_000)],
    ['backslashes', '\\'.repeat(1_000_000)],
    ['lines of backslashes', '\\\\\\\n'.repeat(250_000)],
    ['line ends', '\r\n'.repeat(500_000)],
    ['rules', '---\n'.repeat(250_000)],
  ])('may be long: a million characters of %s', (_what, body) => {
    const found = read(block('target: a', `x${body}y`));
    expect(found.target).toBe('a');
    expect(again(found)).toEqual(found);
  });
});

describe('who made a decision', () => {
  it('is a person where the file does not say', () => {
    for (const body of [
      'We look for "[via MCP]" in old files.',
      '[via MCP] was the mark.\n\nNo more.',
      '[via mcp]',
      '',
    ]) {
      expect(read(block('target: a', body)).provenance).toEqual({ origin: 'human' });
    }
  });

  it('is an agent where the file ends in the old mark, which is no part of the reason', () => {
    expect(read(block('target: a', 'Because.\n\n[via MCP]'))).toMatchObject({
      provenance: { origin: 'agent' },
      rationale: 'Because.',
    });
  });

  it('is what the provenance says, whatever the text says', () => {
    const yaml = 'target: a\nprovenance: {origin: human, agent: ada}';
    expect(read(block(yaml, 'Because.\n\n[via MCP]'))).toMatchObject({
      provenance: { origin: 'human', agent: 'ada' },
      rationale: 'Because.\n\n[via MCP]',
    });
  });

  it('is never an agent for want of a word that says so', () => {
    const silent = anyText.filter((text) => !text.trim().endsWith('[via MCP]'));
    fc.assert(
      fc.property(silent, fc.oneof(fc.constant(undefined), json), (body, value) => {
        const said = value === undefined ? '' : `\nprovenance: ${JSON.stringify(value)}`;
        const reading = readDecision('x', block(`target: a${said}`, `Text ${body}`), FOUND);
        if ('decision' in reading) expect(reading.decision.provenance.origin).not.toBe('agent');
      }),
    );
  });
});
