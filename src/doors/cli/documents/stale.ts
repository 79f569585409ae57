/** `cairn stale`: what cites files that have changed since. */
import { badUsage } from '../arguments.ts';
import { counted } from '../figures.ts';
import { type Line, toned } from '../terminal.ts';
import type { Order } from './verb.ts';

interface Finding {
  readonly kind: string;
  readonly id: string;
  readonly title: string;
  readonly ref: string;
  readonly reason: string;
  readonly cited_at?: string;
  readonly moved_to?: string;
  readonly diff?: string;
}

interface Answer {
  readonly stale: readonly Finding[];
  readonly total: number;
  readonly items: number;
  readonly searched: { readonly items: number };
}

export async function listStale({ words, flags, input, call, show }: Order): Promise<number> {
  if (words.length > 0)
    throw badUsage(`${JSON.stringify(words[0])} is one word too many`, 'cairn stale confirm ID renews one.');
  const answer = await call<Answer>('stale_list', input);
  show(answer, () => lines(answer, Number(input.offset ?? 0)));
  return flags.check === true && answer.total > 0 ? 1 : 0;
}

function lines({ stale, total, items, searched }: Answer, offset: number): Line[] {
  if (total === 0) return [[`Nothing is stale: ${counted(searched.items, 'item')} that cite files were looked at.`]];
  const next = offset + stale.length;
  return [
    ...stale.flatMap((each, at) => [...(startsItem(stale, at) ? heading(each) : []), ...reasonLines(each)]),
    [toned('faint', `${counted(total, 'reference')} of ${counted(items, 'item')}; cairn stale confirm ID renews one`)],
    ...(next < total ? [[toned('faint', `more: --offset ${next}`)]] : []),
  ];
}

function startsItem(stale: readonly Finding[], at: number): boolean {
  const [before, each] = [stale[at - 1], stale[at]];
  return before?.id !== each?.id || before?.kind !== each?.kind;
}

function heading({ kind, id, title }: Finding): Line[] {
  return [[toned('name', id), toned('faint', `  ${kind}  `), title]];
}

function reasonLines({ ref, reason, cited_at, moved_to, diff }: Finding): Line[] {
  const since = cited_at === undefined ? '' : ` since ${cited_at.slice(0, 10)}`;
  const where = moved_to === undefined ? '' : ` to ${moved_to}`;
  return [
    ['  ', ref, ' ', toned('change', `${reason}${where}${since}`)],
    ...(diff === undefined ? [] : [['    ', toned('faint', diff)] as Line]),
  ];
}
