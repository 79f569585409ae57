/** Instructions on the page: found, read, compared, and changed by whoever is signed in. */
import { describe, expect, it } from 'vitest';
import { eventually, executablePath, overflow, shot, visit } from './browser.ts';
import { fill, rest, servePage } from './sample.ts';

describe.skipIf(executablePath === undefined)('instructions', () => {
  it('are filtered, found as one types, and linked to from outside', async () => {
    const server = await servePage();
    await fill(server);
    const { page, complaints } = await visit(`${server.url}/#/instructions`);
    const rows = page.locator('table.rows tbody tr');
    await eventually(() => rows.count()).toBe(5);
    await shot(page, 'instructions-light');
    await page.getByLabel('Status').selectOption('review');
    await eventually(() => rows.count()).toBe(1);
    expect(page.url()).toContain('status=review');
    await page.getByLabel('Status').selectOption('');
    await page.keyboard.press('Escape');
    await page.locator('main h1').focus();
    await page.keyboard.press('/');
    await page.keyboard.type('next step');
    await eventually(() => rows.allTextContents()).toHaveLength(1);
    expect(await rows.first().textContent()).toContain('Errors say what to do');
    await page.reload();
    await eventually(() => rows.count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  it('show their text as Markdown, their facts, and what changed', async () => {
    const server = await servePage();
    await fill(server);
    const { page, complaints } = await visit(`${server.url}/#/instructions/review-small`);
    await page.getByRole('heading', { name: 'Keep changes small' }).waitFor();
    expect(await page.locator('.prose table td').first().textContent()).toBe('100');
    expect(await page.locator('.prose .tok-keyword').first().textContent()).toBe('const');
    expect(await page.locator('.prose a').getAttribute('rel')).toContain('noopener');
    expect(await page.title()).toBe('review-small · Cairn');
    await shot(page, 'instruction-light');
    await page.goto(`${server.url}/#/instructions/log-json?tab=history`);
    await page.locator('.diff .added').filter({ hasText: 'come first' }).waitFor();
    await page.locator('.diff .removed').filter({ hasText: 'No secrets. `time`' }).waitFor();
    await shot(page, 'instruction-history-light');
    expect(complaints).toEqual([]);
  });

  it('are read-only without a sign-in: no button, and no way around', async () => {
    const server = await servePage();
    await fill(server);
    const { page } = await visit(`${server.url}/#/instructions/commit-why`);
    await page.getByRole('heading', { name: 'Say why in the commit' }).waitFor();
    expect(await page.getByRole('button', { name: /Approve|Remove|Deprecate/ }).count()).toBe(0);
    const refused = await page.evaluate(`fetch('/api/v1/instructions_remove', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-cairn-page': '1' },
      body: JSON.stringify({ ids: ['commit-why'] }),
    }).then(async (response) => [response.status, (await response.json()).kind])`);
    expect(refused).toEqual([403, 'permission_denied']);
    await page.goto(`${server.url}/#/new-instruction`);
    await page.getByText('You are not signed in').waitFor();
  });

  it('are approved, edited and removed by a person who is signed in, with the mutation switch off', async () => {
    const server = await servePage();
    await fill(server);
    const { page, complaints } = await visit(server.signInLink);
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    expect(page.url()).not.toContain('signin');
    await page.goto(`${server.url}/#/instructions/commit-why`);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.locator('.lead .badge.good').waitFor();
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await page.getByLabel('Title').fill('Say why, always');
    await shot(page, 'instruction-edit-light');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Say why, always' }).waitFor();
    const { item } = await rest<{ item: Record<string, unknown> }>(server.url, 'instructions_get', {
      id: 'commit-why',
    });
    expect(item).toMatchObject({ title: 'Say why, always', status: 'approved', categories: ['git', 'review'] });
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('heading', { name: 'Instructions' }).waitFor();
    expect(await rest(server.url, 'instructions_get', { id: 'commit-why' })).toMatchObject({ notFound: true });
    const { entries } = await rest<{ entries: object[] }>(server.url, 'audit_list', { newest: true, limit: 1 });
    expect(entries[0]).toMatchObject({ operation: 'instructions_remove', role: 'admin', door: 'http' });
    expect(complaints).toEqual([]);
  });

  it('tell a person who edits what somebody else changed meanwhile', async () => {
    const server = await servePage();
    await fill(server);
    const { page } = await visit(server.signInLink);
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await page.goto(`${server.url}/#/instructions/commit-why?tab=edit`);
    await page.getByLabel('Title').fill('Mine');
    await rest(server.url, 'instructions_governance_update', { id: 'commit-why', patch: { title: 'Theirs' } });
    await page.getByRole('heading', { name: 'Theirs' }).waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').waitFor();
    const { item } = await rest<{ item: { title: string } }>(server.url, 'instructions_get', { id: 'commit-why' });
    expect(item.title).toBe('Theirs');
  });

  it('have a review calendar, and fit a narrow screen', async () => {
    const server = await servePage();
    await fill(server);
    const { page } = await visit(`${server.url}/#/reviews`);
    await page.locator('.calendar .late').first().waitFor();
    await shot(page, 'reviews-light');
    const narrow = await visit(`${server.url}/#/instructions`, { width: 400, theme: 'dark' });
    await narrow.page.getByRole('link', { name: 'Keep changes small' }).waitFor();
    expect(await overflow(narrow.page)).toBe(0);
    await shot(narrow.page, 'instructions-dark-400');
    await narrow.page.goto(`${server.url}/#/instructions/review-small`);
    await narrow.page.getByRole('heading', { name: 'Keep changes small' }).waitFor();
    expect(await overflow(narrow.page)).toBe(0);
    await shot(narrow.page, 'instruction-dark-400');
  });
});
