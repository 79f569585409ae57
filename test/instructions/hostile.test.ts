/** What a careless or hostile hand can do to a catalog, and what it cannot. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cairn, serveStdio } from '../support/cairn.ts';
import { freshFolder, freshHome } from '../support/home.ts';

const whole = (id: string, more: Record<string, unknown> = {}) => ({
  id,
  title: id,
  body: `Body of ${id}.`,
  priority: 50,
  requirement: 'optional',
  categories: ['a'],
  ...more,
});

async function open(...files: Record<string, unknown>[]) {
  const home = await freshHome();
  const folder = join(home, 'instructions');
  await mkdir(folder, { recursive: true });
  for (const file of files) await writeFile(join(folder, `${file.id}.json`), JSON.stringify(file));
  return { home, folder, serve: (role: string) => serveStdio(['--home', home, '--mutation', '--role', role]) };
}

describe('one odd file', () => {
  it('with a number or date beyond reason is named, and the others are served', async () => {
    const { serve } = await open(
      whole('good'),
      whole('far', { reviewIntervalDays: 1e300 }),
      whole('negative', { reviewIntervalDays: -5 }),
      whole('late', { lastReviewedAt: '+275760-09-13T00:00:00Z' }),
    );
    const server = serve('admin');
    expect((await server.ask('instructions/list')).result.items.map(({ id }: { id: string }) => id)).toEqual(['good']);
    const { unreadable, ok } = (await server.ask('integrity/verify')).result;
    expect([ok, unreadable.map(({ file }: { file: string }) => file).sort()]).toEqual([
      false,
      ['far.json', 'late.json', 'negative.json'],
    ]);
    expect((await server.ask('instructions/groom', { mode: {} })).error).toBeUndefined();
  });

  it('that begins with a byte order mark is read', async () => {
    const { folder, serve } = await open();
    await writeFile(join(folder, 'bom.json'), `\uFEFF${JSON.stringify(whole('bom'))}`);
    expect((await serve('agent').ask('instructions/get', { id: 'bom' })).result.item.title).toBe('bom');
  });

  it('that is a link, a pipe or a folder is not there, and nothing behind it is shown', async () => {
    const { folder, serve } = await open(whole('good'));
    const outside = join(await freshFolder(), 'secret.json');
    await writeFile(outside, JSON.stringify(whole('link', { body: 'secret body' })));
    await symlink(outside, join(folder, 'link.json'));
    await symlink('/dev/zero', join(folder, 'endless.json'));
    execFileSync('mkfifo', [join(folder, 'pipe.json')]);
    await mkdir(join(folder, 'dir.json'));
    const server = serve('admin');
    for (const id of ['link', 'endless', 'pipe', 'dir']) {
      expect((await server.ask('instructions/get', { id })).result).toMatchObject({ notFound: true });
      expect((await server.ask('instructions/governanceUpdate', { id, patch: { owner: 'x' } })).error.code).toBe(
        -32002,
      );
    }
    const added = await server.ask('instructions/add', { entry: whole('link'), overwrite: true });
    expect(JSON.stringify(added)).not.toContain('secret body');
    expect(await readFile(outside, 'utf8')).toContain('secret body');
    expect((await server.ask('instructions/list')).result.count).toBe(2);
  });

  it('whose times were set back is found out by a verification', async () => {
    const { folder, home } = await open();
    const file = join(folder, 'a.json');
    const time = new Date('2026-01-01T00:00:00Z');
    const place = async (body: string) => {
      await writeFile(file, JSON.stringify(whole('a', { body })));
      await utimes(file, time, time);
    };
    await place('AAAA');
    await cairn(['instructions', 'list', '--home', home]);
    await place('BBBB');
    const server = serveStdio(['--home', home]);
    await server.ask('integrity/verify');
    expect((await server.ask('instructions/export')).result.items[0].body).toBe('BBBB');
    expect((await server.ask('instructions/search', { q: 'BBBB' })).result.count).toBe(1);
  });
});

describe('an agent', () => {
  it('cannot leave approved what it changed, nor bring back what an admin took away', async () => {
    const { serve } = await open();
    const [admin, agent] = [serve('admin'), serve('agent')];
    const status = async () => (await admin.ask('instructions/get', { id: 'rule' })).result.item.status;
    const approve = () => admin.ask('instructions/governanceUpdate', { id: 'rule', patch: { status: 'approved' } });
    await admin.ask('instructions/add', { entry: whole('rule') });
    expect(await status()).toBe('approved');
    await agent.ask('instructions/add', { entry: { id: 'rule', body: 'Other.' }, overwrite: true });
    expect(await status()).toBe('draft');
    await approve();
    await agent.ask('instructions/governanceUpdate', { id: 'rule', patch: { title: 'Other' } });
    expect(await status()).toBe('draft');
    await approve();
    await agent.ask('instructions/import', { entries: [{ id: 'rule', categories: ['b'] }], mode: 'merge' });
    expect(await status()).toBe('draft');
    await approve();
    const { backup } = (await agent.ask('backup_create')).result;
    expect((await agent.ask('backup_restore', { backup })).error.code).toBe(-32004);
  });

  it('cannot date its entries, name a blank owner, or hide a secret in any field', async () => {
    const { serve } = await open();
    const agent = serve('agent');
    await agent.ask('instructions/add', { entry: whole('old', { createdAt: '1999-01-01T00:00:00Z' }) });
    expect((await agent.ask('instructions/get', { id: 'old' })).result.item.createdAt).not.toMatch(/^1999/);
    for (const owner of [' ', ' UNOWNED ']) {
      expect(
        (await agent.ask('instructions/add', { entry: whole('x', { requirement: 'critical', owner }) })).result.created,
      ).toBe(false);
    }
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    for (const field of ['description', 'semanticSummary', 'source', 'owner']) {
      expect((await agent.ask('instructions/add', { entry: whole('s', { [field]: secret }) })).result.error).toMatch(
        /^secret/,
      );
    }
    expect((await agent.ask('instructions/add', { entry: whole('s', { tags: [secret] }) })).result.error).toMatch(
      /^secret/,
    );
    expect((await agent.ask('instructions/governanceUpdate', { id: 'old', patch: { title: secret } })).error.code).toBe(
      -32002,
    );
  });
});

describe('what cannot be read back', () => {
  it('is refused by add and named by import, which takes the rest', async () => {
    const { serve } = await open();
    const server = serve('admin');
    for (const field of ['nextReviewDue', 'lastReviewedAt']) {
      const { result } = await server.ask('instructions/add', { entry: whole('bad', { [field]: 'garbage' }) });
      expect([result.created, result.error]).toEqual([false, expect.stringContaining('invalid_entry')]);
    }
    const { result } = await server.ask('instructions/import', {
      entries: [whole('bad', { createdAt: 'x' }), whole('good')],
      preserve: true,
    });
    expect(result).toMatchObject({ imported: 1, ok: false, errors: [{ index: 0, id: 'bad', code: 'invalid_entry' }] });
    expect((await server.ask('integrity/verify')).result).toMatchObject({ count: 1, ok: true });
  });

  it('is no reason to lose what was not sent: a preserving import keeps it', async () => {
    const { serve } = await open();
    const server = serve('admin');
    await server.ask('instructions/add', { entry: whole('m', { title: 'Keep me', owner: 'ann', tags: ['t'] }) });
    await server.ask('instructions/import', {
      entries: [{ id: 'm', body: 'New body.' }],
      mode: 'overwrite',
      preserve: true,
    });
    expect((await server.ask('instructions/get', { id: 'm' })).result.item).toMatchObject({
      title: 'Keep me',
      owner: 'ann',
      tags: ['t'],
      body: 'New body.',
    });
  });
});

describe('the counter of an instruction', () => {
  it('goes with it and does not come back', async () => {
    const { serve } = await open();
    const [one, two] = [serve('admin'), serve('admin')];
    await one.ask('instructions/add', { entry: whole('u') });
    for (const server of [one, two, two]) await server.ask('usage/track', { id: 'u' });
    await one.ask('instructions/remove', { ids: ['u'] });
    await one.ask('usage/flush');
    await two.ask('usage/flush');
    expect((await one.ask('usage/hotset')).result.items).toEqual([]);
    await one.ask('instructions/add', { entry: whole('u') });
    expect((await one.ask('usage/track', { id: 'u' })).result.usageCount).toBe(1);
  });
});

describe('a refused add', () => {
  it('makes no home', async () => {
    const home = await freshHome();
    const server = serveStdio(['--home', home, '--mutation']);
    for (const entry of [whole('BAD ID'), whole('x', { requirement: 'mandatory' }), { id: 'x' }]) {
      expect((await server.ask('instructions/add', { entry })).result.created).toBe(false);
    }
    expect(existsSync(home)).toBe(false);
  });
});

describe('the command line', () => {
  it('verifies for CI, takes words behind --, and fails when an import fails', async () => {
    const { home, folder } = await open(whole('good'));
    expect((await cairn(['verify', '--home', home])).code).toBe(0);
    expect(JSON.parse((await cairn(['instructions', 'get', '--home', home, '--', 'good'])).stdout).item.id).toBe(
      'good',
    );
    expect((await cairn(['instructions', 'list', '--home', home, '--', 'stray'])).code).toBe(2);
    const refused = await cairn([
      'call',
      'instructions_import',
      '{"entries":[{"id":"BAD ID","body":"x"}]}',
      '--home',
      home,
      '--mutation',
    ]);
    expect(refused.code).toBe(1);
    await writeFile(join(folder, 'torn.json'), '{');
    expect((await cairn(['verify', '--home', home])).code).toBe(1);
    expect((await cairn(['integrity', 'verify', '--home', home])).code).toBe(1);
  });
});
