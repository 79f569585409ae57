/** Node, the disk and the clock. */
import { sizeText } from '../figures.ts';
import { type Finding, found, ok, type Patient } from './finding.ts';

const MINIMUM_NODE = [20, 19] as const;

export function nodeVersion(version: string): Finding[] {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const enough = major > MINIMUM_NODE[0] || (major === MINIMUM_NODE[0] && minor >= MINIMUM_NODE[1]);
  return [enough ? ok('node', `Node ${version}`) : found('node-too-old', `Node ${version}`)];
}

const FULL_BYTES = 64 * 1024 ** 2;
const LOW_BYTES = 1024 ** 3;

export function freeSpace(bytes: number): Finding[] {
  const detail = `${sizeText(bytes)} are free`;
  if (bytes < FULL_BYTES) return [found('disk-full', detail)];
  return [bytes < LOW_BYTES ? found('disk-low', detail) : ok('disk', detail)];
}

export async function disk({ app }: Patient): Promise<Finding[]> {
  const { freeBytes } = await app.store.inspect();
  return freeBytes === undefined ? [] : freeSpace(freeBytes);
}

/** Clocks of machines that write to one home differ by less. */
const APART_MS = 5 * 60_000;

export async function clock({ app }: Patient): Promise<Finding[]> {
  const [last] = await app.store.read(({ audit }) => audit.recent(1));
  const ahead = last === undefined ? 0 : Date.parse(last.time) - Date.now();
  if (ahead <= APART_MS) return [];
  return [found('clock-behind', `The last write is dated ${last?.time}, and here it is ${new Date().toISOString()}`)];
}
