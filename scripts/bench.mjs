/** Measures the built server against its budgets; see bench/README.md. */
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { importTypeScript } from './import.mjs';

const built = statSync('dist/cairn.js', { throwIfNoEntry: false })?.mtimeMs;
if (built === undefined) execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' });
else if (newestIn('src') > built)
  console.log('dist/ is older than src/: this measures the old build (npm run build).\n');

const { runBench } = await importTypeScript('bench/index.ts');
try {
  process.exitCode = await runBench(process.argv.slice(2));
} catch (thrown) {
  console.error(thrown instanceof Error ? thrown.message : thrown);
  process.exitCode = 1;
}

function newestIn(folder) {
  const files = readdirSync(folder, { recursive: true });
  return Math.max(...files.map((file) => statSync(join(folder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0));
}
