/** The catalog on the command line: import, gates, review and due, as people and CI use them. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cairn } from '../support/cairn.ts';
import { freshFolder } from '../support/home.ts';

async function project() {
  const folder = await freshFolder();
  const home = join(folder, '.cairn');
  const run = (...args: string[]) =>
    cairn([...args, '--home', home], { cwd: folder, env: { MCP_ENABLE_MUTATION: '1', CAIRN_ROLE: 'admin' } });
  const write = async (path: string, text: string) => {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  return { folder, home, run, write };
}

describe('cairn import', () => {
  it('splits AGENTS.md into entries and reports what it did', async () => {
    const { run, write } = await project();
    await write('AGENTS.md', '# Building\n\nRun make.\n\n## Testing\n\nRun make test.\n');
    const { stdout, code } = await run('import', 'AGENTS.md');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ imported: 2, skipped: 0, errors: [], total: 2 });
    const listed = JSON.parse((await run('instructions', 'list')).stdout);
    expect(listed.items.map(({ source }: { source: string }) => source)).toEqual([
      'AGENTS.md#Building',
      'AGENTS.md#Testing',
    ]);
    expect(JSON.parse((await run('import', 'AGENTS.md')).stdout)).toMatchObject({ imported: 0, skipped: 2 });
  });

  it('maps a foreign catalog and names every mapping', async () => {
    const { run, write } = await project();
    await write(
      'old/one.json',
      JSON.stringify({
        id: 'one',
        title: 'One',
        body: 'B',
        priority: 5,
        audience: 'devs',
        requirement: 'Document it.',
        categories: ['X y'],
      }),
    );
    const result = JSON.parse((await run('import', 'index-server', 'old')).stdout);
    expect(result).toMatchObject({ rows: [{ found: 1, imported: 1, skipped: 0 }], skipped: [] });
    expect(result.mappings.map(({ field }: { field: string }) => field).sort()).toEqual(
      expect.arrayContaining(['audience', 'categories', 'requirement']),
    );
  });

  it('reads nothing outside the project, not through a link either', async () => {
    const { run, folder, write } = await project();
    const { symlink } = await import('node:fs/promises');
    const outside = await freshFolder();
    await writeFile(join(outside, 'AGENTS.md'), '# Secret\n\nNot yours.\n');
    await write('inside.txt', '');
    await symlink(outside, join(folder, 'link'));
    for (const path of [outside, join('link'), join('link', 'AGENTS.md'), '/etc']) {
      const { code, stderr } = await run('import', path);
      expect([path, code, stderr]).toEqual([path, 1, expect.stringContaining('outside the allowed folders')]);
    }
  });

  it('brings back exactly what an export gave, when told to preserve', async () => {
    const { run, home, write } = await project();
    await run(
      'call',
      'instructions_add',
      JSON.stringify({
        entry: {
          id: 'a',
          title: 'A',
          body: 'Body.',
          priority: 3,
          requirement: 'optional',
          categories: ['x'],
          version: '2.3.4',
        },
      }),
    );
    await run('call', 'instructions_add', JSON.stringify({ entry: { id: 'a', body: 'Body two.' }, overwrite: true }));
    const exported = JSON.parse((await run('instructions', 'export')).stdout);
    await run('instructions', 'remove', '--ids', 'a');
    await write('backup.json', JSON.stringify(exported.items));
    const input = JSON.stringify({ entries: exported.items, preserve: true });
    expect(JSON.parse((await run('call', 'instructions_import', input)).stdout)).toMatchObject({
      imported: 1,
      errors: [],
    });
    const again = JSON.parse((await run('instructions', 'export')).stdout);
    expect([again.items, again.hash]).toEqual([exported.items, exported.hash]);
    expect(home).toContain('.cairn');
  });
});

describe('cairn gates', () => {
  it('passes or fails with its exit code, and in every format', async () => {
    const { run, write } = await project();
    await run('call', 'instructions_add', JSON.stringify({ entry: { id: 'a', body: 'B.', owner: 'ann' }, lax: true }));
    expect((await run('gates')).code).toBe(0);
    await write(
      '.cairn/gates.json',
      JSON.stringify({
        gates: [
          { id: 'some', type: 'count', where: {}, op: '>=', value: 1, severity: 'error' },
          {
            id: 'nobody-unowned',
            type: 'count',
            where: { owner: { '!=': 'ann' } },
            op: '==',
            value: 0,
            severity: 'error',
          },
        ],
      }),
    );
    expect((await run('gates')).code).toBe(0);
    await run('call', 'instructions_add', JSON.stringify({ entry: { id: 'b', body: 'B.' }, lax: true }));
    const json = await run('gates', '--format', 'json');
    expect([json.code, JSON.parse(json.stdout)]).toEqual([
      1,
      expect.objectContaining({ ok: false, subjects: ['some', 'nobody-unowned'] }),
    ]);
    expect((await run('gates', '--format', 'text')).stdout).toContain(
      'error nobody-unowned: 1 entries fit, and the gate wants == 0',
    );
    expect(JSON.parse((await run('gates', '--format=sarif')).stdout).runs[0].results[0].ruleId).toBe('nobody-unowned');
    expect((await run('gates', '--format', 'junit')).stdout).toMatch(/tests="2" failures="1"/);
    expect((await run('gates', '--format', 'yaml')).code).toBe(2);
  });

  it('is an error, never a pass, when a gate cannot be understood', async () => {
    const { run, write } = await project();
    await write(
      '.cairn/gates.json',
      JSON.stringify({
        gates: [{ id: 'odd', type: 'count', where: { priority: { '~': 1 } }, op: '>=', value: 0, severity: 'error' }],
      }),
    );
    const { code, stdout } = await run('gates', '--format', 'text');
    expect([code, stdout]).toEqual([1, expect.stringContaining('odd')]);
  });
});

describe('cairn review', () => {
  it('finds secrets in files with their line, masked, and is quiet on good prompts', async () => {
    const { run, write } = await project();
    await write('good.md', 'You are helping the finance team. Summarise the attached report in five sentences.\n');
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    await write('bad.md', `${'A line of ordinary text.\n'.repeat(600)}Use ${secret} to sign in.\n`);
    expect((await run('review', 'good.md')).code).toBe(0);
    const { code, stdout } = await run('review', 'good.md', 'bad.md', '--format', 'text');
    expect(code).toBe(1);
    expect(stdout).toContain('bad.md:601: critical no-secrets');
    expect(stdout).not.toContain(secret);
    expect((await run('review')).code).toBe(2);
    expect((await run('review', 'missing.md')).code).toBe(2);
  });
});

describe('cairn due', () => {
  it('lists what is to be reviewed by owner', async () => {
    const { run } = await project();
    const entry = { id: 'old', body: 'B.', owner: 'ann', nextReviewDue: '2020-01-01T00:00:00.000Z' };
    await run('call', 'instructions_add', JSON.stringify({ entry, lax: true }));
    await run(
      'call',
      'instructions_add',
      JSON.stringify({ entry: { id: 'new', body: 'B.', owner: 'ann' }, lax: true }),
    );
    const due = JSON.parse((await run('due')).stdout);
    expect(due.ann.map(({ id }: { id: string }) => id)).toEqual(['old']);
  });
});
