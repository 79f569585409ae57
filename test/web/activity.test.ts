/** The audit trail and its check, sessions, feedback, metrics, and the tools with a form to try them. */
import { describe, expect, it } from 'vitest';
import { executablePath, overflow, shot, visit } from './browser.ts';
import { fill, rest, servePage } from './sample.ts';

describe.skipIf(executablePath === undefined)('activity and tools', () => {
  it('shows the audit trail as it grows, and checks its chain', async () => {
    const server = await servePage();
    await fill(server);
    const { page, complaints } = await visit(`${server.url}/#/activity`);
    const rows = page.locator('table.rows tbody tr');
    await rows.first().waitFor();
    await page.locator('.dot.on').waitFor();
    await page.getByRole('button', { name: 'Check the chain' }).click();
    await page.getByText('fit together').waitFor();
    await shot(page, 'activity-light');
    await rest(server.url, 'instructions_add', { entry: { id: 'while-you-look', body: 'New.' }, lax: true });
    await page.getByRole('link', { name: 'while-you-look' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('pages back through a long trail', async () => {
    const server = await servePage();
    await rest(server.url, 'instructions_add', { entry: { id: 'first-of-all', body: 'x' }, lax: true });
    for (let each = 0; each < 230; each++) {
      await rest(server.url, 'record_interaction', { prompt: `p${each}`, response: 'r', session: String(each) });
    }
    const { page } = await visit(`${server.url}/#/activity`);
    await page.getByRole('link', { name: 'Older' }).click();
    await page.getByRole('link', { name: 'Newest' }).waitFor();
    await page.getByRole('link', { name: 'Older' }).click();
    await page.getByRole('link', { name: 'first-of-all' }).waitFor();
    expect(await page.getByRole('link', { name: 'Older' }).count()).toBe(0);
  });

  it('shows sessions, feedback and metrics', async () => {
    const server = await servePage();
    await fill(server);
    const { page, complaints } = await visit(server.signInLink);
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await page.goto(`${server.url}/#/sessions`);
    await page.getByText('feature review').waitFor();
    await page.goto(`${server.url}/#/feedback`);
    await page.getByRole('button', { name: 'Mark acknowledged' }).click();
    await page.getByRole('button', { name: 'Mark in-progress' }).waitFor();
    await shot(page, 'feedback-light');
    await page.goto(`${server.url}/#/metrics`);
    await page.getByRole('heading', { name: 'Slowest' }).waitFor();
    await shot(page, 'metrics-light');
    await page.goto(`${server.url}/#/events`);
    await page.getByText('Payment queue dropped messages under load').first().waitFor();
    await shot(page, 'events-light');
    expect(complaints).toEqual([]);
  });

  it('lists every tool, and calls one from a form', async () => {
    const server = await servePage();
    const { page, complaints } = await visit(`${server.url}/#/tools`);
    await page.getByRole('link', { name: 'mcp_echo' }).waitFor();
    await shot(page, 'tools-light');
    await page.getByLabel('Find an operation').fill('mcp_echo');
    await page.getByRole('link', { name: 'mcp_echo' }).click();
    await page.getByLabel('message (needed)').fill('<b>hello</b>');
    await page.getByRole('button', { name: 'Call mcp_echo' }).click();
    await page.locator('.outcome').getByText('"<b>hello</b>"').waitFor();
    await shot(page, 'tool-light');
    await page.goto(`${server.url}/#/tools/record_decision`);
    await page.getByText('sign in first').waitFor();
    expect(await page.getByRole('button', { name: 'Call record_decision' }).isDisabled()).toBe(true);
    expect(complaints).toEqual([]);
  });

  it('fits a narrow screen', async () => {
    const server = await servePage();
    await fill(server);
    const { page } = await visit(`${server.url}/#/activity`, { width: 400 });
    for (const place of ['activity', 'events', 'metrics', 'feedback', 'tools', 'tools/search']) {
      await page.goto(`${server.url}/#/${place}`);
      await page.locator('main :is(table.rows, article, form)').first().waitFor();
      expect([place, await overflow(page)]).toEqual([place, 0]);
    }
    await page.goto(`${server.url}/#/activity`);
    await page.locator('table.rows tbody tr').first().waitFor();
    await shot(page, 'activity-light-400');
  });
});
