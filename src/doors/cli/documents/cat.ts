/** `cairn cat`: documents as they are, page by page, so that a large one takes no more memory than a small one. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CairnError, toCairnError } from '../../../errors.ts';
import { badUsage } from '../arguments.ts';
import { printable } from '../invocation.ts';
import type { Order } from './verb.ts';

interface Page {
  readonly hash: string;
  readonly path: string;
  readonly type: string;
  readonly content?: string;
  readonly encoding?: string;
  readonly next_offset?: number;
  readonly problem?: string;
}

const PAGE_BYTES = 1_000_000;
const looksLikeHash = /^(?:sha256[-:])?[0-9a-f]{8,64}$/i;

export async function concatenate(order: Order): Promise<number> {
  const { words, flags, input } = order;
  if (words.length === 0) throw badUsage('cat needs a document, as in cairn cat docs/design.md');
  if (flags.json === true) return facts(order);
  const options = {
    asText: flags.text === true,
    raw: flags.force === true || process.stdout.isTTY !== true,
    within: typeof input.collection === 'string' ? { collection: input.collection } : {},
  };
  try {
    await pipeline(Readable.from(bytesOf(order, words, options), { objectMode: true }), process.stdout, { end: false });
  } catch (thrown) {
    // Whoever reads has read enough, as head does.
    if ((thrown as NodeJS.ErrnoException).code !== 'EPIPE') throw thrown;
  }
  return 0;
}

interface Options {
  readonly asText: boolean;
  /** Bytes as they are; otherwise a terminal must not be harmed. */
  readonly raw: boolean;
  readonly within: { readonly collection?: string };
}

async function* bytesOf(order: Order, names: readonly string[], options: Options): AsyncGenerator<Buffer> {
  for (const name of names) {
    const first = await firstPage(order, name, options);
    if (first.problem !== undefined) order.warn([`cairn: ${first.path}: ${first.problem}`]);
    for (let page = first; ; ) {
      if (!options.raw && page.encoding === 'base64') throw binary(first.path);
      const content = page.content ?? '';
      const isBytes = page.encoding === 'base64';
      yield options.raw ? Buffer.from(content, isBytes ? 'base64' : 'utf8') : Buffer.from(printable(content));
      if (page.next_offset === undefined) break;
      // By its hash: the name may mean another content by now.
      page = await order.call<Page>('get', { hash: first.hash, ...wanted(options), offset: page.next_offset });
    }
  }
}

function wanted({ asText, within }: Options): object {
  return { ...within, ...(asText ? { as_text: true } : { include_content: true }), length: PAGE_BYTES };
}

/** A name, unless it looks like a hash and is one. */
async function firstPage(order: Order, name: string, options: Options): Promise<Page> {
  const page = await found(order, name, wanted(options));
  if (!options.raw && !options.asText && page.type === 'binary') throw binary(page.path);
  return page;
}

async function found(order: Order, name: string, how: object): Promise<Page> {
  if (looksLikeHash.test(name)) {
    try {
      return await order.call<Page>('get', { hash: name, ...how });
    } catch (thrown) {
      if (toCairnError(thrown).kind !== 'not_found') throw thrown;
    }
  }
  return order.call<Page>('get', { name, ...how });
}

function binary(path: string): CairnError {
  return new CairnError('validation_failed', `${path} is no text, and this is a terminal`, {
    suggestion: `Send it elsewhere (cairn cat ${path} > FILE), read its text (--text), or add --force.`,
  });
}

async function facts(order: Order): Promise<number> {
  const { words, flags, input, show } = order;
  const how = flags.text === true ? { as_text: true } : { include_content: true };
  for (const name of words) show(await found(order, name, { ...input, ...how }), () => []);
  return 0;
}
