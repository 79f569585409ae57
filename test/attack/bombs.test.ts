/** Files that are small and unfold, or are nested without end, wherever Cairn reads one that somebody else may have written. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { frontMatterOf } from '../../src/store/front-matter.ts';
import { serveStdio } from '../support/cairn.ts';
import { leadingTo, saying, site } from '../support/site.ts';
import { memoryOf, openArena, quiet } from './arena.ts';

const PATIENCE_MS = 15_000;
const deepJson = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
const deepObject = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
const laughs = [
  'a: &a [x, x, x, x, x, x, x, x, x]',
  ...'bcdefghij'.split('').map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghij'[at]}`).join(', ')}]`),
].join('\n');
const yamls: Readonly<Record<string, string>> = {
  'a billion laughs': laughs,
  'nesting in flow': `a: ${'['.repeat(30_000)}`,
  'nesting in blocks': Array.from({ length: 1900 }, (_, at) => `${' '.repeat(at % 30)}a${at}:`).join('\n'),
  'keys that are lists': `? ${'[ '.repeat(45)}a${' ]'.repeat(45)}\n: b`,
  'a merge of itself': 'a: &a\n  <<: *a\n  b: c',
  'a list within itself': 'a: &a [1, *a]\nb: &b {c: [*b]}',
  'a tag that builds': 'a: !!js/function "function(){process.exit()}"\nb: !!python/object/apply:os.system ["id"]',
  'a number without end': `a: ${'9'.repeat(60_000)}`,
  'many names': Array.from({ length: 50_000 }, (_, at) => `k${at}: 1`).join('\n'),
  'a name of the prototype': '__proto__:\n  polluted: yes\nconstructor:\n  prototype:\n    polluted: yes',
  'quotes without end': `a: "${'\\'.repeat(60_000)}`,
};

describe('YAML', () => {
  it.each(Object.entries(yamls))('with %s is read or refused at once', (_what, yaml) => {
    const started = performance.now();
    const { fields, problem } = frontMatterOf(`---\n${yaml}\n---\nThe text below.\n`);
    expect(performance.now() - started).toBeLessThan(5000);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(problem === undefined || Object.keys(fields).length === 0).toBe(true);
    expect(JSON.stringify(fields).length).toBeLessThan(200_000);
  });
});

describe('a project', () => {
  it('full of such files is opened, names them, and serves everything else', { timeout: 120_000 }, async () => {
    const { home, folder, server } = await openArena();
    await server.ask('instructions_add', { entry: { id: 'fine', title: 'Fine', body: 'Fine.' }, lax: true });
    await server.ask('record_decision', { title: 'Fine', target: 'fine', rationale: 'A reason that is long enough.' });
    for (const place of ['instructions', 'decisions', 'prompts']) await mkdir(join(home, place), { recursive: true });
    await writeFile(join(home, 'instructions/deep.json'), deepJson);
    await writeFile(join(home, 'instructions/object.json'), deepObject);
    await writeFile(join(home, 'instructions/proto.json'), '{"__proto__":{"id":"proto","body":"x"},"id":"proto"}');
    for (const [at, yaml] of Object.values(yamls).entries()) {
      await writeFile(
        join(home, `decisions/bomb${at}.md`),
        `---\nid: bomb${at}\ntitle: Bomb\ntarget: bomb${at}\n${yaml}\n---\nText.\n`,
      );
      await writeFile(join(home, `prompts/PROMPT-bomb${at}.md`), `---\n${yaml}\n---\n# Bomb\n`);
      await writeFile(join(folder, `src/AGENTS${at}.md`), `---\n${yaml}\n---\n# Bomb\n`);
    }
    for (const name of ['gates.json', 'owners.json', 'prompt-criteria.json', 'targets.json'])
      await writeFile(join(home, name), name === 'gates.json' ? deepObject : deepJson);
    await writeFile(join(folder, 'src/bomb.json'), deepObject);
    const again = serveStdio(['--home', home, '--role', 'admin', '--mutation'], quiet);
    await again.initialize();
    const calls: [string, object][] = [
      ['instructions_list', {}],
      ['instructions_get', { id: 'fine' }],
      ['search_decisions', { query: 'fine' }],
      ['gates_evaluate', {}],
      ['prompt_review', { prompt: 'hello' }],
      ['instructions_import', { source: 'src/bomb.json', dryRun: true }],
      ['instructions_import', { source: 'src', dryRun: true }],
      ['documents_import', { source: 'src/bomb.json', dryRun: true }],
      ['add', { path: 'src' }],
      ['integrity_verify', {}],
      ['get_environment_health', {}],
      ['prompts/list', {}],
    ];
    for (const [op, params] of calls) {
      const started = performance.now();
      const answer = await again.ask(op, params);
      expect(performance.now() - started, op).toBeLessThan(PATIENCE_MS);
      expect(answer.error?.code, `${op} ${JSON.stringify(answer.error)}`).not.toBe(-32603);
    }
    const { result } = await again.ask('instructions_get', { id: 'fine' });
    expect(JSON.stringify(result)).toContain('Fine.');
    // What is wrong with the targets is told; when it is mended, decisions go on.
    await rm(join(home, 'targets.json'));
    expect(JSON.stringify((await again.ask('search_decisions', { query: 'fine' })).result)).toContain('Fine');
  });

  it('whose configuration is such a file is refused or served, and never with another role', async () => {
    const { home } = await openArena();
    await mkdir(home, { recursive: true });
    for (const text of [
      deepJson,
      deepObject,
      '{"__proto__":{"role":"admin"},"role":"admin","apiKey":"x"}',
      '{"role":"admin"}',
      '[]',
      'null',
    ]) {
      await writeFile(join(home, 'config.json'), text);
      const server = serveStdio(['--home', home], quiet);
      const answer = await Promise.race([server.ask('keys_list', {}), server.exited.then((code) => ({ ended: code }))]);
      expect(JSON.stringify(answer), text.slice(0, 60)).toMatch(/Capability|"ended":[12]/);
      server.kill('SIGKILL');
    }
  });
});

describe('a download', () => {
  it('that unpacks to gigabytes ends at its limit, in bounded memory', { timeout: 60_000 }, async () => {
    const { server } = await openArena({ env: { CAIRN_DOWNLOAD_PRIVATE: '1' } });
    const bomb = gzipSync(gzipSync(Buffer.alloc(50_000_000)).length > 0 ? Buffer.alloc(200_000_000) : '');
    const { url } = await site({
      '/bomb': saying(bomb, { 'content-encoding': 'gzip' }),
      '/round': leadingTo('/round'),
      '/out': leadingTo('file:///etc/passwd'),
      '/meta': leadingTo('http://169.254.169.254/latest/meta-data/'),
    });
    const before = await memoryOf(server.pid);
    const { error } = await server.ask('download', { url: `${url}/bomb`, max_bytes: 1_000_000 });
    expect(error.message).toContain('more than 1000000 bytes');
    const after = await memoryOf(server.pid);
    if (before !== undefined && after !== undefined) expect((after - before) / 1024).toBeLessThan(150);
    for (const path of ['/round', '/out', '/meta'])
      expect((await server.ask('download', { url: `${url}${path}` })).error, path).toBeDefined();
    expect((await server.ask('list', {})).result.documents).toEqual([]);
  });
});
