/** `cairn store`: where everything is kept, how it moves from a home to PostgreSQL and back, and the files that steer it. */
import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { CairnError } from '../../errors.ts';
import { openStoreAt, placeOf } from '../../service/app.ts';
import { isStoreAddress } from '../../store/shared/address.ts';
import type { Store } from '../../store/store.ts';
import { type Moved, move } from '../../store/transfer.ts';
import { badUsage } from './arguments.ts';
import { numberText } from './figures.ts';
import { jsonOf } from './input.ts';
import { type Invocation, principalAt } from './invocation.ts';
import { progressBar } from './progress.ts';
import { table } from './table.ts';
import { written } from './terminal.ts';

export async function storeStatus({ app, print }: Invocation): Promise<number> {
  const report = await app.store.inspect();
  const sound = report.problems.length === 0;
  const counts = sound ? await countsIn(app.store) : undefined;
  const status = { ...report, ...(counts !== undefined && { counts }) };
  print(status, () => statusText(status));
  return sound ? 0 : 1;
}

type Counts = Readonly<Record<string, number>>;

async function countsIn(store: Store): Promise<Counts> {
  const [instructions, decisions] = [await store.files.list('instructions'), await store.files.list('decisions')];
  const { contents, storedBytes } = await store.objects.stats();
  return store.read(async ({ documents, events, audit }) => ({
    instructions: instructions.length,
    decisions: decisions.length,
    documents: await documents.count({}),
    contents,
    contentBytes: storedBytes,
    events: await events.count({}),
    auditEntries: (await audit.head()).count,
  }));
}

function statusText(status: Awaited<ReturnType<Store['inspect']>> & { readonly counts?: Counts }): string {
  const { engine, location, exists, writable, schemaVersion, problems, counts } = status;
  const state = exists ? (writable ? 'reads and writes' : 'reads only') : 'not there yet, or not reached';
  const lines = [
    `${engine === 'postgres' ? 'PostgreSQL' : 'Files and SQLite'} at ${location}`,
    `${state}; schema ${schemaVersion}`,
    ...Object.entries(counts ?? {}).map(([name, count]) => `${name.padEnd(14)} ${numberText(count).padStart(12)}`),
    ...problems.map((problem) => `! ${problem}`),
  ];
  return lines.join('\n');
}

export async function storeMigrate({ app, words, print }: Invocation): Promise<number> {
  const [from, to, ...more] = words.map(meant);
  if (from === undefined || to === undefined || more.length > 0) {
    throw badUsage(
      'store migrate needs two places, as in cairn store migrate .cairn postgres://cairn@db.example/cairn?catalog=team',
      'A place is the folder of a home or a postgres:// URL.',
    );
  }
  if (app.config.readOnly) throw new CairnError('read_only', 'Moving a store writes to the place it is moved to');
  if (placeOf(app.config, from) === placeOf(app.config, to)) throw badUsage('Both places are the same');
  const source = await openStoreAt(app.config, from);
  // Its versions come along; a write of the move itself is none.
  const target = await openStoreAt({ ...app.config, history: false }, to);
  const bar = progressBar(process.stderr);
  try {
    const moved = await move(source, target, (what, done) => bar.show({ done, message: what }));
    bar.clear();
    print({ from: source.location, to: target.location, moved }, () => movedText(source, target, moved));
    return 0;
  } finally {
    bar.clear();
    await source.close();
    await target.close();
  }
}

/** Files that steer the catalog and that people write: where there is no folder to put them into, this brings them. */
const steering = ['gates.json', 'owners.json', 'prompt-criteria.json', 'targets.json'];

export async function storePut({ app, words, print }: Invocation): Promise<number> {
  if (words.length === 0) throw badUsage('store put needs files, as in cairn store put gates.json');
  if (app.config.readOnly) throw new CairnError('read_only', 'A file is written into the store');
  if (principalAt(app.config).role !== 'admin')
    throw new CairnError('permission_denied', 'These files say what others may do: only an admin puts them there');
  const names: string[] = [];
  for (const path of words) {
    const name = basename(path);
    if (!steering.includes(name)) throw badUsage(`${name} is none of ${steering.join(', ')}`);
    const text = await readFile(path, 'utf8');
    jsonOf(text, name);
    await app.store.write(({ files }) => files.put('home', name, text));
    names.push(name);
  }
  print({ put: names, store: app.store.location }, () => `${names.join(', ')} put into ${app.store.location}`);
  return 0;
}

function meant(word: string): string {
  return isStoreAddress(word) ? word : resolve(word);
}

function movedText(source: Store, target: Store, moved: readonly Moved[]): string {
  const rows = moved
    .filter(({ count }) => count > 0)
    .map(({ what, count, sent }) => [what, numberText(count), numberText(sent)]);
  const columns = [{ title: 'what' }, { title: 'there', right: true }, { title: 'sent', right: true }];
  const heading = `${source.location} is now in ${target.location} as well, compared by hash:`;
  return `${heading}\n${written(table(columns, rows), false)}Serve it with CAIRN_STORE or --store; the old place is untouched.`;
}
