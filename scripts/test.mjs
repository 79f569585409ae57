/** `npm test`: sets everything up, runs the tests, and closes with one line of counts. Arguments narrow the files. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, root } from './setup.mjs';

const args = process.argv.slice(2);
const full = args.includes('--full');
const filters = args.filter((arg) => arg !== '--full');

ensureInstalled();
ensureInstalled('test/conformance');
ensureBuilt();

const folder = mkdtempSync(join(tmpdir(), 'cairn-test-'));
const report = join(folder, 'report.json');
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const { status } = spawnSync(
  process.execPath,
  [vitest, 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...filters],
  { cwd: root, stdio: 'inherit', env: { ...cleaned(process.env), ...(full && { CAIRN_TEST_FULL: '1' }) } },
);
let counts = { numPassedTests: 0, numFailedTests: 1, numPendingTests: 0 };
try {
  counts = JSON.parse(readFileSync(report, 'utf8'));
} catch (error) {
  console.error(`The test runner left no report: ${error.message}`);
}
rmSync(folder, { recursive: true, force: true });
// A file that could not even be loaded has no failed test of its own, and is a failure all the same.
const failed = Math.max(counts.numFailedTests, status === 0 ? 0 : 1);
const skipped = counts.numPendingTests > 0 ? `, ${counts.numPendingTests} skipped` : '';
console.log(`${counts.numPassedTests} passed, ${failed} failed${skipped}`);
process.exit(failed === 0 && counts.numPassedTests > 0 ? 0 : 1);

/** Settings of the person who runs the tests must not reach the servers under test. */
function cleaned(env) {
  const ours = /^(CAIRN_(?!TEST_)|MCP_|LEDGERMIND_|INSTRUCTIONS_|INDEX_FEATURES|GRAPH_|GOV_|WORKSPACE_ID)/;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ours.test(name)));
}
