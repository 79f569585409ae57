/**
 * `node scripts/audit.mjs`: known vulnerabilities of what is installed with Cairn. Ends with 1 for a high or critical one. A
 * registry that cannot be asked is no reason to fail, and is said aloud.
 */
import { spawnSync } from 'node:child_process';
import { root } from './setup.mjs';

const grave = ['high', 'critical'];
const impatient = ['--fetch-retries=0', '--fetch-timeout=30000'];
const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json', ...impatient], { cwd: root, encoding: 'utf8' });
const report = reportIn(stdout ?? '');

if (report?.vulnerabilities === undefined) {
  const why = report?.message ?? report?.error?.summary ?? report?.error?.code ?? 'no answer';
  console.error(
    `AUDIT NOT DONE: the registry did not say which vulnerabilities are known (${String(why).slice(0, 200)}).`,
  );
  console.error('Run `npm audit --omit=dev` where the registry answers, before anything is published.');
} else {
  const found = Object.values(report.vulnerabilities);
  for (const { name, severity, range } of found) console.error(`${severity}: ${name} ${range}`);
  console.log(
    found.length === 0 ? 'No vulnerability is known.' : `${found.length} packages have known vulnerabilities.`,
  );
  if (found.some(({ severity }) => grave.includes(severity))) process.exitCode = 1;
}

function reportIn(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
