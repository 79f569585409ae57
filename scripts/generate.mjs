/** Writes the generated files; with --check, compares instead and fails on a difference. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { importTypeScript } from './import.mjs';
import { reliabilityFiles } from './reliability.mjs';

const check = process.argv.includes('--check');
const { generatedFiles } = await importTypeScript('scripts/reference.ts');
const stale = [];
for (const [path, text] of Object.entries({ ...(await generatedFiles()), ...reliabilityFiles() })) {
  if (read(path) === text) continue;
  stale.push(path);
  if (check) continue;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
if (stale.length > 0) console.log(`${check ? 'out of date' : 'written'}: ${stale.join(', ')}`);
if (check && stale.length > 0) {
  console.error('Run npm run generate and commit the result.');
  process.exit(1);
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
