/** What a hostile reader of decision memory tried, and must not get. */
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openMemory, soon, titlesFound, warnings, writeByHand } from './memory.ts';

const token = ['gh', 'p_', 'Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2'].join('');

describe('purging', () => {
  it('leaves the text in no file of the home, and the history can be rewritten later', async () => {
    const memory = await openMemory();
    const word = 'zebrafishpurgeword';
    const id = await memory.record('secret', 'Purge me', { rationale: `The ${word} must not stay anywhere.` });
    const kept = await memory.done('forget_memory', { decision_id: id });
    expect(kept.history).toContain('rewrite_history');
    const gone = await memory.done('forget_memory', { decision_id: id, rewrite_history: true });
    expect(gone.history).toContain('Removed from the history');
    expect(await memory.refused('decision_history', { decision_id: id })).toContain('no version');
    memory.server.endInput();
    await memory.server.exited;
    // grep finds it in binary files too, but not in what git has packed: that is asked for above.
    expect(() => execFileSync('grep', ['-rqa', word, memory.home])).toThrow();
  });
});

describe('a file that is written to keep its reader busy', () => {
  it.each([
    ['a glob that never ends', `globs: ${'*'.repeat(150_000)}\u2028x\nstatus: nonsense`],
    ['tens of thousands of names', Array.from({ length: 40_000 }, (_, at) => `k${at}: 1`).join('\n')],
    ['a hundred thousand brackets', `list: ${'['.repeat(100_000)}`],
  ])('is named and does not hold up the others: %s', async (_what, line) => {
    const memory = await openMemory();
    await memory.record('storage', 'Use one store');
    await mkdir(join(memory.home, 'decisions'), { recursive: true });
    await writeFile(join(memory.home, 'decisions/busy.md'), `---\ntarget: a\n${line}\n---\n\nbody\n`);
    const began = performance.now();
    const later = await openMemory({ home: memory.home });
    await soon(async () => (await warnings(later)).join('\n')).toMatch(/busy\.md/);
    // Each of them took 2 to 40 seconds; a second is generous for a start, and far from that.
    expect(performance.now() - began).toBeLessThan(8000);
    expect(await titlesFound(memory, 'one store')).toEqual(['Use one store']);
  });
});

describe('namespaces', () => {
  it('find their own, however many others use the same words', async () => {
    const memory = await openMemory();
    await memory.record('small', 'How storage is measured', { namespace: 'teamx' });
    const file = (at: number) =>
      `---\nid: other_${at}\ntitle: How storage is measured ${at}\ntarget: area/${at}\nnamespace: default\nstatus: active\nprovenance:\n  origin: agent\n---\n\nStorage is measured in area ${at}.\n`;
    for (let at = 0; at < 1500; at++) await writeFile(join(memory.home, `decisions/other_${at}.md`), file(at));
    const later = await openMemory({ home: memory.home });
    const found = await later.done('search_decisions', { query: 'how is storage measured', namespace: 'teamx' });
    expect(found.results.map((hit: { title: string }) => hit.title)).toEqual(['How storage is measured']);
  });

  it('are not left along a link', async () => {
    const memory = await openMemory();
    await mkdir(join(memory.home, 'decisions'), { recursive: true });
    await writeByHand(memory, 'a1', {
      title: 'Old public way',
      target: 'way',
      status: 'superseded',
      superseded_by: 'decisions/b1.md',
    });
    await writeByHand(memory, 'b1', { title: 'Hidden way', target: 'way', namespace: 'secretteam' });
    const later = await openMemory({ home: memory.home });
    expect(await titlesFound(later, 'public way')).toEqual([]);
  });
});

describe('secrets', () => {
  it('are refused wherever a decision could carry them, and masked in events', async () => {
    const memory = await openMemory();
    await memory.record('database', 'Use PostgreSQL');
    expect(await memory.refused('target_alias', { alias: token, target: 'database' })).toContain('secret');
    expect(await memory.refused('target_rename', { from: 'database', to: token })).toContain('secret');
    await memory.done('record_interaction', { prompt: 'p', response: 'r', target: token, session: token });
    memory.server.endInput();
    await memory.server.exited;
    expect(() => execFileSync('grep', ['-rqa', token, memory.home])).toThrow();
  });
});

describe('names', () => {
  it('that lead to a person’s decision cannot be taken away by an agent', async () => {
    const memory = await openMemory({ role: 'agent' });
    await mkdir(join(memory.home, 'decisions'), { recursive: true });
    await writeByHand(memory, 'human', { title: 'Use PostgreSQL', target: 'database' });
    await writeFile(join(memory.home, 'targets.json'), JSON.stringify({ aliases: { default: { db: 'database' } } }));
    const agent = await openMemory({ home: memory.home, role: 'agent' });
    await agent.record('foo', 'Use foo');
    await agent.record('cache', 'Use a cache');
    expect(await agent.refused('target_rename', { from: 'foo', to: 'db' })).toContain('another name');
    expect(await agent.refused('target_alias', { alias: 'DB', target: 'cache' })).toContain('Isolation Violation');
    expect((await agent.done('decision_chain', { target: 'db' })).target).toBe('database');
  });

  it('with characters that nobody sees are the names without them', async () => {
    const memory = await openMemory();
    await memory.record('database', 'Use PostgreSQL');
    expect(
      await memory.refused('record_decision', {
        title: 'Use MySQL instead',
        target: 'data\u200bbase',
        rationale: 'Something quite different from before.',
      }),
    ).toContain('CONFLICT');
  });
});

describe('the opposite', () => {
  it('is never taken for the same, however alike the words', async () => {
    const memory = await openMemory();
    const reason = 'Audit logging on the billing service must be enabled because the regulator asks for it every year.';
    await memory.record('billing/audit', 'Audit logging of billing', { rationale: reason });
    const answer = await memory.ask('record_decision', {
      title: 'Audit logging of billing',
      target: 'billing/audit',
      rationale: reason.replace('must be', 'must not be'),
    });
    expect(answer).toMatchObject({ status: 'error', reason: expect.stringContaining('negation') });
  });
});

describe('the pause between two records', () => {
  it('is not escaped by sending them together', async () => {
    const memory = await openMemory({ env: { CAIRN_WRITE_COOLDOWN_MS: '2000' } });
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        memory.ask('record_decision', {
          title: `T${at}`,
          target: `t${at}`,
          rationale: 'A reason that is long enough.',
        }),
      ),
    );
    expect(answers.filter(({ status }) => status === 'success')).toHaveLength(1);
    expect(answers.filter(({ retry_after_ms }) => retry_after_ms > 0)).toHaveLength(9);
  });
});

describe('an agent', () => {
  it('cannot turn down what a person proposed', async () => {
    const memory = await openMemory({ role: 'agent' });
    await mkdir(join(memory.home, 'decisions'), { recursive: true });
    await writeByHand(memory, 'proposal_human', {
      kind: 'proposal',
      title: 'Move to Rust',
      target: 'core',
      status: 'proposed',
    });
    const agent = await openMemory({ home: memory.home, role: 'agent' });
    expect(await agent.refused('reject_proposal', { proposal_id: 'proposal_human' })).toContain('Isolation Violation');
  });

  it('cannot send escape sequences to a person’s terminal', async () => {
    const memory = await openMemory();
    await memory.record('term', 'Evil \u001b]0;pwn\u0007\u001b[2J title');
    const [hit] = (await memory.done('search_decisions', { query: 'evil title' })).results;
    expect(hit.title).toBe('Evil ]0;pwn [2J title');
  });
});

describe('the truth of a target', () => {
  it('is told even when a clock that ran wrong makes it the oldest of a long chain', async () => {
    const memory = await openMemory();
    const file = (at: number, status: string, more = '') =>
      `---\nid: c${at}\ntitle: Step ${at}\ntarget: chain\nstatus: ${status}\ncreated: 2026-01-01T00:00:${String(at % 60).padStart(2, '0')}Z\nprovenance:\n  origin: agent\n${more}---\n\nReason ${at}.\n`;
    await mkdir(join(memory.home, 'decisions'), { recursive: true });
    for (let at = 1; at < 70; at++)
      await writeFile(
        join(memory.home, `decisions/c${at}.md`),
        file(at, 'superseded', `superseded_by: decisions/c0.md\n`),
      );
    await writeFile(join(memory.home, 'decisions/c0.md'), file(0, 'active').replace('2026-01-01', '2020-01-01'));
    const chain = await memory.done('decision_chain', { target: 'chain' });
    expect(chain.active).toBe('decisions/c0.md');
  });
});
