/** The page itself: it loads, shows what there is and what changes, in both themes and on a narrow screen. */
import { describe, expect, it } from 'vitest';
import { eventually, executablePath, overflow, shot, visit } from './browser.ts';
import { fill, rest, servePage } from './sample.ts';

describe.skipIf(executablePath === undefined)('the overview', () => {
  it('shows what the home holds, and what is overdue', async () => {
    const server = await servePage();
    await fill(server);
    const { page, complaints, strayed } = await visit(`${server.url}/`);
    await page.getByText('instructions', { exact: false }).first().waitFor();
    await page.locator('.figure', { hasText: 'instructions' }).getByText('5', { exact: true }).waitFor();
    await page.locator('.figure', { hasText: 'documents' }).getByText('3', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Keep changes small' }).waitFor();
    expect(await page.title()).toBe('Overview · Cairn');
    await shot(page, 'overview-light');
    expect([complaints, strayed]).toEqual([[], []]);
  });

  it('shows a change of another process by itself', async () => {
    const server = await servePage();
    const { page } = await visit(`${server.url}/`);
    const figure = page.locator('.figure', { hasText: 'instructions' }).locator('strong');
    await page.locator('.dot.on').waitFor();
    await eventually(() => figure.textContent()).toBe('0');
    await rest(server.url, 'instructions_add', { entry: { id: 'fresh', body: 'New.' }, lax: true });
    await page.getByText('instructions_add').first().waitFor();
    await eventually(() => figure.textContent()).toBe('1');
  });

  it('has a dark theme, chosen by the system or by hand, and fits a narrow screen', async () => {
    const server = await servePage();
    await fill(server);
    const { page } = await visit(`${server.url}/`, { theme: 'dark', width: 400 });
    await page.getByRole('link', { name: 'Keep changes small' }).waitFor();
    const background = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    const dark = await background();
    expect(await overflow(page)).toBe(0);
    await shot(page, 'overview-dark-400');
    await page.getByRole('button', { name: 'Use the light theme' }).click();
    expect(await background()).not.toBe(dark);
    await page.reload();
    expect(await background()).not.toBe(dark);
  });
});
