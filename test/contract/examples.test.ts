/** Every operation's example works, at every door, and answers what its output schema says. */
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { actions } from '../../src/instructions/operations/actions.ts';
import { substitute } from '../../src/operations/pipeline/reference.ts';
import { type SurfaceEntry, surface } from '../../src/operations/surface.ts';
import { cairn, type Message, type StdioServer, serveStdio } from '../support/cairn.ts';
import { freshHome } from '../support/home.ts';
import { saying, site } from '../support/site.ts';

const ajv = new Ajv({ strict: false });

function conforms(entry: SurfaceEntry, result: unknown): void {
  const validate = ajv.compile(entry.outputSchema);
  expect(validate(result), `${entry.name}: ${ajv.errorsText(validate.errors)}`).toBe(true);
}

async function inputOf(entry: SurfaceEntry, server: StdioServer): Promise<unknown> {
  let previous: unknown = {};
  for (const { op, params } of entry.example.given ?? []) {
    const { result } = await server.ask(op, substitute(params, previous));
    previous = result;
  }
  const input = substitute(entry.example.input, previous);
  return entry.openWorld ? nearby(input) : input;
}

/** The same call with a server on loopback in place of one out in the world, which has the same page. */
async function nearby(input: unknown): Promise<unknown> {
  const { url } = input as { readonly url: string };
  const { url: here } = await site({ [new URL(url).pathname]: saying('id,name\n1,Ada\n') });
  return { ...(input as object), url: url.replace(new URL(url).origin, here) };
}

describe.each(surface.entries.map((entry) => [entry.name, entry] as const))('%s', (_name, entry) => {
  it('answers its example alike as a raw method, as a tool under each documented name, through the dispatcher, and as a command', async () => {
    let { home, server } = await started();
    // What a decision answers depends on those before it: there every door begins anew.
    const next = async () => {
      if (entry.envelope) ({ home, server } = await started());
    };

    const raw = await server.ask(entry.name, await inputOf(entry, server));
    expect(raw.error).toBeUndefined();
    conforms(entry, raw.result);

    for (const name of [entry.name, ...entry.spellings]) {
      await next();
      const tool = await server.ask('tools/call', { name, arguments: await inputOf(entry, server) });
      expect(tool.result.isError, JSON.stringify(tool)).toBeUndefined();
      expect(tool.result.content[0].text.length).toBeGreaterThan(0);
      const answer = tool.result.structuredContent as Message;
      if (answer.truncated === true) expect(answer.rest).toEqual(expect.any(String));
      else {
        conforms(entry, answer);
        expect(Object.keys(answer)).toEqual(Object.keys(raw.result));
      }
    }

    const action = Object.entries(actions).find(([, name]) => name === entry.name)?.[0];
    if (action !== undefined) {
      const input = (await inputOf(entry, server)) as Message;
      const dispatched = await server.ask('instructions/dispatch', { action, ...input });
      expect(dispatched.error).toBeUndefined();
      conforms(entry, dispatched.result);
    }

    await next();
    const input = JSON.stringify(await inputOf(entry, server));
    const flags = ['--home', home, '--role', 'admin', '--mutation'];
    const command = await cairn(['call', entry.name, input, ...flags], { env });
    expect(command.stderr).toBe('');
    expect(command.code).toBe(0);
    conforms(entry, JSON.parse(command.stdout));
  });
});

const env = { CAIRN_WRITE_COOLDOWN_MS: '0', CAIRN_DOWNLOAD_PRIVATE: '1' };

async function started(): Promise<{ home: string; server: StdioServer }> {
  const home = await freshHome();
  const server = serveStdio(['--home', home, '--role', 'admin', '--mutation'], env);
  await server.initialize();
  return { home, server };
}
