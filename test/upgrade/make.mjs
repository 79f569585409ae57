/**
 * Makes a home with the built program, for test/upgrade/upgrade.test.ts to open with every later version: run it once at a
 * release, `node test/upgrade/make.mjs`, and commit homes/VERSION.tar.gz. A home that is there is never made again.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from '@photostructure/sqlite';

const MOST_BYTES = 60_000;

const root = join(import.meta.dirname, '../..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const target = join(import.meta.dirname, 'homes', `${version}.tar.gz`);
if (existsSync(target)) {
  process.stderr.write(`${target} is there, and what was released does not change. Remove it to make it anew.\n`);
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), 'cairn-home-'));
const home = join(folder, 'home');
const settings = {
  CAIRN_EMBEDDINGS: 'none',
  CAIRN_HISTORY: '0',
  CAIRN_WRITE_COOLDOWN_MS: '0',
  CAIRN_ROLE: 'admin',
  MCP_ENABLE_MUTATION: '1',
};
const server = spawn(process.execPath, [join(root, 'dist/cairn.js'), 'serve', '--home', home], {
  env: { ...process.env, ...settings },
  stdio: ['pipe', 'pipe', 'inherit'],
});
const waiting = new Map();
createInterface({ input: server.stdout }).on('line', (line) => {
  const message = JSON.parse(line);
  waiting.get(message.id)?.(message);
});

let last = 0;
async function ask(method, params = {}) {
  const id = ++last;
  const { result, error } = await new Promise((resolve) => {
    waiting.set(id, resolve);
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  });
  if (error !== undefined || result.status === 'error')
    throw new Error(`${method}: ${JSON.stringify(error ?? result)}`);
  return result;
}

const rule = (id, body) => ({ id, title: `Rule ${id}`, body, owner: 'ann', priority: 20, categories: ['stone'] });
const note = (name) => `About ${name}.\nZażółć gęślą jaźń.\n`.repeat(30);

for (const id of ['style', 'tests', 'names'])
  await ask('instructions_add', { entry: rule(id, `Mind ${id}.`), lax: true });
await ask('instructions_add', { entry: rule('style', 'Mind style twice.'), lax: true, overwrite: true });
await ask('usage_track', { id: 'style' });
await ask('usage_flush');

const chain = [];
for (const title of ['Redis it is', 'Valkey it is', 'Garnet it is']) {
  const decision = {
    title,
    target: 'cache',
    rationale: `${title}, because it was weighed.`,
    consequences: ['Install it'],
  };
  const old = chain.at(-1);
  const made =
    old === undefined
      ? ask('record_decision', decision)
      : ask('supersede_decision', { ...decision, old_decision_ids: [old] });
  chain.push((await made).decision_id);
}
await ask('record_decision', { title: 'Rabbit', target: 'queue', rationale: 'In another room.', namespace: 'team' });
const event = await ask('record_interaction', { prompt: 'Why Garnet?', response: 'It is fast.', target: 'cache' });
await ask('link_interaction_to_decision', { event_id: event.event_id, decision_id: chain.at(-1) });

for (const name of ['a', 'b', 'c'])
  await ask('add', { name: `notes/${name}.txt`, content: note(name), tags: ['kept'] });
const { id: snapshot } = await ask('snapshot', { label: 'before' });
await ask('add', { name: 'notes/b.txt', content: note('b, changed') });
await ask('delete', { name: 'notes/c.txt' });
const { session_id: session } = await ask('session_start', { label: 'a session' });
await ask('session_pin', { session_id: session, name: 'notes/a.txt' });
const { feedbackId: feedback } = await ask('feedback_submit', {
  type: 'bug-report',
  severity: 'medium',
  title: 'It is slow',
  description: 'Two seconds.',
});
await ask('feedback_update', { id: feedback, status: 'acknowledged' });
const { id: key } = await ask('keys_add', { name: 'ci', role: 'viewer' });
await ask('search', { query: 'garnet' });

const { entries: audited } = await ask('audit_verify');
const { hash } = await ask('integrity_verify');
const expected = { version, chain, event: event.event_id, snapshot, session, feedback, key, audited, hash };
server.stdin.end();
await new Promise((resolve) => server.on('close', resolve));

// What waits beside the databases goes into them: the same content in a third of the bytes.
for (const name of ['state.db', 'index.db', 'objects.db']) {
  const database = new DatabaseSync(join(home, name));
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}
writeFileSync(join(folder, 'expected.json'), `${JSON.stringify(expected, null, 2)}\n`);
mkdirSync(join(import.meta.dirname, 'homes'), { recursive: true });
const { status, stderr } = spawnSync('tar', ['-czf', target, '-C', folder, 'home', 'expected.json'], {
  encoding: 'utf8',
});
rmSync(folder, { recursive: true, force: true });
if (status !== 0) throw new Error(stderr);
const { size } = statSync(target);
if (size > MOST_BYTES) throw new Error(`${target} has ${size} bytes; it should have at most ${MOST_BYTES}`);
process.stdout.write(`${target}: ${size} bytes\n`);
