import * as z from 'zod';
import { type Context, operation } from '../../operations/operation.ts';
import { rangeOf } from '../../service/address.ts';
import { resolveName } from '../../service/reach.ts';
import { readChecksum, Verifier } from '../download/checksum.ts';
import type { FetchRules } from '../download/fetch.ts';
import { placeOf, readLink, withoutQuery } from '../download/link.ts';
import { onStage } from '../download/stage.ts';
import { Ingest } from '../ingest.ts';
import { checkedPath } from '../place.ts';
import { sessionOf } from '../session/current.ts';
import { collection, documentWrite, metadata, sessionId, tags } from './shape.ts';

/** Without a byte from the other side. */
const IDLE_MS = 20_000;
const PROGRESS_EVERY = 1024 * 1024;

const input = z.strictObject({
  url: z.string().min(1).max(8192).describe('http or https.'),
  checksum: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('What the content must have, as algo:hex with sha256, sha512, sha1 or md5; else nothing is stored.'),
  name: z.string().min(1).max(1024).optional().describe('The path of the document; else the last part of the URL.'),
  collection: collection.default('default'),
  tags: tags.default([]),
  metadata: metadata.default({}),
  session: sessionId.optional(),
  max_bytes: z.int().min(1).optional().describe('Ends a larger download; never more than CAIRN_MAX_DOCUMENT.'),
  timeout_ms: z.int().min(100).optional().describe('Ends a slower one; never more than CAIRN_DOWNLOAD_TIMEOUT_MS.'),
});

export const download = operation({
  ...documentWrite,
  name: 'download',
  shown: ['name', 'collection', 'tags', 'metadata'],
  description:
    'Stores what a public http(s) URL gives as a document, verified against a checksum first. A wrong checksum or a broken download stores nothing.',
  openWorld: true,
  positional: ['url'],
  input,
  output: z.object({
    hash: z.string(),
    path: z.string(),
    collection: z.string(),
    size: z.number(),
    mime: z.string().describe('By the content, not by what the server says.'),
    url: z.string().describe('Where the redirects ended.'),
    redirects: z.number(),
    checksum_verified: z.boolean(),
    added: z.number(),
    updated: z.number(),
    unchanged: z.number(),
    new_bytes: z.number().describe('That were not in the store yet.'),
    flagged: z.string().optional().describe('The rule of a secret that was found in it.'),
  }),
  example: { input: { url: 'https://example.com/data.csv' } },
  async run(given, context) {
    const link = readLink(given.url);
    const verifier = new Verifier(given.checksum === undefined ? undefined : readChecksum(given.checksum));
    const place = checkedPath(given.name ?? placeOf(link));
    const session = await sessionOf(context, given.session);
    return onStage(async (stage) => {
      // Loaded for downloads alone: what speaks TLS takes long to load, and nothing else here needs it.
      const { fetchTo } = await import('../download/fetch.ts');
      const show = progressOf(context, link.host);
      const take = async (bytes: Uint8Array) => {
        verifier.see(bytes);
        await stage.write(bytes);
        show(bytes.length);
      };
      const rules = { ...rulesOf(given, context), resolve: resolveName };
      const { url, redirects, contentType, modified = new Date() } = await fetchTo(link, take, rules, context.signal);
      const checksum_verified = verifier.verify();

      const facts = { url: withoutQuery(link), ...(contentType !== undefined && { content_type: contentType }) };
      const ingest = new Ingest(context, { ...given, session, metadata: { ...facts, ...given.metadata } });
      const arrived = await ingest.arrival(stage.path, place, { modified: modified.toISOString() });
      const { hash, size, mime, flagged } = arrived;
      const { added, updated, unchanged, new_bytes } = await ingest.report();
      const came = { url: url.href, redirects, checksum_verified };
      const stored = {
        hash,
        path: place,
        collection: given.collection,
        size,
        mime,
        added,
        updated,
        unchanged,
        new_bytes,
      };
      return { ...stored, ...came, ...(flagged !== undefined && { flagged }) };
    });
  },
});

function rulesOf({ max_bytes, timeout_ms }: z.infer<typeof input>, { config }: Context): Omit<FetchRules, 'resolve'> {
  return {
    maxBytes: Math.min(max_bytes ?? config.maxDocument, config.maxDocument),
    timeoutMs: Math.min(timeout_ms ?? config.downloadTimeoutMs, config.downloadTimeoutMs),
    idleMs: IDLE_MS,
    refused(address) {
      const range = rangeOf(address);
      return range?.openable && config.downloadPrivate ? undefined : range;
    },
  };
}

function progressOf(context: Context, host: string): (bytes: number) => void {
  let [done, shown] = [0, 0];
  return (bytes) => {
    done += bytes;
    if (done - shown < PROGRESS_EVERY) return;
    shown = done;
    context.progress({ done, unit: 'bytes', message: `bytes from ${host}` });
  };
}
