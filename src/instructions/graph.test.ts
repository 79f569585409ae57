import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Head } from './entry.ts';
import { compareEdges, defaultLargeCategoryCap, EDGE_CEILING, exportGraph, type GraphOptions } from './graph.ts';
import { graphExportV2Schema } from './graph-schema.ts';

const knobs = { includePrimaryEdges: true, largeCategoryCap: defaultLargeCategoryCap } as const;
const v2 = { ...knobs, enrich: true, includeCategoryNodes: true } as const;

function head(id: string, categories: readonly string[], over: Partial<Head> = {}): Head {
  const time = '2025-09-01T12:00:00Z';
  return {
    ...{ id, title: id, priority: 50, audience: 'all', requirement: 'optional', categories, version: '1.0.0' },
    ...{ status: 'approved', owner: 'team-x', classification: 'internal', priorityTier: 'P3', riskScore: 55 },
    ...{ createdAt: time, updatedAt: time, lastReviewedAt: time, nextReviewDue: time, reviewIntervalDays: 90 },
    ...{ changeLog: [], semanticSummary: '', sourceHash: '', schemaVersion: '4' },
    ...(categories[0] === undefined ? {} : { primaryCategory: categories[0] }),
    ...over,
  };
}

/** The two entries of S1's examples. */
const alpha = head('instr.alpha', ['ai'], { priority: 10, priorityTier: 'P1' });
const beta = head('instr.beta', ['ai', 'code']);

const brief = (edges: readonly { from: string; to: string; type: string }[]) =>
  edges.map(({ from, to, type }) => `${from} ${type} ${to}`);

describe("S1's example", () => {
  it('is, in schema v1, nodes with an id and primary and category edges', () => {
    expect(exportGraph([beta, alpha], knobs)).toEqual({
      meta: { graphSchemaVersion: 1, nodeCount: 2, edgeCount: 3 },
      nodes: [{ id: 'instr.alpha' }, { id: 'instr.beta' }],
      edges: [
        { from: 'instr.alpha', to: 'category:ai', type: 'primary' },
        { from: 'instr.alpha', to: 'instr.beta', type: 'category' },
        { from: 'instr.beta', to: 'category:ai', type: 'primary' },
      ],
    });
  });

  it('is, in schema v2, in its order, with every belongs edge and every category', () => {
    const graph = exportGraph([beta, alpha], v2);
    expect(graph.meta).toEqual({ graphSchemaVersion: 2, nodeCount: 4, edgeCount: 6 });
    expect(graph.nodes.map(({ id }) => id)).toEqual(['instr.alpha', 'instr.beta', 'category:ai', 'category:code']);
    expect(graph.nodes[2]).toEqual({ id: 'category:ai', nodeType: 'category' });
    expect(graph.edges[0]).toEqual({ from: 'instr.alpha', to: 'category:ai', type: 'primary', weight: 1 });
    expect(brief(graph.edges)).toEqual([
      'instr.alpha primary category:ai',
      'instr.alpha belongs category:ai',
      'instr.alpha category instr.beta',
      'instr.beta primary category:ai',
      'instr.beta belongs category:ai',
      'instr.beta belongs category:code',
    ]);
  });

  it('has the metadata of its entries in schema v2', () => {
    expect(exportGraph([alpha], { ...v2, usage: new Map() }).nodes[0]).toEqual({
      ...{ id: 'instr.alpha', nodeType: 'instruction', categories: ['ai'], primaryCategory: 'ai', priority: 10 },
      ...{ priorityTier: 'P1', requirement: 'optional', owner: 'team-x', status: 'approved', version: '1.0.0' },
      ...{ createdAt: '2025-09-01T12:00:00Z', updatedAt: '2025-09-01T12:00:00Z', usageCount: 0 },
    });
  });
});

describe('a parameter', () => {
  const types = (options: Partial<GraphOptions>) => [
    ...new Set(exportGraph([alpha, beta], { ...knobs, ...options }).edges.map(({ type }) => type)),
  ];

  it('includeEdgeTypes keeps the types it names, and none when it names none', () => {
    expect(types({ includeEdgeTypes: ['primary'] })).toEqual(['primary']);
    expect(types({ includeEdgeTypes: ['category'] })).toEqual(['category']);
    expect(types({ includeEdgeTypes: [] })).toEqual([]);
  });

  it('enrich gives belongs edges with category nodes or when they are named, and never in schema v1', () => {
    expect(types({ enrich: true })).toEqual(['primary', 'category']);
    expect(types({ enrich: true, includeCategoryNodes: true })).toContain('belongs');
    expect(types({ enrich: true, includeEdgeTypes: ['belongs'] })).toEqual(['belongs']);
    expect(types({ includeEdgeTypes: ['belongs'] })).toEqual([]);
  });

  it('includeCategoryNodes does nothing in schema v1', () => {
    expect(exportGraph([alpha], { ...knobs, includeCategoryNodes: true })).toEqual(exportGraph([alpha], knobs));
  });

  it('usage counts uses, 0 where there were none', () => {
    const { nodes } = exportGraph([alpha, beta], { ...v2, usage: new Map([['instr.beta', 7]]) });
    expect(nodes.slice(0, 2)).toMatchObject([{ usageCount: 0 }, { usageCount: 7 }]);
    expect(exportGraph([alpha], v2).nodes[0]).not.toHaveProperty('usageCount');
  });

  it('maxEdges cuts after the filter, and says so only when something was cut', () => {
    const cut = exportGraph([alpha, beta], { ...knobs, includeEdgeTypes: ['category'], maxEdges: 0 });
    expect(cut).toMatchObject({ meta: { edgeCount: 0, truncated: true }, edges: [] });
    const whole = exportGraph([alpha, beta], { ...knobs, includeEdgeTypes: ['category'], maxEdges: 1 });
    expect(whole.meta).toEqual({ graphSchemaVersion: 1, nodeCount: 2, edgeCount: 1 });
  });

  it('includePrimaryEdges off leaves no primary edge, even when the filter names them', () => {
    expect(types({ includePrimaryEdges: false })).toEqual(['category']);
    expect(types({ includePrimaryEdges: false, includeEdgeTypes: ['primary'] })).toEqual([]);
  });
});

describe('the cap of large categories', () => {
  const trio = ['a', 'b', 'c'].map((id) => head(id, id === 'c' ? ['wide'] : ['narrow', 'wide']));

  it('leaves out the pairs of a category above it, with a note, and keeps those that another category gives', () => {
    const graph = exportGraph(trio, { ...knobs, largeCategoryCap: 2, includeEdgeTypes: ['category'] });
    expect(brief(graph.edges)).toEqual(['a category b']);
    expect(graph.meta.notes).toEqual([
      'category "wide": no pairwise edges, 3 members are more than GRAPH_LARGE_CATEGORY_CAP=2',
    ]);
  });

  it('gives each pair one edge, however many categories it shares', () => {
    const graph = exportGraph(trio, { ...knobs, largeCategoryCap: 3, includeEdgeTypes: ['category'] });
    expect(brief(graph.edges)).toEqual(['a category b', 'a category c', 'b category c']);
    expect(graph.meta.notes).toBeUndefined();
  });

  it('has nothing to say where no category edges are asked for, nor about a category of one', () => {
    expect(exportGraph(trio, { ...knobs, largeCategoryCap: 2, includeEdgeTypes: ['primary'] }).meta.notes).toBe(
      undefined,
    );
    expect(exportGraph([alpha], { ...knobs, largeCategoryCap: 0 }).meta.notes).toBe(undefined);
  });

  it('bounds its notes', () => {
    const names = Array.from({ length: 25 }, (_, number) => `c${String(number).padStart(2, '0')}`);
    const { notes = [] } = exportGraph([head('a', names), head('b', names)], { ...knobs, largeCategoryCap: 1 }).meta;
    expect([notes.length, notes[0]?.slice(0, 14), notes.at(-1)]).toEqual([21, 'category "c00"', 'and 5 more']);
  });
});

describe('any catalog', () => {
  const names = ['ai', 'code', 'docs', 'ops', 'zeta'];
  const catalogs = fc
    .uniqueArray(fc.tuple(fc.stringMatching(/^[a-z][a-z0-9._-]{0,3}$/), fc.subarray(names)), {
      selector: ([id]) => id,
      maxLength: 14,
    })
    .map((rows) => rows.map(([id, categories]) => head(id, categories)));
  const settings = fc.record({
    enrich: fc.boolean(),
    includeCategoryNodes: fc.boolean(),
    includeEdgeTypes: fc.option(fc.subarray(['primary', 'category', 'belongs'] as const), { nil: undefined }),
    includePrimaryEdges: fc.boolean(),
    largeCategoryCap: fc.nat(8),
  });

  it('gives the same graph in whatever order its entries come, sorted, with right counts', () => {
    const shuffled = catalogs.chain((heads) =>
      fc.tuple(fc.constant(heads), fc.shuffledSubarray(heads, { minLength: heads.length })),
    );
    fc.assert(
      fc.property(shuffled, settings, ([heads, other], options) => {
        const graph = exportGraph(heads, options);
        expect(exportGraph(other, options)).toEqual(graph);
        expect(graph.edges).toEqual(graph.edges.toSorted(compareEdges));
        expect(graph.meta).toMatchObject({ nodeCount: graph.nodes.length, edgeCount: graph.edges.length });
      }),
    );
  });

  it('has the category edges that a plain look at all pairs finds', () => {
    fc.assert(
      fc.property(catalogs, fc.nat(8), (heads, largeCategoryCap) => {
        const small = new Set(
          names.filter((n) => heads.filter((h) => h.categories.includes(n)).length <= largeCategoryCap),
        );
        const pairs = heads.flatMap((a) =>
          heads
            .filter((b) => a.id < b.id && a.categories.some((name) => small.has(name) && b.categories.includes(name)))
            .map((b) => ({ from: a.id, to: b.id, type: 'category' as const })),
        );
        const graph = exportGraph(heads, { ...knobs, largeCategoryCap, includeEdgeTypes: ['category'] });
        expect(graph.edges).toEqual(pairs.sort(compareEdges));
      }),
    );
  });

  it('gives, when cut, the beginning of the whole', () => {
    fc.assert(
      fc.property(catalogs, settings, fc.nat(30), (heads, options, maxEdges) => {
        const whole = exportGraph(heads, options);
        const cut = exportGraph(heads, { ...options, maxEdges });
        expect(cut.edges).toEqual(whole.edges.slice(0, maxEdges));
        expect(cut.meta.truncated === true).toBe(whole.edges.length > maxEdges);
        expect(cut.nodes).toEqual(whole.nodes);
      }),
    );
  });

  it('keeps to the published schema of version 2', () => {
    const validate = new Ajv2020({ allErrors: true }).compile(graphExportV2Schema);
    fc.assert(
      fc.property(catalogs, settings, fc.option(fc.nat(30), { nil: undefined }), (heads, options, maxEdges) => {
        const graph = exportGraph(heads, { ...options, maxEdges, enrich: true, usage: new Map([['a', 3]]) });
        expect(validate(JSON.parse(JSON.stringify(graph))), JSON.stringify(validate.errors)).toBe(true);
      }),
    );
    expect(validate(exportGraph([alpha], knobs))).toBe(false);
    // S1's example leaves most of the metadata of beta out.
    const lean = { id: 'instr.beta', nodeType: 'instruction', categories: ['ai', 'code'], primaryCategory: 'ai' };
    expect(validate({ ...exportGraph([alpha], v2), nodes: [lean] })).toBe(true);
  });
});

describe('20,000 entries', () => {
  const many = (categoriesOf: (place: number) => readonly string[]) =>
    Array.from({ length: 20_000 }, (_, place) => head(`e${place}`, categoriesOf(place)));
  /** Under a tenth of what is allowed here on two idle cores; the rest is room for a busy machine. */
  const inTime = <T>(limitMs: number, work: () => T): T => {
    // The best of a few: on a busy machine others take the time of any one.
    let fastest = Number.POSITIVE_INFINITY;
    let result = work();
    for (let attempt = 0; attempt < 4 && fastest >= limitMs; attempt++) {
      const start = performance.now();
      result = work();
      fastest = Math.min(fastest, performance.now() - start);
    }
    expect(fastest).toBeLessThan(limitMs);
    return result;
  };

  it('in one category take milliseconds for ten edges, even where the cap is raised to allow all 200 million', () => {
    const heads = many(() => ['all']);
    const options = { ...knobs, maxEdges: 10, includeEdgeTypes: ['category'] } as const;
    expect(inTime(500, () => exportGraph(heads, options)).meta).toMatchObject({
      edgeCount: 0,
      notes: [expect.any(String)],
    });
    const raised = inTime(500, () => exportGraph(heads, { ...options, largeCategoryCap: 1_000_000 }));
    expect(raised.meta).toMatchObject({ edgeCount: 10, truncated: true });
  });

  it('in three categories each are answered with maxEdges, and within the ceiling without', () => {
    const heads = many((place) => [`a${place % 400}`, `b${place % 401}`, `c${place % 403}`]);
    expect(inTime(1_000, () => exportGraph(heads, { ...v2, maxEdges: 25 })).edges).toHaveLength(25);
    const { meta } = inTime(5_000, () => exportGraph(heads, v2));
    expect(meta).toMatchObject({ edgeCount: EDGE_CEILING, truncated: true, nodeCount: 20_000 + 400 + 401 + 403 });
    expect(meta.notes).toEqual([expect.stringContaining('200000')]);
    const asked = exportGraph(heads, { ...knobs, maxEdges: EDGE_CEILING });
    expect(asked.meta).toMatchObject({ edgeCount: EDGE_CEILING, truncated: true });
    expect(asked.meta.notes).toBeUndefined();
  });
});
