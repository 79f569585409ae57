/** Random lives of a memory: after every step its records fit together, and its index is what the files alone would give. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { ledgerOf } from '../../src/decisions/ledger.ts';
import { call } from '../../src/operations/call.ts';
import { type App, createApp } from '../../src/service/app.ts';
import { resolveConfig } from '../../src/service/config.ts';
import { type Message, program } from '../support/cairn.ts';
import { freshHome } from '../support/home.ts';
import { openMemory, quick, soon, writeByHand } from './memory.ts';
import { allDecisions, answers, expectSound, truthsOf } from './snapshot.ts';

const namespaces = ['default', 'team'];
const targets = ['alpha', 'beta', 'gamma'];
const words = ['granite', 'basalt', 'marble', 'slate', 'quartz', 'chalk', 'flint', 'obsidian'];
const queries = [...words.slice(0, 4), 'alpha beta', 'reason'];

const place = fc.record({ namespace: fc.constantFrom(...namespaces), target: fc.constantFrom(...targets) });
const pick = fc.nat(99);
const word = fc.constantFrom(...words);

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('record' as const), place, word }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('supersede' as const), place, word }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('supersedeAny' as const), place, word, pick }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('forget' as const), pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('interaction' as const), place, word }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('link' as const), pick, other: pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('propose' as const), place, word, suggests: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('accept' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reject' as const), pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('rename' as const), place, to: fc.constantFrom(...targets) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** One memory in this process, without doors: the same calls, many times faster. */
class Life {
  readonly home: string;
  #app: App;
  #decisions = new Map<string, Message>();
  readonly #aliases = new Map<string, string>();
  #proposals = 0;

  constructor(home: string) {
    this.home = home;
    this.#app = this.#open();
  }

  #open(): App {
    const env = { ...quick, CAIRN_HISTORY: '0' };
    const config = resolveConfig({ home: { path: this.home, source: 'test' }, flags: {}, env });
    return createApp(config, pathToFileURL(join(program, '../worker.js')));
  }

  readonly ask = async (operation: string, params: Message = {}): Promise<Message> => {
    const principal = { name: 'model', role: 'admin', door: 'rpc', human: false } as const;
    return (await call(this.#app, { operation, input: params, principal })) as Message;
  };

  close(): Promise<void> {
    return this.#app.close();
  }

  async reopen(): Promise<void> {
    await this.close();
    this.#app = this.#open();
  }

  /** Carries the step out and checks that it did what the state before it foretold. */
  async take(each: Step): Promise<void> {
    const before = this.#decisions;
    const outcome = await this.#carryOut(each);
    this.#decisions = await allDecisions(this.home, this.ask);
    await outcome(this.#decisions, before);
    await expectSound(this.#decisions, this.ask, namespaces);
  }

  async #carryOut(each: Step): Promise<(after: Map<string, Message>, before: Map<string, Message>) => unknown> {
    switch (each.do) {
      case 'record':
        return this.#record(each);
      case 'supersede':
        return this.#supersede(each, this.#truth(this.#resolved(each.place)));
      case 'supersedeAny':
        return this.#supersede(each, this.#any(each.pick)?.id);
      case 'forget':
        return this.#forget(this.#any(each.pick));
      case 'interaction':
        await this.ask('record_interaction', {
          prompt: `What about ${each.word}?`,
          response: 'It depends.',
          namespace: each.place.namespace,
        });
        return () => {};
      case 'link': {
        const events = await this.#events();
        return this.#link(events[each.pick % events.length], this.#any(each.other));
      }
      case 'propose':
        return this.#propose(each);
      case 'accept':
        return this.#accept(this.#proposal(each.pick));
      case 'reject':
        return this.#reject(this.#proposal(each.pick));
      case 'rename':
        return this.#rename(each);
      case 'restart':
        await this.reopen();
        return (after, before) => expect(after).toEqual(before);
    }
  }

  async #record({ place, word }: Extract<Step, { do: 'record' }>) {
    const target = this.#resolved(place);
    const truth = this.#truth(target);
    const params = { ...place, title: `Take ${word}`, rationale: `The reason for it is ${word}.` };
    const answer = await this.ask('record_decision', params);
    // The same words say the same, whatever the model of meanings says.
    const same = truth !== undefined && this.#decisions.get(truth)?.title === params.title;
    if (truth !== undefined && !same) return unchanged(answer, 'conflict');
    expect(answer).toMatchObject({ status: 'success', namespace: place.namespace, target: target.target });
    expect(answer.superseded).toEqual(same ? [truth] : undefined);
    return (after: Map<string, Message>) => this.#expectTruth(after, target, answer.decision_id);
  }

  async #supersede({ place, word }: { place: Place; word: string }, old: string | undefined) {
    const target = this.#resolved(place);
    const params = { ...place, title: `Now take ${word}`, rationale: `A better reason for it is ${word}.` };
    const answer = await this.ask('supersede_decision', { ...params, old_decision_ids: [old ?? 'decisions/none.md'] });
    if (old === undefined || this.#truth(target) !== old) return unchanged(answer);
    expect(answer).toMatchObject({ status: 'success', superseded: [old] });
    const evidence = eventsOf(this.#decisions.get(old));
    return (after: Map<string, Message>) => {
      this.#expectTruth(after, target, answer.decision_id);
      expect(after.get(old)).toMatchObject({ status: 'superseded', superseded_by: answer.decision_id, evidence: [] });
      expect(eventsOf(after.get(answer.decision_id))).toEqual(evidence);
    };
  }

  async #forget(gone: Message | undefined) {
    if (gone === undefined) return unchanged(await this.ask('forget_memory', { decision_id: 'none' }), 'not_found');
    const answer = await this.ask('forget_memory', { decision_id: gone.id });
    expect(answer).toMatchObject({ status: 'success', message: `Forgotten ${gone.id}` });
    const wasTruth = gone.kind === 'decision' && gone.status === 'active';
    const heirs = wasTruth ? (gone.supersedes ?? []) : [];
    // Its own event went with it, which somebody may have linked to it as evidence.
    const there = (await this.#events()).map(({ event_id }) => event_id);
    const inherited = eventsOf(gone).filter((event) => there.includes(event));
    return (after: Map<string, Message>, before: Map<string, Message>) => {
      expect([...after.keys()].sort()).toEqual([...before.keys()].filter((id) => id !== gone.id).sort());
      if (heirs.length > 0) {
        expect(heirs).toContain(answer.restored);
        expect(eventsOf(after.get(answer.restored))).toEqual(expect.arrayContaining(inherited));
      } else expect(answer.restored).toBeUndefined();
      const truth = wasTruth ? answer.restored : this.#truth(gone as Place, before);
      this.#expectTruth(after, gone as Place, truth);
    };
  }

  /** As they are now: the event of a decision goes with it when it is forgotten. */
  async #events(): Promise<Message[]> {
    const found: Message[] = [];
    for (const namespace of namespaces) {
      const { events } = await this.ask('event_list', { namespace, limit: 200 });
      found.push(...events.map((event: Message) => ({ ...event, namespace })));
    }
    return found;
  }

  async #link(event: Message | undefined, decision: Message | undefined) {
    const ends = { event_id: event?.event_id ?? 9999, decision_id: decision?.id ?? 'none' };
    const answer = await this.ask('link_interaction_to_decision', ends);
    if (event === undefined || decision === undefined) return unchanged(answer, 'not_found');
    if (event.namespace !== decision.namespace) return unchanged(answer, 'validation_failed');
    return (after: Map<string, Message>) => expect(eventsOf(after.get(decision.id))).toContain(event.event_id);
  }

  async #propose({ place, word, suggests }: Extract<Step, { do: 'propose' }>) {
    // The folder is there once something was recorded.
    if (this.#decisions.size === 0) return () => {};
    const truth = suggests ? this.#truth(place) : undefined;
    const id = await writeByHand(this, `proposal_${++this.#proposals}`, {
      kind: 'proposal',
      title: `Perhaps ${word}`,
      ...place,
      ...(truth !== undefined && { suggested_supersedes: [truth] }),
    });
    await ledgerOf(this.#app.store).current(true);
    return (after: Map<string, Message>) => expect(after.get(id)?.status).toBe('proposed');
  }

  async #accept(proposal: Message | undefined) {
    const answer = await this.ask('accept_proposal', { proposal_id: proposal?.id ?? 'none' });
    if (proposal === undefined) return unchanged(answer, 'not_found');
    if (proposal.status !== 'proposed') return unchanged(answer, 'conflict');
    const truth = this.#truth(proposal as Place);
    if (truth !== undefined && !(proposal.suggested_supersedes ?? []).includes(truth))
      return unchanged(answer, 'conflict');
    expect(answer).toMatchObject({ status: 'success', superseded: truth === undefined ? [] : [truth] });
    return (after: Map<string, Message>) => {
      expect(after.get(proposal.id)).toMatchObject({ status: 'accepted', converted_to: answer.decision_id });
      this.#expectTruth(after, proposal as Place, answer.decision_id);
    };
  }

  async #reject(proposal: Message | undefined) {
    const answer = await this.ask('reject_proposal', { proposal_id: proposal?.id ?? 'none' });
    if (proposal === undefined) return unchanged(answer, 'not_found');
    if (proposal.status !== 'proposed') return unchanged(answer, 'conflict');
    return (after: Map<string, Message>) => expect(after.get(proposal.id)?.status).toBe('rejected');
  }

  async #rename({ place, to }: Extract<Step, { do: 'rename' }>) {
    const { namespace, target: from } = place;
    const answer = await this.ask('target_rename', { namespace, from, to });
    const own = this.#at(place);
    const there = { namespace, target: to };
    if (own.length === 0) return unchanged(answer, 'not_found');
    const truth = this.#truth(place);
    if (from !== to && truth !== undefined && this.#truth(there) !== undefined) return unchanged(answer, 'conflict');
    // A name that stands for a third target is not taken from it.
    const stands = this.#aliases.get(key(there));
    if (from !== to && stands !== undefined && stands !== key(place)) return unchanged(answer, 'conflict');
    expect(answer.moved.sort()).toEqual(own.map(({ id }) => id).sort());
    if (from !== to) {
      for (const [name, stood] of this.#aliases) if (stood === key(place)) this.#aliases.set(name, key(there));
      this.#aliases.delete(key(there));
      this.#aliases.set(key(place), key(there));
    }
    return (after: Map<string, Message>, before: Map<string, Message>) => {
      for (const { id } of own) expect(after.get(id)?.target).toBe(to);
      this.#expectTruth(after, there, truth ?? this.#truth(there, before));
    };
  }

  /** A target is known where any record has it; else it may be the old name of one. */
  #resolved(place: Place): Place {
    const stands = this.#at(place).length > 0 ? undefined : this.#aliases.get(key(place));
    return stands === undefined ? place : { namespace: place.namespace, target: stands.split(' ')[1] as string };
  }

  #at(place: Place): Message[] {
    return [...this.#decisions.values()].filter((each) => key(each as Place) === key(place));
  }

  #truth(place: Place, decisions: ReadonlyMap<string, Message> = this.#decisions): string | undefined {
    return truthsOf(decisions.values()).get(key(place))?.[0];
  }

  #expectTruth(after: ReadonlyMap<string, Message>, place: Place, id: string | undefined): void {
    expect(this.#truth(place, after), key(place)).toBe(id);
  }

  #any(at: number): Message | undefined {
    const all = [...this.#decisions.values()];
    return all[at % all.length];
  }

  #proposal(at: number): Message | undefined {
    const all = [...this.#decisions.values()].filter(({ kind }) => kind === 'proposal');
    return all[at % all.length];
  }
}

interface Place {
  readonly namespace: string;
  readonly target: string;
}

function key({ namespace, target }: Place): string {
  return `${namespace} ${target}`;
}

function eventsOf(decision: Message | undefined): number[] {
  return (decision?.evidence ?? []).map(({ event_id }: Message) => event_id);
}

function unchanged(answer: Message, error?: string) {
  expect(answer).toMatchObject({ status: 'error', ...(error !== undefined && { error }) });
  return (after: Map<string, Message>, before: Map<string, Message>) => expect(after).toEqual(before);
}

async function dropIndex(home: string): Promise<void> {
  for (const name of await readdir(home)) if (name.startsWith('index.db')) await rm(join(home, name));
}

/** CAIRN_TEST_SEED repeats a life that went wrong; CAIRN_TEST_RUNS lives more of them. */
const chosen = {
  numRuns: Number(process.env.CAIRN_TEST_RUNS ?? 12),
  ...(process.env.CAIRN_TEST_SEED && { seed: Number(process.env.CAIRN_TEST_SEED) }),
};

it('holds together after every step of any life, and its index is what the files give', {
  timeout: 600_000,
}, async () => {
  const steps = fc.array(step, { minLength: 10, maxLength: 40, size: 'max' });
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      const life = new Life(await freshHome());
      try {
        for (const each of taken) await life.take(each);
        const alive = await answers(life.ask, namespaces, queries);
        await life.close();
        await dropIndex(life.home).catch(() => {});
        await life.reopen();
        expect(await answers(life.ask, namespaces, queries)).toEqual(alive);
      } finally {
        await life.close();
        await rm(life.home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
      }
    }),
    { ...chosen, endOnFailure: process.env.CI !== undefined },
  );
});

it('gives back every text as it was given, whatever characters it has', { timeout: 120_000 }, async () => {
  const life = new Life(await freshHome());
  const text = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
    fc.string({
      unit: fc.constantFrom(...'-:#"\'|>[]{}&*!%@`\\,? \n\t\r~=<yn01', '---', '\u2028', '\ufeff', '[via MCP]'),
      minLength: 1,
    }),
    fc.constantFrom(
      'null',
      'true',
      '1',
      '1e3',
      '0x1',
      '2024-01-01',
      '~',
      '- a',
      '---',
      '# x',
      '<<<<<<< a\n>>>>>>> b',
      'a: b',
    ),
  );
  const fields = fc.record({
    title: text,
    target: text,
    rationale: text,
    consequences: fc.array(text, { maxLength: 3 }),
  });
  // Titles and consequences are one line of plain characters; the reason stays as it is, with the line ends of our files.
  const line = (given: string) => given.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  let namespace = 0;
  const alike = fc.asyncProperty(fields, async ({ title, target, rationale, consequences }) => {
    fc.pre(
      [title, target, ...consequences].every((each) => line(each) !== '' && /\S/.test(each) && each.length <= 200),
    );
    const params = { title, target, rationale: `Because: ${rationale}`, consequences, namespace: `n${++namespace}` };
    fc.pre(params.rationale.trim().length >= 10);
    const answer = await life.ask('record_decision', params);
    expect(answer, JSON.stringify(params)).toMatchObject({ status: 'success', target: target.trim() });
    for (const each of [0, 1]) {
      const { decision } = await life.ask('decision_get', { decision_id: answer.decision_id });
      expect(decision).toMatchObject({
        title: line(title),
        target: target.trim(),
        rationale: params.rationale.replace(/\r+\n/g, '\n').trim(),
        consequences: consequences.map(line),
      });
      // Written once more by the program from what it read.
      const renamed = { from: target, to: target, namespace: params.namespace };
      if (each === 0) expect((await life.ask('target_rename', renamed)).moved).toEqual([answer.decision_id]);
    }
  });
  try {
    await fc.assert(alike, { ...chosen, numRuns: 4 * chosen.numRuns });
  } finally {
    await life.close();
  }
});

it('holds together when the process is killed in the middle of writes, again and again', async () => {
  let memory = await openMemory();
  const { home } = memory;
  const acknowledged = new Set<string>();
  const random = mulberry(Number(process.env.CAIRN_TEST_SEED ?? Date.now() % 2 ** 31));
  const one = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  for (let round = 0; round < 6; round++) {
    const { server } = memory;
    let alive = true;
    // Several calls under way at every moment, so that the end comes in the middle of some.
    const worker = async () => {
      while (alive) {
        const target = one(targets);
        const title = `Take ${one(words)} ${Math.floor(random() * 1e6)}`;
        const params = { title, target, rationale: `${title}, for a reason.` };
        const { result } = await Promise.race([
          server.ask('record_decision', params),
          server.exited.then(() => ({ result: undefined })),
        ]);
        if (result?.status === 'success') acknowledged.add(result.decision_id);
        if (result?.status !== 'error' || result.active === undefined) continue;
        if (random() < 0.2) {
          // Whether it came to that is not known of a call without an answer.
          acknowledged.delete(result.active[0]);
          await Promise.race([server.ask('forget_memory', { decision_id: result.active[0] }), server.exited]);
          continue;
        }
        const supersede = { ...params, old_decision_ids: result.active };
        const next = await Promise.race([
          server.ask('supersede_decision', supersede),
          server.exited.then(() => ({ result: undefined })),
        ]);
        if (next.result?.status === 'success') acknowledged.add(next.result.decision_id);
      }
    };
    const workers = [worker(), worker(), worker()];
    const before = acknowledged.size;
    await soon(async () => acknowledged.size).toBeGreaterThan(before + 3);
    await new Promise((resolve) => setTimeout(resolve, random() * 60));
    alive = false;
    server.kill('SIGKILL');
    await server.exited;
    await Promise.all(workers);

    memory = await openMemory({ home });
    await memory.done('record_interaction', { prompt: `Round ${round}?`, response: 'Over.' });
    const decisions = await allDecisions(home, memory.ask);
    await expectSound(decisions, memory.ask, ['default']);
    for (const id of acknowledged) expect(decisions.has(id), `${id} was acknowledged`).toBe(true);
  }
  expect(acknowledged.size).toBeGreaterThan(10);
  expect((await memory.server.ask('audit_verify')).result.intact).toBe(true);
  const present = (await allDecisions(home, memory.ask)).size;
  await soon(async () => (await memory.done('get_memory_stats')).stats.semantic_decisions).toBe(present);
  const alive = await answers(memory.ask, ['default'], queries);
  memory.server.endInput();
  await memory.server.exited;
  await dropIndex(home);
  const again = await openMemory({ home });
  expect(await answers(again.ask, ['default'], queries)).toEqual(alive);
});

/** A small generator of random numbers that a seed repeats. */
function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
