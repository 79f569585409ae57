/** The body of a request as JSON, bounded. */
import type { IncomingMessage } from 'node:http';
import { CairnError, type ErrorDetail } from '../../errors.ts';
import { Refusal } from './exchange.ts';

/** No body is an object without fields. */
export async function readJson(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  const text = await readText(request, maxBytes);
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    // The parser quotes the body, which may be long.
    throw new CairnError('parse_error', `The body is not JSON: ${why.slice(0, 200)}`, {
      suggestion: 'Send one JSON object, encoded as UTF-8.',
    });
  }
}

async function readText(request: IncomingMessage, maxBytes: number): Promise<string> {
  const coding = request.headers['content-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'identity') {
    const { atEnd } = await gathered(request, 0);
    throw refusal(415, `The body is packed as ${coding.slice(0, 40)}`, { suggestion: 'Send it as it is.' }, atEnd);
  }
  const { bytes, atEnd } = await gathered(request, maxBytes);
  if (bytes === undefined) throw tooLarge(maxBytes, atEnd);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CairnError('parse_error', 'The body is not UTF-8', { suggestion: 'Send JSON encoded as UTF-8.' });
  }
}

interface Gathered {
  /** Absent where there were too many. */
  readonly bytes?: Buffer;
  /** Whether there is no more to read, so that the connection can go on. */
  readonly atEnd: boolean;
}

/** How much longer than allowed, and for how long, a body is read that nobody wants. */
const SURPLUS = 10;
const SURPLUS_MS = 2000;

/**
 * Whoever still sends does not hear the answer: a connection that is closed with something unread is torn down, and the answer
 * is lost. So what is too much is read and forgotten, within reason.
 */
function gathered(request: IncomingMessage, maxBytes: number): Promise<Gathered> {
  return new Promise((resolve, reject) => {
    let parts: Buffer[] = [];
    let size = 0;
    let timer: NodeJS.Timeout | undefined;
    const end = (outcome: Gathered) => {
      clearTimeout(timer);
      request.off('data', take).off('end', atEnd).off('error', fail);
      resolve(outcome);
    };
    const atEnd = () => end({ ...(timer === undefined && { bytes: Buffer.concat(parts) }), atEnd: true });
    const fail = (thrown: Error) => {
      clearTimeout(timer);
      reject(thrown);
    };
    const forget = () => {
      parts = [];
      timer ??= setTimeout(() => end({ atEnd: false }), SURPLUS_MS);
    };
    const take = (part: Buffer) => {
      size += part.length;
      if (timer === undefined) parts.push(part);
      if (size > maxBytes) forget();
      if (size > maxBytes * SURPLUS) end({ atEnd: false });
    };
    if (announcedBytes(request) > maxBytes) forget();
    request.on('data', take).on('end', atEnd).on('error', fail);
  });
}

/** Not a number where nothing is announced. */
export function announcedBytes({ headers }: IncomingMessage): number {
  return Number(headers['content-length'] ?? Number.NaN);
}

function tooLarge(maxBytes: number, atEnd: boolean): Refusal {
  const suggestion = 'Send less at a time, or raise CAIRN_MAX_FRAME.';
  return refusal(413, `The body has more than ${maxBytes} bytes`, { suggestion }, atEnd);
}

/** Where the rest of the body is not read, the connection ends with the answer. */
function refusal(status: number, message: string, detail: ErrorDetail, atEnd: boolean): Refusal {
  const kind = status === 413 ? 'limit_exceeded' : 'invalid_request';
  return new Refusal(status, kind, message, detail, atEnd ? {} : { connection: 'close' });
}
