import * as z from 'zod';
import { plainHash } from '../../documents/find.ts';
import { hash } from '../../documents/operations/shape.ts';
import { CairnError } from '../../errors.ts';
import { type Context, operation } from '../../operations/operation.ts';
import { unifiedDiff } from '../../service/unified-diff.ts';
import { anchorOf } from '../anchors.ts';
import { fileBytes } from '../project-file.ts';

const LARGEST = 4 * 1024 * 1024;
const AMBIGUOUS = 5;

export const contentDiff = operation({
  name: 'content_diff',
  description:
    'The lines that differ between two contents of documents, as a unified diff. stale_list names the hashes; a file of the project that is cited can stand for the second one.',
  family: 'documents',
  toolsets: ['documents'],
  capability: 'read',
  writes: false,
  text: 'diff',
  positional: ['from', 'to'],
  rest: 'Go on with offset = next_offset.',
  input: z.strictObject({
    from: hash,
    to: hash.optional().describe('Without it and without file: everything was removed.'),
    file: z
      .string()
      .min(1)
      .max(1200)
      .optional()
      .describe('A file of the project that was cited when it had the content from.'),
    offset: z.int().min(0).default(0).describe('First line of the diff.'),
    limit: z.int().min(1).max(100_000).default(300).describe('How many lines of it.'),
  }),
  output: z.object({
    diff: z.string().describe('Empty where nothing differs.'),
    from: z.string(),
    to: z.string().optional(),
    lines: z.number().describe('Of the whole diff.'),
    next_offset: z.number().optional(),
  }),
  example: {
    given: [
      { op: 'add', params: { name: 'a.txt', content: 'one\ntwo\n' } },
      { op: 'add', params: { name: 'b.txt', content: 'one\nthree\n' } },
    ],
    input: {
      from: 'c3f9c8c283a2b1f2',
      to: 'c9b0fb1fa00b3a5c',
    },
  },
  async run({ from: given, to, file, offset, limit }, context) {
    if (to !== undefined && file !== undefined)
      throw new CairnError('validation_failed', 'Say what to compare with: either to or file');
    const from = await wholeHash(context, given);
    const now = to === undefined ? undefined : await wholeHash(context, to);
    const before = textOf(await context.store.objects.readAll(from, LARGEST), from);
    const after =
      file === undefined
        ? now && textOf(await context.store.objects.readAll(now, LARGEST), now)
        : await fileText(context, from, file);
    const diff = before === after ? '' : unifiedDiff(file ?? 'content', before, after);
    const all = diff === '' ? [] : diff.split('\n');
    const end = offset + limit;
    return {
      diff: all.slice(offset, end).join('\n'),
      from,
      ...(now !== undefined && { to: now }),
      lines: all.length,
      ...(end < all.length && { next_offset: end }),
    };
  },
});

/** Only what somebody still needs: a content that was deleted, and waits to be collected, is nobody's to read. */
async function wholeHash({ store, read }: Context, given: string): Promise<string> {
  const prefix = plainHash(given);
  const found: string[] = [];
  for (const each of await store.objects.matching(prefix, AMBIGUOUS)) {
    if (await read(({ documents }) => documents.isNeeded(each))) found.push(each);
  }
  const [first, ...others] = found;
  if (first !== undefined && others.length === 0) return first;
  if (first === undefined) {
    throw new CairnError('not_found', `No content has the hash ${prefix}`, {
      suggestion: 'It may have been removed; git may still have the file as it was.',
    });
  }
  throw new CairnError('validation_failed', `${prefix} is the beginning of several hashes`, {
    hashes: found,
    suggestion: 'Give more characters of the one that is meant.',
  });
}

function textOf(bytes: Buffer, name: string): string {
  if (bytes.includes(0)) throw new CairnError('validation_failed', `${name} is no text: its lines cannot be compared`);
  return bytes.toString('utf8');
}

/** A reader may see what became of what is cited, not of any file of the project. */
async function fileText({ config, read }: Context, from: string, file: string): Promise<string | undefined> {
  const citing = await read(({ anchors }) => anchors.citing(from));
  if (!citing.some(({ ref }) => anchorOf(ref).path === file)) {
    throw new CairnError('not_found', `Nothing cites ${file} as the content ${from.slice(0, 16)}`, {
      suggestion: 'Take the command from stale_list.',
    });
  }
  const bytes = await fileBytes(file, config);
  return bytes && textOf(bytes, file);
}
