import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { CairnError } from '../../errors.ts';
import { type Context, nothing, operation } from '../../operations/operation.ts';
import { may } from '../../service/principal.ts';
import { allowedPath } from '../../service/roots.ts';
import { sortKeys } from '../../store/documents.ts';
import { contentOf as bytesOf } from '../content.ts';
import { meant, notFound, several } from '../find.ts';
import { faultOf } from '../place.ts';
import { readText } from '../read-text.ts';
import { sessionNamed } from '../session/current.ts';
import { writeContent } from '../write-out.ts';
import { collection, documentRead, documentShape, given, hash, path, sessionId, shown } from './shape.ts';

export const list = operation({
  ...documentRead,
  name: 'list',
  description: 'Documents of the store, filtered and sorted, in pages.',
  rest: 'Go on with offset = the number of documents you got, or ask with a smaller limit.',
  input: z.strictObject({
    limit: z.int().min(1).max(1000).default(50),
    offset: z.int().min(0).default(0),
    sort_by: z.enum(sortKeys).default('name'),
    sort_order: z.enum(['asc', 'desc']).default('asc'),
    recent: z.int().min(1).max(1000).optional().describe('Only so many, the most recently stored.'),
    type: z.enum(['text', 'binary']).optional(),
    extension: z.string().max(50).optional().describe('Such as ".py".'),
    collection: collection.optional(),
    tag: z.string().max(100).optional(),
    session: sessionId.optional().describe('Only what was added in this session or is pinned to it.'),
    paths_only: z.boolean().default(false),
  }),
  output: z.object({
    total: z.number(),
    documents: z.array(documentShape).optional(),
    paths: z.array(z.string()).optional(),
  }),
  example: { given, input: { extension: '.md', sort_by: 'modified', sort_order: 'desc' } },
  async run({ limit, offset, sort_by, sort_order, recent, type, extension, paths_only, ...rest }, context) {
    const dotted = extension === undefined ? undefined : `.${extension.replace(/^\./, '').toLowerCase()}`;
    const filter = {
      ...(rest.collection !== undefined && { collection: rest.collection }),
      ...(rest.tag !== undefined && { tag: rest.tag }),
      ...(rest.session !== undefined && { session: (await sessionNamed(context, rest.session)).id }),
      ...(type !== undefined && { kind: type }),
      ...(dotted !== undefined && { extension: dotted }),
    };
    return context.read(async ({ documents }) => {
      const all = await documents.count(filter);
      const total = Math.min(all, recent ?? all);
      const found =
        recent === undefined
          ? await documents.list(filter, { by: sort_by, descending: sort_order === 'desc' }, limit, offset)
          : sorted(
              await documents.list(filter, { by: 'indexed', descending: true }, recent, 0),
              sort_by,
              sort_order,
            ).slice(offset, offset + limit);
      if (paths_only) return { total, paths: found.map((each) => each.path) };
      return { total, documents: found.map(shown) };
    });
  },
});

type Listed = Parameters<typeof shown>[0];

/** The most recent ones in the order that was asked for. */
function sorted(found: Listed[], by: (typeof sortKeys)[number], order: string): Listed[] {
  const value = (each: Listed) => (by === 'name' ? each.path : each[by]);
  const sign = order === 'desc' ? -1 : 1;
  return found.sort((a, b) => (value(a) < value(b) ? -sign : value(a) > value(b) ? sign : a.id - b.id));
}

const PAGE = 16 * 1024;
const PATHS = 1000;

export const get = operation({
  ...documentRead,
  name: 'get',
  description:
    'One document by its hash, the beginning of it, or its name: where it lies and, with include_content, what is in it. Large ones come in pages of bytes.',
  rest: 'Go on with offset = the end of what you got.',
  positional: ['hash'],
  input: z.strictObject({
    hash: hash.optional(),
    name: path.optional().describe('Path of the document, or its end where that is unique.'),
    collection: collection.optional(),
    include_content: z.boolean().default(false),
    as_text: z
      .boolean()
      .default(false)
      .describe('The readable text instead of the bytes: HTML, PDF, Word and notebooks as Markdown.'),
    offset: z.int().min(0).default(0).describe('First byte of the content, or first character of the text.'),
    length: z.int().min(1).max(1_000_000).default(PAGE).describe('How many of them.'),
    outputPath: path
      .optional()
      .describe('Also write the content to this file, within the allowed roots; needs the capability write.'),
    overwrite: z.boolean().default(false).describe('Whether outputPath may replace a file.'),
  }),
  output: z.object({
    ...documentShape.shape,
    paths: z.array(z.string()).describe('Every path that has this content, with its collection.'),
    content: z.string().optional(),
    encoding: z.string().optional().describe('base64 where the content is no text.'),
    offset: z.number().optional(),
    next_offset: z.number().optional().describe('Where the rest begins.'),
    output_path: z.string().optional(),
    title: z.string().optional(),
    problem: z.string().optional().describe('Why there is no text, or not all of it.'),
  }),
  example: { given, input: { name: 'notes/design.md', include_content: true } },
  async run({ include_content, as_text, offset, length, outputPath, overwrite, ...which }, context) {
    const { first, paths } = await context.read(async ({ documents }) => {
      const found = await meant(documents, which);
      const [first] = found;
      if (first === undefined) throw notFound(which.hash ?? which.name ?? '');
      if (found.some((each) => each.hash !== first.hash)) throw several(which.name ?? '', found);
      const same = await documents.withHash(first.hash, PATHS);
      return { first, paths: same.map((each) => `${each.collection}/${each.path}`) };
    });
    const written = outputPath === undefined ? undefined : await writeTo(context, first.hash, outputPath, overwrite);
    return {
      ...shown(first),
      paths,
      ...(include_content && !as_text && (await contentOf(context, first, offset, length))),
      ...(as_text && (await textOf(context, first, offset, length))),
      ...(written !== undefined && { output_path: written }),
    };
  },
});

/** A read that writes: it asks for what a write needs. */
async function writeTo(context: Context, whole: string, outputPath: string, overwrite: boolean): Promise<string> {
  const { config, principal, signal, store } = context;
  if (!may(principal, 'write')) throw new CairnError('permission_denied', "Capability 'write' is required");
  if (config.readOnly) throw new CairnError('read_only', 'This server is read-only: outputPath is not available');
  const folder = await allowedPath(dirname(outputPath), config, principal);
  const name = basename(outputPath);
  const fault = faultOf(name);
  if (fault !== undefined) throw new CairnError('permission_denied', `${outputPath} is not written: ${fault}`);
  const target = join(folder, name);
  if (await writeContent(store.objects, whole, target, { overwrite, signal })) return target;
  throw new CairnError('conflict', `${outputPath} exists already`, {
    suggestion: 'Set overwrite: true to replace it.',
  });
}

async function textOf({ store, workers, signal }: Context, document: Listed, offset: number, length: number) {
  const { text = '', title, problem } = await readText(store, workers, document, signal);
  const end = offset + wholePage(text, offset, length).length;
  return {
    content: text.slice(offset, end),
    offset,
    ...(end < text.length && { next_offset: end }),
    ...(title !== undefined && { title }),
    ...(problem !== undefined && { problem }),
  };
}

/** Not ending in half of a character that takes two units. */
function wholePage(text: string, offset: number, length: number): string {
  const page = text.slice(offset, offset + length);
  return page.length > 1 && /[\ud800-\udbff]$/.test(page) ? page.slice(0, -1) : page;
}

async function contentOf({ store }: Context, { hash: whole, size, kind }: Listed, offset: number, length: number) {
  const parts: Buffer[] = [];
  if (offset < size)
    for await (const part of bytesOf(store.objects, whole, { offset, length: Math.min(length, size - offset) }))
      parts.push(part);
  const bytes = Buffer.concat(parts);
  const text = kind === 'text' ? wholeCharacters(bytes, offset + bytes.length < size) : undefined;
  const end = offset + (text === undefined ? bytes.length : Buffer.byteLength(text));
  return {
    content: text ?? bytes.toString('base64'),
    ...(text === undefined && { encoding: 'base64' }),
    offset,
    ...(end < size && { next_offset: end }),
  };
}

/** Without the beginning of a character that the next page completes. `undefined` where it is no UTF-8. */
function wholeCharacters(bytes: Buffer, more: boolean): string | undefined {
  for (let cut = 0; cut < (more ? 4 : 1) && cut < Math.max(1, bytes.length); cut++) {
    const part = bytes.subarray(0, bytes.length - cut);
    const text = part.toString('utf8');
    if (Buffer.byteLength(text) === part.length && !(text.includes('\ufffd') && !part.includes('\ufffd'))) return text;
  }
  return undefined;
}

export const listCollections = operation({
  ...documentRead,
  name: 'list_collections',
  description: 'The collections of the store, with how many documents and bytes each holds.',
  input: nothing,
  output: z.object({
    collections: z.array(z.object({ name: z.string(), documents: z.number(), bytes: z.number() })),
  }),
  example: { given, input: {} },
  async run(_input, context) {
    const found = await context.read(({ documents }) => documents.collections());
    return { collections: found.map(({ collection: name, ...counts }) => ({ name, ...counts })) };
  },
});

export const status = operation({
  ...documentRead,
  name: 'status',
  description: 'How much the document store holds, and what sharing saves.',
  input: z.strictObject({ detailed: z.boolean().default(false), file_types: z.boolean().default(false) }),
  output: z.object({
    total_objects: z.number(),
    total_bytes: z.number().describe('What all stored contents would take without sharing.'),
    unique_blocks: z.number(),
    deduplicated_bytes: z.number().describe('What sharing saves of it.'),
    dedup_ratio: z.number(),
    stored_bytes: z.number().optional(),
    documents: z.number().optional(),
    collections: z.array(z.record(z.string(), z.unknown())).optional(),
    file_types: z.array(z.record(z.string(), z.unknown())).optional(),
  }),
  example: { given, input: { detailed: true } },
  async run({ detailed, file_types }, context) {
    const { contents, chunks, totalBytes, uniqueBytes, storedBytes } = await context.store.objects.stats();
    const saved = totalBytes - uniqueBytes;
    return context.read(async ({ documents }) => ({
      total_objects: contents,
      total_bytes: totalBytes,
      unique_blocks: chunks,
      deduplicated_bytes: saved,
      dedup_ratio: totalBytes === 0 ? 0 : Math.round((saved / totalBytes) * 10_000) / 10_000,
      ...(detailed && {
        stored_bytes: storedBytes,
        documents: await documents.count({}),
        collections: await documents.collections(),
      }),
      ...(file_types && { file_types: await documents.types() }),
    }));
  },
});
