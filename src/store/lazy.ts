/** A store whose engine is loaded by the first read or write: a start that needs none does not pay for one. */
import type { Store } from './store.ts';

export function lazyStore(location: string, open: () => Promise<Store>): Store {
  let opening: Promise<Store> | undefined;
  const engine = () => (opening ??= open());
  return {
    location,
    read: async (work) => (await engine()).read(work),
    write: async (work) => (await engine()).write(work),
    generation: async () => (await engine()).generation(),
    inspect: async () => (await engine()).inspect(),
    close: async () => (await opening)?.close(),
  };
}
