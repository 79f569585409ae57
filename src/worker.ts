/** The entry point of a worker thread; bundled as dist/worker.js. What each task needs is loaded by its first run. */
import { tasks } from './service/tasks.ts';
import { serveTasks } from './service/worker-thread.ts';

serveTasks({
  ...tasks,
  extract: async (input) => (await import('./documents/extract/task.ts')).extractTask(input),
  followDocuments: async (input) => (await import('./store/embedded/document-thread.ts')).followDocuments(input),
  grep: async (input) => (await import('./search/grep/task.ts')).grepTask(input),
});
