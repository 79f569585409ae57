/** Memory of a server that takes in a large tree, and then answers many calls of all kinds about documents. */
import { patient, takeIn } from '../documents/client.ts';
import { copyModules } from '../documents/tree.ts';
import type { Case } from '../figure.ts';
import { withServers } from '../server.ts';
import { memoryOfCalls } from './memory.ts';

const ENTRIES = 10_000;

export const documentMemory: Case = async ({ subject, quick, seededHome, newPath }) => {
  const home = await seededHome(ENTRIES);
  const tree = await copyModules(newPath('tree'));
  return withServers([patient(subject, home.path)], async ([server]) => {
    await server?.initialize();
    const start = server?.memory();
    // Not Linux: nothing to read it from.
    if (server === undefined || start === undefined) return [];
    await takeIn(server, tree.folder, tree.files);
    const { residentMb = Number.NaN, peakMb = Number.NaN } = server.memory() ?? {};
    const details = { 'peak MB': peakMb, 'tree MB': tree.bytes / 1e6 };
    const asks = subject.reads.map((read) => read(home));
    return [
      { name: 'at the start', unit: 'MB', value: start.residentMb },
      { name: 'after a tree was taken in', unit: 'MB', value: residentMb, details },
      ...(await memoryOfCalls(server, asks, quick ? 10_000 : 100_000)),
    ];
  });
};
