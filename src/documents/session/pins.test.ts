import { describe, expect, it } from 'vitest';
import type { SessionPin } from '../../store/sessions.ts';
import { chosen } from './pins.ts';

const created = '2026-01-01T00:00:00.000Z';
const content: SessionPin = { hash: 'a'.repeat(64), created };
const guide: SessionPin = { hash: 'b'.repeat(64), place: { collection: 'default', path: 'docs/guide.md' }, created };
const other: SessionPin = { hash: 'c'.repeat(64), place: { collection: 'web', path: 'docs/page[1].md' }, created };
const pins = [content, guide, other];

const named = (which: Partial<Parameters<typeof chosen>[1]>) => chosen(pins, { hashes: [], names: [], ...which });

describe('the pins that somebody means', () => {
  it.each([
    ['the beginning of a hash', { hashes: ['aaaaaaaa'] }, [content]],
    ['a hash as S4 shows it', { hashes: [`sha256-${'b'.repeat(64)}`] }, [guide]],
    ['a path', { names: ['docs/guide.md'] }, [guide]],
    ['a path that begins with a dot', { names: ['./docs/guide.md'] }, [guide]],
    ['the end of a path', { names: ['guide.md'] }, [guide]],
    ['a pattern', { names: ['*.md'] }, [guide, other]],
    ['a path that looks like a pattern', { names: ['docs/page[1].md'] }, [other]],
    ['a pattern within a collection', { names: ['*.md'], collection: 'web' }, [other]],
    ['half of a name', { names: ['ide.md'] }, []],
    ['nothing', {}, []],
  ])('are found by %s', (_how, which, expected) => {
    expect(named(which)).toEqual(expected);
  });
});
