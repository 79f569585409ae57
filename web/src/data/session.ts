/** Who sits in front of the page: a visitor, or a person who came by a link of the terminal. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { pageHeaders, post } from './call.ts';

export interface Session {
  readonly signedIn: boolean;
  readonly name: string;
  readonly role: string;
  readonly readOnly: boolean;
}

export const visitor: Session = { signedIn: false, name: 'page', role: 'viewer', readOnly: false };

export const SessionContext = createContext<Session>(visitor);

export function useSession(): Session & { readonly canWrite: boolean } {
  const session = useContext(SessionContext);
  return { ...session, canWrite: session.signedIn && session.role !== 'viewer' && !session.readOnly };
}

export async function readSession(): Promise<Session> {
  try {
    const response = await fetch('/session', { headers: pageHeaders });
    return response.ok ? ((await response.json()) as Session) : visitor;
  } catch {
    return visitor;
  }
}

/** The token stands in the fragment, which no browser sends along; it is gone from the address before anything else. */
export async function signInFromAddress(): Promise<Error | undefined> {
  if (location.pathname !== '/signin') return undefined;
  const token = location.hash.slice(1);
  history.replaceState(null, '', '/#/');
  if (token === '' || token.startsWith('/')) return undefined;
  try {
    await post('/signin', JSON.stringify({ token }));
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

export async function signOut(): Promise<void> {
  await post('/signout', '{}');
  location.reload();
}
