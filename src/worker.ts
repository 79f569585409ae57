/** The entry point of a worker thread; bundled as dist/worker.js. What each task needs is loaded by its first run. */
import { tasks } from './service/tasks.ts';
import { serveTasks } from './service/worker-thread.ts';
import type { TextPlace } from './store/texts.ts';

async function textsAt({ home, server }: TextPlace) {
  if (server === undefined) return (await import('./store/embedded/text-source.ts')).textsIn(home);
  return (await import('./store/shared/text-source.ts')).textsOn(server, home);
}

serveTasks({
  ...tasks,
  extract: async (input) => (await import('./documents/extract/task.ts')).extractTask(input),
  followDocuments: async (input) => (await import('./store/embedded/document-thread.ts')).followDocuments(input),
  grep: async (input, report) => {
    const { grepTask } = await import('./documents/grep-task.ts');
    return grepTask(await textsAt(input.place), input, report);
  },
  outline: async (input) => (await import('./graph/code/task.ts')).outlineTask(input),
});
