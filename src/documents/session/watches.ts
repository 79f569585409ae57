/** The watches of this process. They end with their session, with the connection that asked for them, or with the process. */
import { CairnError } from '../../errors.ts';
import type { Store } from '../../store/store.ts';
import type { WatchHands, WatchPlan } from './plan.ts';
import { Watch } from './watch.ts';

export const MOST_WATCHES = 32;

const registries = new WeakMap<Store, Watches>();

export function watchesOf(store: Store): Watches {
  let known = registries.get(store);
  if (known === undefined) {
    known = new Watches();
    registries.set(store, known);
    store.beforeClose(() => (known as Watches).close());
  }
  return known;
}

export class Watches {
  #all: Watch[] = [];

  /** In place of one of the same folder and session, if there is one. */
  start(plan: WatchPlan, hands: WatchHands): Watch {
    const same = (each: Watch) =>
      each.plan.session === plan.session &&
      each.plan.collection === plan.collection &&
      each.plan.root === plan.root &&
      each.plan.only === plan.only;
    for (const each of this.#all.filter(same)) each.end('another took its place');
    this.#all = this.#all.filter((each) => !same(each));
    if (this.#all.filter(({ isOver }) => !isOver).length >= MOST_WATCHES) throw tooMany();
    // Those that ended by themselves are kept to be told of, for a while.
    const told = this.#all.filter(({ isOver }) => isOver).slice(-MOST_WATCHES);
    const watch = new Watch(plan, hands);
    this.#all = [...this.#all.filter((each) => !each.isOver || told.includes(each)), watch];
    return watch;
  }

  of(session: string): readonly Watch[] {
    return this.#all.filter(({ plan }) => plan.session === session);
  }

  /** How many were still going on. */
  async endOf(session: string, reason: string): Promise<number> {
    const own = this.of(session);
    const running = own.filter(({ isOver }) => !isOver);
    this.#all = this.#all.filter((each) => !own.includes(each));
    for (const each of running) each.end(reason);
    await Promise.all(running.map((each) => each.idle()));
    return running.length;
  }

  async close(): Promise<void> {
    const all = this.#all.splice(0);
    for (const each of all) each.end('the process ended');
    await Promise.all(all.map((each) => each.idle()));
  }
}

function tooMany(): CairnError {
  return new CairnError('limit_exceeded', `A process can watch ${MOST_WATCHES} paths at once`, {
    suggestion: 'Watch a folder that holds several of them, or stop a session that is no longer needed.',
  });
}
