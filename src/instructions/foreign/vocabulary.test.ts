import { describe, expect, it } from 'vitest';
import { audienceOf, classificationOf, requirementOf, statusOf } from './vocabulary.ts';

describe('foreign words', () => {
  it.each([
    ['all', 'all'],
    ['system', 'all'],
    ['Everyone', 'all'],
    ['me', 'individual'],
    ['devs', 'group'],
    ['developers', 'group'],
    ['agents', 'group'],
    ['PowerShell script authors', 'group'],
  ])('of an audience: %j is %s', (raw, value) => {
    expect(audienceOf(raw).value).toBe(value);
  });

  it.each([
    ['critical', 'critical', false],
    ['MUST', 'mandatory', false],
    ['required', 'mandatory', false],
    ['should', 'recommended', false],
    ['essential', 'recommended', false],
    ['Critical for robust scripts', 'critical', true],
    ['Must understand the architecture', 'mandatory', true],
    ['This is not mandatory, only nice', 'recommended', true],
    ['Optional for small teams', 'optional', true],
    ['Deprecated since the rewrite', 'deprecated', true],
    ['Avoid deprecated interfaces', 'recommended', true],
    ['List core env vars.', 'recommended', true],
  ])('of a requirement: %j is %s', (raw, value, sentence) => {
    expect(requirementOf(raw)).toMatchObject({ value, sentence });
  });

  it.each([
    ['active', 'approved'],
    ['In Review', 'review'],
    ['retired', 'deprecated'],
    ['whatever', 'draft'],
  ])('of a status: %j is %s', (raw, value) => {
    expect(statusOf(raw).value).toBe(value);
  });

  it.each([
    ['open', 'public'],
    ['confidential', 'restricted'],
    ['cosmic', 'restricted'],
  ])('of a classification: %j is %s', (raw, value) => {
    expect(classificationOf(raw).value).toBe(value);
  });

  it('give a reason, except where nothing is changed', () => {
    expect(requirementOf('mandatory').why).toBeUndefined();
    expect(requirementOf('Mandatory').why).toMatch('lower case');
    expect(audienceOf('constructor')).toMatchObject({ value: 'group', why: expect.stringMatching('constructor') });
  });
});
