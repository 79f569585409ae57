/** The graph: drawn by mermaid, and explored with thousands of nodes while the page stays responsive. */
import { describe, expect, it } from 'vitest';
import { cairn, serveHttp } from '../support/cairn.ts';
import { freshHome } from '../support/home.ts';
import { eventually, executablePath, overflow, shot, visit } from './browser.ts';
import { fill, servePage } from './sample.ts';

describe.skipIf(executablePath === undefined)('the graph', () => {
  it('is drawn by mermaid, with what is asked for in it, or shown as source', async () => {
    const server = await servePage();
    await fill(server);
    const { page, context, complaints, strayed } = await visit(`${server.url}/#/graph`);
    const drawing = page.locator('.drawing img');
    await drawing.waitFor();
    const drawn = decodeURIComponent((await drawing.getAttribute('src')) ?? '');
    expect(drawn).toContain('review-small');
    expect(drawn).toMatch(/^data:image\/svg\+xml/);
    expect(await page.evaluate("document.querySelector('.drawing img').naturalWidth")).toBeGreaterThan(100);
    await shot(page, 'graph-light');
    await page.getByRole('button', { name: 'Show source' }).click();
    const source = () => page.locator('pre.source').textContent();
    expect(await source()).toContain('flowchart');
    expect(await source()).toContain('category');
    await page.getByLabel('category nodes').uncheck();
    await eventually(source).not.toContain('belongs');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy source' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await source());
    await page.goto(`${server.url}/#/graph?view=decisions&target=session_storage`);
    await drawing.waitFor();
    expect(decodeURIComponent((await drawing.getAttribute('src')) ?? '')).toContain('Valkey');
    expect([complaints, strayed]).toEqual([[], []]);
  });

  it('is drawn again in the other theme, and fits a narrow screen', async () => {
    const server = await servePage();
    await fill(server);
    const { page } = await visit(`${server.url}/#/graph`, { theme: 'dark', width: 400 });
    const drawing = page.locator('.drawing img');
    await drawing.waitFor();
    const dark = await drawing.getAttribute('src');
    expect(await overflow(page)).toBe(0);
    await shot(page, 'graph-dark-400');
    await page.getByRole('button', { name: 'Use the light theme' }).click();
    await eventually(() => drawing.getAttribute('src')).not.toBe(dark);
  });

  it('explores from a collection to its code and what is around a node', async () => {
    const server = await servePage();
    await fill(server);
    const { page, complaints } = await visit(`${server.url}/#/graph?view=explore&from=collection:default`);
    await page.getByText(/^\d+ nodes/).waitFor();
    await page.getByLabel('Find a node').fill('store.ts');
    await page.locator('.node-list button').first().click();
    await page.getByRole('heading', { name: 'store.ts' }).waitFor();
    await page.getByRole('button', { name: 'Expand' }).click();
    await shot(page, 'explore-light');
    await page.getByRole('link', { name: 'Open' }).click();
    await page.getByRole('heading', { name: 'src/store.ts' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('stays responsive with 5,000 nodes', async () => {
    const home = await freshHome();
    const entries = Array.from({ length: 5000 }, (_, index) => ({
      id: `rule-${index}`,
      body: `Rule number ${index}.`,
      categories: [`area-${index % 60}`],
      primaryCategory: `area-${index % 60}`,
    }));
    const env = { MCP_ENABLE_MUTATION: '1', CAIRN_EMBEDDINGS: 'none' };
    const input = JSON.stringify({ entries });
    const imported = await cairn(['call', 'instructions_import', '-', '--home', home], { env, input });
    expect(imported.code).toBe(0);
    const server = await serveHttp(['--home', home], env);
    const { page, complaints } = await visit(`${server.url}/#/graph?view=explore`);
    await page.getByText('5,060 nodes').waitFor();
    await page.locator('.canvas[data-busy="true"]').waitFor();
    // While the nodes are being arranged, the page answers.
    const waits: number[] = [];
    for (let round = 0; round < 8; round++) {
      waits.push(
        await page.evaluate<number>(
          'new Promise((done) => { const start = performance.now(); setTimeout(() => done(performance.now() - start), 0); })',
        ),
      );
      await page.waitForTimeout(150);
    }
    expect(waits.toSorted((a, b) => a - b)[4]).toBeLessThan(500);
    const started = Date.now();
    await page.getByLabel('Find a node').fill('rule-4321');
    await page.locator('.node-list button').first().click();
    await page.getByRole('heading', { name: 'rule-4321' }).waitFor();
    expect(Date.now() - started).toBeLessThan(10_000);
    await page.locator('.canvas[data-busy="false"]').waitFor({ timeout: 60_000 });
    await shot(page, 'explore-5000');
    expect(complaints).toEqual([]);
  }, 180_000);
});
