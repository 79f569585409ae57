/** `cairn doctor`: looks at everything that commonly goes wrong and says how to mend it. Changes nothing. */
import { access, constants } from 'node:fs/promises';
import { toCairnError } from '../../errors.ts';
import { call } from '../../operations/call.ts';
import type { App } from '../../service/app.ts';
import type { Principal } from '../../service/principal.ts';
import { unreadVariables } from '../../service/seed-variables.ts';

export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'problem';
  readonly detail: string;
  readonly remedy?: string;
}

export interface Diagnosis {
  readonly healthy: boolean;
  readonly findings: readonly Finding[];
}

const MINIMUM_NODE = [20, 19] as const;

export async function diagnose(app: App, principal: Principal): Promise<Diagnosis> {
  const findings = [
    nodeVersion(),
    ok('home', `${app.config.home} (${app.config.sources.home})`),
    ...settingsInForce(app),
    ...(await environment(app, principal)),
    ...(await embeddings(app)),
    ...(await instructionFiles(app, principal)),
    await auditTrail(app, principal),
    await logFile(app),
    ...unreadButSet(),
  ];
  return { healthy: findings.every(({ state }) => state !== 'problem'), findings };
}

function nodeVersion(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const enough = major > MINIMUM_NODE[0] || (major === MINIMUM_NODE[0] && minor >= MINIMUM_NODE[1]);
  const detail = `Node ${process.versions.node}`;
  return enough ? ok('node', detail) : problem('node', detail, `Install Node ${MINIMUM_NODE.join('.')} or newer.`);
}

function settingsInForce({ config }: App): Finding[] {
  const { readOnly, mutation, toolsets } = config;
  const changes = readOnly
    ? 'read-only'
    : mutation
      ? 'the instruction catalog may be changed'
      : 'the instruction catalog is protected';
  return [ok('settings', `toolsets ${toolsets.join(', ')}; ${changes} (cairn config shows all)`)];
}

interface EnvironmentHealth {
  readonly health: {
    readonly errors: readonly string[];
    readonly warnings: readonly string[];
    readonly storage_exists: boolean;
    readonly storage_path: string;
  };
}

async function environment(app: App, principal: Principal): Promise<Finding[]> {
  const { health } = (await call(app, {
    operation: 'get_environment_health',
    input: {},
    principal,
  })) as EnvironmentHealth;
  const findings = [
    ...health.errors.map((detail) => problem('store', detail, 'Check the rights and free space of the home folder.')),
    // The model has a finding of its own, which has tried it.
    ...health.warnings
      .filter((detail) => !detail.startsWith('No vectors: '))
      .map((detail): Finding => ({ check: 'environment', state: 'warning', detail })),
  ];
  const sound = health.errors.length === 0 && health.storage_exists;
  return sound ? [ok('store', `${health.storage_path} opens`), ...findings] : findings;
}

/** A model may take this long to load. */
const MODEL_MS = 20_000;

/** Tries the model: what is missing shows only then. Without it search works, so it is no problem, but a warning. */
async function embeddings({ embedder, config }: App): Promise<Finding[]> {
  if (config.embeddings === 'none') return [ok('embeddings', 'switched off; search goes by keywords')];
  const open =
    config.embeddingsKey !== '' && config.embeddingsUrl.startsWith('http://') && !isLocal(config.embeddingsUrl);
  const findings: Finding[] = open
    ? [warning('embeddings', `The key goes to ${new URL(config.embeddingsUrl).host} unencrypted`, 'Use an https URL.')]
    : [];
  try {
    await embedder.embed(['Is anybody there?'], { signal: AbortSignal.timeout(MODEL_MS) });
    return [ok('embeddings', `${embedder.model}, ${embedder.dimensions} dimensions`), ...findings];
  } catch (thrown) {
    const { message, suggestion } = toCairnError(thrown);
    const { remedy = suggestion } = embedder.state();
    return [warning('embeddings', `${message}. Search goes by keywords`, remedy), ...findings];
  }
}

function isLocal(url: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname);
}

interface Verification {
  readonly count: number;
  readonly issues: readonly { readonly id: string }[];
  readonly unreadable: readonly { readonly file: string; readonly problem: string }[];
}

async function instructionFiles(app: App, principal: Principal): Promise<Finding[]> {
  let result: Verification;
  try {
    result = (await call(app, { operation: 'integrity_verify', input: {}, principal })) as Verification;
  } catch (thrown) {
    return [problem('instructions', toCairnError(thrown).message, 'Mend the store first; see the other findings.')];
  }
  const remedy = 'Mend the file or move it out of the folder; all others are served.';
  const bad = result.unreadable.map(({ file, problem: why }) => problem('instructions', `${file} ${why}`, remedy));
  const edited = result.issues.map(
    ({ id }): Finding => ({
      check: 'instructions',
      state: 'warning',
      detail: `${id} has a body that its hash does not fit: it was edited by hand. instructions/repair brings the hash up to date.`,
    }),
  );
  return [ok('instructions', `${result.count} entries`), ...bad, ...edited];
}

async function auditTrail(app: App, principal: Principal): Promise<Finding> {
  try {
    const result = (await call(app, { operation: 'audit_verify', input: {}, principal })) as {
      intact: boolean;
      entries: number;
      brokenAt?: number;
      reason?: string;
    };
    if (result.intact) return ok('audit', `${result.entries} entries, the chain is whole`);
    const detail = `The audit trail is broken at entry ${result.brokenAt}: ${result.reason}`;
    return problem('audit', detail, 'Compare with a backup of state.db; somebody or something changed it.');
  } catch (thrown) {
    return problem('audit', toCairnError(thrown).message, 'The store cannot be read; restore state.db from a backup.');
  }
}

async function logFile({ config }: App): Promise<Finding> {
  if (config.logFile === '') return ok('log', 'stderr only');
  try {
    await access(config.logFile, constants.W_OK);
    return ok('log', config.logFile);
  } catch (thrown) {
    const missing = (thrown as NodeJS.ErrnoException).code === 'ENOENT';
    return missing
      ? ok('log', `${config.logFile} (made on the first line)`)
      : problem('log', `${config.logFile} cannot be written`, 'Set MCP_LOG_FILE to a path that this user may write.');
  }
}

function unreadButSet(): Finding[] {
  return unreadVariables
    .filter(({ name }) => process.env[name] !== undefined)
    .map(({ name, why }) => ({
      check: 'environment',
      state: 'warning' as const,
      detail: `${name} is set, but not read. ${why}`,
    }));
}

function ok(check: string, detail: string): Finding {
  return { check, state: 'ok', detail };
}

function warning(check: string, detail: string, remedy: string): Finding {
  return { check, state: 'warning', detail, remedy };
}

function problem(check: string, detail: string, remedy: string): Finding {
  return { check, state: 'problem', detail, remedy };
}

export function diagnosisText({ healthy, findings }: Diagnosis): string {
  const mark = { ok: '✓', warning: '!', problem: '✗' };
  const lines = findings.map(({ check, state, detail, remedy }) => {
    return `${mark[state]} ${check.padEnd(12)} ${detail}${remedy ? `\n  ${' '.repeat(12)} → ${remedy}` : ''}`;
  });
  return [...lines, '', healthy ? 'All is well.' : 'There are problems; the arrows say what to do.'].join('\n');
}
