/** A client that applies what `diff` answers always ends with the server's catalog. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { serveStdio } from '../support/cairn.ts';
import { freshHome } from '../support/home.ts';

type Held = Map<string, { id: string; sourceHash: string; body: string }>;

const step = fc.oneof(
  fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd'), body: fc.constantFrom('one', 'two', 'three') }),
  fc.constantFrom('a', 'b', 'c', 'd'),
);

it('yields the server’s catalog after any history of changes, by known entries and by hash alone', async () => {
  const server = serveStdio(['--home', await freshHome(), '--mutation', '--role', 'admin']);
  const held: Held = new Map();
  let clientHash: string | undefined;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (history) => {
      for (const each of history) {
        if (typeof each === 'string') await server.ask('instructions/remove', { ids: [each] });
        else await server.ask('instructions/add', { entry: each, lax: true, overwrite: true });
      }
      const known = [...held.values()].map(({ id, sourceHash }) => ({ id, sourceHash }));
      const { result } = await server.ask('instructions/diff', { clientHash, known });
      for (const entry of [...(result.added ?? []), ...(result.updated ?? [])]) held.set(entry.id, entry);
      for (const id of result.removed ?? []) held.delete(id);
      clientHash = result.hash;
      const { items, hash } = (await server.ask('instructions/list')).result;
      expect(hash).toBe(clientHash);
      expect([...held.values()].map(({ id, body }) => [id, body]).sort()).toEqual(
        items.map(({ id, body }: { id: string; body: string }) => [id, body]),
      );
      expect((await server.ask('instructions/diff', { clientHash })).result).toEqual({ upToDate: true, hash });
      const stale = (await server.ask('instructions/diff', { clientHash: 'older' })).result;
      expect(stale.changed.map(({ id }: { id: string }) => id)).toEqual([...held.keys()].sort());
    }),
    { numRuns: 25 },
  );
});
