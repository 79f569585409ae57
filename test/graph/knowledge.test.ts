/** Instructions, categories, decisions, targets and events in the same graph as the code they speak of. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Project } from '../documents/project.ts';
import { addInstruction, keysOf, openVillage, sentences } from './village.ts';

async function record(project: Project, title: string, target: string, rationale: string): Promise<string> {
  const { decision_id } = await project.ask('record_decision', { title, target, rationale });
  return decision_id.replace(/^decisions\/|\.md$/g, '');
}

const RATIONALE = 'The store is opened once, in `src/store.ts`, because every open costs a second.';

async function furnished() {
  const project = await openVillage();
  await addInstruction(project, 'open-once', 'Call `Store.open` once. See src/store.ts and `keep-small`.');
  await addInstruction(project, 'keep-small', 'Keep functions small.', {
    categories: ['code', 'style'],
    dependencies: ['open-once'],
  });
  const first = await record(project, 'One store', 'Store Opening', RATIONALE);
  return { ...project, project, first };
}

describe('instructions', () => {
  it('belong to categories, build on each other and mention files, symbols and instructions', async () => {
    const { ask } = await furnished();
    const { origin, edges } = await ask('graph', { name: 'open-once' });
    expect(origin).toMatchObject({ key: 'instruction:open-once', label: 'Rule open-once' });
    expect(sentences(edges)).toEqual([
      'instruction:open-once belongs category:code',
      'instruction:open-once mentions instruction:keep-small',
      'instruction:open-once mentions src/store.ts',
      'instruction:open-once mentions src/store.ts#Store.open',
      'instruction:open-once primary category:code',
    ]);
    const back = async (params: object) => sentences((await ask('graph', { reverse: true, ...params })).edges);
    expect(await back({ node_key: 'category:code', relation: 'belongs' })).toEqual([
      'instruction:keep-small belongs category:code',
      'instruction:open-once belongs category:code',
    ]);
    expect(await back({ name: 'open-once' })).toEqual(['instruction:keep-small depends_on instruction:open-once']);
    expect(await back({ name: 'Store.open', relation: 'MENTIONS' })).toEqual([
      'instruction:open-once mentions src/store.ts#Store.open',
    ]);
    const pairs = await ask('graph', { name: 'keep-small', relation: 'category' });
    expect(sentences(pairs.edges)).toEqual(['instruction:keep-small category instruction:open-once']);
  });

  it('are followed when they change or go, by the program or by hand', async () => {
    const { ask, refusal, project, folder } = await furnished();
    await addInstruction(project, 'open-once', 'Call it once. See src/types.ts.', {
      categories: ['style'],
      version: '1.1.0',
    });
    expect(sentences((await ask('graph', { name: 'open-once' })).edges)).toEqual([
      'instruction:open-once belongs category:style',
      'instruction:open-once mentions src/types.ts',
      'instruction:open-once primary category:style',
    ]);
    expect((await ask('graph', { name: 'src/store.ts', reverse: true, relation: 'mentions' })).nodes).toHaveLength(1);
    await rm(join(folder, '.cairn/instructions/open-once.json'));
    await ask('instructions_reload');
    expect((await refusal('graph', { name: 'open-once' })).message).toMatch(/No document/);
    expect(sentences((await ask('graph', { node_key: 'category:style', reverse: true })).edges)).toEqual([
      'instruction:keep-small belongs category:style',
    ]);
    expect((await refusal('graph', { node_key: 'category:none' })).message).toMatch(/No document/);
  });
});

describe('decisions', () => {
  it('belong to targets, replace each other and rest on events', async () => {
    const { ask, first } = await furnished();
    const { new_decision_id, decision_id } = await ask('supersede_decision', {
      title: 'Two stores',
      target: 'store opening',
      rationale: 'A second store is opened for the tests, as the first one showed to be too slow for them.',
      old_decision_ids: [first],
    });
    const second = String(new_decision_id ?? decision_id).replace(/^decisions\/|\.md$/g, '');
    const { event_id } = await ask('record_interaction', { prompt: 'Why two?', response: 'Tests.', success: true });
    await ask('link_interaction_to_decision', { event_id, decision_id: second });
    expect(sentences((await ask('graph', { node_key: `decision:${first}` })).edges)).toEqual([
      `decision:${first} belongs target:default/store_opening`,
      `decision:${first} mentions src/store.ts`,
      `decision:${first} superseded_by decision:${second}`,
    ]);
    const back = await ask('graph', { node_key: `decision:${second}`, reverse: true });
    expect(sentences(back.edges)).toEqual(
      [
        `decision:${first} superseded_by decision:${second}`,
        ...back.nodes
          .filter(({ type }: { type: string }) => type === 'event')
          .map(({ key }: { key: string }) => `${key} evidence decision:${second}`),
      ].sort(),
    );
    expect(keysOf(back.nodes)).toContain(`event:${event_id}`);
    const target = await ask('graph', { name: 'store opening', reverse: true });
    expect(target.origin.key).toBe('target:default/store_opening');
    expect(keysOf(target.nodes)).toEqual([`decision:${first}`, `decision:${second}`].sort());
    const event = await ask('graph', { node_key: `event:${event_id}`, depth: 3 });
    expect(keysOf(event.nodes)).toEqual([`decision:${second}`, 'target:default/store_opening']);
  });
});

it('shows the decisions of one namespace only', async () => {
  const { ask, refusal, first } = await furnished();
  const params = { title: 'Elsewhere', target: 'Store Opening', rationale: RATIONALE, namespace: 'team/other' };
  const { decision_id } = await ask('record_decision', params);
  const other = `decision:${decision_id.replace(/^decisions\/|\.md$/g, '')}`;
  const mentioned = { name: 'src/store.ts', reverse: true, relation: 'mentions' };
  expect(keysOf((await ask('graph', mentioned)).nodes)).toEqual([`decision:${first}`, 'instruction:open-once']);
  expect(keysOf((await ask('graph', { ...mentioned, namespace: 'team/other' })).nodes)).toEqual([
    other,
    'instruction:open-once',
  ]);
  expect((await refusal('graph', { node_key: other })).message).toMatch(/No document/);
  expect(keysOf((await ask('graph', { list_type: 'decision' })).nodes)).toEqual([`decision:${first}`]);
  const { nodes } = await ask('graph', { node_key: other, namespace: 'team/other', relation: 'belongs' });
  expect(keysOf(nodes)).toEqual(['target:team/other/store_opening']);
});

it('counts and lists every kind, page by page', async () => {
  const { ask } = await furnished();
  const { types } = await ask('graph', { list_types: true });
  expect(types.map(({ type }: { type: string }) => type)).toEqual(
    expect.arrayContaining([
      'collection',
      'folder',
      'document',
      'symbol',
      'instruction',
      'category',
      'decision',
      'target',
    ]),
  );
  for (const { type, count } of types) {
    const { nodes } = await ask('graph', { list_type: type, limit: 1000 });
    expect([type, nodes.length]).toEqual([type, count]);
    const second = await ask('graph', { list_type: type, limit: 1, offset: 1 });
    expect(second.nodes).toEqual(nodes.slice(1, 2));
    for (const { key } of nodes) expect((await ask('graph', { node_key: key })).origin.key).toBe(key);
  }
});
