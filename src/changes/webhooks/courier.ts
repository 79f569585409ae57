/**
 * Tells webhooks of changes, after their commit, in order, each at least once. How far a webhook was served is kept in the
 * store, so that nothing is lost over a restart; one process at a time serves it. What cannot be delivered holds the later ones
 * up, until it is given up and kept as a dead letter.
 */
import { randomUUID } from 'node:crypto';
import { toCairnError } from '../../errors.ts';
import type { Log } from '../../service/log.ts';
import type { AuditEntry, Store } from '../../store/store.ts';
import type { DeadLetter, WebhookState } from '../../store/webhooks.ts';
import { feedOf } from '../feed.ts';
import { isChange, type KindOf } from '../notice.ts';
import { deliveryOf, type Hook, longestPause, MOST_ATTEMPTS, pauseAfter } from './hook.ts';
import { type PostRules, post } from './post.ts';

export interface CourierOptions extends PostRules {
  readonly store: Store;
  readonly hooks: readonly Hook[];
  readonly secret: string;
  /** Before the second attempt. */
  readonly retryMs: number;
  readonly kindOf: KindOf;
  readonly log: Log;
}

/** Beyond the time that an attempt may take; whoever dies in the middle holds the others up for no longer. */
const SPARE_MS = 5000;
/** Until the next look while another process has the turn, or when somebody may want a dead letter tried again. */
const LOOK_MS = 2000;
const PAGE = 100;

export class Courier {
  readonly #options: CourierOptions;
  readonly #holder = randomUUID();
  readonly #ending = new AbortController();
  readonly #wake = new Set<() => void>();
  #news = 0;
  #runs: Promise<void>[] = [];
  #unfollow = () => {};

  constructor(options: CourierOptions) {
    this.#options = options;
  }

  /** What is there now is the past to a webhook that is new. */
  async start(): Promise<void> {
    const { store, hooks } = this.#options;
    const now = await feedOf(store).newest();
    this.#unfollow = feedOf(store).follow({
      after: now,
      take: () => this.#rouse(),
      failed: (thrown) => this.#warn('New changes are found late', thrown),
    });
    this.#runs = hooks.map((hook) => this.#serve(hook, now));
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    this.#unfollow();
    this.#rouse();
    await Promise.all(this.#runs);
  }

  async #serve(hook: Hook, start: number): Promise<void> {
    while (!this.#ending.signal.aborted) {
      const news = this.#news;
      let pauseMs = LOOK_MS;
      try {
        pauseMs = await this.#round(hook, start);
      } catch (thrown) {
        this.#warn(`The webhook ${hook.address} waits`, thrown);
      }
      if (news === this.#news) await this.#pause(pauseMs);
    }
    await this.#options.store.webhooks.claim(hook.id, this.#holder, 0).catch(() => undefined);
  }

  /** Gives back how long there is nothing to do. Looking writes nothing: an idle server leaves the home alone. */
  async #round(hook: Hook, start: number): Promise<number> {
    const { store, timeoutMs, retryMs } = this.#options;
    // Waiting for changes does not create a home.
    if ((await store.generation()) === 0) return LOOK_MS;
    const known = await store.read((view) => view.webhooks.get(hook.id));
    if (known === undefined) {
      const created = new Date().toISOString();
      await store.webhooks.register({ id: hook.id, address: hook.address, cursor: start, created });
      return 0;
    }
    const { letter, page } = await this.#work(hook, known);
    if (letter === undefined && page.length === 0) return LOOK_MS;
    const patience = known.dueMs - Date.now();
    if (letter === undefined && patience > 0 && patience <= longestPause(retryMs)) return Math.min(patience, LOOK_MS);
    const state = await store.webhooks.claim(hook.id, this.#holder, timeoutMs + SPARE_MS);
    if (state === undefined) return LOOK_MS;
    if (letter !== undefined) await this.#retry(hook, letter);
    // Another process may have gone on since.
    else if (state.cursor === known.cursor) await this.#deliver(hook, state, page);
    return 0;
  }

  #work(hook: Hook, { cursor }: WebhookState) {
    return this.#options.store.read(async ({ webhooks, audit }) => ({
      letter: await webhooks.revived(hook.id),
      page: await audit.page(cursor, PAGE),
    }));
  }

  /** The first change of the page; what changed nothing is passed over. */
  async #deliver(hook: Hook, { attempts }: WebhookState, page: readonly AuditEntry[]): Promise<void> {
    const { store, retryMs, log } = this.#options;
    const entry = page.find(isChange);
    if (entry === undefined) return store.webhooks.advance(hook.id, page.at(-1)?.seq ?? 0, undefined);
    const error = await this.#attempt(hook, entry);
    const time = new Date().toISOString();
    if (error === undefined) return store.webhooks.advance(hook.id, entry.seq, time);
    // Cut off by our own end: that says nothing of the receiver.
    if (this.#ending.signal.aborted) return;
    if (attempts + 1 >= MOST_ATTEMPTS) {
      log.warn('A webhook did not take an event; see webhook_list', { webhook: hook.address, error });
      return store.webhooks.bury(hook.id, entry.seq, error, time);
    }
    const pause = pauseAfter(attempts + 1, retryMs, Math.random());
    return store.webhooks.failed(hook.id, error, Date.now() + pause);
  }

  /** A dead letter has one try: whoever asked for it looks at what came of it. */
  async #retry(hook: Hook, { id, seq }: DeadLetter): Promise<void> {
    const { store } = this.#options;
    const [entry] = await store.read((view) => view.audit.page(seq - 1, 1));
    const error = entry?.seq === seq ? await this.#attempt(hook, entry) : 'The entry is gone';
    if (!this.#ending.signal.aborted || error === undefined) await store.webhooks.settle(id, error);
  }

  async #attempt(hook: Hook, entry: AuditEntry): Promise<string | undefined> {
    const { secret, kindOf } = this.#options;
    const delivery = deliveryOf(hook, entry, kindOf, secret, Date.now());
    try {
      await post(hook.url, delivery, this.#options, this.#ending.signal);
      return undefined;
    } catch (thrown) {
      return thrown instanceof Error ? thrown.message : String(thrown);
    }
  }

  #rouse(): void {
    this.#news++;
    for (const wake of this.#wake) wake();
  }

  #pause(milliseconds: number): Promise<void> {
    if (milliseconds === 0 || this.#ending.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#wake.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, milliseconds);
      this.#wake.add(wake);
    });
  }

  #warn(message: string, thrown: unknown): void {
    if (!this.#ending.signal.aborted) this.#options.log.warn(message, { reason: toCairnError(thrown).message });
  }
}
