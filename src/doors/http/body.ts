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
    throw refusal(415, `The body is packed as ${coding.slice(0, 40)}`, { suggestion: 'Send it as it is.' });
  }
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    parts.push(part);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts));
  } catch {
    throw new CairnError('parse_error', 'The body is not UTF-8', { suggestion: 'Send JSON encoded as UTF-8.' });
  }
}

/** The rest of the body is not read: the connection ends with the answer. */
function tooLarge(maxBytes: number): Refusal {
  return refusal(413, `The body has more than ${maxBytes} bytes`, {
    suggestion: 'Send less at a time, or raise CAIRN_MAX_FRAME.',
  });
}

function refusal(status: number, message: string, detail: ErrorDetail): Refusal {
  return new Refusal(status, status === 413 ? 'limit_exceeded' : 'invalid_request', message, detail, {
    connection: 'close',
  });
}
