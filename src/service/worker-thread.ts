/** What a worker thread does with the tasks that its entry point gives it. */
import { parentPort } from 'node:worker_threads';
import type { Report } from './tasks.ts';
import type { FromWorker } from './workers.ts';

// Each task has its own input and output; here they are only passed on.
// biome-ignore lint/suspicious/noExplicitAny: the one place where tasks of all types stand side by side
type AnyTask = (input: any, report: Report) => Promise<unknown>;

export function serveTasks(tasks: Readonly<Record<string, AnyTask>>): void {
  const port = parentPort;
  if (port === null) throw new Error('This is for the entry point of a worker thread.');
  const say = (message: FromWorker) => port.postMessage(message);
  port.on('message', async ({ task, input }: { task: string; input: unknown }) => {
    try {
      const run = Object.hasOwn(tasks, task) ? tasks[task] : undefined;
      if (run === undefined) throw new Error(`No task is called ${task}`);
      say({ kind: 'done', output: await run(input, (progress) => say({ kind: 'progress', progress })) });
    } catch (thrown) {
      say({ kind: 'failed', message: thrown instanceof Error ? thrown.message : String(thrown) });
    }
  });
}
