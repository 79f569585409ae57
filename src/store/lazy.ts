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
    files: {
      stamp: async (shelf, name) => (await engine()).files.stamp(shelf, name),
      list: async (shelf) => (await engine()).files.list(shelf),
      read: async (shelf, name) => (await engine()).files.read(shelf, name),
    },
    instructions: {
      version: async () => (await engine()).instructions.version(),
      catalogHash: async () => (await engine()).instructions.catalogHash(),
      keepCatalogHash: async (version, hash) => (await engine()).instructions.keepCatalogHash(version, hash),
      changesSince: async (version) => (await engine()).instructions.changesSince(version),
      update: async (files, removed) => (await engine()).instructions.update(files, removed),
      bodies: async (ids) => (await engine()).instructions.bodies(ids),
      containing: async (text, limit) => (await engine()).instructions.containing(text, limit),
      matching: async (words, limit) => (await engine()).instructions.matching(words, limit),
    },
    watch: async (shelf, onChange) => (await engine()).watch(shelf, onChange),
    inspect: async () => (await engine()).inspect(),
    beforeClose: (work) => void engine().then((store) => store.beforeClose(work)),
    close: async () => (await opening)?.close(),
  };
}
