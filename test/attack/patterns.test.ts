/** Patterns that a caller or a project brings, made to run for ever: each is answered, and the server answers others meanwhile. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { evaluateGates, parseGates } from '../../src/instructions/gates.ts';
import { mask } from '../../src/service/secret.ts';
import { scanForSecrets } from '../../src/service/secret-scan.ts';
import { openArena } from './arena.ts';

const A = 'a'.repeat(20_000);
const expressions = [
  '(a+)+$',
  '(a|a)*b',
  '(a|aa)+$',
  '(.*a){25}',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '(?:a{0,50}){0,50}b',
  'a*'.repeat(200),
  `${'(a?)'.repeat(60)}${'a'.repeat(60)}`,
  '(x+x+)+y',
];
const globs = [
  '*a'.repeat(40),
  '**/'.repeat(100),
  `${'?*'.repeat(200)}b`,
  '[a-z]*'.repeat(60),
  '{a,b}'.repeat(100),
  '**/*'.repeat(50),
  `${'*'.repeat(900)}b`,
  '[[[[[[!-',
  '\\'.repeat(999),
];
const questions = [
  '"'.repeat(999),
  '(((((((((('.repeat(90),
  'a OR '.repeat(190),
  'NEAR(a b, 999999999)',
  'a* '.repeat(300),
  'title: - ^ + NOT AND',
  '\u0000',
  '*',
  '"a" "b',
  `${'x'.repeat(999)}*`,
  "'; DROP TABLE document; --",
  '%_%_%'.repeat(150),
];

const PATIENCE_MS = 15_000;

describe('a pattern', () => {
  it('in any argument that takes one is answered in time: expressions, globs, questions', {
    timeout: 180_000,
  }, async () => {
    const { server, folder } = await openArena();
    await writeFile(join(folder, 'src', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.txt'), `${A}\n${A}!\n`);
    await server.ask('add', { path: 'src' });
    await server.ask('add', { name: `${'a'.repeat(120)}/${'ab/'.repeat(60)}c.txt`, content: A });
    const calls: [string, object][] = [
      ...expressions.flatMap((pattern): [string, object][] => [
        ['grep', { pattern }],
        ['grep', { pattern, ignore_case: true, word: true }],
      ]),
      ...globs.flatMap((glob): [string, object][] => [
        ['list', { paths: [glob] }],
        ['get', { name: glob }],
        ['delete', { name: glob, dry_run: true }],
        ['add', { path: 'src', include_patterns: [glob], exclude_patterns: [glob] }],
        ['grep', { pattern: 'b', paths: [glob] }],
      ]),
      ...questions.flatMap((text): [string, object][] => [
        ['search', { query: text, kind: 'all' }],
        ['instructions_search', { q: text.slice(0, 1000) }],
        ['instructions_query', { filters: { text: text.slice(0, 1000) } }],
        ['search_decisions', { query: text }],
        ['event_search', { query: text }],
        ['get_relevant_context', { prompt: text }],
      ]),
    ];
    for (const [op, params] of calls) {
      const started = performance.now();
      const answer = await server.ask(op, params);
      expect(performance.now() - started, `${op} ${JSON.stringify(params).slice(0, 100)}`).toBeLessThan(PATIENCE_MS);
      expect(answer.error?.code, `${op} ${JSON.stringify(params).slice(0, 100)} ${answer.error?.message}`).not.toBe(
        -32603,
      );
    }
    expect((await server.ask('list', {})).result.documents.length).toBeGreaterThan(1);
  });

  it('in files of the project is answered in time: .gitignore, gates, criteria of a review', async () => {
    const { server, folder, home } = await openArena();
    await mkdir(home, { recursive: true });
    await writeFile(join(folder, '.gitignore'), globs.join('\n'));
    await writeFile(join(folder, 'src', `${'a'.repeat(200)}.txt`), 'a');
    const rules = expressions.map((pattern, at) => ({
      id: `r${at}`,
      pattern,
      severity: 'high',
      description: 'x',
      category: 'x',
    }));
    await writeFile(join(home, 'prompt-criteria.json'), JSON.stringify({ categories: [{ id: 'x', rules }], rules }));
    await writeFile(
      join(home, 'gates.json'),
      JSON.stringify({
        gates: expressions.map((value, at) => ({
          id: `g${at}`,
          type: 'count',
          op: '>=',
          value: 0,
          where: { body: { matches: value } },
          severity: 'error',
        })),
      }),
    );
    for (const [op, params] of [
      ['add', { path: 'src' }],
      ['prompt_review', { prompt: A.slice(0, 10_000) }],
      ['gates_evaluate', {}],
    ] as const) {
      const started = performance.now();
      const answer = await server.ask(op, params);
      expect(performance.now() - started, op).toBeLessThan(PATIENCE_MS);
      expect(answer.error?.code, `${op} ${answer.error?.message}`).not.toBe(-32603);
    }
  });

  it('of a gate reads nothing but the fields it names, however it is made', () => {
    const odd = ['constructor', '__proto__', 'toString', 'hasOwnProperty'].map((field) => ({
      id: field,
      type: 'count',
      op: '>=',
      value: 0,
      where: { [field]: 'x' },
      severity: 'error',
    }));
    const report = evaluateGates(parseGates(JSON.stringify({ gates: odd })), [], new Date());
    for (const { error } of report.results) expect(error).toEqual(expect.any(String));
  });
});

describe('the rules for secrets', () => {
  it('take time that is linear in the text, whatever it begins and never ends', async () => {
    const starts = [
      '-----BEGIN PRIVATE KEY-----',
      'eyJ',
      'AKIA',
      'password=',
      'password',
      'https://a:',
      'ghp_',
      'xoxb-',
      'sk-',
      'Bearer ',
      'secret_access_key',
      '\\\\\\"',
      'api_key\\"',
    ];
    for (const start of starts) {
      const text = start.repeat(Math.ceil(200_000 / start.length));
      const began = performance.now();
      mask(text);
      await scanForSecrets(text);
      expect(performance.now() - began, start).toBeLessThan(PATIENCE_MS);
    }
  });
});
