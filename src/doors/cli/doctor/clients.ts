/** Whether the clients on this machine that are to start Cairn would find it. */
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute } from 'node:path';
import { type Client, clientFacts, clients as everyClient, type Place, type Scope } from '../install/clients.ts';
import type { Edit } from '../install/edit.ts';
import { commandFrom } from '../install/invocation.ts';
import { valueAt } from '../install/json-edit.ts';
import { findServer } from '../install/toml.ts';
import { type Finding, found, ok, type Patient } from './finding.ts';

export async function clients(patient: Patient): Promise<Finding[]> {
  const findings: Finding[] = [];
  const sound: string[] = [];
  for (const client of everyClient) {
    for (const scope of ['user', 'project'] as const) {
      for (const { path, edits } of clientFacts[client].files(placeOf(patient, client, scope))) {
        const words = await registered(path, edits);
        if (words === undefined) continue;
        const missing = missingOf(words);
        if (missing === undefined) sound.push(client);
        else {
          const remedy = `cairn install ${client} --scope ${scope} points it to this one.`;
          findings.push(found('client-lost', `${path} starts Cairn from ${missing}, which is not there`, remedy));
        }
      }
    }
  }
  return sound.length === 0 ? findings : [ok('clients', [...new Set(sound)].join(', ')), ...findings];
}

function placeOf({ app, env, userFolder, workingFolder }: Patient, client: Client, scope: Scope): Place {
  const { home } = app.config;
  const project = basename(home) === '.cairn' ? dirname(home) : workingFolder;
  return { client, scope, home: userFolder, project, platform: process.platform, env, words: [], hooks: false };
}

const MOST_BYTES = 5 * 1024 ** 2;

/** The words that start Cairn, where the file has them. A file that cannot be read is its client's to complain about. */
async function registered(path: string, edits: readonly Edit[]): Promise<readonly string[] | undefined> {
  try {
    if ((await stat(path)).size > MOST_BYTES) return undefined;
    const text = await readFile(path, 'utf8');
    for (const edit of edits) {
      const words =
        edit.kind === 'server'
          ? wordsOf(valueAt({ text, file: path }, edit.at))
          : edit.kind === 'toml'
            ? tomlWords(findServer({ text, file: path }).lines)
            : undefined;
      if (words !== undefined) return words;
    }
  } catch {
    // Not there, or not in its form.
  }
  return undefined;
}

function wordsOf(entry: unknown): string[] | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined;
  const { command, args } = entry as { command?: unknown; args?: unknown };
  if (typeof command !== 'string') return undefined;
  return [command, ...(Array.isArray(args) ? args.filter((word) => typeof word === 'string') : [])];
}

/** The texts of the table's lines: its command and its arguments. */
function tomlWords(lines: string): string[] | undefined {
  const words = lines
    .split('\n')
    .filter((line) => /^\s*(?:command|args)\s*=/.test(line))
    .flatMap((line) => [...line.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g)])
    .map(([, quoted, literal]) => literal ?? (quoted ?? '').replace(/\\(.)/g, '$1'));
  return words.length === 0 ? undefined : words;
}

function missingOf(words: readonly string[]): string | undefined {
  // A command of one text has its arguments in it.
  const [only = '', ...rest] = words;
  const parts = rest.length === 0 && !existsSync(only) ? commandFrom(only) : words;
  return parts.slice(0, 2).find((word) => isAbsolute(word) && !existsSync(word));
}
