/** What a fresh clone needs before anything runs: packages and a build. Each step is skipped when it is done already. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const minimum = [20, 19];

/** Installs exactly what the lockfile says, when it changed since the last time. */
export function ensureInstalled(folder = '.') {
  requireNode();
  const lock = createHash('sha256')
    .update(readFileSync(join(root, folder, 'package-lock.json')))
    .digest('hex');
  const stamp = join(root, folder, 'node_modules', '.cache', 'cairn-lock');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  console.error(`Installing packages${folder === '.' ? '' : ` of ${folder}`}…`);
  run(process.platform === 'win32' ? 'npm.cmd' : 'npm', ['ci', '--no-audit', '--no-fund'], join(root, folder));
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, lock);
}

/** Builds dist/ when a source is newer than it. */
export function ensureBuilt() {
  const built = statSync(join(root, 'dist', 'cairn.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = ['package.json', 'package-lock.json', 'scripts/build.mjs', 'scripts/build-page.mjs'].map((file) =>
    join(root, file),
  );
  const folders = ['src', 'web'].map((folder) => newestIn(join(root, folder)));
  const newest = Math.max(...folders, ...sources.map((file) => statSync(file).mtimeMs));
  if (built > newest) return;
  console.error('Building…');
  run(process.execPath, ['scripts/build.mjs'], root);
}

function newestIn(folder) {
  return Math.max(
    0,
    ...readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
      .map((entry) => statSync(join(entry.parentPath ?? entry.path, entry.name)).mtimeMs),
  );
}

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > minimum[0] || (major === minimum[0] && minor >= minimum[1])) return;
  console.error(`Cairn needs Node ${minimum.join('.')} or newer; this is ${process.versions.node}.`);
  process.exit(1);
}

/** Runs a command with our terminal; its failure is ours. */
export function run(command, args, cwd = root, env = process.env) {
  const { status, error } = spawnSync(command, args, { cwd, env, stdio: ['inherit', 2, 2] });
  if (error) console.error(error.message);
  if (status !== 0) process.exit(status ?? 1);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  ensureInstalled();
  ensureBuilt();
}
