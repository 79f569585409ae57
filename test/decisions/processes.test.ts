/** Many processes on one memory: clients start a server for every window, and some of them die. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Message } from '../support/cairn.ts';
import { freshHome } from '../support/home.ts';
import { type Memory, openMemory, soon } from './memory.ts';
import { allDecisions, answers, expectSound, truthsOf } from './snapshot.ts';

const PROCESSES = 8;

/** Servers that have answered once: what follows happens at the same time. */
async function crowd(env: Readonly<Record<string, string>> = {}): Promise<Memory[]> {
  const home = await freshHome();
  const memories = await Promise.all(Array.from({ length: PROCESSES }, () => openMemory({ home, env })));
  await Promise.all(memories.map((memory) => memory.done('get_memory_stats')));
  return memories;
}

const params = (title: string, target: string) => ({ title, target, rationale: `${title}, for a reason of its own.` });

/** The files are sound, and every process, old or new, answers the same from the index. */
async function expectAgreement(memories: readonly Memory[], files: number): Promise<void> {
  const [first] = memories as [Memory];
  const decisions = await allDecisions(first.home, first.ask);
  expect(decisions.size).toBe(files);
  await expectSound(decisions, first.ask, ['default']);
  const queries = ['reason', 'window'];
  const fresh = await openMemory({ home: first.home });
  const expected = await answers(fresh.ask, ['default'], queries);
  expect(expected[0]?.stats.semantic_decisions).toBe(files);
  for (const each of memories) await soon(() => answers(each.ask, ['default'], queries)).toEqual(expected);
  expect((await fresh.server.ask('audit_verify')).result.intact).toBe(true);
  expect((await fresh.done('get_environment_health')).health).toMatchObject({ errors: [], unfinished_writes: 0 });
}

describe('eight processes at once', () => {
  it('lose nothing of what they record on different targets', async () => {
    const memories = await crowd();
    const each = 5;
    const ids = await Promise.all(
      memories.map(async (memory, window) => {
        const own: string[] = [];
        for (let n = 0; n < each; n++) {
          const title = `Window ${window} rule ${n}`;
          own.push((await memory.done('record_decision', params(title, `area ${window} ${n}`))).decision_id);
        }
        return own;
      }),
    );
    const all = ids.flat();
    expect(new Set(all).size).toBe(PROCESSES * each);
    const [first] = memories as [Memory];
    const names = await readdir(join(first.home, 'decisions'));
    expect(names.map((name) => `decisions/${name}`).sort()).toEqual([...all].sort());
    await expectAgreement(memories, all.length);
    await soon(async () => (await first.done('get_environment_health')).health.not_committed_yet).toBe(0);
  });

  it('on one target end with one truth: of different words one wins, the same words make a chain, and one supersedes', async () => {
    const memories = await crowd();
    const together = (operation: string, of: (window: number) => Message) =>
      Promise.all(memories.map((memory, window) => memory.ask(operation, of(window))));
    const successes = (answered: readonly Message[]) => answered.filter(({ status }) => status === 'success');

    const different = await together('record_decision', (window) =>
      params(`Window ${window} thinks ${'abcdefgh'[window]?.repeat(5)}`, 'contested'),
    );
    const [won, ...alsoWon] = successes(different);
    expect(alsoWon).toEqual([]);
    const conflict = `CONFLICT: Target 'contested' already has active decisions: [${won?.decision_id}].`;
    for (const answer of different.filter((each) => each !== won)) {
      expect(answer).toMatchObject({ status: 'error', message: conflict });
    }

    const same = await together('record_decision', () => params('Every window thinks the same', 'agreed'));
    const made = successes(same);
    // Whoever was overtaken again and again may give up, but says so.
    for (const { message, status } of same) if (status === 'error') expect(message).toContain('try again');
    expect(made.filter(({ superseded }) => superseded === undefined)).toHaveLength(1);
    expect(new Set(made.flatMap(({ superseded }) => superseded ?? [])).size).toBe(made.length - 1);

    const superseding = await together('supersede_decision', (window) => ({
      ...params(`Window ${window} knows better`, 'contested'),
      old_decision_ids: [won?.decision_id],
    }));
    const [next, ...alsoNext] = successes(superseding);
    expect(alsoNext).toEqual([]);
    for (const answer of superseding.filter((each) => each !== next)) {
      expect(answer).toMatchObject({ status: 'error', superseded_by: next?.decision_id });
    }
    await expectAgreement(memories, 2 + made.length);
  });

  it('record, supersede, link, forget and rename on few targets without leaving a loose end', async () => {
    const memories = await crowd();
    await Promise.all(
      memories.map(async (memory, window) => {
        for (let n = 0; n < 8; n++) {
          const target = `area ${(window + n) % 4}`;
          const answer = await memory.ask('record_decision', params(`Window ${window} turn ${n}`, target));
          const id = answer.decision_id ?? answer.active?.[0];
          if (id === undefined) continue;
          const { event_id } = await memory.done('record_interaction', { prompt: `Turn ${n}?`, response: `${window}` });
          await memory.ask('link_interaction_to_decision', { event_id, decision_id: id });
          const next = params(`Window ${window} again ${n}`, target);
          if (n === 3) await memory.ask('forget_memory', { decision_id: id });
          else if (n === 6) await memory.ask('target_rename', { from: target, to: `place ${(window + n) % 3}` });
          else await memory.ask('supersede_decision', { ...next, old_decision_ids: [id] });
        }
      }),
    );
    const [first] = memories as [Memory];
    const files = (await readdir(join(first.home, 'decisions'))).length;
    expect(files).toBeGreaterThan(3);
    await expectAgreement(memories, files);
  });
});

it('processes killed while they record take nothing of the others with them, and leave no half of a decision', async () => {
  const memories = await crowd();
  const acknowledged: string[] = [];
  const victims = memories.slice(0, 4);
  const survivors = memories.slice(4);
  let over = false;
  const work = memories.map(async ({ server }, window) => {
    for (let n = 0; !over && n < 200; n++) {
      const dead = server.exited.then((): Message => ({}));
      const { result } = await Promise.race([
        server.ask('record_decision', params(`Window ${window} turn ${n}`, `area ${window} ${n}`)),
        dead,
      ]);
      if (result === undefined) return;
      expect(result.status).toBe('success');
      acknowledged.push(result.decision_id);
    }
  });
  for (const { server } of victims) {
    await new Promise((resolve) => setTimeout(resolve, 120 + Math.random() * 80));
    server.kill('SIGKILL');
    await server.exited;
  }
  over = true;
  await Promise.all(work);
  const [first] = survivors as [Memory];
  // A write finishes what the dead had decided.
  await first.record('afterwards', 'Life goes on in this window');
  const decisions = await allDecisions(first.home, first.ask);
  for (const id of acknowledged) expect(decisions.get(id)?.status, id).toBe('active');
  expect([...truthsOf(decisions.values()).values()].every((ids) => ids.length === 1)).toBe(true);
  // At most one call of each victim was under way.
  expect(decisions.size - acknowledged.length - 1).toBeLessThanOrEqual(victims.length);
  await expectAgreement(survivors, decisions.size);
});
