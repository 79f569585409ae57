/** The entry point of a worker thread; bundled as dist/worker.js. */
import { parentPort } from 'node:worker_threads';
import { type TaskName, tasks } from './tasks.ts';
import type { FromWorker } from './workers.ts';

const port = parentPort;
if (port === null) throw new Error('This file is the entry point of a worker thread.');

port.on('message', async ({ task, input }: { task: TaskName; input: never }) => {
  const say = (message: FromWorker) => port.postMessage(message);
  try {
    say({ kind: 'done', output: await tasks[task](input, (progress) => say({ kind: 'progress', progress })) });
  } catch (thrown) {
    say({ kind: 'failed', message: thrown instanceof Error ? thrown.message : String(thrown) });
  }
});
