/** Documents on the page: collections, snapshots and what differs, files in pages, search and grep. */
import { describe, expect, it } from 'vitest';
import { eventually, executablePath, overflow, shot, visit } from './browser.ts';
import { fill, rest, servePage } from './sample.ts';

describe.skipIf(executablePath === undefined)('documents', () => {
  it('are listed by collection, with snapshots and what differs between them', async () => {
    const server = await servePage();
    await fill(server);
    const { page, complaints } = await visit(`${server.url}/#/documents`);
    await page.getByRole('link', { name: 'default' }).waitFor();
    await shot(page, 'documents-light');
    await page.getByRole('link', { name: 'before the clean-up' }).click();
    await page.getByLabel('Up to').selectOption({ label: 'after the clean-up' });
    await page.getByRole('heading', { name: 'Added' }).waitFor();
    expect(await page.locator('section', { hasText: 'Added' }).locator('li').allTextContents()).toEqual([
      '+ src/main.ts',
    ]);
    expect(await page.locator('section', { hasText: 'Changed' }).locator('li').allTextContents()).toEqual([
      '± src/store.ts',
    ]);
    await shot(page, 'compare-light');
    await page.goto(`${server.url}/#/documents/in/default`);
    const rows = page.locator('table.rows tbody tr');
    await eventually(() => rows.count()).toBe(3);
    await page.getByLabel('Path contains').fill('store');
    await eventually(() => rows.count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  it('are shown with line numbers and colours, and large ones in pages', async () => {
    const server = await servePage();
    await fill(server);
    const long = Array.from({ length: 9000 }, (_, line) => `const line${line} = ${line};`).join('\n');
    await rest(server.url, 'add', { name: 'src/long.ts', content: long });
    const { page } = await visit(`${server.url}/#/documents`);
    await page.goto(`${server.url}/#/documents/file/default/${encodeURIComponent('src/store.ts')}?line=2`);
    await page.locator('.line mark').waitFor();
    expect(await page.locator('.line mark').textContent()).toContain('open(path: string)');
    expect(await page.locator('.tok-keyword').first().textContent()).toBe('export');
    await shot(page, 'file-light');
    await page.goto(`${server.url}/#/documents/file/default/${encodeURIComponent('src/long.ts')}`);
    await page.getByText('line0 =').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('const line3000').waitFor();
  });

  it('are searched and grepped, with the lines around each match', async () => {
    const server = await servePage();
    await fill(server);
    const { page, complaints } = await visit(`${server.url}/#/documents/grep?how=grep&q=Store`);
    const hits = page.locator('.hits > li');
    await eventually(() => hits.count()).toBe(3);
    await page.getByLabel('Regular expression').fill('(');
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Regular expression').fill('open\\(');
    await eventually(() => hits.count()).toBe(2);
    await shot(page, 'grep-light');
    await page.getByLabel('How').selectOption('search');
    await page.getByLabel('Words or a question').fill('everything in one store');
    await page.getByRole('link', { name: 'notes/design.md' }).waitFor();
    await page.getByRole('link', { name: 'notes/design.md' }).click();
    await page.locator('.line mark').getByText('One store for everything.').waitFor();
    await page.getByLabel('show the source').uncheck();
    await page.locator('.prose').getByText('One store for everything.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('fit a narrow screen', async () => {
    const server = await servePage();
    await fill(server);
    const { page } = await visit(`${server.url}/#/documents`, { width: 400, theme: 'dark' });
    await page.getByRole('link', { name: 'default' }).waitFor();
    expect(await overflow(page)).toBe(0);
    await page.goto(`${server.url}/#/documents/file/default/${encodeURIComponent('src/store.ts')}`);
    await page.locator('.line').first().waitFor();
    expect(await overflow(page)).toBe(0);
    await shot(page, 'file-dark-400');
  });
});
