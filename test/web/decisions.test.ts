/** Decisions on the page: targets, their chains, proposals that a person accepts or rejects. */
import { describe, expect, it } from 'vitest';
import { executablePath, overflow, shot, visit } from './browser.ts';
import { fill, rest, servePage } from './sample.ts';

describe.skipIf(executablePath === undefined)('decisions', () => {
  it('show each target, and its chain as a timeline', async () => {
    const server = await servePage();
    await fill(server);
    const { page, complaints } = await visit(`${server.url}/#/decisions`);
    await page.getByRole('link', { name: 'session_storage' }).waitFor();
    await shot(page, 'decisions-light');
    await page.getByRole('link', { name: 'session_storage' }).click();
    await page.locator('.timeline > li').first().waitFor();
    const titles = await page.locator('.timeline h3').allTextContents();
    expect(titles).toEqual(['Move session storage to Valkey', 'Use Redis for session caching']);
    expect(await page.locator('.timeline > li.holds').count()).toBe(1);
    await shot(page, 'chain-light');
    await page.getByRole('link', { name: 'Move session storage to Valkey' }).click();
    await page
      .getByText('Operations', { exact: false })
      .or(page.getByText('Clients stay as they are.'))
      .first()
      .waitFor();
    await shot(page, 'decision-light');
    expect(complaints).toEqual([]);
  });

  it('are found by a question', async () => {
    const server = await servePage();
    await fill(server);
    const { page } = await visit(`${server.url}/#/decisions?q=permissive licence`);
    await page.getByRole('link', { name: 'Move session storage to Valkey' }).waitFor();
  });

  it('are accepted from proposals, with their evidence, by a person only', async () => {
    const server = await servePage();
    await fill(server);
    const visitor = await visit(`${server.url}/#/proposals`);
    await visitor.page.locator('article h2').first().waitFor();
    expect(await visitor.page.getByRole('button', { name: 'Accept' }).count()).toBe(0);
    const { page, complaints } = await visit(server.signInLink);
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await page.goto(`${server.url}/#/proposals`);
    await page.locator('article .list li').first().waitFor();
    await shot(page, 'proposals-light');
    await page.getByRole('button', { name: 'Accept' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Accept' }).click();
    await page.getByText('No proposal waits.').waitFor();
    // The page of the visitor hears of it.
    await visitor.page.getByText('No proposal waits.').waitFor();
    const { stats } = await rest<{ stats: object }>(server.url, 'get_memory_stats');
    expect(stats).toMatchObject({ open_proposals: 0, active_decisions: 3 });
    expect(complaints).toEqual([]);
  });

  it('are rejected with a reason, and fit a narrow screen', async () => {
    const server = await servePage();
    await fill(server);
    const { page } = await visit(server.signInLink, { width: 400, theme: 'dark' });
    await page.locator('.figure').first().waitFor();
    await page.goto(`${server.url}/#/proposals`);
    await page.locator('article .list li').first().waitFor();
    expect(await overflow(page)).toBe(0);
    await shot(page, 'proposals-dark-400');
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByRole('dialog').getByLabel('Why').fill('Settled by the platform team.');
    await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
    await page.getByText('No proposal waits.').waitFor();
    const { proposals } = await rest<{ proposals: { status: string }[] }>(server.url, 'list_proposals', {
      proposal_status: 'rejected',
    });
    expect(proposals).toHaveLength(1);
    await page.goto(`${server.url}/#/decisions/session_storage`);
    await page.locator('.timeline > li').first().waitFor();
    expect(await overflow(page)).toBe(0);
    await shot(page, 'chain-dark-400');
  });
});
