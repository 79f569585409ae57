import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CairnError } from '../../errors.ts';
import { type FlagKind, type Parsed, parseArguments } from './arguments.ts';

const known: ReadonlyMap<string, FlagKind> = new Map([
  ['title', 'value'],
  ['limit', 'value'],
  ['tags', 'list'],
  ['json', 'bare'],
  ['help', 'bare'],
  ['read-only', 'bare'],
  ['no-cache', 'bare'],
]);

const parse = (...argv: string[]): Parsed => parseArguments(argv, known);

function complaint(...argv: string[]): CairnError {
  try {
    parse(...argv);
  } catch (thrown) {
    if (thrown instanceof CairnError) return thrown;
  }
  throw new Error(`${argv.join(' ')} was accepted`);
}

describe('a flag with a value', () => {
  it.each([
    [['--title', 'Hello'], 'Hello'],
    [['--title=Hello'], 'Hello'],
    [['--title='], ''],
    [['--title', ''], ''],
    [['--title=a=b'], 'a=b'],
    [['--title=--json'], '--json'],
    [['--title=one\ntwo'], 'one\ntwo'],
    [['--title', '-5'], '-5'],
    [['--title', '-'], '-'],
    [['--title', 'a', '--title', 'b'], 'b'],
  ])('%j gives %j', (argv, title) => {
    expect(parse(...argv)).toEqual({ words: [], flags: { title } });
  });

  it.each([[['--title']], [['--title', '--json']], [['--title', '--']], [['word', '--limit']]])(
    '%j lacks it, and the complaint says how to write one that begins with dashes',
    (argv) => {
      const error = complaint(...argv);
      expect(error.message).toMatch(/^--(title|limit) needs a value; .*--\1=VALUE$/);
      expect(error.kind).toBe('invalid_params');
    },
  );
});

describe('a flag that stands alone', () => {
  it.each([
    [['--json'], { json: true }],
    [['--json=true'], { json: true }],
    [['--json=false'], { json: false }],
    [['--no-json'], { json: false }],
    [['--json', '--no-json'], { json: false }],
    [['--read-only'], { 'read-only': true }],
    [['--no-read-only'], { 'read-only': false }],
    [['--json=maybe'], { json: 'maybe' }],
    [['--no-cache'], { 'no-cache': true }],
    [['-h'], { help: true }],
  ])('%j gives %j', (argv, flags) => {
    expect(parse(...argv).flags).toEqual(flags);
  });

  it('takes no word after it', () => {
    expect(parse('--json', 'word')).toEqual({ words: ['word'], flags: { json: true } });
  });

  it('cannot be denied with a value, nor can a flag that takes one be denied', () => {
    expect(complaint('--no-json=false').message).toBe('--no-json takes no value');
    expect(complaint('--no-title').message).toContain('--no-title is not a flag');
  });
});

describe('a flag that is a list', () => {
  it('gathers every mention in order, and leaves commas to whoever knows the type', () => {
    expect(parse('--tags', 'a', '--json', '--tags=b,c', '--tags', 'd').flags).toEqual({
      tags: ['a', 'b,c', 'd'],
      json: true,
    });
  });
});

describe('words', () => {
  it('keep their order wherever the flags are', () => {
    expect(parse('feedback', '--limit', '5', 'list', '--json', 'x').words).toEqual(['feedback', 'list', 'x']);
  });

  it('after -- are words, whatever they look like', () => {
    expect(parse('echo', '--', '--json', '-h', '--', 'x')).toEqual({
      words: ['echo', '--json', '-h', '--', 'x'],
      flags: {},
    });
  });

  it('may begin with one dash', () => {
    expect(parse('-5', '-', '-x').words).toEqual(['-5', '-', '-x']);
  });

  it('are all that there is after --, for any words', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (words) => {
        expect(parse('--', ...words)).toEqual({ words, flags: {} });
      }),
    );
  });
});

describe('an unknown flag', () => {
  it.each([
    ['--titel', '--title'],
    ['--limits=5', '--limit'],
    ['--readonly', '--read-only'],
    ['--readOnly', '--read-only'],
    ['--read_only', '--read-only'],
    ['--JSON', '--json'],
    ['--tag', '--tags'],
  ])('%s is refused, and %s is suggested', (wrong, right) => {
    const error = complaint(wrong, 'value');
    expect(error.message).toBe(`${wrong.replace(/=.*/, '')} is not a flag of this command`);
    expect(error.suggestion).toContain(`${right}`);
    expect(error.suggestion).toMatch(/^Did you mean --/);
  });

  it('that resembles none leads to the help', () => {
    expect(complaint('--zzzzzzzzzz').suggestion).toContain('--help');
    expect(complaint('--=x').message).toBe('-- is not a flag of this command');
  });

  it.each(['--__proto__', '--constructor', '--__proto__=x', '--toString'])('%s is unknown too', (flag) => {
    expect(complaint(flag).message).toContain('is not a flag');
  });
});

describe('letters, where a command has some', () => {
  const known = new Map<string, FlagKind>([
    ['ignore-case', 'bare'],
    ['word', 'bare'],
    ['context', 'value'],
  ]);
  const letters = new Map([
    ['i', 'ignore-case'],
    ['w', 'word'],
    ['C', 'context'],
  ]);
  const read = (...argv: string[]) => parseArguments(argv, known, letters);

  it.each([
    [['-i', 'x'], { 'ignore-case': true }, ['x']],
    [['-iw', 'x'], { 'ignore-case': true, word: true }, ['x']],
    [['-C', '3', 'x'], { context: '3' }, ['x']],
    [['-iC3', 'x'], { 'ignore-case': true, context: '3' }, ['x']],
    [['x', '--', '-i'], {}, ['x', '-i']],
    [['-5', '-'], {}, ['-5', '-']],
  ])('%j', (argv, flags, words) => {
    expect(read(...argv)).toEqual({ flags, words });
  });

  it('are refused where they are none, or lack their value', () => {
    expect(() => read('-x')).toThrow('-x is not a flag of this command');
    expect(() => read('-iC')).toThrow('-C needs a value');
  });
});
