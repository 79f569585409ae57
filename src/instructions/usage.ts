/**
 * Counting uses: gathered for a moment and written together, the first use of an instruction at once. Counts are added to
 * what other processes wrote, so they are exact across processes; a crash may lose what is being gathered, and nothing else.
 */
import type { Settings } from '../service/config.ts';
import type { Store, Usage } from '../store/store.ts';
import { fileOf } from './entry.ts';

const PER_SECOND = 10;

type UsageSettings = Pick<Settings, 'usageFlushMs' | 'usageRateLimitDisabled'>;

export interface Counted {
  readonly usage: Usage;
  /** Over ten a second of one instruction: the count stays. */
  readonly limited: boolean;
}

export class UsageGatherer {
  readonly #store: Store;
  readonly #settings: UsageSettings;
  readonly #gathered = new Map<string, { times: number; at: string }>();
  readonly #recent = new Map<string, { second: number; times: number }>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(store: Store, settings: UsageSettings) {
    this.#store = store;
    this.#settings = settings;
  }

  async count(id: string): Promise<Counted> {
    const stored = (await this.#store.read((view) => view.usage.of([id]))).get(id);
    const at = new Date().toISOString();
    const waiting = this.#gathered.get(id);
    const present: Usage = {
      id,
      count: (stored?.count ?? 0) + (waiting?.times ?? 0),
      firstSeenTs: stored?.firstSeenTs ?? waiting?.at ?? at,
      lastUsedAt: waiting?.at ?? stored?.lastUsedAt ?? at,
    };
    if (this.#isTooOften(id)) return { usage: present, limited: true };
    this.#gathered.set(id, { times: (waiting?.times ?? 0) + 1, at });
    if (stored === undefined) await this.flush();
    else this.#schedule();
    return { usage: { ...present, count: present.count + 1, lastUsedAt: at }, limited: false };
  }

  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    const taken = [...this.#gathered];
    if (taken.length === 0) return;
    this.#gathered.clear();
    try {
      await this.#store.write(async (change) => {
        for (const [id, { times, at }] of taken) {
          // Removed meanwhile: its counter went with it, and does not come back.
          if ((await change.files.stamp('instructions', fileOf(id))) !== undefined)
            await change.usage.add(id, times, at);
        }
      });
    } catch (thrown) {
      // Not written: they wait for the next time, together with what came since.
      for (const [id, { times, at }] of taken) {
        const since = this.#gathered.get(id);
        this.#gathered.set(id, { times: times + (since?.times ?? 0), at: since?.at ?? at });
      }
      throw thrown;
    }
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => this.flush().catch(() => {}), this.#settings.usageFlushMs).unref();
  }

  #isTooOften(id: string): boolean {
    if (this.#settings.usageRateLimitDisabled) return false;
    const second = Math.floor(Date.now() / 1000);
    const recent = this.#recent.get(id);
    const times = recent?.second === second ? recent.times + 1 : 1;
    if (this.#recent.size > 10_000) this.#recent.clear();
    this.#recent.set(id, { second, times });
    return times > PER_SECOND;
  }
}

const gatherers = new WeakMap<Store, UsageGatherer>();

/** The one gatherer of a store in this process. */
export function usageOf(store: Store, settings: UsageSettings): UsageGatherer {
  let gatherer = gatherers.get(store);
  if (gatherer === undefined) {
    gatherer = new UsageGatherer(store, settings);
    gatherers.set(store, gatherer);
    const flushing = gatherer;
    store.beforeClose(() => flushing.flush());
  }
  return gatherer;
}
