/** From what happens again and again to a decision: events, reflection, proposals, and somebody who accepts or rejects. */
import { execFileSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Message } from '../support/cairn.ts';
import { freshFolder } from '../support/home.ts';
import { type Memory, openMemory, soon, textOf, titlesFound, writeByHand } from './memory.ts';
import { allDecisions, answers, expectSound } from './snapshot.ts';

const frankfurt = 'The payment service is deployed to the Frankfurt region because customer data stays in Europe.';

async function deployed(memory: Memory, turns: readonly number[], more: Message = {}): Promise<number[]> {
  const ids: number[] = [];
  for (const turn of turns) {
    const prompt = `Deployment number ${turn}: which region do we deploy the payment service to?`;
    const { event_id } = await memory.done('record_interaction', { prompt, response: frankfurt, ...more });
    ids.push(event_id);
  }
  return ids;
}

async function onlyProposal(memory: Memory, more: Message = {}): Promise<Message> {
  const { proposals, total } = await memory.done('list_proposals', more);
  expect([total, proposals.length]).toEqual([1, 1]);
  return proposals[0];
}

describe('reflection', () => {
  it('makes one proposal of what came up three times, with its evidence and how sure it is', async () => {
    const memory = await openMemory({ role: 'agent' });
    await deployed(memory, [1, 2]);
    await memory.done('record_interaction', { prompt: 'Thanks!', response: 'Ok.' });
    expect(await memory.done('reflect')).toMatchObject({ proposals: [], strengthened: [], events: 3 });
    await deployed(memory, [3]);
    const { proposals } = await memory.done('reflect');
    expect(proposals).toEqual([expect.stringMatching(/^decisions\/proposal_\d{4}-\d\d-\d\d_.*\.md$/)]);
    const proposal = await onlyProposal(memory);
    expect(proposal).toMatchObject({
      id: proposals[0],
      kind: 'proposal',
      status: 'proposed',
      origin: 'agent',
      evidence: [1, 2, 4],
      suggested_supersedes: [],
    });
    expect(proposal.confidence).toBeGreaterThan(0.3);
    expect(proposal.confidence).toBeLessThan(1);
    expect(await textOf(memory, proposals[0])).toContain('3 events');
    const { decision } = await memory.done('decision_get', { decision_id: proposals[0] });
    expect(decision.rationale).toContain('payment');
    // It is no truth yet: a search for truths does not find it.
    expect(await titlesFound(memory, 'payment region', { mode: 'strict' })).toEqual([]);
  });

  it('changes nothing the second time, neither files nor answers nor the audit trail', async () => {
    const memory = await openMemory();
    await deployed(memory, [1, 2, 3]);
    await memory.done('reflect');
    const state = async () => {
      const names = (await readdir(join(memory.home, 'decisions'))).sort();
      const texts = await Promise.all(names.map((name) => textOf(memory, `decisions/${name}`)));
      const told = await answers(memory.ask, ['default'], ['payment']);
      return { names, texts, told, audit: (await memory.ask('audit_verify')).entries };
    };
    const before = await state();
    for (const params of [{}, { all_namespaces: true }]) {
      expect(await memory.done('reflect', params)).toMatchObject({ proposals: [], strengthened: [] });
    }
    expect(await state()).toEqual(before);
  });

  it('strengthens an open proposal with what comes after, and failures make it less sure', async () => {
    const memory = await openMemory();
    await deployed(memory, [1, 2, 3]);
    const [id] = (await memory.done('reflect')).proposals;
    const first = await onlyProposal(memory);
    await deployed(memory, [4, 5]);
    expect(await memory.done('reflect')).toMatchObject({ proposals: [], strengthened: [id] });
    const second = await onlyProposal(memory);
    expect(second).toMatchObject({ id, evidence: [1, 2, 3, 4, 5] });
    expect(second.confidence).toBeGreaterThan(first.confidence);
    await deployed(memory, [6, 7, 8, 9], { success: false });
    expect((await memory.done('reflect')).strengthened).toEqual([id]);
    const third = await onlyProposal(memory);
    expect(third.evidence).toHaveLength(9);
    expect(third.confidence).toBeLessThan(second.confidence);
  });

  it('keeps namespaces apart, and goes through all of them when asked to', async () => {
    const memory = await openMemory();
    await deployed(memory, [1, 2, 3], { namespace: 'team/a' });
    await deployed(memory, [4, 5], { namespace: 'team/b' });
    expect((await memory.done('reflect')).proposals).toEqual([]);
    const done = await memory.done('reflect', { all_namespaces: true });
    expect([done.proposals.length, done.events]).toEqual([1, 5]);
    expect((await memory.done('list_proposals')).total).toBe(0);
    expect(await onlyProposal(memory, { namespace: 'team/a' })).toMatchObject({ namespace: 'team/a' });
    expect((await memory.done('list_proposals', { namespace: 'team/b' })).total).toBe(0);
  });

  it('learns from commits as from conversations, by the folder that they touch', async () => {
    const path = await freshFolder();
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', path, '-c', 'user.name=Ann', '-c', 'user.email=ann@x', ...args], { stdio: 'pipe' });
    git('init', '-q');
    for (const n of [1, 2, 3, 4]) {
      execFileSync('sh', ['-c', `mkdir -p src/billing && echo ${n} > src/billing/f${n}.ts`], { cwd: path });
      git('add', '.');
      git('commit', '-q', '-m', `Round invoice totals to whole cents in billing, case ${n}`);
    }
    const memory = await openMemory({ role: 'agent', env: { CAIRN_ROOTS: path } });
    expect((await memory.done('sync_git_history', { repo_path: path })).indexed_commits).toBe(4);
    await memory.done('reflect');
    const proposal = await onlyProposal(memory);
    expect(proposal).toMatchObject({ target: 'src/billing', evidence: [1, 2, 3, 4] });
    expect(proposal.title).toMatch(/^Round invoice totals to whole cents/);
    const { decision_id } = await memory.done('accept_proposal', { proposal_id: proposal.id });
    expect((await memory.get(decision_id)).evidence).toMatchObject([{ kind: 'commit' }, {}, {}, {}]);
  });
});

describe('accepting', () => {
  const target = 'payment_region';
  const human = { title: 'Which region do we deploy the payment service to', target };
  const words = 'We deploy the payment service to the Frankfurt region: customer data stays in Europe.';

  it('makes a decision of it, in one step with what it replaces, and the evidence goes along', async () => {
    const memory = await openMemory();
    const old = await memory.record(target, 'Payment service: which region we deploy to', { rationale: words });
    const given = await memory.done('record_interaction', { prompt: 'Does it hold?', response: 'It does, so far.' });
    await memory.done('link_interaction_to_decision', { event_id: given.event_id, decision_id: old });
    const ids = await deployed(memory, [1, 2, 3], { target });
    await memory.done('reflect');
    const proposal = await onlyProposal(memory);
    expect(proposal).toMatchObject({ target, suggested_supersedes: [old], evidence: ids });
    expect(await memory.get(old)).toMatchObject({ status: 'active' });

    const answer = await memory.done('accept_proposal', { proposal_id: proposal.id });
    expect(answer).toMatchObject({ message: 'Accepted', superseded: [old], namespace: 'default' });
    const { decision_id } = answer;
    expect(await memory.get(decision_id)).toMatchObject({
      kind: 'decision',
      status: 'active',
      target,
      supersedes: [old],
      converted_from: proposal.id,
    });
    expect(await memory.get(old)).toMatchObject({ status: 'superseded', superseded_by: decision_id, evidence: [] });
    expect(await memory.get(proposal.id)).toMatchObject({
      status: 'accepted',
      converted_to: decision_id,
      evidence: [],
    });
    const evidence = (await memory.get(decision_id)).evidence.map(({ event_id }: Message) => event_id);
    expect(evidence).toEqual([given.event_id, ...ids].sort((a, b) => a - b));
    expect((await memory.done('list_proposals')).total).toBe(0);
    expect(await onlyProposal(memory, { proposal_status: 'accepted' })).toMatchObject({ converted_to: decision_id });
    await expectSound(await allDecisions(memory.home, memory.ask), memory.ask, ['default']);

    const before = await textOf(memory, decision_id);
    expect(await memory.refused('accept_proposal', { proposal_id: proposal.id })).toContain('is accepted already');
    expect(await memory.refused('reject_proposal', { proposal_id: proposal.id })).toContain('is accepted already');
    expect(await memory.done('reflect')).toMatchObject({ proposals: [], strengthened: [] });
    expect(await textOf(memory, decision_id)).toBe(before);
  });

  it('is refused where another truth came in between, and leaves both as they were', async () => {
    const memory = await openMemory();
    await deployed(memory, [1, 2, 3], { target });
    await memory.done('reflect');
    const { id } = await onlyProposal(memory);
    const truth = await memory.record(target, 'Decided elsewhere, meanwhile');
    expect(await memory.refused('accept_proposal', { proposal_id: id })).toMatch(/^CONFLICT: .*already has active/);
    expect(await memory.get(id)).toMatchObject({ status: 'proposed', evidence: [{}, {}, {}] });
    expect(await memory.get(truth)).toMatchObject({ status: 'active', evidence: [] });
  });

  it('is not for an agent where it would replace a person’s word, and is for an admin', async () => {
    const agent = await openMemory({ role: 'agent' });
    await deployed(agent, [1, 2, 3], { target });
    await agent.done('get_memory_stats');
    await agent.record('other', 'So that there is a folder of decisions');
    const theirs = await writeByHand(agent, 'by-ann', human, words);
    await soon(() => titlesFound(agent, 'Frankfurt')).toEqual([human.title]);
    await agent.done('reflect');
    const proposal = await onlyProposal(agent);
    expect(proposal.suggested_supersedes).toEqual([theirs]);
    await agent.server.initialize();
    const message = `Isolation Violation: Decision ${theirs} was created by a human`;
    const call = { name: 'accept_proposal', arguments: { proposal_id: proposal.id } };
    expect((await agent.server.ask('tools/call', call)).result).toMatchObject({
      isError: true,
      structuredContent: { status: 'error', message },
    });
    expect(await agent.get(theirs)).toMatchObject({ status: 'active', origin: 'human' });
    expect(await agent.get(proposal.id)).toMatchObject({ status: 'proposed' });
    expect((await agent.done('list_proposals')).proposals[0].evidence).toEqual([1, 2, 3]);

    const admin = await openMemory({ home: agent.home });
    expect((await admin.done('accept_proposal', { proposal_id: proposal.id })).superseded).toEqual([theirs]);
  });

  it('is not for a viewer at all, who may read proposals', async () => {
    const agent = await openMemory({ role: 'agent' });
    await deployed(agent, [1, 2, 3]);
    const [proposal_id] = (await agent.done('reflect')).proposals;
    const viewer = await openMemory({ home: agent.home, role: 'viewer' });
    expect((await onlyProposal(viewer)).id).toBe(proposal_id);
    for (const [operation, params] of [
      ['reflect', {}],
      ['accept_proposal', { proposal_id }],
      ['reject_proposal', { proposal_id }],
    ] as const) {
      const { error } = await viewer.server.ask(operation, params);
      expect([operation, error?.message]).toEqual([operation, "Capability 'accept' is required"]);
    }
    expect((await onlyProposal(agent)).status).toBe('proposed');
  });

  it('happens once, when two accept at the same time', async () => {
    const one = await openMemory();
    await deployed(one, [1, 2, 3]);
    const [proposal_id] = (await one.done('reflect')).proposals;
    const two = await openMemory({ home: one.home });
    await two.done('get_memory_stats');
    const done = await Promise.all([one, two].map((each) => each.ask('accept_proposal', { proposal_id })));
    expect(done.map(({ status }) => status).sort()).toEqual(['error', 'success']);
    expect((await one.done('get_memory_stats')).stats).toMatchObject({ active_decisions: 1, open_proposals: 0 });
  });
});

describe('rejecting', () => {
  it('keeps the proposal with its reason, and the same evidence makes no other; new evidence does', async () => {
    const memory = await openMemory({ role: 'agent' });
    await deployed(memory, [1, 2, 3]);
    const [id] = (await memory.done('reflect')).proposals;
    const reason = 'Settled by the platform team: "no".\n---\nstatus: active';
    expect(await memory.done('reject_proposal', { proposal_id: id, reason })).toMatchObject({ message: 'Rejected' });
    expect(await onlyProposal(memory, { proposal_status: 'rejected' })).toMatchObject({ id, evidence: [1, 2, 3] });
    expect(await memory.get(id)).toMatchObject({ status: 'rejected', kind: 'proposal' });
    expect(await textOf(memory, id)).toContain('Settled by the platform team');
    expect(await memory.refused('accept_proposal', { proposal_id: id })).toContain('is rejected already');

    expect(await memory.done('reflect')).toMatchObject({ proposals: [], strengthened: [] });
    await deployed(memory, [4, 5]);
    expect(await memory.done('reflect')).toMatchObject({ proposals: [], strengthened: [] });
    await deployed(memory, [6]);
    const { proposals } = await memory.done('reflect');
    expect(proposals).toHaveLength(1);
    expect(await onlyProposal(memory)).toMatchObject({ id: proposals[0], evidence: [4, 5, 6] });
  });

  it('is not undone by a restart: a new server proposes nothing again', async () => {
    const memory = await openMemory();
    await deployed(memory, [1, 2, 3]);
    const [id] = (await memory.done('reflect')).proposals;
    await memory.done('reject_proposal', { proposal_id: id });
    memory.server.endInput();
    expect(await memory.server.exited).toBe(0);
    const later = await openMemory({ home: memory.home });
    expect(await later.done('reflect', { all_namespaces: true })).toMatchObject({ proposals: [], strengthened: [] });
    expect(await later.get(id)).toMatchObject({ status: 'rejected' });
  });
});
