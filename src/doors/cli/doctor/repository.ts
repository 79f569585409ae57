/** git: the program, the home's own history, and how the project's repository treats the home. */
import { existsSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { toCairnError } from '../../../errors.ts';
import { GitError, runGit } from '../../../store/git.ts';
import { counted } from '../figures.ts';
import { type Finding, found, ok, type Patient } from './finding.ts';

export async function git({ app }: Patient): Promise<Finding[]> {
  if (!app.config.history) return [ok('git', 'no history is kept (CAIRN_HISTORY)')];
  const { keeper, git: version, problem, commits, waiting } = await app.store.history.state();
  if (keeper === 'database') return [ok('git', `${counted(commits ?? 0, 'version')} in the database`)];
  if (version === undefined) return [found('git-missing', 'git was not found on PATH')];
  if (problem !== undefined) return [found('history-broken', problem)];
  const kept = [`git ${version}`, counted(commits ?? 0, 'commit'), ...(waiting > 0 ? [`${waiting} waiting`] : [])];
  return [ok('git', kept.join(', '))];
}

export async function repository({ app }: Patient): Promise<Finding[]> {
  const { home } = app.config;
  const project = dirname(home);
  if (basename(home) !== '.cairn' || !isInRepository(project) || !existsSync(home)) return [];
  try {
    return [...(await committed(project, home)), ...(await ignored(project, home))];
  } catch (thrown) {
    // git is not there, or does not trust the folder: that says nothing about the home.
    if (thrown instanceof GitError || toCairnError(thrown).kind !== 'internal_error') return [];
    throw thrown;
  }
}

function isInRepository(project: string): boolean {
  for (let folder = project; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return true;
    if (folder === dirname(folder)) return false;
  }
}

const unfit = /(?:\.db(?:-wal|-shm)?$|(?:^|\/)history\.git\/)/;
const SHOWN = 3;

async function committed(project: string, home: string): Promise<Finding[]> {
  const name = relative(project, home);
  const listed = await runGit(['ls-files', '-z', '--', name], { cwd: project });
  const wrong = listed
    .toString('utf8')
    .split('\0')
    .filter((path) => unfit.test(path));
  if (wrong.length === 0) return [];
  const named = `${wrong.slice(0, SHOWN).join(', ')}${wrong.length > SHOWN ? '…' : ''}`;
  const remedy = `git rm -r --cached ${wrong.slice(0, SHOWN).join(' ')}, then commit; keep ${name}/.gitignore.`;
  return [found('databases-committed', `In the repository: ${named}`, remedy)];
}

/** Whether a rule covers the home, or the files in it that people share. */
async function ignored(project: string, home: string): Promise<Finding[]> {
  const name = relative(project, home);
  const args = ['status', '--porcelain=v1', '-z', '--ignored=matching', '--untracked-files=all', '--', name];
  const listed = (await runGit(args, { cwd: project })).toString('utf8').split('\0');
  const shared = [name, `${name}/instructions`, `${name}/decisions`];
  const covered = listed.find((line) => line.startsWith('!! ') && shared.some((path) => isAt(line.slice(3), path)));
  return covered === undefined ? [] : [found('home-ignored', `git leaves ${covered.slice(3)} out`)];
}

/** git names paths from the root of the repository. */
function isAt(listed: string, path: string): boolean {
  const plain = listed.replace(/\/$/, '');
  return plain === path || plain.endsWith(`/${path}`);
}
