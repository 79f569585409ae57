import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { EventRecord } from '../store/store.ts';
import { writeBundleFile } from '../store/tar.ts';
import { type Bundle, entriesOf, readBundle } from './bundle.ts';

const event: EventRecord = {
  id: 1,
  namespace: 'default',
  session: 's',
  kind: 'interaction',
  source: 'test',
  subject: 'asked',
  detail: 'answered',
  targets: ['a'],
  files: [],
  success: true,
  created: '2026-01-01T00:00:00.000Z',
};

async function roundTrip(changes: Partial<Bundle>): Promise<Bundle> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-bundle-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'bundle.tar.gz');
  const whole = { created: event.created, decisions: new Map(), events: [event], links: [], ...changes };
  await writeBundleFile(path, entriesOf(whole));
  return readBundle(path);
}

it('gives back what went in', async () => {
  const links = [{ event: 1, decision: 'x', created: event.created }];
  expect(await roundTrip({ links })).toMatchObject({ events: [event], links });
});

it.each([
  ['an id that would leave no room for others', { id: Number.MAX_SAFE_INTEGER }],
  ['an id below one', { id: 0 }],
  ['a target that is no text', { targets: [null] as never }],
  ['files that are no list', { files: 'x' as never }],
  ['a kind that nobody knows', { kind: 'rumour' as never }],
  ['a time that is none', { created: 'yesterday' }],
])('refuses an event with %s, although every hash fits', async (_what, fault) => {
  await expect(roundTrip({ events: [{ ...event, ...fault }] })).rejects.toThrow('line 1 of events.jsonl');
});

it('refuses names of targets that the store could not read', async () => {
  await expect(roundTrip({ aliases: 'not json' })).rejects.toThrow('targets.json cannot be read');
});
