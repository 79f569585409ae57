/** Whether the databases of a home are whole. Each is opened on a connection of its own that cannot write. */
import { type Dirent, readdirSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseDamage } from '../store.ts';
import { Database, isBusy } from './database.ts';
import { messageOf } from './failure.ts';

const databases = [
  { file: 'state.db', derived: false },
  { file: 'index.db', derived: true },
  { file: 'objects.db', derived: false },
] as const;

/** Reading more than this takes minutes; content_verify does so, and says how far it is. */
const MOST_BYTES = 2 * 1024 ** 3;
const SHOWN = 3;

export async function examineDatabases(home: string): Promise<DatabaseDamage[]> {
  const found: DatabaseDamage[] = [];
  for (const { file, derived } of databases) {
    const path = join(home, file);
    const size = await stat(path).then(
      (facts) => facts.size,
      () => 0,
    );
    const problem = size === 0 || size > MOST_BYTES ? undefined : checked(path);
    if (problem !== undefined) found.push({ file, problem, derived });
  }
  return [...found, ...misplaced(home)];
}

/** Under these names files are read, and nothing else. */
const steering = ['config.json', 'gates.json', 'owners.json', 'prompt-criteria.json', 'targets.json'];
const shelves = { instructions: '.json', decisions: '.md' };

/** What has the name of a file that is read, and is none: nobody would miss it. */
function misplaced(home: string): DatabaseDamage[] {
  const within = Object.entries(shelves).flatMap(([folder, ending]) =>
    entriesIn(join(home, folder))
      .filter((entry) => entry.name.endsWith(ending) && !entry.isFile())
      .map((entry) => ({ file: `${folder}/${entry.name}`, entry })),
  );
  const beside = entriesIn(home)
    .filter((entry) => steering.includes(entry.name) && !entry.isFile())
    .map((entry) => ({ file: entry.name, entry }));
  return [...beside, ...within].map(({ file, entry }) => {
    const what = entry.isDirectory() ? 'a folder' : entry.isSymbolicLink() ? 'a link' : 'no plain file';
    return { file, problem: `it is ${what}, and only plain files are read`, derived: false };
  });
}

function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function checked(path: string): string | undefined {
  let database: Database | undefined;
  try {
    database = new Database(path, { readOnly: true });
    const rows = database.all(`PRAGMA quick_check(${SHOWN})`).map((row) => String(Object.values(row)[0]));
    return rows.length === 1 && rows[0] === 'ok' ? undefined : rows.join('; ');
  } catch (thrown) {
    // Somebody is about to change it: that is no damage.
    return isBusy(thrown) ? undefined : messageOf(thrown);
  } finally {
    database?.close();
  }
}
