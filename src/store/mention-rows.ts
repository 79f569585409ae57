/** Mentions as both engines keep them in rows. */
import type { MentionType } from '../graph/mentions.ts';
import type { CitingItem, KeptMention, MentioningKind } from './mentions.ts';
import type { Row } from './rows.ts';

export function namingItem({ kind, id }: Row): { kind: MentioningKind; id: string } {
  return { kind: kind === 'decision' ? 'decision' : 'instruction', id: String(id) };
}

export function toMention({ type, value, symbol, collection, given }: Row): KeptMention {
  return {
    type: type as MentionType,
    value: String(value),
    ...(symbol !== null && { symbol: String(symbol) }),
    ...(collection !== null && { collection: String(collection) }),
    given: given === 1,
  };
}

/** Rows in the order of kinds, ids and positions. */
export function citingOf(rows: readonly Row[]): CitingItem[] {
  const items: { kind: MentioningKind; id: string; mentions: KeptMention[] }[] = [];
  for (const row of rows) {
    const item = namingItem(row);
    const last = items.at(-1);
    if (last?.id === item.id && last.kind === item.kind) last.mentions.push(toMention(row));
    else items.push({ ...item, mentions: [toMention(row)] });
  }
  return items;
}
