/**
 * One store moved into another: contents, then records, then files with their versions, each compared with what it came from.
 * A move that was interrupted goes on where it was: what is there already and equal is not sent again.
 */
import { createHash } from 'node:crypto';
import { CairnError } from '../errors.ts';
import { sha256 } from './hash.ts';
import type { Row } from './rows.ts';
import type { FileVersion, Shelf, Store } from './store.ts';

export const movedTables = [
  'audit',
  'audit_head',
  'api_key',
  'feedback',
  'usage',
  'truth',
  'event',
  'event_link',
  'git_mark',
  'document',
  'document_change',
  'snapshot',
  'snapshot_file',
  'session',
  'session_pin',
  'session_document',
  'anchor',
  'webhook',
  'webhook_dead',
] as const;
export type MovedTable = (typeof movedTables)[number];

export interface MovedVersion extends Omit<FileVersion, 'commit' | 'removed'> {
  readonly text: string | undefined;
}

/** A store as rows. */
export interface Transfer {
  page(table: MovedTable, after: Row | undefined, limit: number): Promise<Row[]>;
  clear(table: MovedTable): Promise<void>;
  insert(table: MovedTable, rows: readonly Row[]): Promise<void>;
  /** The last number that each counting column has given, also to what is gone since. */
  numbers(): Promise<Readonly<Record<string, number>>>;
  keepNumbers(numbers: Readonly<Record<string, number>>): Promise<void>;
  /** Oldest first, in place of those that are there. */
  keepVersions(shelf: Shelf, name: string, versions: readonly MovedVersion[]): Promise<void>;
}

export interface Moved {
  readonly what: string;
  readonly count: number;
  /** How many had to be sent; the others were there. */
  readonly sent: number;
}

export type Tell = (what: string, done: number) => void;

const shelves: readonly Shelf[] = ['instructions', 'decisions', 'prompts', 'backups', 'home'];
/** Of the home only what is shared; the rest belongs to the machine. */
const sharedFiles = /^(gates|owners|prompt-criteria|targets)\.json$/;
const MARK = 'moving.json';
const ROWS = 500;
const FILES = 100;

export async function move(from: Store, to: Store, tell: Tell): Promise<Moved[]> {
  const before = await from.generation();
  await begin(from, to);
  const moved = [await contents(from, to, tell)];
  for (const table of movedTables) moved.push(await rows(from, to, table, tell));
  await to.transfer.keepNumbers(await from.transfer.numbers());
  moved.push(await files(from, to, tell), await versions(from, to, tell));
  if ((await from.generation()) !== before) {
    throw new CairnError('conflict', 'The store that is moved was written to meanwhile', {
      suggestion:
        'Stop the servers that serve it and run the same command again: what is there already is not sent again.',
    });
  }
  await to.write(({ files }) => files.remove('home', MARK));
  return moved;
}

/** Only into an empty store, or one that the same move was filling. */
async function begin(from: Store, to: Store): Promise<void> {
  const mark = JSON.stringify({ from: from.location });
  const present = await to.files.read('home', MARK);
  if (present === mark) return;
  if (present !== undefined || !(await isEmpty(to))) {
    throw new CairnError('conflict', `${to.location} is not empty`, {
      suggestion: 'Move into a new home, or into a catalog of its own: postgres://…?catalog=NAME. Nothing was changed.',
    });
  }
  await to.write(({ files }) => files.put('home', MARK, mark));
}

async function isEmpty(store: Store): Promise<boolean> {
  for (const table of movedTables) {
    if (table !== 'audit_head' && (await store.transfer.page(table, undefined, 1)).length > 0) return false;
  }
  for (const shelf of shelves) if ((await namesIn(store, shelf)).length > 0) return false;
  return true;
}

async function contents(from: Store, to: Store, tell: Tell): Promise<Moved> {
  let [count, sent] = [0, 0];
  for await (const hash of hashesOf(from)) {
    count++;
    tell('contents', count);
    if ((await to.objects.size(hash)) !== undefined) continue;
    const { hash: kept } = await to.objects.put(from.objects.read(hash), { later: true });
    if (kept !== hash) throw unequal(`content ${hash}`);
    sent++;
  }
  await to.objects.settle();
  return { what: 'contents', count, sent };
}

/** What a path, a snapshot, a pin or a citation needs, and is there. */
async function* hashesOf(store: Store): AsyncGenerator<string> {
  const seen = new Set<string>();
  for (const [table, column] of [
    ['document', 'hash'],
    ['snapshot_file', 'hash'],
    ['session_pin', 'hash'],
    ['anchor', 'content'],
  ] as const) {
    for await (const row of rowsOf(store, table)) {
      const hash = String(row[column]);
      if (hash === '' || seen.has(hash)) continue;
      seen.add(hash);
      // What is damaged or was never there cannot be moved, and is not lost by it.
      if ((await store.objects.size(hash)) !== undefined) yield hash;
    }
  }
}

async function rows(from: Store, to: Store, table: MovedTable, tell: Tell): Promise<Moved> {
  const wanted = await digestOf(from, table);
  let sent = 0;
  if ((await digestOf(to, table)).digest !== wanted.digest) {
    await to.transfer.clear(table);
    for (let after: Row | undefined, more = true; more; ) {
      const page = await from.transfer.page(table, after, ROWS);
      await to.transfer.insert(table, page);
      after = page.at(-1);
      more = page.length === ROWS;
      sent += page.length;
      tell(table, sent);
    }
    if ((await digestOf(to, table)).digest !== wanted.digest) throw unequal(`table ${table}`);
  }
  return { what: table, count: wanted.count, sent };
}

async function digestOf(store: Store, table: MovedTable): Promise<{ count: number; digest: string }> {
  const hash = createHash('sha256');
  let count = 0;
  for await (const row of rowsOf(store, table)) {
    count++;
    hash.update(JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1))));
  }
  return { count, digest: hash.digest('hex') };
}

async function* rowsOf(store: Store, table: MovedTable): AsyncGenerator<Row> {
  for (let after: Row | undefined, more = true; more; ) {
    const page = await store.transfer.page(table, after, ROWS);
    yield* page;
    after = page.at(-1);
    more = page.length === ROWS;
  }
}

async function files(from: Store, to: Store, tell: Tell): Promise<Moved> {
  let [count, sent] = [0, 0];
  for (const shelf of shelves) {
    const wanted = await namesIn(from, shelf);
    const known = new Set(wanted);
    const extra = (await namesIn(to, shelf)).filter((name) => !known.has(name));
    for (const name of extra) await to.write(({ files }) => files.remove(shelf, name));
    for (let start = 0; start < wanted.length; start += FILES) {
      const names = wanted.slice(start, start + FILES);
      sent += await someFiles(from, to, shelf, names);
      count += names.length;
      tell('files', count);
    }
  }
  return { what: 'files', count, sent };
}

async function someFiles(from: Store, to: Store, shelf: Shelf, names: readonly string[]): Promise<number> {
  const texts = new Map<string, string>();
  for (const name of names) {
    const text = await from.files.read(shelf, name);
    if (text !== undefined && text !== (await to.files.read(shelf, name))) texts.set(name, text);
  }
  if (texts.size === 0) return 0;
  await to.write(async ({ files }) => {
    for (const [name, text] of texts) await files.put(shelf, name, text);
  });
  for (const [name, text] of texts) {
    if (sha256((await to.files.read(shelf, name)) ?? '') !== sha256(text)) throw unequal(`${shelf}/${name}`);
  }
  return texts.size;
}

async function namesIn(store: Store, shelf: Shelf): Promise<string[]> {
  const names = (await store.files.list(shelf)).map(({ name }) => name);
  return shelf === 'home' ? names.filter((name) => sharedFiles.test(name)) : names;
}

const MOST_VERSIONS = 10_000;

async function versions(from: Store, to: Store, tell: Tell): Promise<Moved> {
  let [count, sent] = [0, 0];
  for (const shelf of ['instructions', 'decisions'] as const) {
    for (const name of await namesIn(from, shelf)) {
      const all = (await from.history.versions(shelf, name, MOST_VERSIONS)).reverse();
      count += all.length;
      tell('versions', count);
      const there = (await to.history.versions(shelf, name, MOST_VERSIONS)).reverse();
      if (all.length === there.length && all.every((each, at) => each.time === there[at]?.time)) continue;
      const full: MovedVersion[] = [];
      for (const { commit, time, author, message, removed } of all) {
        const text = removed ? undefined : await from.history.text(shelf, name, commit);
        full.push({ time, author, message, text });
      }
      await to.transfer.keepVersions(shelf, name, full);
      sent += full.length;
    }
  }
  return { what: 'versions', count, sent };
}

function unequal(what: string): CairnError {
  return new CairnError('integrity_error', `${what} is not the same in both stores after it was moved`, {
    suggestion: 'Run the same command again; if it stays so, report it. The store that is moved is untouched.',
  });
}
