/** What a watch is asked to do, what it may do it with, and what it tells of itself. */

export interface WatchPlan {
  readonly session: string;
  /** As the caller wrote it. */
  readonly named: string;
  /** The folder, resolved; for a watched file the one that it lies in. */
  readonly root: string;
  /** The name of the only file that is watched. */
  readonly only?: string;
  readonly collection: string;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** Cairn's own folder, resolved. */
  readonly home: string;
}

/** What a watch does to the rest of the world, each as whoever started it. Paths are of files. */
export interface WatchHands {
  /** Those that could not be taken, with the reason. */
  add(files: readonly string[]): Promise<ReadonlyMap<string, string>>;
  remove(files: readonly string[]): Promise<number>;
  /** Throws where the path is not there, or no longer allowed. */
  resolve(path: string): Promise<string>;
  /** Whether the session goes on; another process may have stopped it. */
  isRunning(): Promise<boolean>;
  warn(message: string, facts: Record<string, unknown>): void;
}

export type WatchState = 'starting' | 'watching' | 'gone' | 'failing' | 'ended';

export interface WatchReport {
  readonly path: string;
  readonly collection: string;
  readonly state: WatchState;
  readonly files: number;
  /** Changes that are not in the store yet. */
  readonly pending: number;
  readonly taken: number;
  readonly removed: number;
  /** Files that could not be taken; they are tried again when they change, and at every rescan. */
  readonly failed: number;
  readonly errors: readonly { readonly path: string; readonly error: string }[];
  readonly reason?: string;
}
