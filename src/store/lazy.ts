/** A store whose engine is loaded by the first read or write: a start that needs none does not pay for one. */
import type { Store, VectorShelf } from './store.ts';

function lazyVectors(shelf: () => Promise<VectorShelf>): VectorShelf {
  return {
    missing: async (model, limit) => (await shelf()).missing(model, limit),
    put: async (model, texts) => (await shelf()).put(model, texts),
    since: async (model, version) => (await shelf()).since(model, version),
    progress: async (model) => (await shelf()).progress(model),
    claim: async (forMs) => (await shelf()).claim(forMs),
  };
}

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
      start: async (shelf, name, limit) => (await engine()).files.start(shelf, name, limit),
    },
    instructions: {
      vectors: lazyVectors(async () => (await engine()).instructions.vectors),
      coverage: async (words, ids) => (await engine()).instructions.coverage(words, ids),
      version: async () => (await engine()).instructions.version(),
      catalogHash: async () => (await engine()).instructions.catalogHash(),
      keepCatalogHash: async (version, hash) => (await engine()).instructions.keepCatalogHash(version, hash),
      changesSince: async (version) => (await engine()).instructions.changesSince(version),
      update: async (files, removed) => (await engine()).instructions.update(files, removed),
      bodies: async (ids) => (await engine()).instructions.bodies(ids),
      withHash: async (prefix, limit) => (await engine()).instructions.withHash(prefix, limit),
      containing: async (text, limit) => (await engine()).instructions.containing(text, limit),
      matching: async (words, limit, terms) => (await engine()).instructions.matching(words, limit, terms),
      allowed: async (terms) => (await engine()).instructions.allowed(terms),
    },
    decisions: {
      vectors: lazyVectors(async () => (await engine()).decisions.vectors),
      coverage: async (words, ids) => (await engine()).decisions.coverage(words, ids),
      version: async () => (await engine()).decisions.version(),
      stamp: async (name) => (await engine()).decisions.stamp(name),
      stamps: async () => (await engine()).decisions.stamps(),
      update: async (files, removed) => (await engine()).decisions.update(files, removed),
      get: async (ids) => (await engine()).decisions.get(ids),
      bodies: async (ids) => (await engine()).decisions.bodies(ids),
      list: async (filter, limit, offset) => (await engine()).decisions.list(filter, limit, offset),
      count: async (filter) => (await engine()).decisions.count(filter),
      matching: async (words, filter, limit, terms) => (await engine()).decisions.matching(words, filter, limit, terms),
      allowed: async (filter, terms) => (await engine()).decisions.allowed(filter, terms),
      holding: async (words, filter, limit) => (await engine()).decisions.holding(words, filter, limit),
      targets: async (namespace) => (await engine()).decisions.targets(namespace),
      targetCount: async (namespace) => (await engine()).decisions.targetCount(namespace),
      targetsEnding: async (namespace, suffix, limit) =>
        (await engine()).decisions.targetsEnding(namespace, suffix, limit),
      contested: async (namespace) => (await engine()).decisions.contested(namespace),
      problems: async () => (await engine()).decisions.problems(),
      brokenLinks: async () => (await engine()).decisions.brokenLinks(),
    },
    documents: {
      seq: async () => (await engine()).documents.seq(),
      lacking: async (hashes) => (await engine()).documents.lacking(hashes),
      follow: async (after, changes, texts) => (await engine()).documents.follow(after, changes, texts),
      reset: async () => (await engine()).documents.reset(),
      kept: async (hash) => (await engine()).documents.kept(hash),
      vectors: lazyVectors(async () => (await engine()).documents.vectors),
      matching: async (sought, filter, limit) => (await engine()).documents.matching(sought, filter, limit),
      allowed: async (sought, filter) => (await engine()).documents.allowed(sought, filter),
      places: async (hashes, filter, limit) => (await engine()).documents.places(hashes, filter, limit),
      unknown: async (words) => (await engine()).documents.unknown(words),
      spelledLike: async (word, limit) => (await engine()).documents.spelledLike(word, limit),
      holding: async (alternatives, filter, after, limit) =>
        (await engine()).documents.holding(alternatives, filter, after, limit),
      unreadable: async (filter, limit) => (await engine()).documents.unreadable(filter, limit),
      counts: async () => (await engine()).documents.counts(),
    },
    graph: {
      version: async () => (await engine()).graph.version(),
      unread: async (limit) => (await engine()).graph.unread(limit),
      pending: async () => (await engine()).graph.pending(),
      keep: async (read) => (await engine()).graph.keep(read),
      claim: async (forMs) => (await engine()).graph.claim(forMs),
      outline: async (hash, language) => (await engine()).graph.outline(hash, language),
      importing: async (collection, keys, limit) => (await engine()).graph.importing(collection, keys, limit),
      using: async (collection, names, limit) => (await engine()).graph.using(collection, names, limit),
      defining: async (name, limit) => (await engine()).graph.defining(name, limit),
      outlined: async (after, limit) => (await engine()).graph.outlined(after, limit),
      symbolCount: async () => (await engine()).graph.symbolCount(),
      links: async (key, direction, relation, limit) => (await engine()).graph.links(key, direction, relation, limit),
      instruction: async (id) => (await engine()).graph.instruction(id),
      instructions: async (limit, offset) => (await engine()).graph.instructions(limit, offset),
      instructionCount: async () => (await engine()).graph.instructionCount(),
      categories: async (limit, offset) => (await engine()).graph.categories(limit, offset),
      categoryCount: async () => (await engine()).graph.categoryCount(),
    },
    mentions: {
      of: async (kind, id) => (await engine()).mentions.of(kind, id),
      naming: async (type, values) => (await engine()).mentions.naming(type, values),
      citing: async (kind) => (await engine()).mentions.citing(kind),
    },
    objects: {
      put: async (source, options) => (await engine()).objects.put(source, options),
      settle: async () => (await engine()).objects.settle(),
      size: async (hash) => (await engine()).objects.size(hash),
      sound: async (hashes) => (await engine()).objects.sound(hashes),
      async *read(hash, range) {
        yield* (await engine()).objects.read(hash, range);
      },
      readAll: async (hash, limit) => (await engine()).objects.readAll(hash, limit),
      matching: async (prefix, limit) => (await engine()).objects.matching(prefix, limit),
      stats: async () => (await engine()).objects.stats(),
      verify: async (report, options) => (await engine()).objects.verify(report, options),
      collect: async (isLive, options) => (await engine()).objects.collect(isLive, options),
      close: async () => {},
    },
    history: {
      versions: async (shelf, name, limit) => (await engine()).history.versions(shelf, name, limit),
      text: async (shelf, name, commit) => (await engine()).history.text(shelf, name, commit),
      forget: async (shelf, names) => (await engine()).history.forget(shelf, names),
      settle: async () => (await engine()).history.settle(),
      state: async () => (await engine()).history.state(),
    },
    watch: async (shelf, onChange) => (await engine()).watch(shelf, onChange),
    inspect: async () => (await engine()).inspect(),
    scrub: async () => (await engine()).scrub(),
    beforeClose: (work) => void engine().then((store) => store.beforeClose(work)),
    close: async () => (await opening)?.close(),
  };
}
