import { describe, expect, it } from 'vitest';
import { bodyHash } from '../derive.ts';
import { factsOf } from './record.ts';

const body = 'Do it.';
const read = (record: Record<string, unknown>) => {
  const { facts, changes } = factsOf(record, body);
  return { facts, told: changes.map(({ field, from, to }) => [field, from, to]) };
};

describe('a record of foreign fields', () => {
  it('is taken as it stands where everything is allowed, and nothing is told', () => {
    const record = {
      id: 'a',
      title: 'A',
      priority: 10,
      audience: 'all',
      requirement: 'optional',
      categories: ['b', 'a'],
      primaryCategory: 'b',
      priorityTier: 'P1',
      riskScore: 0,
      version: '1.1.0',
      sourceHash: bodyHash(body),
      schemaVersion: '3',
      reviewIntervalDays: 30,
      changeLog: [{ version: '1.0.0', changedAt: '2025-01-01T00:00:00.000Z', summary: 'made' }],
    };
    const { facts, told } = read(record);
    expect(told).toEqual([]);
    const { id: _, priorityTier: _tier, sourceHash: _hash, schemaVersion: _schema, ...taken } = record;
    expect(facts).toMatchObject({ ...taken, categories: ['a', 'b'] });
  });

  it('keeps the sentence of a requirement as the rationale, or below the one there is', () => {
    const requirement = 'Critical for scripts';
    expect(read({ requirement }).facts).toMatchObject({ requirement: 'critical', rationale: requirement });
    expect(read({ requirement, rationale: 'Because.' }).facts.rationale).toBe('Because.\n\nCritical for scripts');
    expect(read({ requirement, rationale: `So: ${requirement}` }).facts.rationale).toBe(`So: ${requirement}`);
    expect(read({ requirement: 'should' }).facts.rationale).toBeUndefined();
  });

  it('spells categories as Cairn does, adds the primary one, and tells each', () => {
    const { facts, told } = read({ categories: ['CI/CD', 'ops', '日本'], primaryCategory: 'Build System' });
    expect(facts).toMatchObject({ categories: ['build-system', 'ci-cd', 'ops'], primaryCategory: 'build-system' });
    expect(told).toEqual([
      ['primaryCategory', 'Build System', 'build-system'],
      ['categories', 'CI/CD', 'ci-cd'],
      ['categories', '日本', null],
      ['categories', null, 'build-system'],
    ]);
  });

  it('keeps 25 categories, the primary one among them, and names the others', () => {
    const categories = Array.from({ length: 30 }, (_, index) => `c${index}`);
    const { facts, told } = read({ categories, primaryCategory: 'c29' });
    expect(facts.categories).toHaveLength(25);
    expect(facts.categories).toContain('c29');
    expect(told.map(([, from]) => from)).toEqual(['c24', 'c25', 'c26', 'c27', 'c28']);
  });

  it('moves scopes among the categories to their fields', () => {
    const categories = ['a', 'scope:workspace:Shop', 'scope:team:x', 'scope:workspace:Other'];
    const { facts, told } = read({ categories, teamIds: ['y'] });
    expect(facts).toMatchObject({ categories: ['a'], workspaceId: 'Shop', teamIds: ['x', 'y'] });
    expect(told).toEqual([
      ['categories', 'scope:workspace:Shop', 'Shop'],
      ['categories', 'scope:team:x', 'x'],
      ['categories', 'scope:workspace:Other', null],
    ]);
  });

  it('makes a priority of a tier where there is none, and tells tiers and hashes that do not hold', () => {
    const { facts, told } = read({ priorityTier: 'p2', requirement: 'optional', sourceHash: 'beef' });
    expect(facts.priority).toBe(40);
    expect(told).toEqual([
      ['priority', null, 40],
      ['sourceHash', 'beef', bodyHash(body)],
      ['priorityTier', 'p2', 'P2'],
    ]);
  });

  it('takes blank for absent, drops what cannot be read, and names fields it does not know', () => {
    const { facts, told } = read({
      deprecatedBy: '',
      riskScore: null,
      createdAt: 'soon',
      usageCount: 3,
      constructor: 1,
    });
    expect(Object.values(facts).filter((value) => value !== undefined)).toEqual([[]]);
    expect(told).toEqual([
      ['riskScore', null, null],
      ['deprecatedBy', '', null],
      ['createdAt', 'soon', null],
      ['usageCount', 3, null],
      ['constructor', 1, null],
    ]);
  });
});
