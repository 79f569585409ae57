/** Catalogs of real people, where they are at hand (see ../shared/data/README.md); skipped elsewhere. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { derive } from '../derive.ts';
import { audiences, isId, requirements } from '../entry.ts';
import { readForeign } from './read.ts';

const data = join(import.meta.dirname, '../../../../shared/data');
const absent = (folder: string) => !existsSync(join(data, folder));
const note = (folder: string) => (absent(folder) ? ` (skipped: ${join(data, folder)} is not there)` : '');

function readFolder(folder: string) {
  const root = join(data, folder);
  // What a skipped block calls while tests are collected runs all the same.
  if (absent(folder)) return readForeign([]);
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  return readForeign(
    files.map(({ parentPath, name }) => ({
      path: relative(root, join(parentPath, name)),
      text: readFileSync(join(parentPath, name), 'utf8'),
    })),
  );
}

const options = { now: '2026-01-01T00:00:00.000Z', canonical: true, owner: 'unowned', status: 'approved' } as const;

describe.skipIf(absent('catalog-index-server'))(`a real index-server catalog${note('catalog-index-server')}`, () => {
  const catalog = readFolder('catalog-index-server');

  it('is imported whole: 96 entries, no problem, and its nine side files ignored', () => {
    expect(catalog.problems).toEqual([]);
    expect(catalog.entries).toHaveLength(96);
    expect(catalog.ignored).toHaveLength(9);
  });

  it('has only allowed values afterwards, with its texts, dates and owners as they were', () => {
    for (const { facts, from } of catalog.entries) {
      const raw = fieldsOf(from);
      const entry = derive(facts, options);
      expect(isId(entry.id) && audiences.includes(entry.audience) && requirements.includes(entry.requirement)).toBe(
        true,
      );
      for (const field of ['title', 'body', 'createdAt', 'owner', 'semanticSummary', 'version', 'changeLog'] as const) {
        expect(facts[field]).toEqual(raw[field]);
      }
      expect(entry.categories.every((category) => /^[a-z0-9][a-z0-9:_-]{0,48}$/.test(category))).toBe(true);
    }
  });

  it('explains every change, and changes nothing it does not tell', () => {
    expect(catalog.mappings.every(({ why, path, id }) => why !== '' && path !== '' && isId(id))).toBe(true);
    for (const { facts, from } of catalog.entries) {
      const raw = fieldsOf(from);
      const told = new Set(catalog.mappings.filter(({ path }) => path === from).map(({ field }) => field));
      for (const [field, value] of Object.entries(facts)) {
        const same = JSON.stringify(sortedList(value)) === JSON.stringify(sortedList(raw[field]));
        expect(same || told.has(field), `${from}: ${field}`).toBe(true);
      }
    }
  });
});

describe.skipIf(absent('instructions-copilot'))(`real Copilot instructions${note('instructions-copilot')}`, () => {
  const catalog = readFolder('instructions-copilot');

  it('are imported whole: 191 entries, no problem, and the licence ignored', () => {
    expect(catalog.problems).toEqual([]);
    expect(catalog.entries).toHaveLength(191);
    expect(catalog.ignored.map(({ path }) => path)).toEqual(['LICENSE']);
  });

  it('keep the files they apply to, each pattern whole', () => {
    const applying = catalog.entries.filter(({ facts }) => facts.appliesTo !== undefined);
    expect(applying.length).toBeGreaterThan(170);
    const patterns = applying.flatMap(({ facts }) => facts.appliesTo ?? []);
    expect(patterns.filter((pattern) => pattern.split('{').length !== pattern.split('}').length)).toEqual([]);
  });

  it('could be taken apart like an AGENTS.md without losing a line', () => {
    const linesOf = (text: string) => text.split('\n').filter((line) => line.trim() !== '');
    for (const { facts } of catalog.entries) {
      const parts = readForeign([{ path: 'AGENTS.md', text: facts.body }]).entries;
      expect(parts.flatMap((part) => linesOf(part.facts.body))).toEqual(linesOf(facts.body));
    }
  });
});

function fieldsOf(path: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(data, 'catalog-index-server', path), 'utf8'));
}

function sortedList(value: unknown): unknown {
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? [...value].sort() : value;
}
