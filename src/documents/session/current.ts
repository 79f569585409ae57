/**
 * Which session a call belongs to. Threat: a session of somebody else, guessed, overheard or left behind by another client of
 * the same server. So a session is named by a handle of 128 random bits that answers to whoever started it alone, and what a
 * connection works in by default is known by the id that its door gave it, never by anything that a caller says.
 */
import { randomBytes } from 'node:crypto';
import { CairnError } from '../../errors.ts';
import type { Connections } from '../../service/connections.ts';
import type { Principal } from '../../service/principal.ts';
import type { SessionOwner, SessionRecord } from '../../store/sessions.ts';
import type { Store, View } from '../../store/store.ts';

/** What of a call decides on its session. */
export interface SessionCaller {
  readonly principal: Principal;
  readonly store: Store;
  readonly connections: Connections;
  read<T>(work: (view: View) => Promise<T>): Promise<T>;
}

export function newHandle(): string {
  return `ses-${randomBytes(16).toString('hex')}`;
}

export function ownerOf({ name, role }: Principal): SessionOwner {
  return { principal: name, role };
}

/** Whether the caller may use and see sessions of everybody. */
export function seesAll({ role, human }: Principal): boolean {
  return role === 'admin' || human;
}

/** The session that a handle names. One of somebody else does not exist: a wrong guess and a right one look alike. */
export async function sessionNamed(caller: SessionCaller, handle: string): Promise<SessionRecord> {
  const found = await caller.read(({ sessions }) => sessions.get(handle));
  const own = found?.principal === caller.principal.name && found.role === caller.principal.role;
  if (found !== undefined && (own || seesAll(caller.principal))) return found;
  throw new CairnError('not_found', `There is no session ${handle.slice(0, 100)}`, {
    suggestion: 'session {"action":"list"} shows yours; {"action":"start"} begins one.',
  });
}

/** The running session of a call: the one that it names, else the one of its connection, if any. */
export async function sessionOf(caller: SessionCaller, given?: string): Promise<string | undefined> {
  if (given !== undefined) return running(await sessionNamed(caller, given)).id;
  const handle = currentOf(caller);
  if (handle === undefined) return undefined;
  const found = await caller.read(({ sessions }) => sessions.get(handle));
  if (found !== undefined && found.stopped === undefined) return handle;
  // Stopped by somebody else who has the handle.
  forgetCurrent(caller);
  return undefined;
}

/** As `sessionOf`, for what makes no sense without one. */
export async function neededSession(caller: SessionCaller, given?: string): Promise<string> {
  const found = await sessionOf(caller, given);
  if (found !== undefined) return found;
  throw new CairnError('validation_failed', 'There is no session that this could mean', {
    suggestion: 'Start one with session {"action":"start"}, or give the session_id that start answered.',
  });
}

function running(session: SessionRecord): SessionRecord {
  if (session.stopped === undefined) return session;
  throw new CairnError('validation_failed', `The session was stopped at ${session.stopped}`, {
    suggestion: 'Start another with session {"action":"start"}.',
  });
}

const MOST_CONNECTIONS = 10_000;

interface Current {
  readonly handle: string;
  /** Nothing need happen any more when the connection ends. */
  release(): void;
}

const currents = new WeakMap<Store, Map<string, Current>>();

/** The session that the connection of a caller works in, as far as this process knows. */
export function currentOf({ principal, store }: SessionCaller): string | undefined {
  return principal.connection === undefined ? undefined : currents.get(store)?.get(principal.connection)?.handle;
}

export function makeCurrent(caller: SessionCaller, handle: string): void {
  const { principal, store, connections } = caller;
  const { connection } = principal;
  if (connection === undefined) return;
  forgetCurrent(caller);
  const known = currents.get(store) ?? new Map<string, Current>();
  currents.set(store, known);
  const [oldest] = known.keys();
  if (known.size >= MOST_CONNECTIONS && oldest !== undefined) known.delete(oldest);
  let over = false;
  const release = connections.onEnd(connection, () => {
    over = true;
    known.delete(connection);
  });
  if (!over) known.set(connection, { handle, release });
}

/** The connection works in no session any more; with a handle, only if it is that one. */
export function forgetCurrent({ principal, store }: SessionCaller, handle?: string): void {
  const known = currents.get(store);
  const { connection } = principal;
  const current = connection === undefined ? undefined : known?.get(connection);
  if (connection === undefined || current === undefined) return;
  if (handle !== undefined && current.handle !== handle) return;
  current.release();
  known?.delete(connection);
}
