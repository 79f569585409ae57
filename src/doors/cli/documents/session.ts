/** `cairn session …`. */
import { resolve } from 'node:path';
import { badUsage } from '../arguments.ts';
import { counted, numberText, timeText } from '../figures.ts';
import { table } from '../table.ts';
import { type Line, toned } from '../terminal.ts';
import { type Failure, failureLines } from './add.ts';
import type { Order } from './verb.ts';

interface Session {
  readonly session_id: string;
  readonly label: string;
  readonly created: string;
  readonly stopped?: string;
}

export async function startSession({ words, input, call, show }: Order): Promise<number> {
  if (words.length > 0 && input.label !== undefined) throw badUsage('Give the label once: as words, or with --label');
  const result = await call<Session>('session_start', {
    ...input,
    ...(words.length > 0 && { label: words.join(' ') }),
  });
  show(result, () => [
    [toned('strong', result.session_id)],
    [toned('faint', `Name it in what belongs to it: cairn add PATH --session ${result.session_id}`)],
  ]);
  return 0;
}

export async function stopSession({ words, input, call, show }: Order): Promise<number> {
  const [id = input.session_id, ...more] = words;
  if (id === undefined || more.length > 0)
    throw badUsage('session stop needs the id of one session; session list shows them');
  const result = await call<Session & { documents: number; pins: number }>('session_stop', {
    ...input,
    session_id: id,
  });
  show(result, () => [
    [
      `stopped: ${counted(result.documents, 'document')} added or changed in it stay, ${counted(result.pins, 'pin')} hold nothing any more`,
    ],
  ]);
  return 0;
}

export async function pin(order: Order): Promise<number> {
  const result = await order.call<{ pinned: number; pins: number }>('session_pin', pinInput(order));
  order.show(result, () => [
    [`${counted(result.pinned, 'document')} pinned; the session has ${counted(result.pins, 'pin')}`],
  ]);
  return 0;
}

export async function unpin(order: Order): Promise<number> {
  const result = await order.call<{ unpinned: number; pins: number }>('session_unpin', pinInput(order));
  order.show(result, () => [
    [`${counted(result.unpinned, 'pin')} taken back; the session has ${counted(result.pins, 'pin')}`],
  ]);
  return 0;
}

function pinInput({ words, input }: Order): object {
  const names = [...words, ...((input.names ?? []) as string[])];
  if (names.length === 0 && [input.hash, input.name, input.path].every((each) => each === undefined))
    throw badUsage('Say which documents, as in cairn session pin docs/design.md --session ID');
  return { ...input, ...(names.length > 0 && { names }) };
}

interface Watching {
  readonly session_id: string;
  readonly watches: readonly Watch[];
  readonly note?: string;
}

interface Watch {
  readonly path: string;
  readonly collection: string;
  readonly state: string;
  readonly files: number;
  readonly taken: number;
  readonly failed: number;
  readonly errors: readonly Failure[];
}

export async function watch({ words, input, call, show }: Order): Promise<number> {
  const paths = [...words.map((word) => resolve(word)), ...((input.paths ?? []) as string[])];
  if (paths.length === 0 && input.path === undefined)
    throw badUsage('Say what to watch, as in cairn session watch src --session ID');
  const result = await call<Watching>('session_watch', { ...input, ...(paths.length > 0 && { paths }) });
  show(result, () => [
    ...result.watches.flatMap(({ path, collection, files, taken, failed, errors }): Line[] => [
      [toned('name', path), `: ${counted(files, 'file')}, ${numberText(taken)} stored in ${collection}`],
      ...failureLines('not taken', failed, errors),
    ]),
    ...(result.note === undefined ? [] : [[toned('faint', result.note)]]),
  ]);
  return result.watches.some(({ failed }) => failed > 0) ? 1 : 0;
}

interface Listed extends Session {
  readonly owner: string;
  readonly documents: number;
  readonly pin_count: number;
}

const columns = [
  { title: 'SESSION' },
  { title: 'STARTED' },
  { title: 'STATE' },
  { title: 'OWNER', keep: 'start' },
  { title: 'DOCUMENTS', right: true },
  { title: 'PINS', right: true },
  { title: 'LABEL', keep: 'start' },
] as const;

export async function listSessions({ words, input, width, call, show }: Order): Promise<number> {
  if (words.length > 0) throw badUsage(`${JSON.stringify(words[0])} is one word too many for session list`);
  const result = await call<{ total: number; sessions: readonly Listed[] }>('session_list', input);
  show(result, () => {
    const { total, sessions } = result;
    if (sessions.length === 0) return [['No sessions. cairn session start begins one.']];
    const rows = sessions.map(({ session_id, created, stopped, owner, documents, pin_count, label }) => [
      toned('name', session_id),
      timeText(created),
      stopped === undefined ? toned('good', 'running') : 'stopped',
      owner,
      numberText(documents),
      numberText(pin_count),
      label,
    ]);
    const next = Number(input.offset ?? 0) + sessions.length;
    const more: Line[] = next < total ? [[toned('faint', `${numberText(total)} in all: --offset ${next}`)]] : [];
    return [...table(columns, rows, width), ...more];
  });
  return 0;
}
