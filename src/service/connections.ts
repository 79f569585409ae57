/**
 * The connections that doors hold open, by ids that only the doors know, and what ends with them. Work that is bound to a
 * connection which is over already ends at once, so that a call which outlives its client leaves nothing behind.
 */

export interface Connections {
  open(connection: string): void;
  end(connection: string): void;
  /** Gives back how to let go of it. */
  onEnd(connection: string, work: () => void): () => void;
}

export function createConnections(): Connections {
  const held = new Map<string, Set<() => void>>();
  return {
    open(connection) {
      if (!held.has(connection)) held.set(connection, new Set());
    },
    end(connection) {
      const works = held.get(connection);
      held.delete(connection);
      for (const work of works ?? []) work();
    },
    onEnd(connection, work) {
      const works = held.get(connection);
      if (works === undefined) work();
      else works.add(work);
      return () => void works?.delete(work);
    },
  };
}
