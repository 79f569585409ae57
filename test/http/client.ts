/** Requests as a program makes them that knows nothing of Cairn but its address. */
import type { Message } from '../support/cairn.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly type: string;
  readonly body: Message;
}

export interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

export async function ask(url: string, path: string, { method, headers, body }: Sent = {}): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    ...(headers && { headers }),
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const type = response.headers.get('content-type') ?? '';
  return {
    status: response.status,
    headers: response.headers,
    type,
    body: type.includes('json') ? JSON.parse(text) : { text },
  };
}

/** `POST /api/v1/NAME`. */
export function operate(url: string, name: string, input: unknown = {}, headers: Record<string, string> = {}) {
  return ask(url, `/api/v1/${name}`, { body: input, headers });
}
