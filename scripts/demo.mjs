/**
 * Fills a home with a small, real sample: Cairn's own rules, the decisions behind it with two that they replaced, its docs and
 * its search engine's source. Everything goes through the program, as a client would do it.
 */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parse } from 'yaml';
import { root } from './setup.mjs';

const DOCUMENTS = ['README.md', 'CONTRIBUTING.md', 'docs', 'src/search'];

export async function fillDemo(home, env = process.env) {
  const client = openClient(home, env);
  try {
    const sample = JSON.parse(readFileSync(join(root, 'examples/demo/sample.json'), 'utf8'));
    await client.ask('add', { paths: DOCUMENTS.map((path) => join(root, path)), collection: 'cairn' });
    for (const entry of sample.instructions) await client.ask('instructions_add', { entry });
    for (const decision of sample.earlier) await client.ask('record_decision', decision);
    for (const record of ownDecisions()) await recordOver(client, record);
    for (const interaction of sample.interactions) await client.ask('record_interaction', interaction);
    await client.ask('reflect', {});
  } finally {
    await client.close();
  }
}

/** What is recorded for the target already gives way to it. */
async function recordOver(client, { target, title, rationale }) {
  const { results = [] } = await client.ask('search_decisions', { query: target, mode: 'strict', limit: 10 });
  const old = results.filter((result) => result.target === target).map(({ id }) => id);
  if (old.length === 0) return client.ask('record_decision', { target, title, rationale });
  return client.ask('supersede_decision', { target, title, rationale, old_decision_ids: old });
}

function ownDecisions() {
  const folder = join(root, 'docs/decisions');
  return readdirSync(folder).map((file) => {
    const [, matter, body] = /^---\n(.*?)\n---\n(.*)$/s.exec(readFileSync(join(folder, file), 'utf8'));
    const { title, target } = parse(matter);
    return { title, target, rationale: body.trim() };
  });
}

/** Raw JSON-RPC on stdio, one call after the other. */
function openClient(home, env) {
  const settings = {
    CAIRN_ROOTS: root,
    CAIRN_WRITE_COOLDOWN_MS: '0',
    CAIRN_EMBEDDINGS: 'none',
    MCP_ENABLE_MUTATION: '1',
  };
  // What the person set is for the server that comes after: this one speaks on stdio, whatever it says.
  const others = Object.entries(env).filter(([name]) => !/^(?:CAIRN|MCP)_/.test(name));
  const child = spawn(process.execPath, [join(root, 'dist/cairn.js'), 'serve', '--home', home], {
    env: { ...Object.fromEntries(others), ...settings },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const waiting = new Map();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result, error } = JSON.parse(line);
    const { resolve, reject } = waiting.get(id) ?? {};
    waiting.delete(id);
    if (error !== undefined) reject?.(new Error(error.message));
    else if (result?.status === 'error') reject?.(new Error(result.message));
    else resolve?.(result);
  });
  void ended.then(() => {
    for (const { reject } of waiting.values()) reject(new Error('The server ended'));
  });
  let last = 0;
  return {
    ask(method, params) {
      const id = ++last;
      const answer = new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
      return answer;
    },
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}
