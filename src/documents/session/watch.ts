/**
 * Keeps the documents of a folder as its files are, until it is ended. Changes are gathered for a moment, so that a burst is
 * one batch and a file that an editor writes beside the real one and renames over it is never seen; then they are looked at,
 * and what changed goes through the same operations as if somebody had called them.
 */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { toCairnError } from '../../errors.ts';
import { selecting } from '../glob.ts';
import { Ears } from './ears.ts';
import { type Findings, Look, type Rumour } from './look.ts';
import { Mirror } from './mirror.ts';
import type { WatchHands, WatchPlan, WatchReport, WatchState } from './plan.ts';
import { TreeRules } from './tree.ts';

const QUIET_MS = 150;
const LONGEST_WAIT_MS = 500;
const RESCAN_MS = 30_000;
/** A rescan takes at most one part in so many of the time. */
const RESCAN_SHARE = 50;
const GONE_MS = 1000;
const RETRY_MS = 1000;
const LONGEST_RETRY_MS = 30_000;
const BATCH = 500;
const ERRORS_SHOWN = 10;

export class Watch {
  readonly plan: WatchPlan;
  /** Resolves when what was there at the start is in the store, or cannot be. */
  readonly settled: Promise<void>;
  readonly #hands: WatchHands;
  readonly #mirror = new Mirror();
  readonly #ears: Ears;
  #rumours = new Map<string, Rumour>();
  #fresh = new Set<string>();
  #state: Exclude<WatchState, 'ended'> = 'starting';
  #over = false;
  #reason: string | undefined;
  #tally = { taken: 0, removed: 0 };
  readonly #refused = new Map<string, string>();
  #pending = 0;
  #attempts = 0;
  #root: { dev: number; ino: number } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #rescan: NodeJS.Timeout | undefined;
  #since: number | undefined;
  #turn: Promise<void> | undefined;
  #settle: () => void = () => {};
  readonly #atEnd: (() => void)[] = [];

  constructor(plan: WatchPlan, hands: WatchHands) {
    this.plan = plan;
    this.#hands = hands;
    this.#ears = new Ears(plan.root, (path, heard) => this.#hear(path, heard));
    this.settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.#rumours.set('', 'rename');
    this.#begin();
  }

  get isOver(): boolean {
    return this.#over;
  }

  end(reason: string): void {
    if (this.#over) return;
    this.#over = true;
    this.#reason = reason;
    this.#ears.close();
    clearTimeout(this.#timer);
    clearTimeout(this.#rescan);
    this.#settle();
    for (const work of this.#atEnd.splice(0)) work();
  }

  onEnd(work: () => void): void {
    if (this.#over) work();
    else this.#atEnd.push(work);
  }

  /** What is under way is over. */
  async idle(): Promise<void> {
    await this.#turn;
  }

  report(): WatchReport {
    const unheard = this.#ears.unheard;
    const reason =
      this.#reason ?? (unheard > 0 ? `${unheard} folders are only looked at from time to time` : undefined);
    return {
      path: this.plan.named,
      collection: this.plan.collection,
      state: this.#over ? 'ended' : this.#state,
      files: this.#mirror.size,
      pending: this.#pending + this.#rumours.size,
      ...this.#tally,
      failed: this.#refused.size,
      errors: [...this.#refused].slice(0, ERRORS_SHOWN).map(([path, error]) => ({ path, error })),
      ...(reason !== undefined && { reason }),
    };
  }

  #hear(path: string, rumour: Rumour): void {
    const { only } = this.plan;
    if (only !== undefined && path !== only && path !== '') return;
    if (this.#rumours.get(path) !== 'rename') this.#rumours.set(path, rumour);
    if (this.#state === 'watching') this.#stir();
  }

  /** A moment after the last of several changes, but not long after the first. */
  #stir(): void {
    if (this.#turn !== undefined) return;
    const now = performance.now();
    this.#since ??= now;
    this.#wake(Math.max(0, Math.min(QUIET_MS, this.#since + LONGEST_WAIT_MS - now)));
  }

  #wake(inMs: number): void {
    clearTimeout(this.#timer);
    if (this.#over) return;
    this.#timer = setTimeout(() => this.#begin(), inMs).unref();
  }

  #begin(): void {
    this.#turn ??= this.#act().finally(() => {
      this.#turn = undefined;
      this.#goOn();
    });
  }

  #goOn(): void {
    if (this.#state === 'gone') this.#wake(GONE_MS);
    else if (this.#state === 'failing') this.#wake(Math.min(RETRY_MS * 2 ** (this.#attempts - 1), LONGEST_RETRY_MS));
    else if (this.#rumours.size > 0) this.#stir();
  }

  async #act(): Promise<void> {
    this.#since = undefined;
    const rumours = this.#rumours;
    try {
      if (!(await this.#hands.isRunning())) return this.end('the session was stopped');
      if (!(await this.#isThere())) return this.#vanish();
      if (this.#over) return;
      this.#rumours = new Map();
      const began = performance.now();
      await this.#take(await this.#look(rumours));
      if (this.#over) return;
      if (rumours.has('')) this.#rescanAfter(performance.now() - began);
      this.#state = 'watching';
      this.#reason = undefined;
      this.#attempts = 0;
      this.#settle();
    } catch (thrown) {
      this.#fail(thrown, rumours);
    }
  }

  /** The same folder as before, and still one that the caller may name. */
  async #isThere(): Promise<boolean> {
    const { root } = this.plan;
    try {
      if ((await this.#hands.resolve(root)) !== root) return false;
    } catch (thrown) {
      const error = toCairnError(thrown);
      if (error.kind === 'not_found') return false;
      if (error.kind === 'permission_denied') this.end(error.message);
      throw thrown;
    }
    const { dev, ino } = await lstat(root);
    // Another disk in its place, or none any more: what is missing now was not removed.
    if (this.#root !== undefined && this.#root.dev !== dev) return false;
    if (this.#root?.ino !== ino) this.#rumours.set('', 'rename');
    this.#root = { dev, ino };
    return true;
  }

  /** Nothing is removed because of it: a folder that was moved or unmounted took nobody's documents back. */
  #vanish(): void {
    if (this.#over) return;
    if (this.#state !== 'gone') this.#ears.leave('');
    this.#state = 'gone';
    this.#reason = 'The folder is not there. Its documents stay, and the watch goes on when it is back.';
    this.#rumours = new Map([['', 'rename']]);
    this.#settle();
  }

  async #look(rumours: Map<string, Rumour>): Promise<Findings> {
    const { root, home, only, include, exclude } = this.plan;
    // What could not be taken may be by now, without a change that anybody would see.
    if (rumours.has('')) for (const path of this.#refused.keys()) this.#mirror.keep(path, '');
    const tree = {
      root,
      mirror: this.#mirror,
      ears: this.#ears,
      rules: new TreeRules(root, home),
      wanted: selecting(include, exclude),
    };
    if (only !== undefined) {
      if (rumours.has('')) this.#ears.listen('', rumours.get('') === 'rename');
      rumours = new Map([[only, 'change']]);
    }
    // What is there at the start is taken as it is.
    const isFirst = this.#state === 'starting';
    const findings = await new Look(tree, (path) => !isFirst && !this.#fresh.has(path)).at(rumours);
    this.#fresh = new Set(findings.fresh);
    for (const path of findings.fresh) this.#hear(path, 'change');
    return findings;
  }

  /** New ones first: a file that was moved is never without a document. */
  async #take({ changed, gone }: Findings): Promise<void> {
    this.#pending = changed.size + gone.length;
    const files = [...changed];
    for (let at = 0; at < files.length && !this.#over; at += BATCH) {
      const some = files.slice(at, at + BATCH);
      const refused = await this.#hands.add(some.map(([path]) => join(this.plan.root, path)));
      for (const [path, stamp] of some) this.#note(path, stamp, refused.get(join(this.plan.root, path)));
      this.#tally.taken += some.length - refused.size;
      this.#pending -= some.length;
    }
    for (let at = 0; at < gone.length && !this.#over; at += BATCH) {
      const some = gone.slice(at, at + BATCH);
      this.#tally.removed += await this.#hands.remove(some.map((path) => join(this.plan.root, path)));
      for (const path of some) {
        this.#mirror.forget(path);
        this.#refused.delete(path);
      }
      this.#pending -= some.length;
    }
  }

  #note(path: string, stamp: string, error: string | undefined): void {
    this.#mirror.keep(path, stamp);
    if (error === undefined) this.#refused.delete(path);
    else this.#refused.set(path, error);
  }

  #fail(thrown: unknown, rumours: ReadonlyMap<string, Rumour>): void {
    if (this.#over) return;
    const { message } = toCairnError(thrown);
    if (this.#attempts === 0) this.#hands.warn('A watch could not store changes', { path: this.plan.named, message });
    for (const [path, rumour] of rumours) if (this.#rumours.get(path) !== 'rename') this.#rumours.set(path, rumour);
    this.#pending = 0;
    this.#attempts++;
    this.#state = 'failing';
    this.#reason = message;
    this.#settle();
  }

  #rescanAfter(tookMs: number): void {
    clearTimeout(this.#rescan);
    this.#rescan = setTimeout(() => this.#hear('', 'look'), Math.max(RESCAN_MS, tookMs * RESCAN_SHARE)).unref();
  }
}
