/** A secret in every text that every operation takes: it is refused or masked, and comes back by no other way. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { mask } from '../../src/service/secret.ts';
import { cairn, type Message, type StdioServer } from '../support/cairn.ts';
import { exampleOf, local, openArena, slotsOf, textsBelow } from './arena.ts';

/** Of its own for every place, so that a leak names the way it took. */
function secretFor(place: string): string {
  const letters = createHash('sha256')
    .update(place)
    .digest('base64')
    .replace(/[^A-Z0-9]/g, '');
  return `AKIA${`${letters}Q7ZK2M9XW4LB8RTD`.slice(0, 16)}`;
}

/** Contents of documents are kept as they are, and marked: `get` shows them to who asks for that very document. */
const keptAsTheyAre = new Set(['add $.content']);

it('a secret in any argument of any write is nowhere to be read afterwards: answers, trail, log, files', {
  timeout: 120_000,
}, async () => {
  const arena = await openArena({ env: { CAIRN_LOG_VERBOSE: '1', MCP_LOG_FILE: '/dev/null' } });
  const log = join(arena.around, 'cairn.log');
  const server = arena.start(['--role', 'admin', '--mutation'], { MCP_LOG_FILE: log, MCP_LOG_VERBOSE: '1' });
  const places = new Map<string, string>();
  const echoed: string[] = [];
  for (const entry of local.filter(({ writes }) => writes)) {
    const input = await exampleOf(entry, server);
    for (const slot of slotsOf(entry.inputSchema, 'string')) {
      const place = `${entry.name} ${slot.path}`;
      const secret = secretFor(place);
      places.set(secret, place);
      for (const value of [secret, `The key is ${secret}, keep it safe and use it well.`]) {
        const answer = await server.ask(entry.name, slot.put(input, value));
        if (answer.error === undefined && JSON.stringify(answer).includes(secret)) echoed.push(place);
      }
    }
  }
  expect(places.size).toBeGreaterThan(80);
  const leaks = new Set<string>();
  const look = (where: string, text: string) => {
    for (const [secret, place] of places) {
      if (text.toUpperCase().includes(secret) && !keptAsTheyAre.has(place)) leaks.add(`${place} → ${where}`);
    }
  };
  for (const [where, text] of await readings(server)) look(where, text);
  look('log', await readFile(log, 'utf8').catch(() => ''));
  look('stderr', server.stderr());
  const trail = await cairn(['audit', 'list', '--limit', '1000', '--home', arena.home, '--role', 'admin']);
  look('the command', trail.stdout + trail.stderr);
  for (const [path, text] of await textsBelow(arena.home)) {
    if (/\.(?:json|md|log|jsonl)$/.test(path)) look(`file ${path.replace(/AKIA\w+/g, 'AKIA')}`, text);
  }
  expect([...leaks].sort(), [...new Set(echoed)].join(', ')).toEqual([]);
  // What the rule is made of knows them all.
  for (const secret of places.keys()) expect(mask(secret)).not.toContain(secret);
});

/** Every read with its own example, and everything there is as a list. */
async function readings(server: StdioServer): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for (const entry of local.filter(({ writes, kind }) => !writes && kind !== 'composite')) {
    const { limit } = (entry.inputSchema.properties ?? {}) as Record<string, { maximum?: number }>;
    const whole = limit === undefined ? {} : { limit: Math.min(limit.maximum ?? 100, 1000) };
    for (const input of [await exampleOf(entry, server), whole] as Message[]) {
      const { result } = await server.ask(entry.name, input);
      found.push([entry.name, JSON.stringify(result ?? {})]);
    }
  }
  return found;
}
