/**
 * Changes as server-sent events at /events and /api/v1/events. The id of an event is its place in the audit trail, so that a
 * client which was away (EventSource does it by itself) gets what it missed. A reader that is too slow is cut off: it comes
 * back and goes on where it was.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { feedOf } from '../../changes/feed.ts';
import { isChange, type NoticeKind, noticeKinds, noticeOf } from '../../changes/notice.ts';
import { CairnError } from '../../errors.ts';
import { kindOfChange } from '../../operations/kind-of-change.ts';
import { surface } from '../../operations/surface.ts';
import type { App } from '../../service/app.ts';
import { may, type Principal } from '../../service/principal.ts';
import type { AuditEntry } from '../../store/store.ts';
import { type Exchange, only, type Route } from '../http/exchange.ts';
import { identify } from '../http/identity.ts';

/** What may wait for a reader before it is cut off. */
const MOST_WAITING = 256 * 1024;
/** How long a reader that catches up may take for what it was sent. */
const PATIENCE_MS = 30_000;
const RETRY_MS = 2000;

export interface EventStreams {
  readonly routes: readonly Route[];
  count(): number;
}

export function eventStreams(): EventStreams {
  let open = 0;

  async function handle(exchange: Exchange): Promise<void> {
    only(exchange, 'GET');
    const most = exchange.app.config.eventListeners;
    const wanted = wantedBy(exchange);
    if (open >= most) {
      throw new CairnError('limit_exceeded', `${most} event streams are open already`, {
        suggestion: 'Close one, or raise CAIRN_EVENT_LISTENERS.',
      });
    }
    open++;
    exchange.response.once('close', () => {
      open--;
    });
    stream(exchange, wanted);
  }

  return {
    routes: ['/events', '/api/v1/events'].map((path) => ({ path, handle, unlimited: true })),
    count: () => open,
  };
}

interface Wanted {
  readonly after?: number;
  readonly kinds?: ReadonlySet<NoticeKind>;
}

/** Where to begin and what to leave out. The header wins: it is what a client says that comes back. */
function wantedBy({ request, url }: Exchange): Wanted {
  const after = request.headers['last-event-id'] ?? url.searchParams.get('after') ?? undefined;
  if (after !== undefined && !/^\d{1,15}$/.test(String(after))) {
    throw new CairnError('invalid_params', 'after is not the id of an event', {
      suggestion: 'Send a whole number, as the id of an event is; leave it out to begin now.',
    });
  }
  const named = url.searchParams.get('kinds')?.split(',').filter(Boolean);
  const kinds = named?.map((name) => noticeKinds.find((kind) => kind === name.trim()));
  if (kinds?.includes(undefined)) {
    throw new CairnError('invalid_params', 'kinds names one that does not exist', {
      suggestion: `Allowed are ${noticeKinds.join(', ')}, separated by commas.`,
    });
  }
  return {
    ...(after !== undefined && { after: Number(after) }),
    ...(kinds && kinds.length > 0 && { kinds: new Set(kinds.filter((kind) => kind !== undefined)) }),
  };
}

function stream({ app, request, response, principal, closing }: Exchange, wanted: Wanted): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
  response.write(`retry: ${RETRY_MS}\n: listening\n\n`);
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  const end = () => response.end();
  const { keepAliveMs } = app.config;
  const pulse = keepAliveMs > 0 ? setInterval(() => response.write(':\n\n'), keepAliveMs) : undefined;
  const reader = new Reader(response);
  const unfollow = feedOf(app.store).follow({
    ...(wanted.after !== undefined && { after: wanted.after }),
    async take(entries) {
      if (entries.some(isAboutKeys) && !(await isStillLetIn(app, request, principal))) end();
      else await reader.send(textOf(entries, wanted, principal));
    },
    failed: end,
  });
  closing.addEventListener('abort', end, { once: true });
  response.once('close', () => {
    clearInterval(pulse);
    unfollow();
    closing.removeEventListener('abort', end);
  });
}

/** Threat: a stream is let in once and open for days. What changes who is let in is told here too, so it is asked again then. */
function isAboutKeys({ operation }: AuditEntry): boolean {
  return operation === 'keys_revoke' || operation === 'keys_add';
}

async function isStillLetIn(app: App, request: IncomingMessage, { human }: Principal): Promise<boolean> {
  if (human) return true;
  return identify(app, request).then(
    () => true,
    () => false,
  );
}

function textOf(entries: readonly AuditEntry[], { kinds }: Wanted, principal: Principal): string {
  const known = may(principal, surface.resolve('audit_list').capability);
  return entries
    .filter(isChange)
    .map((entry) => noticeOf(entry, kindOfChange))
    .filter(({ kind }) => kinds?.has(kind) ?? true)
    .map((notice) => {
      const { principal: _name, role: _role, door: _door, ...anonymous } = notice;
      return `id: ${notice.seq}\nevent: change\ndata: ${JSON.stringify(known ? notice : anonymous)}\n\n`;
    })
    .join('');
}

/** Whoever reads a stream: who catches up is waited for, who is up to date must not lag behind too far. */
export class Reader {
  readonly #response: ServerResponse;
  #room: Promise<void> | undefined;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** Resolves when there is room for more, or nobody to read it. */
  async send(text: string): Promise<void> {
    const response = this.#response;
    if (text === '' || response.destroyed) return;
    if (response.writableLength > MOST_WAITING) response.destroy();
    else if (!response.write(text)) {
      this.#room ??= this.#untilRoom();
      await this.#room;
    }
  }

  #untilRoom(): Promise<void> {
    const response = this.#response;
    return new Promise<void>((resolve) => {
      const timer = setTimeout(() => response.destroy(), PATIENCE_MS).unref();
      const go = () => {
        clearTimeout(timer);
        response.off('drain', go);
        response.off('close', go);
        this.#room = undefined;
        resolve();
      };
      response.once('drain', go);
      response.once('close', go);
    });
  }
}
