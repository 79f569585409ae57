/**
 * Staleness: an instruction or decision cites files and symbols, and what they were then is kept. It is stale once they are
 * something else. What nobody has looked at before, such as a file that git brought, is cited as it is when it is first seen.
 *
 * A look costs one question to the store for each reference, whatever else the store holds.
 */
import { toCairnError } from '../errors.ts';
import type { Log } from '../service/log.ts';
import type { Principal } from '../service/principal.ts';
import type { AnchorRecord, AnchorShelf } from '../store/anchors.ts';
import type { CitingItem, KeptMention, MentioningKind } from '../store/mentions.ts';
import { anchorIn, refOf } from './anchors.ts';
import { type Asked, type Cited, candidatesFor, type Around as Looking, meanings, placeOf } from './cited.ts';
import { comparison } from './comparison.ts';

export interface Around extends Looking {
  readonly log: Log;
  readonly principal?: Pick<Principal, 'door'>;
}

export const staleReasons = ['changed', 'missing', 'moved'] as const;
export type StaleReason = (typeof staleReasons)[number];

/** A reference that is no longer what it was. */
export interface Finding {
  readonly kind: MentioningKind;
  readonly id: string;
  readonly ref: string;
  readonly reason: StaleReason;
  /** Somebody gave it as an anchor; else it was found in the text. */
  readonly given: boolean;
  /** What was kept; absent of an anchor that nothing ever lay at. */
  readonly kept?: AnchorRecord;
  readonly now?: Cited;
  /** Where the same content lies now. */
  readonly movedTo?: string;
}

/** How a stale item is marked in an answer. */
export interface Stale {
  readonly reason: StaleReason;
  readonly ref: string;
  /** The command that shows what changed. */
  readonly diff?: string;
  readonly moved_to?: string;
  /** How many other references of the item are stale. */
  readonly others?: number;
}

/** Of some items, those that are stale. Decisions that hold no longer are history, and history is never out of date. */
export async function staleOf(
  around: Around,
  kind: MentioningKind,
  ids: readonly string[],
): Promise<Map<string, Stale>> {
  const marks = new Map<string, Stale>();
  // A mark must not hold an answer up: a command may be the hook of a client, which waits for it before every prompt.
  const patienceMs = around.principal?.door === 'cli' ? 100 : 2000;
  const found = await findings({ ...around, patienceMs }, await citingItems(around, kind, ids));
  for (const finding of found) {
    const known = marks.get(finding.id);
    if (known !== undefined) marks.set(finding.id, { ...known, others: (known.others ?? 0) + 1 });
    else marks.set(finding.id, await markOf(around, finding));
  }
  return marks;
}

export async function markOf(around: Around, finding: Finding): Promise<Stale> {
  const { reason, ref, movedTo } = finding;
  const diff = await comparison(around, finding);
  return { reason, ref, ...(diff !== undefined && { diff }), ...(movedTo !== undefined && { moved_to: movedTo }) };
}

async function citingItems({ store }: Around, kind: MentioningKind, ids: readonly string[]): Promise<CitingItem[]> {
  const facts = kind === 'decision' ? await store.decisions.get(ids) : undefined;
  const items: CitingItem[] = [];
  for (const id of new Set(ids)) {
    if (facts !== undefined && !isCurrent(facts.get(id)?.status)) continue;
    const mentions = (await store.mentions.of(kind, id)).filter(({ type }) => type === 'path');
    if (mentions.length > 0) items.push({ kind, id, mentions });
  }
  return items;
}

/** Of a decision: whether anybody goes by it, or is asked to. */
export function isCurrent(status: string | undefined): boolean {
  return status === 'active' || status === 'proposed';
}

/** So many items at a time: nobody waits for a catalog of thousands. */
const PORTION = 200;

export async function findings(around: Around, items: readonly CitingItem[]): Promise<Finding[]> {
  const found: Finding[] = [];
  for (let start = 0; start < items.length; start += PORTION) {
    found.push(...(await judged(around, items.slice(start, start + PORTION))));
    if (start + PORTION < items.length) await new Promise(setImmediate);
  }
  return found;
}

/** One reference of one item. */
interface Reference extends Asked {
  readonly item: CitingItem;
  readonly ref: string;
}

async function judged(around: Around, items: readonly CitingItem[]): Promise<Finding[]> {
  const { references, candidates } = await around.store.read(async ({ anchors, documents }) => {
    const all = await referencesOf(anchors, items);
    return { references: all, candidates: await candidatesFor(documents, all) };
  });
  const present = await meanings(around, references, candidates);
  const unseen = references.flatMap((each, at) => recordOf(each, present[at], 'first sight'));
  if (unseen.length > 0 && !around.config.readOnly) await recordFirstSight(around, unseen);
  const found = references.flatMap((each, at) => verdict(each, present[at]));
  return Promise.all(found.map((finding) => (finding.reason === 'missing' ? whereabouts(around, finding) : finding)));
}

async function referencesOf(anchors: AnchorShelf, items: readonly CitingItem[]): Promise<Reference[]> {
  const references: Reference[] = [];
  for (const item of items) {
    const kept = new Map((await anchors.of(item.kind, item.id)).map((each) => [each.ref, each]));
    for (const mention of followed(item.mentions)) references.push(...referenceOf(item, mention, kept));
  }
  return references;
}

/** Where an anchor says what of a file is cited, mentions of that file in the text say no more. */
export function followed(mentions: readonly KeptMention[]): KeptMention[] {
  const given = mentions.filter((each) => each.given && each.type === 'path').map(({ value }) => `/${value}`);
  return mentions.filter((each) => each.given || !given.some((path) => path.endsWith(`/${each.value}`)));
}

function referenceOf(item: CitingItem, mention: KeptMention, kept: ReadonlyMap<string, AnchorRecord>): Reference[] {
  const anchor = anchorIn(mention);
  if (anchor === undefined) return [];
  const ref = refOf(anchor);
  const record = kept.get(ref);
  return [{ item, anchor, ref, given: mention.given, ...(record !== undefined && { kept: record }) }];
}

function verdict({ item, ref, given, kept }: Reference, now: Cited | undefined): Finding[] {
  const finding = { kind: item.kind, id: item.id, ref, given, ...(kept && { kept }), ...(now && { now }) };
  const hash = now?.hash ?? '';
  if (kept === undefined) return hash === '' && given ? [{ ...finding, reason: 'missing' }] : [];
  return hash === kept.hash ? [] : [{ ...finding, reason: hash === '' ? 'missing' : 'changed' }];
}

/** Gone from its place: the same content may lie under another path. */
async function whereabouts({ store }: Around, finding: Finding): Promise<Finding> {
  const content = finding.kept?.content ?? '';
  if (content === '' || finding.now !== undefined) return finding;
  const [document] = await store.read(({ documents }) => documents.withHash(content, 1));
  return document === undefined ? finding : { ...finding, reason: 'moved', movedTo: placeOf(document) };
}

function recordOf({ item, ref, kept }: Reference, now: Cited | undefined, by: string): AnchorRecord[] {
  if (kept !== undefined || now === undefined || now.hash === '') return [];
  return [{ kind: item.kind, id: item.id, ref, ...now, citedAt: new Date().toISOString(), by }];
}

/** A store that cannot be written has not seen it: the next look is the first then. */
async function recordFirstSight({ store, log }: Around, records: readonly AnchorRecord[]): Promise<void> {
  try {
    await store.write(async ({ anchors }) => {
      for (const record of records) await anchors.putNew(record);
    });
  } catch (thrown) {
    log.debug('What is cited could not be noted', { reason: toCairnError(thrown).message });
  }
}

/**
 * After items were written: what they cite now and did not before is noted as it is, and what they cite no longer is forgotten.
 * `anew` where they are new, whatever was there under their ids before.
 */
export async function cite(around: Around, kind: MentioningKind, ids: readonly string[], how: Citing): Promise<void> {
  try {
    for (let start = 0; start < ids.length; start += PORTION) {
      await citeSome(around, kind, ids.slice(start, start + PORTION), how);
    }
  } catch (thrown) {
    // What was written is written; the next look at it is the first.
    around.log.warn('What is cited could not be noted', { reason: toCairnError(thrown).message });
  }
}

export interface Citing {
  readonly by: string;
  readonly anew?: boolean;
}

async function citeSome(around: Around, kind: MentioningKind, ids: readonly string[], { by, anew = false }: Citing) {
  const { store } = around;
  const items: CitingItem[] = [];
  for (const id of ids) items.push({ kind, id, mentions: (await store.mentions.of(kind, id)).filter(isPath) });
  const { asked, candidates } = await store.read(async ({ anchors, documents }) => {
    const references = await referencesOf(anchors, items);
    const unseen: Reference[] = anew
      ? references.map(({ kept: _, ...each }) => each)
      : references.filter(({ kept }) => kept === undefined);
    return { asked: unseen, candidates: await candidatesFor(documents, unseen) };
  });
  const present = await meanings(around, asked, candidates);
  const records = asked.flatMap((each, at) => recordOf(each, present[at], by));
  const leftover = await leftovers(around, items, anew);
  if (records.length + leftover.length === 0) return;
  await store.write(async ({ anchors }) => {
    for (const { id, refs } of leftover) await anchors.keepOnly(kind, id, refs);
    for (const record of records) await anchors.putNew(record);
  });
}

function isPath({ type }: KeptMention): boolean {
  return type === 'path';
}

/** Items with something kept that they do not name. */
async function leftovers({ store }: Around, items: readonly CitingItem[], anew: boolean) {
  return store.read(async ({ anchors }) => {
    const found: { id: string; refs: string[] }[] = [];
    for (const { kind, id, mentions } of items) {
      const refs = anew
        ? []
        : followed(mentions)
            .flatMap((each) => anchorIn(each) ?? [])
            .map(refOf);
      const kept = await anchors.of(kind, id);
      if (kept.some(({ ref }) => !refs.includes(ref))) found.push({ id, refs });
    }
    return found;
  });
}

export interface Renewal {
  readonly finding: Finding;
  readonly record: AnchorRecord;
}

/** What confirming an item would keep: each stale reference as it is now, also that nothing is there. */
export async function renewals(
  around: Around,
  item: CitingItem,
  ref: string | undefined,
  by: string,
): Promise<Renewal[]> {
  const found = (await findings(around, [item])).filter((each) => ref === undefined || each.ref === ref);
  const citedAt = new Date().toISOString();
  return found.map((finding) => {
    const { kind, id, kept, now, movedTo } = finding;
    const same = kept && movedTo !== undefined ? { place: movedTo, content: kept.content, hash: kept.hash } : undefined;
    const seen = now ?? same ?? { place: '', content: '', hash: '' };
    return { finding, record: { kind, id, ref: finding.ref, ...seen, citedAt, by } };
  });
}
