import * as z from 'zod';
import { nothing, operation } from '../../operations/operation.ts';
import { documentRead, documentWrite, given } from './shape.ts';

export const gc = operation({
  ...documentWrite,
  name: 'gc',
  description: 'Removes contents that no document and no snapshot needs any more. What is younger than an hour stays.',
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
  description: 'Reads every stored content and compares it with its hash; names what is damaged.',
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
    const { checked, damaged } = await context.store.objects.verify(report, context.signal);
    const named = await context.read(({ documents }) =>
      Promise.all(
        damaged.map(async ({ hash, problem }) => {
          const paths = (await documents.withHash(hash, 20)).map((each) => `${each.collection}/${each.path}`);
          return { hash, problem, paths };
        }),
      ),
    );
    return { ok: damaged.length === 0, checked, damaged: named };
  },
});
