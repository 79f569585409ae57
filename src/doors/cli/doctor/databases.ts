/** The store: whether it opens, is whole and free. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { toCairnError } from '../../../errors.ts';
import type { DatabaseDamage, StoreReport } from '../../../store/store.ts';
import { counted } from '../figures.ts';
import type { FaultName } from './faults.ts';
import { type Finding, found, ok, type Patient } from './finding.ts';

/** First of all looks: what is derived is made anew as soon as it is needed. */
export async function databases({ app }: Patient): Promise<Finding[]> {
  const damage = await app.store.examine();
  const report = await app.store.inspect();
  const findings = [...damage.map(damaged), ...newer(report), ...unusable(report, damage), ...unfinished(report)];
  if (findings.some(({ check }) => check === 'store')) return findings;
  const state = report.exists ? `${report.location} opens` : `${report.location} is made by the first write`;
  return [ok('store', state), ...findings];
}

const damages: Readonly<Record<string, FaultName>> = {
  'state.db': 'store-damaged',
  'index.db': 'index-damaged',
  'objects.db': 'objects-damaged',
};

function damaged({ file, problem }: DatabaseDamage): Finding {
  return found(damages[file] ?? 'file-misplaced', `${file} cannot be read: ${problem}`);
}

function newer({ newer: later, problems }: StoreReport): Finding[] {
  if (!later) return [];
  return [found('store-newer', problems.find((each) => each.includes('newer')) ?? 'A newer Cairn wrote it')];
}

/** What has a finding of its own is not told twice. */
function unusable({ problems, newer: later }: StoreReport, damage: readonly DatabaseDamage[]): Finding[] {
  return problems
    .filter((each) => !each.includes('cannot be written by this user'))
    .filter((each) => !(later && each.includes('newer')))
    .filter((each) => !(each.startsWith('state.db') && damage.some(({ file }) => file === 'state.db')))
    .map((each) => found(sentences.find(([form]) => form.test(each))?.[1] ?? 'store-unusable', each));
}

/** How the store says what has a name of its own. */
const sentences: readonly (readonly [RegExp, FaultName])[] = [
  [/^state\.db is gone or empty/, 'store-lost'],
  [/ should be a folder: /, 'file-misplaced'],
];

function unfinished({ unfinished: waiting }: StoreReport): Finding[] {
  return waiting === 0 ? [] : [found('writes-unfinished', `${counted(waiting, 'file change')} wait`)];
}

/** No write takes as long. */
const PATIENCE_MS = 2500;
const EVERY_MS = 250;

export async function lock({ app }: Patient): Promise<Finding[]> {
  for (const deadline = performance.now() + PATIENCE_MS; ; await delay(EVERY_MS)) {
    const { locked } = await app.store.inspect();
    if (!locked) return [];
    if (performance.now() > deadline) break;
  }
  const holder = await holderOf(app.store.location);
  const seconds = (PATIENCE_MS / 1000).toFixed(1);
  const who = holder === undefined ? 'A process' : `Process ${holder.pid}${holder.command}`;
  return [
    found(
      'store-locked',
      `${who} has held the write lock for more than ${seconds} s`,
      holder && `End it with kill ${holder.pid}; what it had not committed is undone.`,
    ),
  ];
}

/** Linux says who holds which lock. In WAL mode the lock of writers is one byte of state.db-shm. */
async function holderOf(home: string): Promise<{ pid: number; command: string } | undefined> {
  try {
    const { ino } = await stat(join(home, 'state.db-shm'));
    const pid = lockHolder(await readFile('/proc/locks', 'utf8'), ino);
    if (pid === undefined) return undefined;
    const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0').filter(Boolean);
    return { pid, command: words.length === 0 ? '' : ` (${words.join(' ').slice(0, 200)})` };
  } catch {
    return undefined;
  }
}

const WRITE_LOCK_BYTE = 120;

/** `1: POSIX  ADVISORY  WRITE 4711 08:01:1234 120 120`. */
export function lockHolder(locks: string, inode: number): number | undefined {
  for (const line of locks.split('\n')) {
    const [, kind, pid, ino, start, end] =
      /\b(READ|WRITE)\s+(\d+)\s+[0-9a-f]+:[0-9a-f]+:(\d+)\s+(\d+)\s+(\d+|EOF)/i.exec(line) ?? [];
    const covers = Number(start) <= WRITE_LOCK_BYTE && (end === 'EOF' || Number(end) >= WRITE_LOCK_BYTE);
    if (kind === 'WRITE' && Number(ino) === inode && covers && Number(pid) > 0) return Number(pid);
  }
  return undefined;
}

const PAGE = 1000;
const LOOKED_AT = 50_000;
const SHOWN = 3;

/** Whether contents are there at all; that their bytes are the right ones is for content_verify to say. */
export async function contents({ app }: Patient): Promise<Finding[]> {
  const { store } = app;
  const lost: string[] = [];
  let looked = 0;
  try {
    await store.objects.size('0'.repeat(64));
  } catch (thrown) {
    const { message } = toCairnError(thrown);
    if (message.includes('newer Cairn')) return [found('store-newer', message)];
  }
  for (let after = '', more = true; more && looked < LOOKED_AT; ) {
    const page = await store.read(({ documents }) => documents.needed(after, PAGE));
    for (const hash of page) if ((await store.objects.size(hash)) === undefined) lost.push(hash);
    looked += page.length;
    after = page.at(-1) ?? '';
    more = page.length === PAGE;
  }
  if (lost.length === 0) return [ok('documents', `${counted(looked, 'content')} there`)];
  const named = lost.slice(0, SHOWN).map((hash) => hash.slice(0, 12));
  return [found('objects-missing', `${counted(lost.length, 'content')} gone: ${named.join(', ')}…`)];
}
