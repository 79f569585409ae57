/** Where the store's tests happen: a home that is cleared away afterwards, and short words for looking into it. */
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { CairnError, type ErrorName } from '../../src/errors.ts';
import type { Shelf, Store } from '../../src/store/store.ts';

export type OpenStore = (folder: string) => Store | Promise<Store>;

export interface Bench {
  /** A folder that does not exist before the first write; another one for each test. */
  readonly folder: string;
  /** Another store on the same folder, as another process would open it. */
  open(): Promise<Store>;
}

export function useBench(open: OpenStore): Bench {
  let parent = '';
  const opened: Store[] = [];
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'cairn-store-'));
  });
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
    await rm(parent, { recursive: true, force: true });
  });
  const bench = {
    get folder() {
      return join(parent, 'home');
    },
    async open() {
      const store = await open(bench.folder);
      opened.push(store);
      return store;
    },
  };
  return bench;
}

export const shelves: readonly Shelf[] = ['instructions', 'decisions', 'prompts', 'home'];

export function putFile(store: Store, shelf: Shelf, name: string, text: string): Promise<void> {
  return store.write((change) => change.files.put(shelf, name, text));
}

export function readFile(store: Store, shelf: Shelf, name: string): Promise<string | undefined> {
  return store.read((view) => view.files.read(shelf, name));
}

export function namesOn(store: Store, shelf: Shelf): Promise<string[]> {
  return store.read(async (view) => (await view.files.list(shelf)).map(({ name }) => name));
}

/** Every path below the folder, hidden ones and temporary ones too; none where the engine has no use for the folder. */
export async function everythingIn(folder: string): Promise<string[]> {
  return existsSync(folder) ? (await readdir(folder, { recursive: true })).sort() : [];
}

export async function stagedIn(folder: string): Promise<string[]> {
  return (await everythingIn(folder)).filter((path) => path.endsWith('.tmp'));
}

/** The error that the promise rejects with; fails when it resolves or rejects with anything else. */
export async function refusal(promise: Promise<unknown>, kind: ErrorName): Promise<CairnError> {
  const thrown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(thrown).toBeInstanceOf(CairnError);
  const error = thrown as CairnError;
  expect(error.kind).toBe(kind);
  return error;
}
