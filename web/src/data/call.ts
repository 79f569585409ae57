/** Calls an operation over REST. */

export interface Problem {
  readonly title?: string;
  readonly detail?: string;
  readonly message?: string;
  readonly kind?: string;
  readonly suggestion?: string;
}

const SIGN_IN = 'Sign in: open the link that the terminal shows, or run cairn signin for a new one.';

export class CallError extends Error {
  readonly status: number;
  readonly kind: string;
  readonly suggestion: string | undefined;

  constructor(status: number, { title, detail, message, kind, suggestion }: Problem) {
    super(detail ?? message ?? title ?? `The server answered ${status}`);
    this.status = status;
    this.kind = kind ?? 'error';
    // What the server says of keys is for programs.
    this.suggestion = this.kind === 'unauthenticated' ? SIGN_IN : suggestion;
  }
}

/** What the server wants to see of its own page before a session counts. */
export const pageHeaders = { 'content-type': 'application/json', 'x-cairn-page': '1' };

export async function call<T>(operation: string, input: object = {}, signal?: AbortSignal): Promise<T> {
  const body = JSON.stringify(input);
  return post<T>(`/api/v1/${encodeURIComponent(operation)}`, body, signal);
}

export async function post<T>(path: string, body: string, signal?: AbortSignal): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, { method: 'POST', headers: pageHeaders, body, ...(signal && { signal }) });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new CallError(0, {
      detail: 'The server does not answer',
      suggestion: 'See in the terminal whether it still runs; this page goes on by itself when it is back.',
    });
  }
  const answer: unknown = await response.json().catch(() => ({}));
  if (!response.ok || isRefusal(answer)) throw new CallError(response.status, answer as Problem);
  return answer as T;
}

/** Some operations refuse in a result. */
function isRefusal(answer: unknown): boolean {
  const { status, error } = (answer ?? {}) as { status?: unknown; error?: unknown };
  return status === 'error' || (typeof error === 'string' && error !== '');
}
