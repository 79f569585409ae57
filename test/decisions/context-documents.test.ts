/** Context draws on documents too, as data with its origin, and only where they are about the matter. */
import { expect, it } from 'vitest';
import { openProject } from '../documents/project.ts';

const guide = `# Deployment guide

Releases are rolled out with the blue-green switch of the load balancer.

## Rolling back

To roll back a bad deployment, point the load balancer at the previous colour again and drain the connections.
`;
const recipe = '# Sourdough\n\nFeed the starter twice a day and keep it at room temperature.\n';

it('answers with the place of a document that concerns the prompt, and says where it lies', async () => {
  const { ask } = await openProject();
  await ask('add', { name: 'docs/deploy.md', content: guide, collection: 'handbook' });
  await ask('add', { name: 'docs/bread.md', content: recipe });
  const { context, items, searched } = await ask('get_relevant_context', {
    prompt: 'How do we roll back a bad deployment behind the load balancer?',
  });
  expect(items).toMatchObject([{ kind: 'document', state: 'stored' }]);
  expect(searched).toMatchObject({ documents: 2, kinds: ['decision', 'instruction', 'document'] });
  const { memories } = JSON.parse(context.slice(context.indexOf('{')));
  expect(memories).toMatchObject([
    { kind: 'document', title: 'Deployment guide', source: 'handbook/docs/deploy.md', trust: 'unreviewed' },
  ]);
  expect(memories[0].content).toContain('point the load balancer at the previous colour');
});

it('stays silent where no document is about the matter', async () => {
  const { ask } = await openProject();
  await ask('add', { name: 'docs/deploy.md', content: guide });
  for (const prompt of ['Which colour should the new logo have?', 'go on', 'What is the capital of France?'])
    expect((await ask('get_relevant_context', { prompt })).context).toBe('');
});

it('does not show a secret that a document holds', async () => {
  const { ask } = await openProject();
  const secret = `AKIA${'Q7XN2M4P6R8T5V3W'}`;
  await ask('add', { name: 'ops/keys.md', content: `Rotate the deployment credentials monthly.\naws key ${secret}\n` });
  const { context } = await ask('get_relevant_context', { prompt: 'When do we rotate the deployment credentials?' });
  expect(context).toContain('Rotate the deployment credentials monthly');
  expect(context).not.toContain(secret);
});
