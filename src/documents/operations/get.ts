import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { CairnError } from '../../errors.ts';
import { reachedShape } from '../../graph/operations/node-shape.ts';
import { type Context, operation } from '../../operations/operation.ts';
import { may } from '../../service/principal.ts';
import { allowedPath } from '../../service/roots.ts';
import type { DocumentRecord } from '../../store/documents.ts';
import type { HashedText } from '../../store/store.ts';
import { contentOf as bytesOf } from '../content.ts';
import { meant, notFound, plainHash, several } from '../find.ts';
import { faultOf } from '../place.ts';
import { readText } from '../read-text.ts';
import { writeContent } from '../write-out.ts';
import { collection, documentRead, documentShape, given, hash, path, shown } from './shape.ts';

const PAGE = 16 * 1024;
const PATHS = 1000;
const RELATED = 50;

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
    graph: z.boolean().default(false).describe('Also what it is connected with.'),
    depth: z.int().min(1).max(5).default(2).describe('How many steps away.'),
  }),
  output: z.object({
    ...documentShape.partial().shape,
    kind: z.string().optional().describe('instruction, where the hash is that of one.'),
    paths: z.array(z.string()).describe('Every path that has this content, with its collection.'),
    content: z.string().optional(),
    encoding: z.string().optional().describe('base64 where the content is no text.'),
    offset: z.number().optional(),
    next_offset: z.number().optional().describe('Where the rest begins.'),
    unit: z.enum(['bytes', 'characters']).optional().describe('What offset counts.'),
    output_path: z.string().optional(),
    title: z.string().optional(),
    problem: z.string().optional().describe('Why there is no text, or not all of it.'),
    related: z.array(reachedShape).optional().describe('The nearest first.'),
  }),
  example: { given, input: { name: 'notes/design.md', include_content: true } },
  async run({ include_content, as_text, offset, length, outputPath, overwrite, graph, depth, ...which }, context) {
    const instruction = await instructionMeant(context, which);
    if (instruction !== undefined) return shownInstruction(instruction, include_content || as_text, offset, length);
    const { first, paths } = await context.read(async ({ documents }) => {
      const found = await meant(documents, which);
      const [first] = found;
      if (first === undefined) throw notFound(which.hash ?? which.name ?? '');
      if (found.some((each) => each.hash !== first.hash)) throw several(which.name ?? '', found);
      const same = await documents.withHash(first.hash, PATHS);
      const paths = same.map((each) => `${each.collection}/${each.path}`);
      return { first, paths };
    });
    const related = graph ? await around(context, first, depth) : undefined;
    const written = outputPath === undefined ? undefined : await writeTo(context, first.hash, outputPath, overwrite);
    return {
      ...shown(first),
      paths,
      ...(include_content && !as_text && (await contentOf(context, first, offset, length))),
      ...(as_text && (await textOf(context, first, offset, length))),
      ...(written !== undefined && { output_path: written }),
      ...(related !== undefined && { related }),
    };
  },
});

/** The graph knows every kind of knowledge; it is loaded when it is asked for. */
async function around(context: Context, document: DocumentRecord, depth: number) {
  const { nodesAround } = await import('../../graph/operations/around.ts');
  return nodesAround(context, document, depth, RELATED);
}

interface Which {
  readonly hash?: string | undefined;
  readonly name?: string | undefined;
  readonly collection?: string | undefined;
}

/** A hash may be that of another kind of knowledge, as a search for it answers; a document with it comes first. */
async function instructionMeant({ store, read }: Context, { hash: given, name, collection: within }: Which) {
  if (given === undefined || name !== undefined || within !== undefined) return undefined;
  const prefix = plainHash(given);
  const documents = await read((view) => view.documents.hashesFrom(prefix, 1));
  const [found, another] = documents.length > 0 ? [] : await store.instructions.withHash(prefix, 2);
  return another === undefined || another.hash === found?.hash ? found : undefined;
}

function shownInstruction({ id, hash: whole, body }: HashedText, withContent: boolean, offset: number, length: number) {
  const page = wholePage(body, offset, length);
  const end = offset + page.length;
  return {
    kind: 'instruction',
    hash: whole,
    name: id,
    path: `instructions/${id}`,
    size: Buffer.byteLength(body),
    type: 'text',
    mime: 'text/markdown',
    paths: [`instructions/${id}`],
    ...(withContent && {
      content: page,
      offset,
      unit: 'characters' as const,
      ...(end < body.length && { next_offset: end }),
    }),
  };
}

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
  if (await writeContent(store.objects, whole, target, { overwrite, signal })) {
    await context.write(async (_change, audit) => audit.note(`${whole} to ${target}`));
    return target;
  }
  throw new CairnError('conflict', `${outputPath} exists already`, {
    suggestion: 'Set overwrite: true to replace it.',
  });
}

async function textOf({ store, workers, signal }: Context, document: DocumentRecord, offset: number, length: number) {
  const { text = '', title, problem } = await readText(store, workers, document, signal);
  const end = offset + wholePage(text, offset, length).length;
  return {
    content: text.slice(offset, end),
    offset,
    unit: 'characters' as const,
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

async function contentOf(
  { store }: Context,
  { hash: whole, size, kind }: DocumentRecord,
  offset: number,
  length: number,
) {
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
    unit: 'bytes' as const,
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
