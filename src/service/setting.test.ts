import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boolean, choice, choices, integer, list, secret, text, urls } from './setting.ts';

const about = 'For a test.';

describe('a boolean setting', () => {
  const setting = boolean(false, { about });

  it.each(['1', 'true', 'yes', 'on', 'TRUE', ' On ', true, 1])('takes %j as true', (raw) => {
    expect(setting.parse(raw)).toBe(true);
  });

  it.each(['0', 'false', 'no', 'off', 'False', false, 0])('takes %j as false', (raw) => {
    expect(setting.parse(raw)).toBe(false);
  });

  it.each(['2', 'enabled', 'y', '', 'truefalse', null, [true], ['1'], {}, 2, -1])('refuses %j', (raw) => {
    expect(setting.parse(raw)).toBeUndefined();
  });

  it('is a flag that stands alone, as no other type is', () => {
    expect(setting.bare).toBe(true);
    const others = [
      integer(1, { about, min: 0, max: 2 }),
      text('', { about }),
      list([], { about }),
      choice(['a'], 'a', { about }),
    ];
    expect(others.map(({ bare }) => bare)).toEqual([false, false, false, false]);
  });
});

describe('an integer setting', () => {
  const setting = integer(5, { about, min: -10, max: 1000 });

  it.each([
    ['7', 7],
    [' 42 ', 42],
    ['-10', -10],
    ['1000', 1000],
    [12, 12],
    ['007', 7],
  ])('reads %j as %d', (raw, value) => {
    expect(setting.parse(raw)).toBe(value);
  });

  it.each(['1001', '-11', '1.5', 1.5, '1e2', '0x10', '12px', 'lots', '', ' ', null, true, [7], ['7'], {}])(
    'refuses %j',
    (raw) => {
      expect(setting.parse(raw)).toBeUndefined();
    },
  );

  it('accepts exactly the whole numbers within its bounds', () => {
    fc.assert(
      fc.property(fc.oneof(fc.integer({ min: -3000, max: 3000 }), fc.double()), (number) => {
        const allowed = Number.isInteger(number) && number >= -10 && number <= 1000;
        expect(setting.parse(number)).toBe(allowed ? number : undefined);
      }),
    );
  });

  it('says its bounds', () => {
    expect(setting.allowed).toBe('a whole number from -10 to 1000');
  });
});

describe('a text setting', () => {
  it('takes any text as it is and nothing else', () => {
    const setting = text('', { about });
    expect(['', ' a ', '1'].map(setting.parse)).toEqual(['', ' a ', '1']);
    expect([1, true, null, ['a'], {}].map(setting.parse)).toEqual(Array(5).fill(undefined));
  });
});

describe('a secret', () => {
  it('never comes from a file, even when its facts say so', () => {
    expect(secret({ about, fromFile: true })).toMatchObject({ secret: true, fromFile: false, initial: '' });
  });
});

describe('a list setting', () => {
  const setting = list([], { about });

  it.each([
    ['a,b', ['a', 'b']],
    [' a , , b,', ['a', 'b']],
    ['', []],
    [
      ['a', ' b '],
      ['a', 'b'],
    ],
  ])('reads %j as %j', (raw, value) => {
    expect(setting.parse(raw)).toEqual(value);
  });

  it.each([[['a', 1]], [{ a: 1 }], [5], [null], [true]])('refuses %j', (raw) => {
    expect(setting.parse(raw)).toBeUndefined();
  });
});

describe('a setting of web addresses', () => {
  const setting = urls({ about });

  it.each([
    ['', []],
    ['https://a.example/x', ['https://a.example/x']],
    ['https://a.example/?b=1,2, http://c.example', ['https://a.example/?b=1,2', 'http://c.example']],
    [
      ['https://a.example', 'https://b.example,https://a.example'],
      ['https://a.example', 'https://b.example'],
    ],
  ])('reads %j as %j', (raw, value) => {
    expect(setting.parse(raw)).toEqual(value);
  });

  it.each(['ftp://a.example', 'a.example', 'https://a.example,b', 'https://', 5, null, true, {}, [7]])(
    'refuses %j',
    (raw) => {
      expect(setting.parse(raw)).toBeUndefined();
    },
  );
});

describe('a choice', () => {
  it('takes its own words only, in their own spelling', () => {
    const setting = choice(['viewer', 'agent'], 'agent', { about });
    expect(setting.parse('viewer')).toBe('viewer');
    expect(['Viewer', ' viewer', '', 'admin', 0, ['viewer'], 'toString'].map(setting.parse)).toEqual(
      Array(7).fill(undefined),
    );
    expect(setting.allowed).toBe('one of viewer, agent');
  });

  it('of several takes a list in which every word is known, and at least one', () => {
    const setting = choices(['core', 'all'], ['core'], { about });
    expect(setting.parse('core, all')).toEqual(['core', 'all']);
    expect(['core,None', '', ',', [], [1], 7].map(setting.parse)).toEqual(Array(6).fill(undefined));
    expect(setting.allowed).toBe('a comma-separated list of core, all');
  });
});
