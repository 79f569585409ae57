/**
 * A bundle: everything that decision memory keeps, as a tar.gz that any tool opens. Decisions are the files themselves;
 * events and links are JSON lines; the manifest holds the hash of each, and nothing is taken from a bundle that does
 * not fit it.
 */
import { CairnError } from '../errors.ts';
import { sha256 } from '../store/hash.ts';
import { type EventLink, type EventRecord, eventKinds, type View } from '../store/store.ts';
import type { TarEntry } from '../store/tar.ts';
import { readTar } from '../store/tar-read.ts';
import { readDecision } from './file.ts';
import { type Decision, idOfFile } from './record.ts';
import { ALIAS_FILE, readAliases } from './target.ts';

const FORMAT = 'cairn-memory-1';
const MANIFEST = 'manifest.json';
const FOLDER = 'decisions/';
const EVENTS = 'events.jsonl';
const LINKS = 'links.jsonl';
const PAGE = 1000;

export interface Bundle {
  readonly created: string;
  /** File names and their texts, to the letter. */
  readonly decisions: ReadonlyMap<string, string>;
  readonly aliases?: string;
  readonly events: readonly EventRecord[];
  readonly links: readonly EventLink[];
}

/** Of one snapshot: what is in it fits together. */
export async function gather({ files, events }: View, created: string): Promise<Bundle> {
  const decisions = new Map<string, string>();
  for (const { name } of await files.list('decisions')) {
    const text = idOfFile(name) === undefined ? undefined : await files.read('decisions', name);
    if (text !== undefined) decisions.set(name, text);
  }
  const aliases = await files.read('home', ALIAS_FILE);
  const kept: EventRecord[] = [];
  for (let page = await events.page(0, PAGE); page.length > 0; page = await events.page(kept.at(-1)?.id ?? 0, PAGE)) {
    kept.push(...page);
  }
  return { created, decisions, ...(aliases !== undefined && { aliases }), events: kept, links: await events.links({}) };
}

export function entriesOf({ created, decisions, aliases, events, links }: Bundle): TarEntry[] {
  const texts = new Map<string, string>([
    ...[...decisions].map(([name, text]) => [`${FOLDER}${name}`, text] as const),
    ...(aliases === undefined ? [] : [[ALIAS_FILE, aliases] as const]),
    [EVENTS, lines(events)],
    [LINKS, lines(links)],
  ]);
  const hashes = Object.fromEntries([...texts].map(([name, text]) => [name, sha256(text)]));
  const manifest = { format: FORMAT, created, decisions: decisions.size, events: events.length, files: hashes };
  const time = new Date(created);
  return [[MANIFEST, `${JSON.stringify(manifest, null, 2)}\n`] as const, ...texts].map(([name, data]) => ({
    name,
    data,
    time,
  }));
}

function lines(records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

const limits = { maxBytes: 512 * 1024 * 1024, maxEntries: 200_000, maxEntryBytes: 256 * 1024 * 1024 };

export async function readBundle(path: string): Promise<Bundle> {
  const texts = new Map<string, string>();
  for await (const { name, data } of readTar(path, limits)) texts.set(name, data.toString('utf8'));
  const created = verified(texts);
  const decisions = [...texts].flatMap(([name, text]) => {
    return name.startsWith(FOLDER) ? [[name.slice(FOLDER.length), text] as const] : [];
  });
  for (const [name] of decisions)
    if (idOfFile(name) === undefined) throw unsound(`${FOLDER}${name} is no name of a decision`);
  const aliases = texts.get(ALIAS_FILE);
  await readAliases({ read: async () => aliases });
  return {
    created,
    decisions: new Map(decisions),
    ...(aliases !== undefined && { aliases }),
    events: records(texts, EVENTS, isEvent),
    links: records(texts, LINKS, isLink),
  };
}

function verified(texts: ReadonlyMap<string, string>): string {
  const manifest = parsed(texts.get(MANIFEST), MANIFEST) as Record<string, unknown>;
  if (manifest.format !== FORMAT) throw unsound(`its format is ${JSON.stringify(manifest.format)}, not ${FORMAT}`);
  const files = (manifest.files ?? {}) as Record<string, unknown>;
  for (const [name, text] of texts) {
    if (name === MANIFEST) continue;
    if (!Object.hasOwn(files, name)) throw unsound(`${name} is not in its manifest`);
    if (files[name] !== sha256(text)) throw unsound(`${name} does not have the hash that the manifest gives`);
  }
  for (const name of Object.keys(files)) if (!texts.has(name)) throw unsound(`${name} is missing`);
  return String(manifest.created);
}

function records<T>(texts: ReadonlyMap<string, string>, name: string, fits: (value: unknown) => value is T): T[] {
  const text = texts.get(name) ?? '';
  const found: T[] = [];
  // One line at a time: a file of newlines alone would be a list of half a billion texts.
  for (let start = 0, line = 1; start < text.length; line++) {
    const end = text.indexOf('\n', start);
    const value = parsed(text.slice(start, end < 0 ? undefined : end), `line ${line} of ${name}`);
    if (!fits(value)) throw unsound(`line ${line} of ${name} is not what it should be`);
    found.push(value);
    start = end < 0 ? text.length : end + 1;
  }
  return found;
}

function parsed(text: string | undefined, name: string): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    throw unsound(`${name} is missing or no JSON`);
  }
}

const texts = ['namespace', 'session', 'source', 'subject', 'detail'] as const;
/** Far above any count, and far below where numbers stop being exact. */
const HIGHEST_ID = 2 ** 40;

function isEvent(value: unknown): value is EventRecord {
  const event = (value ?? {}) as Record<string, unknown>;
  return (
    isId(event.id) &&
    eventKinds.some((kind) => kind === event.kind) &&
    texts.every((name) => typeof event[name] === 'string') &&
    isTime(event.created) &&
    typeof event.success === 'boolean' &&
    isTexts(event.targets) &&
    isTexts(event.files)
  );
}

function isLink(value: unknown): value is EventLink {
  const link = (value ?? {}) as Record<string, unknown>;
  return isId(link.event) && typeof link.decision === 'string' && isTime(link.created);
}

function isId(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= HIGHEST_ID;
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** The decisions of a bundle that can be read as such; the others come along as files and are named. */
export function decisionsIn(bundle: Bundle): Decision[] {
  return [...bundle.decisions].flatMap(([name, text]) => {
    const reading = readDecision(idOfFile(name) ?? '', text, bundle.created);
    return 'problem' in reading ? [] : [reading.decision];
  });
}

function unsound(reason: string): CairnError {
  return new CairnError('validation_failed', `This is no sound memory bundle: ${reason}`, {
    suggestion: 'Nothing was changed. Make a new one with export_memory_bundle.',
  });
}
