/** Indexing as a task of a worker thread, with a connection of its own, as another process would have. */
import { type FollowInput, followIn } from './document-follow.ts';
import { IndexDatabase } from './index-database.ts';

declare module '../../service/tasks.ts' {
  interface Tasks {
    followDocuments: typeof followDocuments;
  }
}

const open = new Map<string, IndexDatabase>();

export function followDocuments({ home, after, changes, texts }: FollowInput): Promise<boolean> {
  const index = open.get(home) ?? new IndexDatabase(home, undefined);
  open.set(home, index);
  return index.write((database) => followIn(database, after, changes, texts));
}
