/** Measures what the search of the built server finds; see bench/README.md. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { importTypeScript } from './import.mjs';

if (!existsSync('dist/cairn.js')) execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' });

const { runQuality } = await importTypeScript('bench/quality/index.ts');
try {
  process.exitCode = await runQuality(process.argv.slice(2));
} catch (thrown) {
  console.error(thrown instanceof Error ? thrown.message : thrown);
  process.exitCode = 1;
}
