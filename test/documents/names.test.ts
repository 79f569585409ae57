/** What a name, a hash, a pattern and a label mean: the document that is called so, never more, and data however it is spelled. */
import { beforeEach, describe, expect, it } from 'vitest';
import { openProject, type Project } from './project.ts';

let project: Project;

beforeEach(async () => {
  project = await openProject();
});

describe('a name', () => {
  it('means the document that is called so, however many end in it or fit it as a pattern', async () => {
    for (let n = 0; n < 15; n++) await project.ask('add', { name: `a${n}/x.md`, content: String(n) });
    await project.ask('add', { name: 'x.md', content: 'exact' });
    for (const name of ['x.md', './x.md', '/x.md'])
      expect(await project.ask('get', { name, include_content: true })).toMatchObject({ content: 'exact' });
    await project.ask('add', { name: 'pages/[id].tsx', content: 'page' });
    await project.ask('add', { name: 'pages/i.tsx', content: 'other' });
    await project.ask('add', { name: 'star*', content: 'star' });
    await project.ask('add', { name: 'starry', content: 'night' });
    expect(await project.ask('get', { name: 'pages/[id].tsx' })).toMatchObject({ path: 'pages/[id].tsx' });
    expect(await project.ask('delete', { name: '[id].tsx' })).toMatchObject({ paths: ['default/pages/[id].tsx'] });
    expect(await project.ask('delete', { name: 'star*' })).toMatchObject({ paths: ['default/star*'] });
    expect(await project.ask('delete', { name: 'star*' })).toMatchObject({ paths: ['default/starry'] });
    expect((await project.refusal('get', { name: '**/x.md' })).data.documents.length).toBeGreaterThan(5);
  });

  it('with a hash narrows, never widens, what is deleted; and a hash means every path, however many', async () => {
    for (let n = 0; n < 1200; n++) await project.put(`empty/${n}.py`, '');
    await project.ask('add', { path: 'empty' });
    const { hash } = await project.ask('add', { name: 'keep.txt', content: 'kept' });
    expect(await project.ask('delete', { name: 'empty/1.py', hash })).toMatchObject({ deleted: 0 });
    const empty = (await project.ask('get', { name: 'empty/1.py' })).hash;
    expect(await project.ask('delete', { name: 'empty/1.py', hash: empty })).toMatchObject({ deleted: 1 });
    expect(await project.ask('delete', { hash: empty })).toMatchObject({ deleted: 1199 });
    expect((await project.ask('list', { paths_only: true })).paths).toEqual(['keep.txt']);
  });

  it('by a beginning of a hash that several have is an error that lists them', async () => {
    // Found by trying: their hashes begin with the same eight characters.
    const [first, second] = await Promise.all(
      [28149, 36680].map((n, at) => project.ask('add', { name: `${at}.txt`, content: `content ${n}` })),
    );
    const prefix = first?.hash.slice(0, 8);
    expect(second?.hash.slice(0, 8)).toBe(prefix);
    for (const [op, more] of [
      ['get', {}],
      ['delete', {}],
      ['update', { metadata: ['a=b'] }],
    ] as const) {
      const error = await project.refusal(op, { hash: prefix, ...more });
      expect(error.data.hashes).toEqual([first?.hash, second?.hash].sort());
    }
    expect(await project.ask('get', { hash: `sha256-${first?.hash.slice(0, 12).toUpperCase()}` })).toMatchObject({
      path: '0.txt',
    });
    expect((await project.ask('list')).total).toBe(2);
    for (const hash of ['', 'abc', 'zzzzzzzz', `${first?.hash}0`, '%', '*'.repeat(10)])
      await project.refusal('get', { hash });
  });
});

describe('what callers make up', () => {
  it('as metadata and tags is data, whatever it is called', async () => {
    const metadata = JSON.parse('{"constructor":"c","toString":"t","hasOwnProperty":"h","a.b[0]":"x","$prev":"p"}');
    await project.ask('add', {
      name: 'a.txt',
      content: 'x',
      metadata,
      tags: ['__proto__', '"; DROP TABLE document; --', '*', '\u202e'],
    });
    await project.ask('update', { name: 'a.txt', metadata: ['__proto__=polluted', 'prototype=x'] });
    const found = await project.ask('get', { name: 'a.txt' });
    expect(found.metadata).toMatchObject({ constructor: 'c', toString: 't', prototype: 'x', 'a.b[0]': 'x' });
    expect(Object.getOwnPropertyDescriptor(found.metadata, '__proto__')?.value).toBe('polluted');
    expect((await project.ask('list', { tag: '"; DROP TABLE document; --' })).total).toBe(1);
    expect((await project.ask('list', { tag: '%' })).total).toBe(0);
    await project.ask('add', { name: 'b.txt', content: 'y' });
    expect((await project.ask('get', { name: 'b.txt' })).metadata).toEqual({});
  });

  it('as collection, label, pair or list is refused where it is none', async () => {
    for (const collection of ['', '../x', 'a/b', '.hidden', 'a b', 'a\n', 'x'.repeat(101), "x'; --", 'é'])
      expect((await project.refusal('add', { name: 'a', content: 'x', collection })).code).toBe(-32602);
    for (const metadata of [['no pair'], ['=value'], [''], [5], 'a=b', [['a=b']], { a: { b: 'c' } }, { a: 1 }])
      expect((await project.refusal('update', { name: 'a', metadata })).code).toBe(-32602);
    for (const input of [
      { names: Array(1001).fill('x') },
      { names: [''] },
      { name: 'x'.repeat(5000) },
      { name: 'a', unknown: 1 },
    ])
      expect((await project.refusal('delete', input)).code).toBe(-32602);
    expect((await project.refusal('delete', {})).code).toBe(-32002);
  });

  it('as patterns, a thousand or long ones, is answered in bounded time', async () => {
    for (let n = 0; n < 100; n++) await project.put(`${'a'.repeat(200)}/${'a'.repeat(200)}${n}.txt`, 'x');
    await project.ask('add', { path: '.' });
    const evil = `${'*a'.repeat(400)}b`;
    const many = Array.from({ length: 1000 }, (_, n) => `*${n}*a*a*a*b?[x-z]`);
    const input = { collection: 'default', output_directory: 'o', dry_run: true };
    for (const [op, params] of [
      ['delete', { names: many }],
      ['restore', { ...input, include_patterns: Array(100).fill(evil) }],
    ] as const) {
      const { result, error } = await project.server.ask(op, params);
      if (error !== undefined) expect(error.message).toContain('too long');
      else expect(result.deleted ?? result.restored).toBe(0);
    }
    expect((await project.ask('list', { limit: 1 })).total).toBe(100);
  });
});
