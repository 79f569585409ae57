/** What the seeds promise of a governed catalog, seen from outside. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type StdioServer, serveStdio } from '../support/cairn.ts';
import { freshHome } from '../support/home.ts';

const whole = (id: string, more: Record<string, unknown> = {}) => ({
  id,
  title: `Title of ${id}`,
  body: `Body of ${id}.`,
  priority: 50,
  requirement: 'recommended',
  categories: ['testing'],
  ...more,
});

async function open(...args: string[]) {
  const home = await freshHome();
  const server = serveStdio(['--home', home, '--mutation', '--role', 'admin', ...args]);
  return { home, server, file: (id: string) => join(home, 'instructions', `${id}.json`) };
}

async function add(server: StdioServer, entry: unknown, more: Record<string, unknown> = {}) {
  return (await server.ask('instructions/add', { entry, ...more })).result;
}

describe('adding', () => {
  it('answers success only for what can be read back, with the hashes of what was stored', async () => {
    const { server, file } = await open();
    const added = await add(server, whole('alpha', { body: 'Line one.  \r\nLine two.\r\n\r\n' }));
    expect(added).toMatchObject({
      id: 'alpha',
      created: true,
      overwritten: false,
      skipped: false,
      verified: true,
      version: '1.0.0',
    });
    const stored = JSON.parse(await readFile(file('alpha'), 'utf8'));
    expect(stored.body).toBe('Line one.\nLine two.');
    expect(stored.sourceHash).toBe(added.sourceHash);
    expect((await server.ask('integrity/verify')).result.issueCount).toBe(0);
  });

  it('refuses with a name, a hint and the start of what was sent', async () => {
    const { server } = await open();
    const cases: [unknown, Record<string, unknown>, string | RegExp][] = [
      [undefined, {}, 'missing entry'],
      [{ id: 'x', body: 'b' }, {}, 'missing required fields: title, priority, requirement, categories'],
      [whole('x', { requirement: 'mandatory' }), {}, 'mandatory/critical require owner'],
      [whole('x', { requirement: 'critical', owner: 'unowned' }), {}, 'mandatory/critical require owner'],
      [whole('x', { version: '1.0' }), {}, 'invalid_semver'],
      [whole('x', { version: 'v1.0.0' }), {}, 'invalid_semver'],
      [whole('x', { priorityTier: 'P1' }), {}, 'P1 requires category and owner'],
      [whole('x', { body: 'x'.repeat(1_000_001) }), {}, 'body_too_large'],
      [whole('Not An Id'), {}, 'invalid_id'],
      [whole('../escape'), {}, 'invalid_id'],
      [whole('gates'), {}, 'invalid_id'],
      [whole('x', { priority: 'high' }), { lax: true }, /^invalid_entry: priority must be number/],
      [whole('x', { colour: 'red' }), { lax: true }, /^invalid_entry: .*additional properties: "colour"/],
      [whole('x', { body: `key: ${'AKIA'}${'IOSFODNN7ABCDEFG'}` }), {}, /^secret: /],
    ];
    for (const [entry, more, error] of cases) {
      const refused = await add(server, entry, more);
      expect([refused.created, refused.error]).toEqual([
        false,
        typeof error === 'string' ? error : expect.stringMatching(error),
      ]);
      expect(refused.feedbackHint).toContain('feedback/submit');
      expect(refused.reproEntry).toBeTypeOf('object');
    }
    expect((await server.ask('instructions/list')).result.count).toBe(0);
  });

  it('carries the schema with a structural error, and is a tool error on tools/call', async () => {
    const { server } = await open();
    await server.initialize();
    const { result } = await server.ask('tools/call', {
      name: 'instructions/add',
      arguments: { id: 'my-instruction', body: 'Content' },
    });
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toMatchObject({ created: false, error: 'missing entry' });
    expect(result.structuredContent.schema.properties.requirement.enum).toContain('mandatory');
  });

  it('skips what exists, and with MCP_INSTRUCTIONS_STRICT_CREATE refuses it', async () => {
    const { server, home } = await open();
    await add(server, whole('alpha'));
    expect(await add(server, whole('alpha', { body: 'other' }))).toMatchObject({
      created: false,
      overwritten: false,
      skipped: true,
    });
    const strict = serveStdio(['--home', home, '--mutation'], { MCP_INSTRUCTIONS_STRICT_CREATE: '1' });
    expect(await add(strict, whole('alpha'))).toMatchObject({ created: false, error: 'already_exists' });
  });

  it('is a draft when an agent does it, whatever the agent says', async () => {
    const { home } = await open();
    const agent = serveStdio(['--home', home, '--mutation']);
    expect(await add(agent, whole('alpha', { status: 'approved' }))).toMatchObject({ status: 'draft' });
    const { error } = await agent.ask('instructions/governanceUpdate', { id: 'alpha', patch: { status: 'approved' } });
    expect(error.code).toBe(-32004);
    expect(await add(agent, { id: 'alpha', status: 'approved', title: 'T' }, { overwrite: true })).toMatchObject({
      status: 'draft',
    });
  });

  it('gives new entries the owner that owners.json names', async () => {
    const { server, home } = await open();
    await add(server, whole('first'));
    await writeFile(join(home, 'owners.json'), JSON.stringify({ owners: [{ match: 'web-*', owner: 'team-web' }] }));
    await add(server, whole('web-forms', { requirement: 'mandatory' }));
    expect((await server.ask('instructions/get', { id: 'web-forms' })).result.item.owner).toBe('team-web');
  });

  it('needs the mutation switch on every path, and reads need none', async () => {
    const home = await freshHome();
    const server = serveStdio(['--home', home, '--role', 'admin']);
    const params = { entry: whole('alpha') };
    const paths: [string, unknown][] = [
      ['instructions/add', params],
      ['index_add', params],
      ['instructions/dispatch', { action: 'add', ...params }],
      ['instructions/remove', { ids: ['alpha'] }],
      ['execute', { operations: [{ op: 'instructions_add', params }] }],
    ];
    for (const [method, input] of paths) {
      const { error, result } = await server.ask(method, input);
      const code = error?.code ?? result.results[0].code;
      const message = error?.message ?? result.results[0].error;
      expect([method, code, message]).toEqual([
        method,
        -32000,
        'Mutation disabled. Set MCP_ENABLE_MUTATION=1 to enable.',
      ]);
    }
    const batch = await server.ask('instructions/dispatch', {
      action: 'batch',
      operations: [{ action: 'list' }, { action: 'add', ...params }],
    });
    expect(batch.result.results).toMatchObject([{ count: 0 }, { error: { code: -32000 } }]);
  });
});

describe('overwriting', () => {
  it('keeps what is not sent, raises the version with the body, and derives again what depends on it', async () => {
    const { server } = await open();
    await add(server, whole('alpha', { owner: 'ann', tags: ['kept'] }));
    const body = await add(server, { id: 'alpha', body: 'A new body.' }, { overwrite: true });
    expect(body).toMatchObject({ overwritten: true, version: '1.0.1' });
    const meta = await add(server, { id: 'alpha', requirement: 'mandatory' }, { overwrite: true });
    expect(meta).toMatchObject({ overwritten: true, version: '1.0.1', sourceHash: body.sourceHash });
    const { item } = (await server.ask('instructions/get', { id: 'alpha' })).result;
    expect(item).toMatchObject({
      owner: 'ann',
      tags: ['kept'],
      body: 'A new body.',
      semanticSummary: 'A new body.',
      priorityTier: 'P1',
      reviewIntervalDays: 30,
      riskScore: 100,
    });
    expect(item.changeLog.map(({ version }: { version: string }) => version)).toEqual(['1.0.0', '1.0.1']);
  });

  it('changes nothing when nothing changes, refuses a lower version and a stale expectation', async () => {
    const { server, file } = await open();
    await add(server, whole('alpha', { version: '2.0.0' }));
    const before = await readFile(file('alpha'), 'utf8');
    expect(await add(server, whole('alpha'), { overwrite: true })).toMatchObject({ skipped: true, overwritten: false });
    expect(await readFile(file('alpha'), 'utf8')).toBe(before);
    expect(await add(server, whole('alpha', { version: '1.9.9', body: 'b2' }), { overwrite: true })).toMatchObject({
      error: 'version_not_bumped',
    });
    expect(
      await add(server, whole('alpha', { body: 'b2' }), { overwrite: true, expectedVersion: '1.0.0' }),
    ).toMatchObject({ error: 'version_conflict' });
    expect(
      await add(server, whole('alpha', { body: 'b2', version: '3.0.0' }), {
        overwrite: true,
        expectedVersion: '2.0.0',
      }),
    ).toMatchObject({ version: '3.0.0' });
  });

  it('loses no update: forty overwrites from four processes end at 1.0.40', async () => {
    const { server, home } = await open();
    await add(server, whole('alpha'));
    const servers = Array.from({ length: 4 }, () => serveStdio(['--home', home, '--mutation', '--role', 'admin']));
    await Promise.all(
      servers.map(async (each, writer) => {
        for (let index = 0; index < 10; index++)
          await add(each, { id: 'alpha', body: `From ${writer}, number ${index}.` }, { overwrite: true });
      }),
    );
    const { item } = (await server.ask('instructions/get', { id: 'alpha' })).result;
    expect([item.version, item.changeLog.length]).toEqual(['1.0.40', 41]);
    expect((await server.ask('audit_verify')).result).toEqual({ intact: true, entries: 41 });
  });
});

describe('the governance hash', () => {
  it('stays on a body edited by hand, and moves with every field it projects', async () => {
    const { server, file } = await open();
    await add(server, whole('alpha', { owner: 'ann' }));
    const hash = async () => (await server.ask('instructions/governanceHash')).result.governanceHash;
    const first = await hash();
    const stored = JSON.parse(await readFile(file('alpha'), 'utf8'));
    await writeFile(file('alpha'), JSON.stringify({ ...stored, body: 'Edited by hand.' }));
    await server.ask('instructions/get', { id: 'alpha' });
    expect(await hash()).toBe(first);
    expect((await server.ask('integrity/verify')).result.issues).toEqual([
      { id: 'alpha', expected: stored.sourceHash, actual: expect.any(String) },
    ]);
    const seen = new Set([first]);
    const patches = [
      { title: 'New' },
      { owner: 'bob' },
      { priority: 5 },
      { nextReviewDue: '2030-01-01T00:00:00.000Z' },
      { semanticSummary: 'Else' },
    ];
    for (const patch of patches) {
      await server.ask('instructions/governanceUpdate', { id: 'alpha', patch, bump: 'none' });
      seen.add(await hash());
    }
    await server.ask('instructions/governanceUpdate', { id: 'alpha', patch: { owner: 'cem' }, bump: 'major' });
    seen.add(await hash());
    expect(seen.size).toBe(patches.length + 2);
  });

  it('is S0’s algorithm to the letter', async () => {
    const { createHash } = await import('node:crypto');
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
    const { server } = await open();
    for (const id of ['b', 'a-b', 'a', 'a.b']) await add(server, whole(id));
    const { governanceHash, items, count } = (await server.ask('instructions/governanceHash')).result;
    const fields = [
      'id',
      'title',
      'version',
      'owner',
      'priorityTier',
      'nextReviewDue',
      'semanticSummarySha256',
      'changeLogLength',
    ];
    const lines = items.map((item: Record<string, unknown>) =>
      JSON.stringify(Object.fromEntries(fields.map((field) => [field, item[field]]))),
    );
    expect(items.map(({ id }: { id: string }) => id)).toEqual(['a', 'a-b', 'a.b', 'b']);
    expect([count, governanceHash]).toEqual([4, sha256(lines.join('\n'))]);
  });
});

describe('an id that cannot exist', () => {
  it('is simply not found, wherever it is asked for', async () => {
    const { server } = await open();
    for (const id of ['../state', 'a/b', '.hidden', 'UPPER', 'gates', 'x'.repeat(190)]) {
      expect((await server.ask('instructions/get', { id })).result).toMatchObject({ notFound: true, id });
      expect((await server.ask('instructions/getEnhanced', { id })).result).toMatchObject({ notFound: true });
      expect((await server.ask('instructions/remove', { ids: [id] })).result).toMatchObject({
        removed: 0,
        missing: [id],
      });
      expect((await server.ask('instructions/governanceUpdate', { id, patch: { owner: 'x' } })).error.code).toBe(
        -32002,
      );
    }
  });
});

describe('removing', () => {
  it('needs confirm above ten, counts what cascades, and reports what is missing', async () => {
    const { server } = await open();
    for (let index = 0; index < 12; index++) {
      await add(server, whole(`e${index}`, index === 0 ? {} : { dependencies: [`e${index - 1}`] }));
    }
    const { error } = await server.ask('instructions/remove', { ids: ['e0'], cascade: true });
    expect(error).toMatchObject({ code: -32002 });
    expect((await server.ask('instructions/list')).result.count).toBe(12);
    const some = (await server.ask('instructions/remove', { ids: ['e10', 'nobody'], cascade: true })).result;
    expect(some).toMatchObject({
      removed: 2,
      removedIds: ['e10', 'e11'],
      missing: ['nobody'],
      errorCount: 0,
      cascadeRemovals: ['e11'],
    });
    const all = (await server.ask('instructions/remove', { ids: ['e0'], cascade: true, confirm: true })).result;
    expect(all.removed).toBe(10);
    expect((await server.ask('instructions/list')).result.count).toBe(0);
  });
});

describe('usage', () => {
  it('counts exactly across processes, the first use at once', async () => {
    const { server, home } = await open();
    await add(server, whole('alpha'));
    const env = { MCP_DISABLE_USAGE_RATE_LIMIT: '1' };
    const servers = [serveStdio(['--home', home], env), serveStdio(['--home', home], env)];
    await Promise.all(
      servers.map(async (each) => {
        for (let index = 0; index < 20; index++) await each.ask('usage/track', { id: 'alpha' });
        each.endInput();
        await each.exited;
      }),
    );
    const { result } = await server.ask('usage/hotset', { limit: 3 });
    expect(result).toMatchObject({ count: 1, limit: 3, items: [{ id: 'alpha', usageCount: 40 }] });
    expect((await server.ask('instructions/get', { id: 'alpha' })).result.item.usageCount).toBe(40);
  });

  it('takes both documented shapes, limits one instruction to ten a second, and knows what is not there', async () => {
    const { server } = await open();
    await add(server, whole('alpha'));
    const both = await server.ask('usage/track', {
      instructionId: 'alpha',
      context: { sessionId: 's1', timestamp: '2026-01-01' },
      metrics: { success: true },
    });
    expect(both.result).toMatchObject({
      id: 'alpha',
      usageCount: 1,
      tracked: true,
      sessionId: 's1',
      aggregatedCount: 1,
    });
    const many = await Promise.all(Array.from({ length: 30 }, () => server.ask('usage/track', { id: 'alpha' })));
    expect(many.some(({ result }) => result.rateLimited === true)).toBe(true);
    expect((await server.ask('usage/track', { id: 'nobody' })).result).toMatchObject({ notFound: true });
  });
});
