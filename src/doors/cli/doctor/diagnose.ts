/** All looks in their order, and what they come to. */
import { explain, toCairnError } from '../../../errors.ts';
import { clients } from './clients.ts';
import { configuration, embeddings, logFile, variables } from './configuration.ts';
import { contents, databases, lock } from './databases.ts';
import { type Finding, found, type Look, type Patient } from './finding.ts';
import { audit, backups, citations, criteria, decisions, gates, instructions, reviews } from './knowledge.ts';
import { clock, disk, nodeVersion } from './machine.ts';
import { http, webhooks } from './network.ts';
import { home } from './place.ts';
import { git, repository } from './repository.ts';

export interface Diagnosis {
  readonly healthy: boolean;
  readonly findings: readonly Finding[];
}

/** These need nothing but the machine and the settings. */
const first: Readonly<Record<string, Look>> = {
  node: () => nodeVersion(process.versions.node),
  home,
  settings: configuration,
  variables,
  // Before anything that would build anew what is damaged.
  databases,
  disk,
  lock,
  log: logFile,
};

/** These read the store, and have nothing to say where it cannot be read. */
const second: Readonly<Record<string, Look>> = {
  instructions,
  gates,
  criteria,
  reviews,
  decisions,
  citations,
  documents: contents,
  backups,
  audit,
  clock,
  git,
  repository,
  http,
  webhooks,
  clients,
  embeddings,
};

export async function diagnose(patient: Patient): Promise<Diagnosis> {
  const findings: Finding[] = [];
  for (const [name, look] of Object.entries(first)) findings.push(...(await taken(name, look, patient)));
  const unreadable = findings.some(isDamage);
  for (const [name, look] of Object.entries(second)) {
    const seen = await taken(name, look, patient);
    // What is damaged was told of; that nothing can be read from it is no news.
    findings.push(...(unreadable ? seen.filter(({ fault }) => fault !== 'check-failed') : seen));
  }
  return { healthy: findings.every(({ state }) => state !== 'problem'), findings };
}

function isDamage({ check, state }: Finding): boolean {
  return (check === 'store' && state === 'problem') || (state !== 'ok' && ['index', 'documents'].includes(check));
}

async function taken(name: string, look: Look, patient: Patient): Promise<Finding[]> {
  try {
    return await look(patient);
  } catch (thrown) {
    return [found('check-failed', `${name}: ${explain(toCairnError(thrown))}`)];
  }
}

const mark = { ok: '✓', warning: '!', problem: '✗' };

export function diagnosisText({ healthy, findings }: Diagnosis): string {
  const lines = findings.map(({ check, state, detail, remedy }) => {
    return `${mark[state]} ${check.padEnd(12)} ${detail}${remedy ? `\n  ${' '.repeat(12)} → ${remedy}` : ''}`;
  });
  const warned = findings.filter(({ state }) => state === 'warning').length;
  const summary = !healthy
    ? 'There are problems; the arrows say what to do.'
    : warned === 0
      ? 'All is well.'
      : 'Nothing is broken; the arrows say what could be better.';
  return [...lines, '', summary].join('\n');
}
