/**
 * What install puts into one file, as data, and the two pure functions that put it in and take it out again. Nobody
 * else's entry is ever changed: what is ours is known by what we remember having written, or by its command.
 */
import { isDeepStrictEqual } from 'node:util';
import { putBlock, takeBlock } from './block.ts';
import { isOurHook } from './invocation.ts';
import {
  appendItem,
  type JsonText,
  type Path,
  removeItem,
  removeProperty,
  replaceItem,
  setProperty,
  valueAt,
} from './json-edit.ts';
import { findServer, putServer, serverLines, type TomlServer, takeServer } from './toml.ts';

export type Edit =
  /** The MCP server among others of an object. */
  | { readonly kind: 'server'; readonly at: Path; readonly value: unknown }
  /** A hook among others of an event. */
  | { readonly kind: 'hook'; readonly at: Path; readonly value: unknown }
  /** What a file needs besides, such as its version: set where it is missing, never changed. */
  | { readonly kind: 'default'; readonly at: Path; readonly value: unknown }
  | { readonly kind: 'toml'; readonly server: TomlServer }
  | { readonly kind: 'block'; readonly lines: readonly string[] }
  /** A file that is ours from the first line, which is the mark, to the last. */
  | { readonly kind: 'whole'; readonly mark: string; readonly text: string };

/** What we remember of a file from the last install. */
export interface Memory {
  /** The server entry as we wrote it. */
  readonly server?: unknown;
  /** Paths that were not there before, outermost first. */
  readonly made: readonly Path[];
}

export interface Put {
  readonly text: string;
  readonly memory: Memory;
  /** Something that a person should know, such as an entry of theirs that was left alone. */
  readonly notes: readonly string[];
}

export interface Source {
  readonly file: string;
  readonly text: string;
}

/** With everything of ours in it. A file that says it already stays as it is. */
export function putAll(source: Source, edits: readonly Edit[], memory: Memory | undefined, force: boolean): Put {
  return edits.reduce<Put>(
    (done, edit) => {
      const put = putOne({ file: source.file, text: done.text }, edit, done.memory, force);
      return { ...put, notes: [...done.notes, ...put.notes] };
    },
    { text: source.text, memory: memory ?? { made: [] }, notes: [] },
  );
}

function putOne(source: Source, edit: Edit, memory: Memory, force: boolean): Put {
  if (edit.kind === 'block') return { text: putBlock(source.text, edit.lines), memory, notes: [] };
  if (edit.kind === 'whole') return putWhole(source, edit, memory, force);
  if (edit.kind === 'toml') return putToml(source, edit.server, memory, force);
  const json = jsonFrom(source);
  const grown = { ...memory, made: [...memory.made, ...missing(json, edit)] };
  if (edit.kind === 'hook') return { text: putHook(json, edit.at, edit.value), memory: grown, notes: [] };
  const present = valueAt(json, edit.at);
  if (edit.kind === 'default') {
    const text = present === undefined ? setProperty(json, edit.at, edit.value) : json.text;
    return { text, memory: grown, notes: [] };
  }
  if (isDeepStrictEqual(present, edit.value)) return { text: source.text, memory, notes: [] };
  const ours = present === undefined || isDeepStrictEqual(present, memory.server);
  if (!ours && !force) return { text: source.text, memory, notes: [leftAlone(source.file)] };
  return { text: setProperty(json, edit.at, edit.value), memory: { ...grown, server: edit.value }, notes: [] };
}

function putHook(json: JsonText, at: Path, value: unknown): string {
  const present = valueAt(json, at);
  const items: unknown[] = Array.isArray(present) ? present : [];
  const [first, ...doubles] = ourIndexes(items, value);
  // Somebody who moved our hook into a group of theirs wants it there.
  if (first === undefined && items.some((item) => ourIndexes(innerOf(item)).length > 0)) return json.text;
  if (first === undefined) return appendItem(json, at, value);
  const same = isDeepStrictEqual(items[first], value);
  const text = same ? json.text : replaceItem(json, at, first, value);
  return doubles.reduceRight((left, index) => removeItem({ ...json, text: left }, at, index), text);
}

function putToml(source: Source, server: TomlServer, memory: Memory, force: boolean): Put {
  const { owner, lines } = findServer(source);
  const same = lines.split(/\r?\n/).join('\n') === serverLines(server).join('\n');
  if (same) return { text: source.text, memory, notes: [] };
  if (owner === 'user' && !force) return { text: source.text, memory, notes: [leftAlone(source.file)] };
  return { text: putServer(source, server), memory: { ...memory, server }, notes: [] };
}

function putWhole({ file, text }: Source, edit: Edit & { kind: 'whole' }, memory: Memory, force: boolean): Put {
  const ours = text === '' || text.startsWith(edit.mark);
  if (!ours && !force)
    return { text, memory, notes: [`${file} is not Cairn's and was left as it is (--force replaces it).`] };
  return { text: edit.text, memory, notes: [] };
}

function leftAlone(file: string): string {
  return `${file} has a server named cairn that is not as install would write it; it was left as it is (--force replaces it).`;
}

/** Without anything of ours; empty where nothing else was in it. */
export function takeAll(source: Source, edits: readonly Edit[], memory: Memory | undefined, force: boolean): string {
  const text = edits.reduceRight(
    (left, edit) => takeOne({ file: source.file, text: left }, edit, memory, force),
    source.text,
  );
  const json = edits.some(({ kind }) => kind === 'server' || kind === 'hook' || kind === 'default');
  return json && text.trim() !== '' ? withoutEmptied({ file: source.file, text }, edits, memory) : text;
}

function takeOne(source: Source, edit: Edit, memory: Memory | undefined, force: boolean): string {
  switch (edit.kind) {
    case 'block':
      return takeBlock(source.text);
    case 'whole':
      return source.text.startsWith(edit.mark) ? '' : source.text;
    case 'toml': {
      const { owner } = findServer(source);
      return owner === 'cairn' || (owner === 'user' && force) ? takeServer(source) : source.text;
    }
    case 'default':
      return source.text;
    case 'hook':
      return takeHooks(source, edit.at, edit.value);
    case 'server': {
      if (source.text.trim() === '') return source.text;
      const present = valueAt(source, edit.at);
      if (present === undefined) return source.text;
      const ours = isDeepStrictEqual(present, memory?.server) || isDeepStrictEqual(present, edit.value);
      // An entry that we wrote and somebody changed since is still the one that we put there.
      return ours || memory?.server !== undefined || force ? removeProperty(source, edit.at) : source.text;
    }
  }
}

function takeHooks(source: Source, at: Path, value: unknown): string {
  const present = source.text.trim() === '' ? undefined : valueAt(source, at);
  if (!Array.isArray(present)) return source.text;
  const whole = ourIndexes(present, value).map((index) => ({ at, index }));
  const inner = present.flatMap((item, group) =>
    isOurHook(item) ? [] : ourIndexes(innerOf(item)).map((index) => ({ at: [...at, String(group), 'hooks'], index })),
  );
  // Inner ones first and each from the end, so that no index has moved when its turn comes.
  return [...whole, ...inner].reduceRight(
    (text, place) => removeItem({ ...source, text }, place.at, place.index),
    source.text,
  );
}

/** Ours is what calls `cairn hook`, and what is word for word as we write it: `--command` may have no cairn in it. */
function ourIndexes(items: readonly unknown[], value?: unknown): number[] {
  return items.flatMap((item, index) => (isOurHook(item) || isDeepStrictEqual(item, value) ? [index] : []));
}

function innerOf(group: unknown): unknown[] {
  const hooks = (group as { hooks?: unknown } | null)?.hooks;
  return Array.isArray(hooks) ? hooks : [];
}

/** Objects and arrays that we made go when nothing is left in them, and defaults when nothing but them is left. */
function withoutEmptied(source: Source, edits: readonly Edit[], memory: Memory | undefined): string {
  let text = source.text;
  for (const path of [...(memory?.made ?? [])].reverse()) {
    const value = valueAt({ ...source, text }, path);
    if (typeof value === 'object' && value !== null && Object.keys(value).length === 0) {
      text = removeProperty({ ...source, text }, path);
    }
  }
  const root = valueAt({ ...source, text }, []) as Record<string, unknown>;
  const defaults = edits.flatMap((edit) => (edit.kind === 'default' ? [edit.at] : []));
  const made = defaults.filter((at) => memory?.made.some((path) => isDeepStrictEqual(path, at)));
  const onlyDefaults = Object.keys(root).every((key) => made.some(([first]) => first === key));
  return onlyDefaults ? made.reduce((left, at) => removeProperty({ ...source, text: left }, at), text) : text;
}

/** The containers on the way that an edit will have to make (for a default: the property itself). */
function missing(json: JsonText, edit: { readonly kind: string; readonly at: Path }): Path[] {
  const reach = edit.kind === 'server' ? edit.at.length - 1 : edit.at.length;
  const ways = Array.from({ length: reach }, (_, index) => edit.at.slice(0, index + 1));
  return ways.filter((way) => valueAt(json, way) === undefined);
}

function jsonFrom({ file, text }: Source): JsonText {
  const bare = text.replace('\uFEFF', '').trim() === '';
  return { file, text: bare ? '{}\n' : text };
}
