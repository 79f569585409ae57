/** Ten thousand malformed frames never kill the server, and every valid request among them is answered. */
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { serveStdio } from '../support/cairn.ts';
import { freshHome } from '../support/home.ts';

const noNewline = (text: string) => text.replace(/[\r\n]/g, ' ');
const json = fc.json({ maxDepth: 4 });
const methods = [
  'initialize',
  'tools/call',
  'tools/list',
  'resources/read',
  'prompts/get',
  'completion/complete',
  'ping',
  'query',
  'notifications/cancelled',
  'notifications/initialized',
  'server/discover',
  'logging/setLevel',
  'nope',
  '',
];

/** JSON-RPC with any part wrong: the kind of frame a broken client sends. */
const nearMiss = fc
  .record(
    {
      jsonrpc: fc.constantFrom('2.0', '1.0', 2, null),
      id: fc.oneof(fc.integer({ max: 999 }), fc.constant(null), fc.double(), fc.object({ maxDepth: 1 })),
      method: fc.oneof(fc.constantFrom(...methods), fc.jsonValue({ maxDepth: 1 })),
      params: fc.jsonValue({ maxDepth: 3 }),
      result: fc.jsonValue({ maxDepth: 1 }),
    },
    { requiredKeys: [] },
  )
  .map((frame) => JSON.stringify(frame));

const frame = fc.oneof(
  { weight: 4, arbitrary: nearMiss },
  { weight: 2, arbitrary: json },
  { weight: 1, arbitrary: json.map((text) => text.slice(0, Math.floor(text.length / 2))) },
  { weight: 1, arbitrary: fc.string({ maxLength: 300 }) },
);

// `exit` and `shutdown` are the two methods that may end the server; the generators above never produce them.
it('survives 10,000 malformed frames and answers every valid request among them', async () => {
  const server = serveStdio(['--home', await freshHome()]);
  const frames = fc.sample(frame, 10_000);
  const answers: Promise<unknown>[] = [];
  for (const [index, text] of frames.entries()) {
    server.write(noNewline(text));
    if (index % 50 === 0) answers.push(server.ask('mcp.echo', { message: `still here ${index}` }));
    if (index % 500 === 0)
      server.write(
        randomBytes(64)
          .toString('latin1')
          .replace(/[\r\n]/g, ' '),
      );
  }
  const echoed = (await Promise.all(answers)) as { result: { message: string } }[];
  expect(echoed.map(({ result }) => result.message)).toEqual(answers.map((_, index) => `still here ${index * 50}`));
  server.endInput();
  expect(await server.exited).toBe(0);
}, 120_000);
