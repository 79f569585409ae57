import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Direction, GraphNode, Step } from './node.ts';
import { shortestPath } from './path.ts';
import { traverse } from './traverse.ts';

function node(name: number): GraphNode {
  return { key: `event:${name}`, type: 'event', label: String(name) };
}

type Arrow = readonly [from: number, to: number];

function besideIn(arrows: readonly Arrow[]) {
  return async function* (from: GraphNode, direction: Direction): AsyncGenerator<Step> {
    for (const [source, target] of arrows) {
      const [own, other] = direction === 'out' ? [source, target] : [target, source];
      if (node(own).key !== from.key) continue;
      yield { node: node(other), edge: { source: node(source).key, target: node(target).key, relation: 'evidence' } };
    }
  };
}

/** Steps from 0 to each, the plain way. */
function distancesFrom(start: number, arrows: readonly Arrow[], directed: boolean): Map<number, number> {
  const found = new Map([[start, 0]]);
  for (const [at, distance] of found)
    for (const [from, to] of directed
      ? arrows
      : arrows.flatMap(([a, b]): Arrow[] => [
          [a, b],
          [b, a],
        ]))
      if (from === at && !found.has(to)) found.set(to, distance + 1);
  return found;
}

const arrows = fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 25 });
const search = { directed: false, maxLength: 20, maxNodes: 1000 };

describe('shortestPath', () => {
  it('finds a way of the least length wherever there is one, and its edges are a chain', async () => {
    await fc.assert(
      fc.asyncProperty(arrows, fc.boolean(), async (all, directed) => {
        const expected = distancesFrom(0, all, directed).get(9);
        const { found, gaveUp } = await shortestPath(node(0), node(9), besideIn(all), { ...search, directed });
        expect(found?.edges.length).toBe(expected);
        expect(gaveUp).toBeUndefined();
        if (found === undefined) return;
        expect(found.nodes).toHaveLength(found.edges.length + 1);
        for (const [at, { source, target }] of found.edges.entries()) {
          const ends = [found.nodes[at]?.key, found.nodes[at + 1]?.key];
          if (directed) expect(ends).toEqual([source, target]);
          else expect(ends.sort()).toEqual([source, target].sort());
        }
      }),
    );
  });

  it('says when it gave up: too long a way, or too many nodes', async () => {
    const chain = Array.from({ length: 9 }, (_, at): Arrow => [at, at + 1]);
    const short = await shortestPath(node(0), node(9), besideIn(chain), { ...search, maxLength: 4 });
    expect(short.gaveUp).toMatch(/4 steps/);
    const star = Array.from({ length: 50 }, (_, at): Arrow => [at + 1, 0]);
    const few = await shortestPath(node(0), node(99), besideIn([...star, [98, 99]]), { ...search, maxNodes: 20 });
    expect(few.gaveUp ?? few.found).toBeDefined();
    expect(few.visited).toBeLessThan(30);
  });
});

describe('traverse', () => {
  it('reaches each node once, at its least depth, with every edge between those it looked at', async () => {
    await fc.assert(
      fc.asyncProperty(arrows, fc.integer({ min: 1, max: 5 }), async (all, depth) => {
        const how = { directions: ['out'], depth, limit: 100 } as const;
        const { nodes, edges, truncated } = await traverse(node(0), besideIn(all), how);
        const distances = distancesFrom(0, all, true);
        const expected = [...distances].filter(([, far]) => far > 0 && far <= depth);
        expect(nodes.map((each) => [Number(each.label), each.depth]).sort()).toEqual(expected.sort());
        const looked = all.filter(([from]) => (distances.get(from) ?? 99) < depth);
        expect(new Set(edges.map(({ source, target }) => `${source} ${target}`))).toEqual(
          new Set(looked.map(([from, to]) => `${node(from).key} ${node(to).key}`)),
        );
        expect(truncated).toBe(false);
      }),
    );
  });

  it('stops at the limit and says so', async () => {
    const star = Array.from({ length: 50 }, (_, at): Arrow => [0, at + 1]);
    const how = { directions: ['out'], depth: 2, limit: 10 } as const;
    const { nodes, truncated } = await traverse(node(0), besideIn(star), how);
    expect([nodes.length, truncated]).toEqual([10, true]);
    const all = await traverse(node(0), besideIn(star), { ...how, limit: 50 });
    expect([all.nodes.length, all.truncated]).toEqual([50, false]);
  });
});
