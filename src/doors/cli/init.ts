/**
 * `cairn init [DIR]`: a home for a project, and an offer of what makes it useful at once: the rules that other tools left
 * there, and its source. Asks on a terminal; elsewhere it does what the flags say, and without them says what it found.
 */
import { existsSync, statSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { explain, toCairnError } from '../../errors.ts';
import { writeFileAtomically } from '../../store/file.ts';
import { HOME_IGNORE, missingFrom } from '../../store/home-ignore.ts';
import { badUsage, type Flags } from './arguments.ts';
import { counted, sizeText } from './figures.ts';

/**
 * Where the home of a project is made: as the flag or the environment says, in the folder that was named, else where there
 * is one, else at the root of the repository, else here.
 */
export function placeForHome(words: readonly string[], flags: Flags, workingFolder: string): string {
  const [word, ...more] = words;
  if (more.length > 0) throw badUsage('init takes one folder at most, as in cairn init .');
  const said = typeof flags.home === 'string' ? flags.home : word === undefined ? process.env.CAIRN_HOME : undefined;
  if (said) return resolve(workingFolder, said);
  if (word !== undefined) {
    const folder = resolve(workingFolder, word);
    if (!isFolder(folder)) throw badUsage(`There is no folder ${word}`, 'Make it first, then run cairn init in it.');
    return basename(folder) === '.cairn' ? folder : join(folder, '.cairn');
  }
  let repository: string | undefined;
  for (let folder = workingFolder; ; folder = dirname(folder)) {
    // The one in the user's folder serves what belongs to no project.
    if (isFolder(join(folder, '.cairn')) && (folder !== homedir() || folder === workingFolder))
      return join(folder, '.cairn');
    if (existsSync(join(folder, '.git'))) repository ??= folder;
    if (folder === dirname(folder)) return join(repository ?? workingFolder, '.cairn');
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

export interface InitOptions {
  readonly home: string;
  readonly flags: Flags;
  call(operation: string, input: Record<string, unknown>): Promise<unknown>;
  /** Absent where nobody can answer. */
  readonly ask?: (question: string) => Promise<boolean>;
}

interface Rules {
  readonly imported: number;
  readonly skipped: number;
  readonly total: number;
  readonly errors: readonly { readonly id?: string; readonly error: string }[];
  readonly files: readonly { readonly path: string; readonly entries: number }[];
}

interface Indexed {
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly bytes: number;
  readonly failed: number;
}

type Outcome<T> = { readonly done: T } | { readonly failed: string } | { readonly left: string };

export interface Initialised {
  readonly home: string;
  readonly project: string;
  readonly created: boolean;
  /** Lines that were added to a `.gitignore` of somebody else's. */
  readonly ignored: readonly string[];
  readonly found: { readonly files: Rules['files']; readonly instructions: number };
  readonly rules: Outcome<Pick<Rules, 'imported' | 'skipped' | 'total' | 'errors'>>;
  readonly source: Outcome<Indexed>;
  readonly next: readonly string[];
}

export async function initialise({ home, flags, call, ask }: InitOptions): Promise<Initialised> {
  const project = basename(home) === '.cairn' ? dirname(home) : process.cwd();
  const { created, ignored } = await makeHome(home);
  const everything = project === homedir() || project === dirname(project);
  const found = everything ? nothingFound : await lookForRules(project, call);
  const decide = (flag: 'import' | 'index', question: string) => wish(flags, flag, question, ask);
  const rules = await rulesTaken(project, found, call, decide);
  const source = everything
    ? ({ left: `${project} is no project: its files are not indexed as one` } as const)
    : await sourceTaken(project, call, decide);
  return {
    home,
    project,
    created,
    ignored,
    found: { files: found.files, instructions: found.total },
    rules,
    source,
    next: ['cairn serve --http 8787', 'cairn install claude', 'cairn search how does this work'],
  };
}

const nothingFound: Rules = { imported: 0, skipped: 0, total: 0, errors: [], files: [] };

/** A folder with the shelves that people edit, and a `.gitignore` for everything else. */
async function makeHome(home: string): Promise<{ created: boolean; ignored: string[] }> {
  const created = !existsSync(home);
  for (const shelf of ['instructions', 'decisions']) await mkdir(join(home, shelf), { recursive: true });
  const ignore = join(home, '.gitignore');
  if (!existsSync(ignore)) {
    await writeFileAtomically(ignore, HOME_IGNORE);
    return { created, ignored: [] };
  }
  const present = await readFile(ignore, 'utf8');
  const missing = missingFrom(present);
  // Its own lines stay as they are: somebody wrote them.
  if (missing.length > 0) {
    const end = present.endsWith('\n') || present === '' ? '' : '\n';
    await writeFileAtomically(ignore, `${present}${end}${missing.join('\n')}\n`);
  }
  return { created, ignored: missing };
}

async function lookForRules(project: string, call: InitOptions['call']): Promise<Rules> {
  return (await call('instructions_import', { source: project, rules: true, dryRun: true })) as Rules;
}

async function wish(flags: Flags, flag: 'import' | 'index', question: string, ask: InitOptions['ask']) {
  const said = flags[flag];
  if (typeof said === 'boolean') return said;
  if (flags.yes === true) return true;
  return ask === undefined ? undefined : ask(question);
}

type Decide = (flag: 'import' | 'index', question: string) => Promise<boolean | undefined>;

async function rulesTaken(
  project: string,
  { files, total, skipped }: Rules,
  call: InitOptions['call'],
  decide: Decide,
): Promise<Initialised['rules']> {
  if (total === 0) return { left: 'No rules of other tools were found' };
  if (skipped === total) return { left: `${counted(total, 'instruction')} of other tools are here already` };
  const wanted = await decide('import', `Import ${counted(total, 'instruction')} from ${namesOf(files)}?`);
  if (wanted === undefined) return { left: 'cairn init --import takes them in' };
  if (!wanted) return { left: 'Not imported' };
  return attempt(async () => {
    const taken = (await call('instructions_import', { source: project, rules: true })) as Rules;
    return { imported: taken.imported, skipped: taken.skipped, total: taken.total, errors: taken.errors };
  });
}

async function sourceTaken(project: string, call: InitOptions['call'], decide: Decide): Promise<Initialised['source']> {
  const question = `Index the files of ${project} (without what .gitignore leaves out)?`;
  const wanted = await decide('index', question);
  if (wanted === undefined) return { left: 'cairn init --index takes it in' };
  if (!wanted) return { left: 'Not indexed' };
  return attempt(async () => {
    const { added, updated, unchanged, bytes, failed } = (await call('add', { path: project })) as Indexed;
    return { added, updated, unchanged, bytes, failed };
  });
}

/** The other half goes on: who may not change the catalog may still index files. */
async function attempt<T>(work: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { done: await work() };
  } catch (thrown) {
    return { failed: explain(toCairnError(thrown)) };
  }
}

export function wentWell({ rules, source }: Initialised): boolean {
  return !('failed' in rules) && !('failed' in source) && !('done' in rules && rules.done.errors.length > 0);
}

const NAMED = 4;

function namesOf(files: Rules['files']): string {
  const names = files.slice(0, NAMED).map(({ path }) => path);
  const more = files.length - names.length;
  return more > 0 ? `${names.join(', ')} and ${counted(more, 'other file')}` : names.join(', ');
}

export function initialisedText(result: Initialised): string {
  const { home, created, ignored, found, rules, source, next } = result;
  return [
    created ? `Made ${home}` : `${home} was there already`,
    ...(ignored.length > 0 ? [`Added to its .gitignore: ${ignored.join(', ')}`] : []),
    ...(found.files.length > 0 ? [`Found rules in ${namesOf(found.files)}`] : []),
    outcomeText('Instructions', rules, ({ imported, skipped, errors }) =>
      [
        `${imported} imported, ${skipped} here already`,
        ...errors.map(({ id, error }) => `  not taken: ${id === undefined ? '' : `${id}: `}${error}`),
      ].join('\n'),
    ),
    outcomeText('Documents', source, ({ added, updated, unchanged, bytes, failed }) => {
      const counts = `${added} added, ${updated} changed, ${unchanged} as before (${sizeText(bytes)})`;
      return failed === 0 ? counts : `${counts}, ${failed} not taken: cairn add . says which`;
    }),
    '',
    'Next',
    ...next.map((command) => `  ${command}`),
  ].join('\n');
}

function outcomeText<T>(what: string, outcome: Outcome<T>, tell: (done: T) => string): string {
  if ('done' in outcome) return `${what}: ${tell(outcome.done)}`;
  return 'failed' in outcome ? `${what}: failed. ${outcome.failed}` : `${what}: ${outcome.left}`;
}
