/** Steps of `query` over all kinds of knowledge at once. */
import { expect, it } from 'vitest';
import { openProject } from './project.ts';

it('goes from an instruction to its text and on to the documents in one call', async () => {
  const { ask } = await openProject([], { MCP_ENABLE_MUTATION: '1' });
  await ask('instructions_add', {
    entry: {
      id: 'retry-policy',
      title: 'Retries',
      body: 'Retry with backoff; see RetryBudget in the code.',
      priority: 30,
      audience: 'all',
      requirement: 'recommended',
      categories: ['network'],
    },
  });
  await ask('add', { name: 'src/net.ts', content: 'export class RetryBudget {}\n// unrelated\n' });
  const { steps, completedSteps } = await ask('query', {
    steps: [
      { op: 'instructions_search', params: { q: 'backoff' } },
      { op: 'get', params: { hash: '$prev.items[0].sourceHash', include_content: true } },
      { op: 'grep', params: { pattern: 'RetryBudget', line_numbers: true } },
    ],
  });
  expect(completedSteps).toBe(3);
  expect(steps[1].result).toMatchObject({
    kind: 'instruction',
    name: 'retry-policy',
    content: 'Retry with backoff; see RetryBudget in the code.',
  });
  expect(steps[2].result.matches).toMatchObject([{ path: 'src/net.ts', line: 1, text: 'export class RetryBudget {}' }]);
});

it('a hash that no kind has is said to be unknown', async () => {
  const { refusal } = await openProject();
  expect((await refusal('get', { hash: 'deadbeef00' })).message).toBe('No document is deadbeef00');
});

it('grep sees a page as it is written, and search reads it', async () => {
  const { ask } = await openProject();
  const content =
    '<html><head><title>Menu</title></head><body><nav class="navbar">x</nav><article><p>Our harbour opens at dawn, every day of the year.</p></article></body></html>\n';
  await ask('add', { name: 'site/menu.html', content });
  const { matches } = await ask('grep', { pattern: 'class="nav\\w+"', line_numbers: true });
  expect(matches).toMatchObject([{ path: 'site/menu.html', line: 1 }]);
  const { results } = await ask('search', { query: 'when does the harbour open' });
  expect(results[0]).toMatchObject({ path: 'site/menu.html' });
  expect(results[0].snippet).not.toContain('<p>');
});
