/**
 * New entries of the audit trail, whichever process wrote them. One look at the trail serves all followers, and nobody looks
 * while there are none. A follower that begins in the past reads up to the present by itself and then joins the others.
 */
import type { AuditEntry, Store } from '../store/store.ts';

export interface Follower {
  /** Where it begins: after this entry, or now. */
  readonly after?: number;
  /** In order, each entry once. What came while it was catching up is waited for. */
  take(entries: readonly AuditEntry[]): Promise<void> | void;
  /** The trail could not be read; nothing more will come. */
  failed(thrown: unknown): void;
}

const LOOK_MS = 250;
const PAGE = 200;

interface Live {
  cursor: number;
  readonly follower: Follower;
}

export class Feed {
  readonly #store: Store;
  readonly #live = new Set<Live>();
  /** The last entry that all live followers have. */
  #last: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looking = false;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Gives back how to end it. */
  follow(follower: Follower): () => void {
    const live = { cursor: 0, follower };
    const ended = new AbortController();
    this.#begin(live, ended.signal).catch((thrown) => {
      if (!ended.signal.aborted) follower.failed(thrown);
    });
    return () => {
      ended.abort();
      this.#live.delete(live);
      if (this.#live.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
      this.#last = undefined;
    };
  }

  async #begin(live: Live, ended: AbortSignal): Promise<void> {
    const newest = await this.newest();
    live.cursor = Math.min(live.follower.after ?? newest, newest);
    for (;;) {
      const page = await this.#page(live.cursor);
      if (ended.aborted) return;
      // One that all others got while this page was read is still missing here.
      if (page.length === 0 && live.cursor >= (this.#last ?? 0)) break;
      await live.follower.take(page);
      live.cursor = page.at(-1)?.seq ?? live.cursor;
    }
    // From here on without a pause: what comes next, comes to all.
    this.#last ??= live.cursor;
    this.#live.add(live);
    this.#timer ??= setInterval(() => void this.#look(), LOOK_MS).unref();
  }

  async newest(): Promise<number> {
    const [entry] = await this.#store.read((view) => view.audit.recent(1));
    return entry?.seq ?? 0;
  }

  async #look(): Promise<void> {
    if (this.#looking || this.#last === undefined) return;
    this.#looking = true;
    try {
      const page = await this.#page(this.#last);
      if (this.#last !== undefined) this.#last = page.at(-1)?.seq ?? this.#last;
      for (const live of this.#live) give(live, page);
    } catch (thrown) {
      for (const live of this.#live) live.follower.failed(thrown);
    } finally {
      this.#looking = false;
    }
  }

  #page(after: number): Promise<AuditEntry[]> {
    return this.#store.read((view) => view.audit.page(after, PAGE));
  }
}

/** A follower that caught up a moment ago may have some of them already. */
function give(live: Live, page: readonly AuditEntry[]): void {
  const news = page.filter(({ seq }) => seq > live.cursor);
  if (news.length === 0) return;
  live.cursor = news.at(-1)?.seq ?? live.cursor;
  void live.follower.take(news);
}

const feeds = new WeakMap<Store, Feed>();

export function feedOf(store: Store): Feed {
  let feed = feeds.get(store);
  if (feed === undefined) {
    feed = new Feed(store);
    feeds.set(store, feed);
  }
  return feed;
}
