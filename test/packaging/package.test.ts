/** What is published: the npm package installs and runs by itself, and everything beside it is valid and of one version. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { surface } from '../../src/operations/surface.ts';
import { cairn } from '../support/cairn.ts';
import { freshFolder, freshHome } from '../support/home.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

describe('the npm package', () => {
  it('holds what it needs and no more, installs, and runs by its name', { timeout: 300_000 }, async () => {
    const folder = await freshFolder();
    const packed = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
      cwd: root,
    });
    const [{ filename, files }] = JSON.parse(packed.stdout) as [{ filename: string; files: { path: string }[] }];
    const paths = files.map(({ path }) => path);
    for (const path of ['dist/cairn.js', 'dist/worker.js', 'dist/embedder.js', 'dist/web/index.html', 'LICENSE'])
      expect(paths).toContain(path);
    expect(
      paths.filter((path) => !/^(?:dist\/|LICENSE$|README\.md$|CHANGELOG\.md$|package\.json$)/.test(path)),
    ).toEqual([]);

    await writeFile(join(folder, 'package.json'), '{"private": true}');
    const quiet = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
    await run('npm', ['install', ...quiet, join(folder, filename)], { cwd: folder });
    const npx = (...args: string[]) => run('npx', ['--no-install', 'cairn', ...args], { cwd: folder });
    expect((await npx('--version')).stdout).toContain(JSON.parse(read('package.json')).version);
    const home = ['--home', join(folder, 'home')];
    await npx(
      ...home,
      'record_decision',
      '--title',
      'Ship it',
      '--target',
      'release',
      '--rationale',
      'It installs and runs.',
    );
    expect((await npx(...home, 'why', 'release')).stdout).toContain('Ship it');
  });
});

describe('beside the npm package', () => {
  const manifest = JSON.parse(read('packaging/mcpb/manifest.json'));
  const plugin = JSON.parse(read('packaging/claude-code/.claude-plugin/plugin.json'));
  const { version, name } = JSON.parse(read('package.json'));

  it('all are of one version', () => {
    expect([manifest.version, plugin.version]).toEqual([version, version]);
  });

  it('the bundle is valid by its own tool, and starts what the package holds', async () => {
    const tool = join(root, 'test/conformance/node_modules/@anthropic-ai/mcpb/dist/cli/cli.js');
    const { stdout } = await run(process.execPath, [tool, 'validate', join(root, 'packaging/mcpb/manifest.json')]);
    expect(stdout).toContain('passes');
    expect(manifest.server.mcp_config.args[0]).toBe(`\${__dirname}/${manifest.server.entry_point}`);
  });

  it('the plugin starts the package, and its skill is one', () => {
    const { mcpServers } = JSON.parse(read('packaging/claude-code/.mcp.json'));
    expect(mcpServers.cairn).toEqual({ command: 'npx', args: ['-y', name, 'serve'] });
    const [, matter = ''] = /^---\n(.*?)\n---\n/s.exec(read('packaging/claude-code/skills/cairn/SKILL.md')) ?? [];
    const { name: skill, description } = parse(matter);
    expect(skill).toBe('cairn');
    expect(description.length).toBeLessThanOrEqual(1024);
  });

  it.each(['packaging/claude-code/skills/cairn/SKILL.md', 'packaging/rules.md'])(
    '%s names operations that exist',
    (file) => {
      const named = [...read(file).matchAll(/`([a-z]+_[a-z_]+)`|"op": "([a-z_]+)"/g)].map(
        ([, one, other]) => one ?? other ?? '',
      );
      expect(named.length).toBeGreaterThan(3);
      for (const operation of named) expect(() => surface.resolve(operation), operation).not.toThrow();
    },
  );

  it('the image copies files that exist', () => {
    const dockerfile = read('packaging/docker/Dockerfile');
    for (const file of ['package.json', 'package-lock.json', '.npmrc', 'LICENSE', 'scripts/build.mjs']) {
      expect(dockerfile).toContain(file);
      expect(read(file).length).toBeGreaterThan(0);
    }
  });
});

it('the demo home of npm start holds a sample of every kind', { timeout: 60_000 }, async () => {
  const home = await freshHome();
  const fill = `import('./scripts/demo.mjs').then(({ fillDemo }) => fillDemo(${JSON.stringify(home)}))`;
  // A setting for the server that comes after is not meant for this one.
  await run(process.execPath, ['-e', fill], { cwd: root, env: { ...process.env, CAIRN_HTTP: '127.0.0.1:0' } });
  const ask = async (...args: string[]) => JSON.parse((await cairn(['--home', home, ...args])).stdout);
  expect((await ask('instructions_list')).count).toBeGreaterThanOrEqual(9);
  const { chain } = await ask('why', 'store/durability');
  expect(chain.map(({ status }: { status: string }) => status)).toEqual(['superseded', 'active']);
  expect((await ask('list_proposals')).proposals).toMatchObject([{ target: 'dashboard/weight' }]);
  expect((await ask('ls')).total).toBeGreaterThan(50);
  expect((await ask('audit', 'verify')).intact).toBe(true);
});
