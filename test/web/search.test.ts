/** One box over everything, and why each hit matched. */
import { describe, expect, it } from 'vitest';
import { eventually, executablePath, overflow, shot, visit } from './browser.ts';
import { fill, servePage } from './sample.ts';

describe.skipIf(executablePath === undefined)('search', () => {
  it('looks through every kind, says why, and leads there', async () => {
    const server = await servePage();
    await fill(server);
    const { page, complaints } = await visit(`${server.url}/`);
    await page.getByRole('searchbox', { name: 'Search everything' }).fill('store');
    await page.keyboard.press('Enter');
    const hits = page.locator('.hits > li');
    await hits.first().waitFor();
    expect(page.url()).toContain('#/search?q=store');
    const kinds = await hits.locator('.badge.accent').allTextContents();
    expect(new Set(kinds)).toContain('document');
    await hits.first().getByText('why').click();
    await hits.first().locator('details table').waitFor();
    await shot(page, 'search-light');
    await page.getByLabel('In', { exact: true }).selectOption('instruction');
    await eventually(() => hits.locator('.badge.accent').allTextContents()).not.toContain('document');
    await page.getByLabel('Search everything').fill('reviewer');
    await eventually(() => hits.allTextContents()).toHaveLength(1);
    await hits.first().getByRole('link').first().click();
    await page.locator('main h1').waitFor();
    expect(page.url()).toContain('#/instructions/');
    expect(complaints).toEqual([]);
  });

  it('finds what was meant by a misspelled word, and says so', async () => {
    const server = await servePage();
    await fill(server);
    const { page } = await visit(`${server.url}/#/search?kind=document&q=everythign`);
    await page.getByText('taken for everything').waitFor();
    await page.locator('.hits').getByRole('link', { name: 'Design' }).waitFor();
  });

  it('says when nothing was found, and fits a narrow screen', async () => {
    const server = await servePage();
    await fill(server);
    const { page } = await visit(`${server.url}/#/search?q=zzzzqqqq`, { width: 400 });
    await page.getByText('Nothing was found.').waitFor();
    await page.goto(`${server.url}/#/search?q=store`);
    await page.locator('.hits > li').first().waitFor();
    expect(await overflow(page)).toBe(0);
    await shot(page, 'search-light-400');
  });
});
