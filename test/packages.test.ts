/** What an installation brings along: nothing that compiles or downloads, permissive licences, the version everywhere alike. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'));

interface Locked {
  readonly version: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

const production = Object.entries(read('package-lock.json').packages as Record<string, Locked>).filter(
  ([path, { dev }]) => path !== '' && dev !== true,
);

describe('the packages of an installation', () => {
  it('run no install script, but for the prebuilt SQLite, whose script only looks for its binary', () => {
    const scripted = production.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path);
    expect(scripted).toEqual(['node_modules/@photostructure/sqlite']);
    const prebuilds = join(root, 'node_modules/@photostructure/sqlite/prebuilds');
    for (const platform of ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64', 'win32-arm64']) {
      expect(existsSync(join(prebuilds, platform)), platform).toBe(true);
    }
    expect(readFileSync(join(root, '.npmrc'), 'utf8')).toContain('ignore-scripts=true');
  });

  it('are few, and under permissive licences', () => {
    // Fourteen of them are the driver of PostgreSQL: docs/decisions/postgresql-store.md says why that one.
    const driver = production.filter(([path]) =>
      /^node_modules\/(pg|pg-.*|pgpass|postgres-.*|split2|xtend)$/.test(path),
    );
    expect(driver.length).toBeLessThanOrEqual(14);
    expect(production.length - driver.length).toBeLessThanOrEqual(35);
    for (const [path, { license }] of production)
      expect(license, path).toMatch(/^(MIT|Apache-2\.0|ISC|BSD-[23]-Clause|0BSD)$/);
  });

  it('are pinned to exact versions, and name no registry', () => {
    const { dependencies, devDependencies } = read('package.json');
    // A second version of a package has a name of its own.
    for (const version of Object.values({ ...dependencies, ...devDependencies }))
      expect(version).toMatch(/^(?:npm:[a-z]+@)?\d+\.\d+\.\d+/);
    expect(readFileSync(join(root, 'package-lock.json'), 'utf8')).not.toMatch(/"resolved": "http/);
  });

  it('carry one version and one name, in package.json and in server.json', () => {
    const { version, mcpName, name, bin } = read('package.json');
    const server = read('server.json');
    expect([server.name, server.version, server.packages[0].identifier, server.packages[0].version]).toEqual([
      mcpName,
      version,
      name,
      version,
    ]);
    expect(bin).toEqual({ cairn: 'dist/cairn.js' });
  });
});
