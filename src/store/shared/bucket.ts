/**
 * A bucket of an S3-compatible object store, addressed by path. Requests have a time limit and are tried again when the store
 * is busy or cannot be reached; no more is read of an answer than was asked for.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { CairnError } from '../../errors.ts';
import type { BucketOptions } from './bucket-address.ts';
import { signed } from './signature.ts';

export interface Bucket {
  put(name: string, data: Uint8Array): Promise<void>;
  /** `undefined` when there is none of that name, or a longer one. */
  get(name: string, limit: number): Promise<Buffer | undefined>;
  /** Also when there is none. */
  remove(name: string): Promise<void>;
}

interface Answer {
  readonly status: number;
  /** `undefined` when it was longer than the limit. */
  readonly body: Buffer | undefined;
}

const TIMEOUT_MS = 30_000;
const ATTEMPTS = 5;
const PAUSE_MS = 100;
/** Enough for the name of an error. */
const PROBLEM_BYTES = 4096;

const passing = new Set(['RequestTimeout', 'SlowDown', 'InternalError', 'ServiceUnavailable', 'OperationAborted']);

export function openBucket(options: BucketOptions): Bucket {
  const ask = asking(options);
  const { shown } = options.address;
  return {
    async put(name, data) {
      const answer = await ask('PUT', name, PROBLEM_BYTES, data);
      if (answer.status !== 200) throw refusal(answer, shown);
    },
    async get(name, limit) {
      const answer = await ask('GET', name, limit);
      if (answer.status === 200) return answer.body;
      if (answer.status === 404 && problemIn(answer) !== 'NoSuchBucket') return undefined;
      throw refusal(answer, shown);
    },
    async remove(name) {
      const answer = await ask('DELETE', name, PROBLEM_BYTES);
      const gone = answer.status === 200 || answer.status === 204 || problemIn(answer) === 'NoSuchKey';
      if (!gone) throw refusal(answer, shown);
    },
  };
}

function asking({ address, credentials, timeoutMs = TIMEOUT_MS }: BucketOptions) {
  const { endpoint, bucket, prefix, region, shown } = address;
  return async (method: string, name: string, limit: number, body?: Uint8Array): Promise<Answer> => {
    const url = new URL(`/${bucket}/${prefix}${name}`, endpoint);
    for (let attempt = 1; ; attempt++) {
      try {
        // Signed anew each time: a signature grows old.
        const headers = signed({ method, url, body }, credentials, region, new Date());
        const answer = await request(url, { method, headers, body: body ?? null }, timeoutMs, limit);
        if (!mayPass(answer) || attempt === ATTEMPTS) return answer;
      } catch (thrown) {
        if (attempt === ATTEMPTS) throw unreachable(thrown, shown);
      }
      await delay(PAUSE_MS * 2 ** attempt * (0.5 + Math.random() / 2));
    }
  };
}

type Asked = { readonly method: string; readonly headers: Record<string, string>; readonly body: Uint8Array | null };

async function request(url: URL, { method, headers, body }: Asked, timeoutMs: number, limit: number): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { ...headers, 'accept-encoding': 'identity' },
    body,
    // Threat: whoever answers could send us, and our bytes, elsewhere.
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  });
  const most = response.status === 200 ? limit : Math.max(limit, PROBLEM_BYTES);
  return { status: response.status, body: await bodyOf(response, most) };
}

async function bodyOf(response: Response, limit: number): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += piece.length;
    // Leaving the loop ends the transfer.
    if (length > limit) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function mayPass(answer: Answer): boolean {
  return answer.status >= 500 || answer.status === 429 || answer.status === 408 || passing.has(problemIn(answer) ?? '');
}

/** The store's name for what went wrong. Nothing else of its answer is shown: it can hold what we sent. */
function problemIn({ status, body }: Answer): string | undefined {
  if (status < 300) return undefined;
  return /<Code>([A-Za-z0-9]{1,64})<\/Code>/.exec(body?.toString('latin1') ?? '')?.[1];
}

const suggestions: Readonly<Record<string, string>> = {
  NoSuchBucket: 'Create the bucket that CAIRN_OBJECTS names, or name another.',
  InvalidAccessKeyId: 'Look at AWS_ACCESS_KEY_ID.',
  SignatureDoesNotMatch: 'Look at AWS_SECRET_ACCESS_KEY, and at the region in CAIRN_OBJECTS.',
  AuthorizationHeaderMalformed: 'Name the region of the bucket in CAIRN_OBJECTS: ?region=NAME.',
  PermanentRedirect: 'Name the region of the bucket in CAIRN_OBJECTS: ?region=NAME.',
  RequestTimeTooSkewed: 'The clock of this machine is wrong: set it.',
  ExpiredToken: 'The keys were lent and have run out: set new ones and start Cairn again.',
  AccessDenied: 'The keys must be allowed to get, put and delete objects, and to list the bucket.',
};

function refusal(answer: Answer, shown: string): CairnError {
  const problem = problemIn(answer) ?? '';
  const suggestion = suggestions[problem] ?? (answer.status === 403 ? suggestions.AccessDenied : undefined);
  return new CairnError(
    'store_unavailable',
    `The object store ${shown} refused: ${problem || 'no reason given'} (${answer.status})`,
    suggestion === undefined ? {} : { suggestion },
  );
}

function unreachable(thrown: unknown, shown: string): CairnError {
  const { name, cause } = (thrown ?? {}) as { name?: string; cause?: { code?: unknown } };
  const reason = name === 'TimeoutError' ? 'no answer in time' : String(cause?.code ?? name ?? 'unknown');
  return new CairnError('store_unavailable', `The object store ${shown} cannot be reached: ${reason}`, {
    suggestion: 'Nothing was lost. Cairn asks again by itself with the next call.',
  });
}
