/** Measures what get_relevant_context answers and where it is silent; see bench/context/measure.ts. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { importTypeScript } from './import.mjs';

// The process of the model is the built one; all else runs from the sources.
if (!existsSync('dist/embedder.js')) execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' });

const { measure } = await importTypeScript('bench/context/measure.ts');
try {
  process.exitCode = await measure(process.argv.slice(2));
} catch (thrown) {
  console.error(thrown instanceof Error ? thrown.message : thrown);
  process.exitCode = 1;
}
