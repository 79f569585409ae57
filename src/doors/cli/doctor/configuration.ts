/** Settings, variables of the environment, the log and the embedding model. */
import { access, constants } from 'node:fs/promises';
import { toCairnError } from '../../../errors.ts';
import { editDistance } from '../../../operations/names.ts';
import { settingNames } from '../../../service/config.ts';
import { unreadVariables } from '../../../service/seed-variables.ts';
import type { Setting } from '../../../service/setting.ts';
import { settings } from '../../../service/settings.ts';
import { type Finding, found, ok, type Patient } from './finding.ts';

export function configuration({ app, complaints }: Patient): Finding[] {
  const { readOnly, mutation, toolsets } = app.config;
  const changes = readOnly
    ? 'read-only'
    : mutation
      ? 'the instruction catalog may be changed'
      : 'the instruction catalog is protected';
  if (complaints.length > 0) return complaints.map((each) => found('bad-configuration', each, remedyFor(each)));
  return [ok('settings', `toolsets ${toolsets.join(', ')}; ${changes} (cairn config shows all)`)];
}

function remedyFor(complaint: string): string | undefined {
  const [, unknown] = /has "([^"]+)", which is not a setting/.exec(complaint) ?? [];
  const near = unknown === undefined ? undefined : nearestName(unknown, settingNames);
  return near && `Did you mean ${near}? \`cairn config\` lists every setting.`;
}

/** Variables that are no settings, but ours: where the home is, and switches of the tests. */
const further = ['CAIRN_HOME', 'CAIRN_TEST_FULL'];

const known: ReadonlySet<string> = new Set([
  ...further,
  ...Object.values(settings).flatMap((setting: Setting<unknown>) => setting.env ?? []),
  ...unreadVariables.map(({ name }) => name),
]);

export function variables({ env }: Patient): Finding[] {
  const present = Object.keys(env).filter((name) => env[name] !== undefined && env[name] !== '');
  return [
    ...present.flatMap(misspelled),
    ...unreadVariables
      .filter(({ name }) => env[name] !== undefined)
      .map(({ name, why }) => found('unread-variable', `${name} is set, but not read. ${why}`)),
  ];
}

/** CAIRN_… is ours alone; with MCP_… others begin theirs too, so only what is nearly one of ours is told. */
function misspelled(name: string): Finding[] {
  if (known.has(name) || !/^(?:CAIRN|MCP|GRAPH|INSTRUCTIONS|LEDGERMIND)_/.test(name)) return [];
  const near = nearestName(name, known);
  if (near === undefined && !name.startsWith('CAIRN_')) return [];
  return [found('unknown-variable', `${name} is set, and no setting has that name`, near && `Did you mean ${near}?`)];
}

const FARTHEST = 3;

function nearestName(wrong: string, names: Iterable<string>): string | undefined {
  let best: { name: string; distance: number } | undefined;
  for (const name of names) {
    const distance = editDistance(wrong.toLowerCase(), name.toLowerCase(), FARTHEST + 1);
    if (distance <= FARTHEST && distance < (best?.distance ?? FARTHEST + 1)) best = { name, distance };
  }
  return best?.name;
}

export async function logFile({ app }: Patient): Promise<Finding[]> {
  const { logFile: path } = app.config;
  if (path === '') return [ok('log', 'stderr only')];
  try {
    await access(path, constants.W_OK);
    return [ok('log', path)];
  } catch (thrown) {
    const missing = (thrown as NodeJS.ErrnoException).code === 'ENOENT';
    return [
      missing ? ok('log', `${path} (made on the first line)`) : found('log-unwritable', `${path} cannot be written`),
    ];
  }
}

/** A model may take this long to load. */
const MODEL_MS = 20_000;

/** Tries the model: what is missing shows only then. Without it search works, so it is no problem, but a warning. */
export async function embeddings({ app, complaints }: Patient): Promise<Finding[]> {
  const { embedder, config } = app;
  if (complaints.length > 0) return [];
  if (config.embeddings === 'none') return [ok('embeddings', 'switched off; search goes by keywords')];
  const open =
    config.embeddingsKey !== '' && config.embeddingsUrl.startsWith('http://') && !isLocal(config.embeddingsUrl);
  const findings: Finding[] = open
    ? [found('model-key-open', `The key goes to ${new URL(config.embeddingsUrl).host} unencrypted`)]
    : [];
  try {
    await embedder.embed(['Is anybody there?'], { signal: AbortSignal.timeout(MODEL_MS) });
    return [ok('embeddings', `${embedder.model}, ${embedder.dimensions} dimensions`), ...findings];
  } catch (thrown) {
    const { message, suggestion } = toCairnError(thrown);
    const { remedy = suggestion } = embedder.state();
    return [found('model-unavailable', `${message}. Search goes by keywords`, remedy), ...findings];
  }
}

function isLocal(url: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname);
}
