/** The bill of materials, and the question about known vulnerabilities, asked of a registry on loopback. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { freshFolder } from '../support/home.ts';
import { type Page, site } from '../support/site.ts';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);

interface Component {
  readonly 'bom-ref': string;
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses: readonly { readonly license: { readonly id: string } }[];
  readonly hashes: readonly { readonly alg: string; readonly content: string }[];
}

interface Bill {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly serialNumber: string;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const print = async () => (await run(process.execPath, ['scripts/sbom.mjs'], { cwd: root })).stdout;

describe('the bill of materials', () => {
  it('names every package of an installation once, with its version, licence and hash', async () => {
    const bill = JSON.parse(await print()) as Bill;
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
    const installed = Object.keys(packages).filter((path) => path !== '' && packages[path].dev !== true);
    expect(bill.components).toHaveLength(installed.length);
    expect([bill.bomFormat, bill.specVersion]).toEqual(['CycloneDX', '1.6']);
    expect(bill.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    for (const { name, version, purl, licenses, hashes } of bill.components) {
      expect(purl).toMatch(/^pkg:npm\/(?:%40[a-z0-9._~-]+\/)?[a-z0-9._~-]+@\d+\.\d+\.\d+[\w.+-]*$/i);
      expect([purl.includes(name), purl.endsWith(`@${version}`)], purl).toEqual([true, true]);
      expect(licenses[0]?.license.id, name).toMatch(/^[A-Za-z0-9.+-]+$/);
      expect(hashes[0], name).toEqual({ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) });
    }
  });

  it('leads from the program to each of them, and to nothing else', async () => {
    const { components, dependencies, metadata } = JSON.parse(await print()) as Bill;
    const refs = [metadata.component, ...components].map((component) => component['bom-ref']);
    expect(new Set(refs).size).toBe(refs.length);
    expect(dependencies.map(({ ref }) => ref).sort()).toEqual([...refs].sort());
    const reached = new Set<string>();
    const waiting = [metadata.component['bom-ref']];
    for (let ref = waiting.pop(); ref !== undefined; ref = waiting.pop()) {
      if (reached.has(ref)) continue;
      reached.add(ref);
      waiting.push(...(dependencies.find((each) => each.ref === ref)?.dependsOn ?? []));
    }
    expect([...reached].sort()).toEqual([...refs].sort());
  });

  it('is the same bytes each time', async () => {
    expect(await print()).toBe(await print());
  });
});

/** What a registry says when it is asked for advisories about all packages at once. */
async function audited(page: Page | undefined) {
  const { url } = await site(page === undefined ? {} : { '/-/npm/v1/security/advisories/bulk': page });
  const env = {
    ...process.env,
    npm_config_registry: `${url}/`,
    npm_config_cache: await freshFolder(),
  };
  return run(process.execPath, ['scripts/audit.mjs'], { cwd: root, env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

const advisory = (severity: string) => ({
  yaml: [{ id: 1, url: 'https://example.org/1', title: 'Bad', severity, vulnerable_versions: '<99.0.0' }],
});

describe('the audit', () => {
  it('passes where nothing is known, and fails for what is grave', { timeout: 60_000 }, async () => {
    const answer =
      (body: object): Page =>
      (response) =>
        void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    expect(await audited(answer({}))).toMatchObject({ code: 0, stdout: expect.stringContaining('No vulnerability') });
    const grave = await audited(answer(advisory('critical')));
    expect([grave.code, grave.stderr]).toEqual([1, expect.stringContaining('critical: yaml')]);
    expect((await audited(answer(advisory('low')))).code).toBe(0);
  });

  it('says aloud that it was not done where the registry has no answer, and does not fail for it', {
    timeout: 60_000,
  }, async () => {
    const { code, stderr } = await audited(undefined);
    expect([code, stderr]).toEqual([0, expect.stringContaining('AUDIT NOT DONE')]);
  });
});
