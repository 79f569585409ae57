/** What is around every page: the keyboard, the focus, the menu, signing out, and what a visitor is told. */
import { describe, expect, it } from 'vitest';
import { serveHttp } from '../support/cairn.ts';
import { freshHome } from '../support/home.ts';
import { eventually, executablePath, overflow, shot, visit } from './browser.ts';
import { fill, servePage } from './sample.ts';

const focused = 'document.activeElement?.textContent?.trim().slice(0, 40)';

describe.skipIf(executablePath === undefined)('the frame of the page', () => {
  it('is used by keyboard: skip, search, and reading goes on at the heading', async () => {
    const server = await servePage();
    await fill(server);
    const { page, complaints } = await visit(`${server.url}/`);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate(focused)).toBe('Skip to content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
    await page.keyboard.press('/');
    expect(await page.evaluate("document.activeElement.matches('[data-search]')")).toBe(true);
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Decisions' }).press('Enter');
    await page.getByRole('heading', { name: 'Decisions' }).waitFor();
    await eventually(() => page.evaluate(focused)).toBe('Decisions');
    expect(await page.title()).toBe('Decisions · Cairn');
    expect(await page.getByRole('main').count()).toBe(1);
    await page.goBack();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('has a name for every control, on every page', async () => {
    const server = await servePage();
    await fill(server);
    const { page } = await visit(server.signInLink);
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    const places = [
      '',
      'instructions',
      'instructions/review-small?tab=edit',
      'decisions',
      'documents/grep',
      'graph',
      'search',
      'tools/search',
    ];
    for (const place of places) {
      await page.goto(`${server.url}/#/${place}`);
      await page.locator('main h1').waitFor();
      await page.waitForTimeout(300);
      expect([place, await page.evaluate(unnamed)]).toEqual([place, []]);
    }
  });

  it('has a menu on a narrow screen', async () => {
    const server = await servePage();
    const { page } = await visit(`${server.url}/`, { width: 400 });
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Tools' }).click();
    await page.getByRole('heading', { name: 'Tools' }).waitFor();
    expect(await page.getByRole('navigation', { name: 'Pages' }).isVisible()).toBe(false);
    await page.goto(`${server.url}/#/nowhere`);
    await page.getByText('The address leads nowhere.').waitFor();
    expect(await overflow(page)).toBe(0);
  });

  it('signs out, and tells who used a link before that it is spent', async () => {
    const server = await servePage();
    const { page } = await visit(server.signInLink);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    await page.goto('about:blank');
    await page.goto(server.signInLink);
    await page.getByRole('alert').getByText('This link was used already').waitFor();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByText('cairn signin', { exact: true }).waitFor();
    await shot(page, 'sign-in-light');
  });

  it('tells a visitor of a server that needs a key to sign in', async () => {
    const server = await serveHttp(['--home', await freshHome()], { CAIRN_API_KEY: 'a-long-shared-key' });
    const visitor = await visit(`${server.url}/#/instructions`);
    await visitor.page.getByRole('alert').getByText('Sign in: open the link').first().waitFor();
    const person = await visit(server.signInLink);
    await person.page.goto(`${server.url}/#/instructions`);
    await person.page.getByText('There are no instructions yet.').waitFor();
    await person.page.locator('.dot.on').waitFor();
  });

  it('says when the server is gone, and goes on when it is back', async () => {
    const home = await freshHome();
    const server = await serveHttp(['--home', home]);
    const { port } = new URL(server.url);
    const { page } = await visit(`${server.url}/#/instructions`);
    await page.locator('.dot.on').waitFor();
    await server.stop();
    await page.getByText('not live').waitFor();
    await page.getByLabel('Find instructions').fill('anything');
    await page.getByText('The server does not answer').waitFor();
    await serveHttp(['--home', home, '--http', `127.0.0.1:${port}`]);
    await page.locator('.dot.on').waitFor({ timeout: 60_000 });
    await page.getByText('The server does not answer').waitFor({ state: 'detached' });
  });
});

/** Controls and pictures without a name that could be read out. */
const unnamed = `[...document.querySelectorAll('button, a[href], input, select, textarea, img')].filter((element) => {
  const labels = element.labels === undefined ? [] : [...(element.labels ?? [])];
  const named = element.getAttribute('aria-label') || element.textContent.trim() || labels.some((label) => label.textContent.trim());
  return !named && element.alt === undefined || element.tagName === 'IMG' && element.alt === null;
}).map((element) => element.outerHTML.slice(0, 120))`;
