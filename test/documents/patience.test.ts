/** A call that gets on may take longer than the time after which one that does not is cancelled. */
import { expect, it } from 'vitest';
import { openProject } from './project.ts';

it('is not cancelled while it reports progress', async () => {
  const project = await openProject();
  // Different lines throughout, so that every chunk is one of its own.
  const lines = Array.from({ length: 2_400_000 }, (_, line) => `line ${line} ${(line * 2654435761) % 4294967291}\n`);
  await project.put('large.txt', lines.join(''));
  await project.ask('add', { path: 'large.txt' });
  // To look at all of it takes about a second.
  project.server = project.start([], { CAIRN_CALL_TIMEOUT_MS: '500' });
  expect(await project.ask('content_verify')).toMatchObject({ ok: true, checked: 1 });
});
