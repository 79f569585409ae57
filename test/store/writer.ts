/** The process that the crash tests start, stop and kill. It is told on standard input when to begin. */
import { once } from 'node:events';
import fs, { writeSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { openEmbedded } from '../../src/store/embedded/engine.ts';
import type { Store } from '../../src/store/store.ts';
import { auditRecord, feedbackRecord, pairText } from './samples.ts';

const [task = '', home = '', times = '1'] = process.argv.slice(2);
const store = openEmbedded({ home });

writeSync(1, 'ready\n');
await once(process.stdin, 'data');
if (task === 'pairs') for (;;) acknowledge(await writePair(store));
if (task === 'count') for (let n = 0; n < Number(times); n++) acknowledge(await increment(store));
if (task === 'clear') await replaceManyStopped(store, Number(times));
await store.close();
process.exit(0);

function acknowledge(count: number): void {
  writeSync(1, `${count}\n`);
}

/** Two files that must agree, one record and one audit entry, all with the same count. */
function writePair(store: Store): Promise<number> {
  return store.write(async ({ audit, feedback, files }) => {
    const { seq } = await audit.append(auditRecord({ principal: 'writer' }));
    await files.put('instructions', 'left.txt', pairText(seq));
    await feedback.put(feedbackRecord({ id: String(seq) }));
    await files.put('decisions', 'right.txt', pairText(seq));
    return seq;
  });
}

function increment(store: Store): Promise<number> {
  return store.write(async ({ audit, feedback, files }) => {
    const count = Number((await files.read('home', 'count.txt')) ?? 0) + 1;
    await files.put('home', 'count.txt', String(count));
    await feedback.put(feedbackRecord({ id: `${process.pid}-${count}` }));
    await audit.append(auditRecord({ ids: [String(count)] }));
    return count;
  });
}

/**
 * Many files, then one removal. The process stops itself at its first rename, which is the first thing that it does after
 * its decision, so that the parent meets it there every time and need not race for it.
 */
function replaceManyStopped(store: Store, times: number): Promise<void> {
  const rename = fs.renameSync;
  fs.renameSync = (from, to) => {
    fs.renameSync = rename;
    syncBuiltinESMExports();
    acknowledge(1);
    process.kill(process.pid, 'SIGSTOP');
    rename(from, to);
  };
  syncBuiltinESMExports();
  return store.write(async ({ files }) => {
    for (let n = 0; n < times; n++) await files.put('prompts', `many-${n}.txt`, 'by the stopped process');
    await files.remove('prompts', 'contested.txt');
  });
}
