/** Documents of the contents that were found, and what lifts some of them: few reasons, small, and each is told on request. */
import type { Context } from '../../operations/operation.ts';
import type { Parts } from '../../search/hybrid.ts';
import type { Question } from '../../search/question.ts';
import { wordsIn } from '../../search/words.ts';
import type { PlaceFilter } from '../../store/document-index.ts';
import type { DocumentRecord } from '../../store/documents.ts';
import type { ContentHit } from '../ranking.ts';
import type { KindHit } from './search-kinds.ts';

export interface Hit {
  readonly document: DocumentRecord;
  readonly title?: string;
  readonly score: number;
  readonly parts: Parts;
  readonly sections?: readonly number[];
  readonly passage?: number;
}

/** A document, or something of another kind. */
export interface Boosted {
  readonly hit?: Hit;
  readonly other?: KindHit;
  readonly score: number;
  readonly boosts: Readonly<Record<string, number>>;
}

/** The session's own come first, whatever else was found. */
const PINNED = 1;
/** Its title, its path or the last part of that is what was asked for. */
const NAMED = 0.2;
/** Of two that answer alike, the one that was changed lately. */
const RECENT = 0.01;
const RECENT_DAYS = 30;
const DAY_MS = 86_400_000;

export async function hitsAt(
  context: Context,
  contents: readonly ContentHit[],
  filter: PlaceFilter,
  wanted: number,
): Promise<Hit[]> {
  const { documents: index } = context.store;
  const byHash = new Map(contents.map((content) => [content.id, content]));
  const places = await index.places([...byHash.keys()], filter, Math.max(wanted, LIFTED));
  return context.read(async ({ documents }) => {
    const hits: Hit[] = [];
    for (const { id, hash, title } of places) {
      const document = await documents.get(id);
      const content = byHash.get(hash);
      // It may have gone since it was indexed.
      if (document === undefined || content === undefined) continue;
      const { score, parts, sections, passage } = content;
      hits.push({
        document,
        score,
        parts,
        sections,
        ...(title !== undefined && { title }),
        ...(passage !== undefined && { passage }),
      });
    }
    return hits;
  });
}

/** Documents that are looked at for what lifts them. The same for every page, or pages would not fit together. */
const LIFTED = 50;

export function boosted(hits: readonly Hit[], { text }: Question, pins: ReadonlySet<number>): Boosted[] {
  const asked = plain(text);
  const now = Date.now();
  const others = hits.slice(LIFTED).map((hit): Boosted => ({ hit, score: hit.score, boosts: {} }));
  const first = hits
    .slice(0, LIFTED)
    .map((hit): Boosted => {
      const boosts = {
        ...(pins.has(hit.document.id) && { pinned: PINNED }),
        ...(isNamed(hit, asked) && { named: NAMED }),
        recent: recency(Date.parse(hit.document.modified), now),
      };
      const lift = Object.values(boosts).reduce((sum, boost) => sum + boost, 0);
      return { hit, score: hit.score + lift, boosts };
    })
    .sort((a, b) => b.score - a.score || (a.hit?.document.id ?? 0) - (b.hit?.document.id ?? 0));
  return [...first, ...others];
}

/** What is dated in the future is as recent as anything can be, and no more. */
export function recency(modified: number, now: number): number {
  return rounded(RECENT * 0.5 ** (Math.max(0, now - modified) / DAY_MS / RECENT_DAYS));
}

function isNamed({ document: { path }, title }: Hit, asked: string): boolean {
  if (asked === '') return false;
  const base = path.slice(path.lastIndexOf('/') + 1);
  const names = [path, base, base.replace(/\.[^.]+$/, ''), ...(title === undefined ? [] : [title])];
  return names.some((name) => plain(name) === asked);
}

function plain(text: string): string {
  return wordsIn(text).join(' ');
}

export function rounded(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}
