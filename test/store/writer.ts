/** The process that the crash tests start, stop and kill. It is told on standard input when to begin. */
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { openEmbedded } from '../../src/store/embedded/engine.ts';
import type { Store } from '../../src/store/store.ts';
import { auditRecord, feedbackRecord, pairText } from './samples.ts';

const [task = '', home = '', times = '1'] = process.argv.slice(2);
const store = openEmbedded({ home });

writeSync(1, 'ready\n');
await once(process.stdin, 'data');
if (task === 'pairs') for (;;) acknowledge(await writePair(store));
if (task === 'count') for (let n = 0; n < Number(times); n++) acknowledge(await increment(store));
if (task === 'clear') await replaceMany(store, Number(times));
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

/** Many files, then one removal: the parent has time to stop this process between its decision and its files. */
function replaceMany(store: Store, times: number): Promise<void> {
  return store.write(async ({ files }) => {
    for (let n = 0; n < times; n++) await files.put('prompts', `many-${n}.txt`, 'by the stopped process');
    await files.remove('prompts', 'contested.txt');
  });
}
