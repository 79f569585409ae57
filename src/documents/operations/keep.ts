import * as z from 'zod';
import { type Context, nothing, operation } from '../../operations/operation.ts';
import { documentRead, documentWrite, given } from './shape.ts';

const PATHS = 20;
const PAGE = 1000;

export const gc = operation({
  ...documentWrite,
  name: 'gc',
  description:
    'Removes contents that no document, no snapshot, no citation and no pin of a running session needs any more. What is younger than an hour stays.',
  toolsets: ['admin'],
  kind: 'plain',
  idempotent: true,
  input: nothing,
  output: z.object({ contents: z.number(), blocks: z.number(), freed_bytes: z.number() }),
  example: { given, input: {} },
  async run(_input, context) {
    // Each is asked for when its turn comes: a document that is added meanwhile keeps its content.
    const isLive = (hash: string) => context.read(({ documents }) => documents.isNeeded(hash));
    const { contents, chunks, freedBytes } = await context.store.objects.collect(isLive);
    if (contents + chunks > 0) {
      await context.write(async (_change, audit) => {
        audit.note(`${contents} contents, ${chunks} blocks, ${freedBytes} bytes`);
      });
    }
    return { contents, blocks: chunks, freed_bytes: freedBytes };
  },
});

export const contentVerify = operation({
  ...documentRead,
  name: 'content_verify',
  description:
    'Reads every stored content and compares it with its hash; names what is damaged, and what documents and snapshots name that is not there.',
  toolsets: ['admin'],
  kind: 'plain',
  verdict: 'ok',
  input: nothing,
  output: z.object({
    ok: z.boolean(),
    checked: z.number(),
    damaged: z.array(z.object({ hash: z.string(), problem: z.string(), paths: z.array(z.string()) })),
  }),
  example: { given, input: {} },
  async run(_input, context) {
    const report = (done: number, total: number) => context.progress({ done, total, message: 'contents' });
    const { checked, damaged } = await context.store.objects.verify(report, {
      signal: context.signal,
      mark: !context.config.readOnly,
    });
    const faults = [...damaged, ...(await missing(context))];
    const named = await context.read(async ({ documents }) => {
      const all: { hash: string; problem: string; paths: string[] }[] = [];
      for (const { hash, problem } of faults) {
        const paths = (await documents.withHash(hash, PATHS)).map((each) => `${each.collection}/${each.path}`);
        const kept = paths.length === 0 ? await documents.inSnapshots(hash, PATHS) : [];
        all.push({ hash, problem, paths: [...paths, ...kept.map((each) => `snapshot ${each}`)] });
      }
      return all;
    });
    return { ok: faults.length === 0, checked, damaged: named };
  },
});

/** What documents and snapshots name and the store does not have. */
async function missing({ read, store, signal }: Context): Promise<{ hash: string; problem: string }[]> {
  const found: { hash: string; problem: string }[] = [];
  for (let after = '', more = true; more; ) {
    const page = await read(({ documents }) => documents.needed(after, PAGE));
    for (const hash of page) {
      const lost = (await store.objects.size(hash)) === undefined;
      // Asked again: what was deleted since is collected rightly.
      if (lost && (await read(({ documents }) => documents.isNeeded(hash))))
        found.push({ hash, problem: `The content ${hash} is missing from the store` });
    }
    signal.throwIfAborted();
    after = page.at(-1) ?? '';
    more = page.length === PAGE;
  }
  return found;
}
