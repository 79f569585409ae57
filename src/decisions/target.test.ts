import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEmbedded } from '../store/embedded/engine.ts';
import type { IndexedDecision, Store, TargetCount } from '../store/store.ts';
import {
  type Aliases,
  aliased,
  nearTargets,
  readAliases,
  resolveTarget,
  serializeAliases,
  targetKey,
} from './target.ts';

describe('the key of a target', () => {
  it.each([
    [
      'case and separators',
      'session_storage',
      ['Session Storage', 'session-storage', ' SESSION.STORAGE ', 'session::storage'],
    ],
    [
      'the slash of paths',
      'core/api',
      ['core/api', 'Core\\API', '/core/api/', 'core//api', 'core / api', '_core_/-api-'],
    ],
    ['the forms of one character', 'café', ['cafe\u0301', 'CAFÉ', 'ｃａｆé']],
  ])('is one whatever %s', (_what, key, spellings) => {
    expect(new Set(spellings.map(targetKey))).toEqual(new Set([targetKey(key)]));
    expect(targetKey(key)).toBe(key);
  });

  it('keeps apart what differs in more', () => {
    const different = ['core/api', 'core_api', 'coreapi', 'api', 'core/api2', '核心/接口', 'ядро'];
    expect(new Set(different.map(targetKey)).size).toBe(different.length);
  });

  it('is never empty for a name, not even of separators only', () => {
    expect(['_', '---', '/', ' . '].map(targetKey)).toEqual(['_', '---', '/', '.']);
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }), (name) => {
        fc.pre(name.normalize('NFKC').trim() !== '');
        expect(targetKey(name)).not.toBe('');
      }),
    );
  });

  it('is its own key, character by character', () => {
    const characters = Array.from({ length: 0x30000 }, (_, code) => String.fromCodePoint(code));
    const wrong = characters.filter((each) => targetKey(targetKey(`a${each}b`)) !== targetKey(`a${each}b`));
    expect(wrong).toEqual([]);
  });
});

describe('the file of aliases', () => {
  const shelf = (text: string | undefined) => ({ read: async () => text });

  it('may be absent, and reads as it was written', async () => {
    expect(await readAliases(shelf(undefined))).toEqual({});
    const aliases = JSON.parse('{"default": {"db": "database", "__proto__": "x"}, "__proto__": {"a": "b"}}') as Aliases;
    const read = await readAliases(shelf(serializeAliases(aliases)));
    expect(serializeAliases(read)).toBe(serializeAliases(aliases));
  });

  it.each([
    '',
    'no JSON',
    'null',
    '[]',
    '"text"',
    '{}',
    '{"aliases": []}',
    '{"aliases": {"a": ["b"]}}',
    '{"aliases": {"a": {"b": 1}}}',
  ])('is refused with a way to mend it: %s', async (text) => {
    const refused = await readAliases(shelf(text)).catch((thrown: unknown) => thrown);
    expect(refused).toMatchObject({ message: expect.stringMatching(/^targets.json cannot be read: /) });
    expect(String((refused as Error).message)).not.toMatch(/destructure|undefined|of null/);
  });

  it('gives what a name stands for, however it is written, in its own namespace', () => {
    const aliases = { default: { 'My DB': 'database' }, other: { db: 'reports' } };
    expect(aliased(aliases, 'default', targetKey('my_db'))).toBe('database');
    expect(aliased(aliases, 'default', 'db')).toBeUndefined();
    expect(aliased(aliases, 'none', 'db')).toBeUndefined();
  });

  it('does not find what every object has', () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect(aliased({}, name, 'a')).toBeUndefined();
      expect(aliased({ default: {} }, 'default', targetKey(name))).toBeUndefined();
    }
  });
});

// ── against a store ──────────────────────────────────────────────────────────────────────────────────────────────────

function indexed(id: string, target: string, namespace = 'default'): IndexedDecision {
  const facts = { id, kind: 'decision', status: 'active', namespace, target, title: id, created: '2026-01-01' };
  return {
    name: `${id}.md`,
    size: 1,
    modifiedMs: 1,
    facts: { ...facts, targetKey: targetKey(target), head: '{}' },
    body: '',
  };
}

describe('a target that is asked for', () => {
  let home = '';
  let store: Store;
  const hostile = ['__proto__', '100%', "x' OR 1=1 --", 'a*b', '😀/ключ', 'z'.repeat(200)];
  const resolve = (given: string, aliases: Aliases = {}) => resolveTarget(store.decisions, aliases, 'default', given);

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'cairn-target-'));
    store = openEmbedded({ home });
    const targets = ['Session Storage', 'core/api', 'core/db', 'edge/db', 'database', ...hostile];
    const files = targets.map((target, at) => indexed(`d${at}`, target));
    await store.decisions.update([...files, indexed('o', 'elsewhere/secret', 'other')], []);
  });

  afterAll(async () => {
    await store.close();
    await rm(home, { recursive: true, force: true });
  });

  it('is known as it was first written', async () => {
    expect(await resolve('Session Storage')).toMatchObject({ target: 'Session Storage', how: 'exact' });
    expect(await resolve(' session-storage ')).toEqual({
      target: 'Session Storage',
      key: 'session_storage',
      how: 'spelling',
    });
  });

  it('may be an alias, of one that exists or not; a target of that name comes first', async () => {
    const aliases = { default: { store: 'SESSION_STORAGE', new: 'Not Yet', database: 'core/api' } };
    expect(await resolve('Store', aliases)).toEqual({
      target: 'Session Storage',
      key: 'session_storage',
      how: 'alias',
    });
    expect(await resolve('new', aliases)).toEqual({ target: 'Not Yet', key: 'not_yet', how: 'alias' });
    expect(await resolve('database', aliases)).toMatchObject({ target: 'database', how: 'exact' });
  });

  it('may be the end of one path, not of two, and not a part of a name', async () => {
    expect(await resolve('API')).toEqual({ target: 'core/api', key: 'core/api', how: 'suffix' });
    expect(await resolve('db')).toEqual({ target: 'db', key: 'db', how: 'new' });
    expect((await resolve('pi')).how).toBe('new');
    expect((await resolve('secret')).how).toBe('new');
    expect(await resolve('Ключ')).toMatchObject({ target: '😀/ключ', how: 'suffix' });
  });

  it('may be anything', async () => {
    for (const target of hostile) expect(await resolve(target)).toMatchObject({ target, how: 'exact' });
    for (const given of ['constructor', '%', '_', "'", '*', '\u0000', '\ud800', 'y'.repeat(200), '1OO%']) {
      expect((await resolve(given)).how).toBe('new');
    }
  });
});

describe('targets that may have been meant', () => {
  const count = (target: string): TargetCount => ({
    namespace: 'default',
    target,
    targetKey: targetKey(target),
    decisions: 1,
    active: 1,
  });
  const near = (known: string[], asked: string) => nearTargets(known.map(count), targetKey(asked));

  it('are those that contain it or share most of it, at most three', () => {
    expect(near(['database', 'datbase', 'core/database', 'queue'], 'databse')).toEqual([
      'database',
      'datbase',
      'core/database',
    ]);
    expect(near(['queue', 'cache'], 'database')).toEqual([]);
    expect(near(['a_1', 'a_2', 'a_3', 'a_4'].reverse(), 'a')).toEqual(['a_1', 'a_2', 'a_3']);
  });

  it('are never the one that was asked for, whatever the names', () => {
    const name = fc.oneof(
      fc.constantFrom('Data Base', 'data_base', 'DATA-BASE', '__proto__', 'x'.repeat(200), 'é', '/'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }),
    );
    fc.assert(
      fc.property(fc.array(name, { maxLength: 30 }), name, (known, asked) => {
        const found = near([...known, asked], asked);
        expect(found.map(targetKey)).not.toContain(targetKey(asked));
        expect(found.length).toBeLessThanOrEqual(3);
        expect(near([asked, ...known.reverse()], asked).map(targetKey)).toEqual(found.map(targetKey));
      }),
      { numRuns: 500 },
    );
  });

  it('are found among very many', () => {
    const many = Array.from({ length: 20_000 }, (_, at) => count(`service_${at % 200}/module_${at}/handler`));
    expect(nearTargets(many, targetKey('service_7/module_7/handlr'))).toContain('service_7/module_7/handler');
  });
});
