/** The entry point of a worker thread; bundled as dist/worker.js. What each task needs is loaded by its first run. */
import { tasks } from './service/tasks.ts';
import { serveTasks } from './service/worker-thread.ts';

serveTasks({
  ...tasks,
  extract: async (input) => (await import('./documents/extract/task.ts')).extractTask(input),
  followDocuments: async (input) => (await import('./store/embedded/document-thread.ts')).followDocuments(input),
  grep: async (input, report) => {
    const [{ grepTask }, { textsIn }] = await Promise.all([
      import('./documents/grep-task.ts'),
      import('./store/embedded/text-source.ts'),
    ]);
    return grepTask(textsIn(input.home), input, report);
  },
  outline: async (input) => (await import('./graph/code/task.ts')).outlineTask(input),
});
