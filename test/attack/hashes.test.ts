/** Two contents whose hashes begin alike: the beginning is never taken for one of them. */
import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { openArena } from './arena.ts';

const PREFIX = 8;
let pair: readonly [string, string];

beforeAll(() => {
  const seen = new Map<string, string>();
  for (let at = 0; ; at++) {
    const text = `content ${at}\n`;
    const start = createHash('sha256').update(text).digest('hex').slice(0, PREFIX);
    const other = seen.get(start);
    if (other !== undefined) {
      pair = [other, text];
      return;
    }
    seen.set(start, text);
  }
});

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

describe('the beginning of a hash', () => {
  it('that two contents share is refused by everything that takes one, and the whole hash is not', async () => {
    const { server } = await openArena();
    const [benign, hostile] = pair;
    await server.ask('add', { name: 'benign.txt', content: benign });
    const start = hashOf(benign).slice(0, PREFIX);
    expect((await server.ask('get', { hash: start })).result.name).toBe('benign.txt');
    await server.ask('add', { name: 'hostile.txt', content: hostile });
    const { result } = await server.ask('session_start', {});
    const calls: [string, object][] = [
      ['get', { hash: start, include_content: true }],
      ['update', { hash: start, tags: ['reviewed'] }],
      ['delete', { hash: start }],
      ['content_diff', { from: start }],
      ['graph', { hash: start }],
      ['graph_impact', { hash: start }],
      ['session_pin', { session_id: result.session_id, hash: start }],
      ['search', { query: 'content', hash: start }],
    ];
    for (const spelling of [start, start.toUpperCase(), `sha256:${start}`, `sha256-${start}`]) {
      for (const [op, params] of calls) {
        const answer = await server.ask(op, {
          ...params,
          ...('from' in params ? { from: spelling } : { hash: spelling }),
        });
        const found = answer.result?.results ?? answer.result?.documents;
        expect(
          answer.error ?? (Array.isArray(found) && found.length !== 1 ? found : undefined),
          `${op} ${JSON.stringify(answer)}`,
        ).toBeDefined();
      }
    }
    const { documents } = (await server.ask('list', {})).result;
    expect(documents.map(({ tags }: { tags: string[] }) => tags)).toEqual([[], []]);
    for (const [name, text] of [
      ['benign.txt', benign],
      ['hostile.txt', hostile],
    ] as const)
      expect((await server.ask('get', { hash: hashOf(text) })).result.name).toBe(name);
  });

  it('that is too short, or no hash at all, is refused', async () => {
    const { server } = await openArena();
    await server.ask('add', { name: 'a.txt', content: 'a' });
    for (const hash of [
      '',
      'c',
      'ca97811',
      '%',
      '*',
      'ca978112 ',
      'zzzzzzzz',
      'sha1:ca978112',
      'ca978112%',
      `${hashOf('a')}0`,
    ])
      expect((await server.ask('get', { hash })).error, hash).toBeDefined();
  });
});
