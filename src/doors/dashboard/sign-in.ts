/**
 * Who a browser is. Threat: another page in the same browser, or another program on the machine, that acts in the name of the
 * person. So a session begins with a link that only the terminal showed and that works once; its cookie is out of reach of
 * scripts and of other sites; a write needs to come from our own page, which only that page can prove. Tokens and cookies are
 * random, and kept as digests.
 */
import { randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import { digestOf } from '../../service/key.ts';
import type { Principal } from '../../service/principal.ts';

export const SESSION_MS = 12 * 60 * 60 * 1000;
const MOST_SESSIONS = 100;

export interface SignIns {
  /** A token for one sign-in. */
  newToken(): string;
  /** A session's secret for a token, which is spent by it; nothing for one that is unknown, spent or too old. */
  redeem(token: string): string | undefined;
  /** Begins a session without a token: for one that was made outside of this process. */
  begin(): string;
  isOpen(session: string): boolean;
  end(session: string): void;
}

export function createSignIns(now: () => number = () => performance.now()): SignIns {
  // Digests, and when they lapse; in the order of their making.
  const tokens = new Map<string, number>();
  const sessions = new Map<string, number>();
  const begin = () => issue(sessions, now());
  return {
    newToken: () => issue(tokens, now()),
    redeem(token) {
      return spend(tokens, token, now()) ? begin() : undefined;
    },
    begin,
    isOpen: (session) => (sessions.get(digestOf(session)) ?? 0) > now(),
    end(session) {
      sessions.delete(digestOf(session));
    },
  };
}

function issue(kept: Map<string, number>, time: number): string {
  for (const [digest, lapses] of kept) {
    if (lapses > time && kept.size < MOST_SESSIONS) break;
    kept.delete(digest);
  }
  const secret = randomBytes(32).toString('base64url');
  kept.set(digestOf(secret), time + SESSION_MS);
  return secret;
}

function spend(kept: Map<string, number>, secret: string, time: number): boolean {
  const digest = digestOf(secret);
  const lapses = kept.get(digest);
  kept.delete(digest);
  return lapses !== undefined && lapses > time;
}

interface RoleSetting {
  readonly agentId: string;
  readonly role: Principal['role'];
  readonly sources: { readonly role: string };
}

/** As at the terminal that showed the link: all rights, unless a role was set. */
export function personOf({ agentId, role, sources }: RoleSetting): Principal {
  const granted = sources.role === 'default' ? 'admin' : role;
  return { name: agentId || userInfo().username, role: granted, door: 'http', human: true };
}

/** The page before anybody signed in. */
export const visitor: Principal = { name: 'page', role: 'viewer', door: 'http', human: false };
