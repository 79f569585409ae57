/** The dashboard of one HTTP door: its files, signing in and out, and who a request of the page comes from. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { CairnError } from '../../errors.ts';
import type { App } from '../../service/app.ts';
import type { Principal } from '../../service/principal.ts';
import { type Route, sendJson } from '../http/exchange.ts';
import { keyNeeded } from '../http/identity.ts';
import { type PageFiles, readPageFiles, sendPageFile } from './files.ts';
import { announceServer, redeemLeft, withdrawServer } from './run-folder.ts';
import { createSignIns, personOf, SESSION_MS, visitor } from './sign-in.ts';

export interface Dashboard {
  /** Where it is reached; `cairn signin` learns it. */
  open(url: string): Promise<void>;
  close(): Promise<void>;
  /** A link that signs a person in, once. */
  signInLink(url: string): string;
  /** Answers what belongs to the page; false for a path that does not. */
  serves(request: IncomingMessage, response: ServerResponse, path: string): Promise<boolean>;
  /** The person of a session, or a visitor of the page; nothing for a request that is neither. */
  principalOf(request: IncomingMessage): Promise<Principal | undefined>;
}

/** Everything that no other route answers: a file of the page, or nothing. */
export function dashboardRoute(dashboard: Dashboard): Route {
  return {
    path: '/',
    open: true,
    async handle({ request, response, url }) {
      if (await dashboard.serves(request, response, url.pathname)) return;
      throw new CairnError('not_found', `Nothing is at ${url.pathname.slice(0, 200)}`, {
        suggestion: 'MCP is at /mcp, operations are at /api/v1/NAME and listed in /api/v1/openapi.json.',
      });
    },
  };
}

const MOST_BODY = 1000;
const LOOK_AGAIN_MS = 2000;
/** Beside the bundle that holds this module. */
const builtFolder = fileURLToPath(new URL('./web/', import.meta.url));

export function openDashboard(app: App, folder = builtFolder): Dashboard {
  const { config } = app;
  const signIns = createSignIns();
  let files: Promise<PageFiles> | undefined;
  let announcing: NodeJS.Timeout | undefined;

  /** The home may be made while the server runs: then it is told a moment later. */
  async function announce(url: string): Promise<void> {
    if (config.readOnly || (await announceServer(config.home, url).catch(() => true))) return;
    announcing = setTimeout(() => void announce(url), LOOK_AGAIN_MS).unref();
  }

  async function sendFile(request: IncomingMessage, response: ServerResponse, path: string): Promise<boolean> {
    files ??= readPageFiles(folder);
    const name = path === '/' || path === '/signin' ? '/index.html' : path;
    const file = (await files).get(name);
    if (file === undefined) return false;
    await sendPageFile(request, response, name, file);
    return true;
  }

  async function signIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    requireOwnPage(request);
    const token = await tokenIn(request);
    const session = signIns.redeem(token) ?? ((await redeemLeft(config.home, token)) ? signIns.begin() : undefined);
    if (session === undefined) {
      throw new CairnError('unauthenticated', 'This link was used already, or is too old', {
        suggestion: 'Run cairn signin in a terminal for a new one.',
      });
    }
    setCookie(request, response, session, SESSION_MS / 1000);
    sendJson(response, 200, { signedIn: true });
  }

  function signOut(request: IncomingMessage, response: ServerResponse): void {
    requireOwnPage(request);
    signIns.end(cookieOf(request) ?? '');
    setCookie(request, response, '', 0);
    sendJson(response, 200, { signedIn: false });
  }

  async function principalOf(request: IncomingMessage): Promise<Principal | undefined> {
    if (hasKey(request)) return undefined;
    const session = cookieOf(request);
    if (session !== undefined && signIns.isOpen(session)) {
      if (!isRead(request)) requireOwnPage(request);
      return personOf(config);
    }
    return isOwnPage(request) && !(await keyNeeded(app)) ? visitor : undefined;
  }

  return {
    open: announce,
    async close() {
      clearTimeout(announcing);
      await withdrawServer(config.home);
    },
    signInLink: (url) => `${url}/signin#${signIns.newToken()}`,
    principalOf,
    async serves(request, response, path) {
      if (isRead(request)) {
        if (path !== '/session') return sendFile(request, response, path);
        const session = cookieOf(request);
        const person = session !== undefined && signIns.isOpen(session) ? personOf(config) : undefined;
        const { name, role } = person ?? visitor;
        sendJson(response, 200, { signedIn: person !== undefined, name, role, readOnly: config.readOnly });
        return true;
      }
      if (request.method !== 'POST') return false;
      if (path === '/signin') await signIn(request, response);
      else if (path === '/signout') signOut(request, response);
      else return false;
      return true;
    },
  };
}

function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}

function hasKey({ headers }: IncomingMessage): boolean {
  return headers['x-api-key'] !== undefined || headers.authorization !== undefined;
}

/** A header of our own, which another site cannot send unasked, and the origin that the browser says it comes from. */
function isOwnPage({ headers }: IncomingMessage): boolean {
  const { host, origin } = headers;
  return headers['x-cairn-page'] === '1' && (origin === `http://${host}` || origin === `https://${host}`);
}

function requireOwnPage(request: IncomingMessage): void {
  if (isOwnPage(request)) return;
  throw new CairnError(
    'permission_denied',
    'A session of the dashboard is good for calls of the dashboard’s own page',
    {
      suggestion: 'Other programs use a key (cairn keys add NAME --role ROLE).',
    },
  );
}

/** Cookies are shared by all ports of a host: the port in the name keeps two servers apart. */
function cookieName({ socket }: IncomingMessage): string {
  return `cairn_session_${socket.localPort}`;
}

function cookieOf(request: IncomingMessage): string | undefined {
  const name = `${cookieName(request)}=`;
  const found = (request.headers.cookie ?? '').split(/;\s*/).find((each) => each.startsWith(name));
  return found?.slice(name.length);
}

function setCookie(request: IncomingMessage, response: ServerResponse, value: string, seconds: number): void {
  // Behind a proxy that speaks TLS the cookie keeps to it.
  const secure = request.headers.origin?.startsWith('https:') ? '; Secure' : '';
  const flags = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure}`;
  response.setHeader('set-cookie', `${cookieName(request)}=${value}; ${flags}`);
}

async function tokenIn(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) {
    text += chunk;
    if (text.length > MOST_BODY) throw new CairnError('limit_exceeded', 'That is too long for a sign-in');
  }
  try {
    const { token } = JSON.parse(text) as { token?: unknown };
    if (typeof token === 'string') return token;
  } catch {
    // Told below, as for any other body that is not one.
  }
  throw new CairnError('invalid_request', 'A sign-in is a JSON object with a token');
}
