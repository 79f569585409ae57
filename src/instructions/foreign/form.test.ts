import { describe, expect, it } from 'vitest';
import { changeLogOf, integerWithin, numberOf, patternsOf, textsUpTo, textUpTo, timeOf, versionOf } from './form.ts';

describe('values with a fixed form', () => {
  it.each([
    ['1.2.3', '1.2.3'],
    [1, '1.0.0'],
    [1.2, '1.2.0'],
    ['v2', '2.0.0'],
    ['1.2.3-beta+5', '1.2.3'],
    ['01.02.03.04', '1.2.3'],
    ['latest', '1.0.0'],
    [{}, '1.0.0'],
  ])('a version: %j is %s', (raw, value) => {
    expect(versionOf(raw).value).toBe(value);
    expect(versionOf(value)).toEqual({ value });
  });

  it.each([
    ['2025-08-28T00:00:00.000Z', '2025-08-28T00:00:00.000Z', false],
    ['2025-08-28T00:00:00Z', '2025-08-28T00:00:00Z', false],
    ['2025-08-28', '2025-08-28T00:00:00.000Z', true],
    ['2025-08-28 10:30', '2025-08-28T10:30:00.000Z', true],
    ['2025-08-28T10:30:00+0200', '2025-08-28T08:30:00.000Z', true],
    ['2025-13-01', undefined, true],
    ['yesterday', undefined, true],
    [20250828, undefined, true],
  ])('a time: %j is %s', (raw, value, told) => {
    const time = timeOf(raw);
    expect(time.value).toBe(value);
    expect(time.why !== undefined).toBe(told);
  });

  it.each([
    [50, 50],
    [0, 1],
    [-3, 1],
    [1000, 100],
    [49.6, 50],
    ['7', 7],
    ['high', undefined],
    [Number.NaN, undefined],
    [[5], undefined],
  ])('a priority: %j is %s', (raw, value) => {
    expect(integerWithin(1, 100)(raw).value).toBe(value);
  });

  it('a number stays a number, also where it is text', () => {
    expect(numberOf(149)).toEqual({ value: 149 });
    expect(numberOf('12.5')).toEqual({ value: 12.5, why: 'written as a number' });
  });

  it('a text is cut where it is too long, and refused where it is none', () => {
    expect(textUpTo(3)('abcd')).toEqual({ value: 'ab…', why: 'cut to the 3 characters that fit' });
    expect(textUpTo(3)(12).value).toBe('12');
    expect(textUpTo(3)({}).value).toBeUndefined();
  });

  it('a list of texts may come as one text with commas, and says what it leaves out', () => {
    const texts = textsUpTo(2, 5);
    expect(texts('a, b')).toEqual({ value: ['a', 'b'] });
    expect(texts(['a', 1, 'far too long', 'b', 'c'])).toEqual({ value: ['a', 'b'], why: expect.any(String) });
    expect(texts(7)).toEqual({ value: undefined, why: 'is not a list of texts' });
  });

  it('patterns are split at commas, but not inside braces', () => {
    expect(patternsOf('**/*.{ts,tsx}, vite.config.* ,, a/**')).toEqual(['**/*.{ts,tsx}', 'vite.config.*', 'a/**']);
    expect(patternsOf('a}, b')).toEqual(['a}', 'b']);
  });

  it('a change log keeps the lines that can be read', () => {
    const sound = { version: '1.0.0', changedAt: '2025-01-01T00:00:00Z', summary: 'made' };
    expect(changeLogOf([sound])).toEqual({ value: [sound] });
    const odd = [{ ...sound, author: 'x' }, { ...sound, changedAt: '' }, 'made'];
    expect(changeLogOf(odd)).toEqual({ value: [sound], why: expect.any(String) });
    expect(changeLogOf('made').value).toBeUndefined();
  });
});
