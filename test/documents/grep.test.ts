/** Grep of documents: every line that matches, once, or said to be left out. */
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Database } from '../../src/store/embedded/database.ts';
import type { Message } from '../support/cairn.ts';
import { openProject, type Project } from './project.ts';

async function add(project: Project, documents: Record<string, string>, more: object = {}): Promise<void> {
  const operations = Object.entries(documents).map(([name, content]) => ({
    op: 'add',
    params: { name, content, ...more },
  }));
  expect((await project.ask('execute', { operations })).failed).toBe(0);
}

const code = {
  'app/[id]/page.tsx': 'export default function Page() {}\n',
  'src/a.ts': 'import x from "y";\n\nclass  RequestHandler {\n  run() {} // TODO\n}\n',
  'src/b.py': 'class EventHandler:\n    pass  # FIXME later\n\nclass Other:\n    todo = "todo"\n',
  'src/deep/c.md': '# Über uns\r\nHandler\r\nlast line without an end: TODO',
};

/** As if everything had been stored two hours ago. */
function age(project: Project): void {
  const database = new Database(`${project.folder}/.cairn/objects.db`);
  for (const table of ['content', 'chunk']) database.exec(`UPDATE ${table} SET created = created - 7200000`);
  database.close();
}

const placesOf = ({ matches }: Message) => matches.map(({ path, line }: Message) => `${path}:${line}`);

describe('grep', () => {
  it('answers the example of the seed', async () => {
    const project = await openProject();
    await add(project, code);
    const answer = await project.ask('query', {
      steps: [{ op: 'grep', params: { pattern: 'class\\s+\\w+Handler', line_numbers: true, context: 2 } }],
    });
    expect(answer).toMatchObject({ total: 2, files_matched: 2, searched: expect.stringContaining('all collections') });
    expect(answer.matches).toMatchObject([
      {
        path: 'src/a.ts',
        collection: 'default',
        line: 3,
        text: 'class  RequestHandler {',
        before: ['import x from "y";', ''],
        after: ['  run() {} // TODO', '}'],
      },
      { path: 'src/b.py', line: 1, before: [], after: ['    pass  # FIXME later', ''] },
    ]);
    expect(answer.next_cursor).toBeUndefined();
    expect(answer.left_out).toBeUndefined();
  });

  it('follows a list, and takes its paths', async () => {
    const project = await openProject();
    await add(project, code);
    const { steps } = await project.ask('query', {
      steps: [
        { op: 'list', params: { limit: 50, sort_by: 'modified', sort_order: 'desc' } },
        { op: 'grep', params: { pattern: 'TODO|FIXME' } },
      ],
    });
    expect(steps[1].result.total).toBe(3);
    const piped = await project.ask('query', {
      steps: [
        { op: 'list', params: { paths_only: true, limit: 50 } },
        { op: 'grep', params: { pattern: 'Page|Handler', paths: '$prev.paths', line_numbers: true } },
      ],
    });
    expect(placesOf(piped.steps[1].result)).toEqual([
      'app/[id]/page.tsx:1',
      'src/a.ts:3',
      'src/b.py:1',
      'src/deep/c.md:2',
    ]);
  });

  it('looks where it is told', async () => {
    const project = await openProject();
    await add(project, code, { tags: ['code'] });
    await add(project, { 'src/a.ts': 'Handler elsewhere' }, { collection: 'other' });
    const found = async (more: object) =>
      placesOf(await project.ask('grep', { pattern: 'Handler|Page', line_numbers: true, ...more }));
    expect(await found({ collection: 'other' })).toEqual(['src/a.ts:1']);
    expect(await found({ tag: 'code', paths: ['src/a.ts'] })).toEqual(['src/a.ts:3']);
    expect(await found({ paths: ['src/deep/', 'app'] })).toEqual(['app/[id]/page.tsx:1', 'src/deep/c.md:2']);
    expect(await found({ paths: ['*.md'] })).toEqual(['src/deep/c.md:2']);
    expect(await found({ paths: ['src/**/*.md', 'src/b.py'] })).toEqual(['src/b.py:1', 'src/deep/c.md:2']);
    expect(await found({ paths: ['app/[id]/page.tsx'] })).toEqual(['app/[id]/page.tsx:1']);
    expect(await found({ paths: ['app/[id]'] })).toEqual(['app/[id]/page.tsx:1']);
    expect(await found({ extension: 'PY' })).toEqual(['src/b.py:1']);
    expect(await found({ paths: ['.'], tag: 'code' })).toHaveLength(4);
    expect(await found({ paths: ['sr'] })).toEqual([]);
    const many = Array.from({ length: 999 }, (_, at) => `nowhere/${at}`);
    expect(await found({ paths: [...many, 'src/b.py'] })).toEqual(['src/b.py:1']);
  });

  it('honours case, words, counts and files', async () => {
    const project = await openProject();
    await add(project, code);
    expect((await project.ask('grep', { pattern: 'todo' })).total).toBe(1);
    expect((await project.ask('grep', { pattern: 'todo', ignore_case: true })).total).toBe(3);
    expect((await project.ask('grep', { pattern: 'handler', ignore_case: true, word: true })).matches).toMatchObject([
      { path: 'src/deep/c.md', text: 'Handler' },
    ]);
    expect((await project.ask('grep', { pattern: 'über', ignore_case: true, word: true })).total).toBe(1);
    expect((await project.ask('grep', { pattern: 'Handler$' })).total).toBe(1);
    const counted = await project.ask('grep', { pattern: 'class|pass', count: true });
    expect(counted.counts.map(({ path, count }: Message) => [path, count])).toEqual([
      ['src/a.ts', 1],
      ['src/b.py', 3],
    ]);
    expect(counted).toMatchObject({ total: 4, files_matched: 2 });
    expect(counted.matches).toBeUndefined();
    expect((await project.ask('grep', { pattern: 'class', files_with_matches: true })).files).toEqual([
      'src/a.ts',
      'src/b.py',
    ]);
    expect((await project.ask('grep', { pattern: 'class', max_count: 1 })).total).toBe(2);
    const [plain] = (await project.ask('grep', { pattern: 'RequestHandler' })).matches;
    expect(Object.keys(plain).sort()).toEqual(['collection', 'hash', 'path', 'text']);
  });

  it('gives every match once, page by page, whatever fits in a page', async () => {
    const project = await openProject();
    const documents: Record<string, string> = {};
    for (let at = 0; at < 7; at++)
      documents[`${at}/é "${at}".txt`] = Array.from({ length: at }, (_, n) => `hit ${n}\nmiss\n`).join('');
    await add(project, documents);
    for (const more of [{}, { max_count: 2 }, { files_with_matches: true }, { count: true }]) {
      const key = 'count' in more ? 'counts' : 'files_with_matches' in more ? 'files' : 'matches';
      const whole = (await project.ask('grep', { pattern: 'hit', line_numbers: true, ...more }))[key];
      expect(whole.length).toBeGreaterThan(5);
      for (const limit of [1, 2, 3, whole.length - 1, whole.length]) {
        const seen: unknown[] = [];
        let cursor: string | undefined;
        do {
          const page: Message = await project.ask('grep', {
            pattern: 'hit',
            line_numbers: true,
            ...more,
            limit,
            ...(cursor && { cursor }),
          });
          expect(page[key].length).toBeLessThanOrEqual(limit);
          seen.push(...page[key]);
          cursor = page.next_cursor;
        } while (cursor !== undefined);
        expect(seen).toEqual(whole);
      }
    }
    expect((await project.refusal('grep', { pattern: 'hit', cursor: 'nonsense' })).message).toMatch(/cursor/);
  });

  it('reads long texts to their end', async () => {
    const project = await openProject();
    const line = `${'filling words of a long text '.repeat(8)}\n`;
    const long = Math.ceil(5_500_000 / line.length);
    await project.put('in/long.txt', `${line.repeat(long)}the needle at 5 million`);
    const huge = Math.ceil(70_000_000 / line.length);
    await project.put('in/huge.txt', `${line.repeat(huge)}the needle at 70 million`);
    await project.put('in/wide.txt', Buffer.from(`\ufeff${line.repeat(1000)}the needle in wide letters`, 'utf16le'));
    await project.put('in/one-line.txt', `${'x'.repeat(300_000)} the needle ${'y'.repeat(300_000)}`);
    await project.ask('add', { path: `${project.folder}/in`, recursive: true });
    const answer = await project.ask('grep', { pattern: 'the needle', line_numbers: true });
    expect(placesOf(answer)).toEqual([
      `in/huge.txt:${huge + 1}`,
      `in/long.txt:${long + 1}`,
      'in/one-line.txt:1',
      'in/wide.txt:1001',
    ]);
    expect(answer.left_out).toBeUndefined();
    const [, , one] = answer.matches;
    expect(one.text.length).toBeLessThan(400);
  });

  it('gives the lines that do not match', async () => {
    const project = await openProject();
    await add(project, code);
    const answer = await project.ask('grep', { pattern: 'a', invert: true, line_numbers: true, paths: ['src'] });
    expect(placesOf(answer)).toEqual([
      ...['src/a.ts:1', 'src/a.ts:2', 'src/a.ts:4', 'src/a.ts:5'],
      ...['src/b.py:3', 'src/b.py:5', 'src/deep/c.md:1'],
    ]);
    expect(answer.matches[0].text).toBe('import x from "y";');
    expect((await project.ask('grep', { pattern: 'nowhere', invert: true, count: true })).total).toBe(14);
    expect((await project.ask('grep', { pattern: '^', invert: true })).total).toBe(0);
    const files = await project.ask('grep', { pattern: 'class|^$', invert: true, files_with_matches: true });
    expect(files.files).toHaveLength(4);
  });

  it('goes on within a long text, with the lines around, and stops after as many as are wanted', async () => {
    const project = await openProject();
    // Several parts, and a key that lies across many of them.
    const lines = Array.from({ length: 30_000 }, (_, at) => (at % 3 === 0 ? `hit number ${at}` : `line ${at}`));
    lines[5] = '-----BEGIN RSA PRIVATE KEY-----';
    for (let at = 6; at < 12_000; at++) lines[at] = at % 4 === 0 ? `hitKeyKeyKey${at}` : 'KeyKeyKey';
    lines[12_000] = '-----END RSA PRIVATE KEY-----';
    await project.put('long.txt', lines.join('\n'));
    await project.ask('add', { path: 'long.txt' });
    const expected = lines.flatMap((line, at) => (line.includes('hit') ? [at + 1] : []));
    const masked = (at: number) => (at === 5 ? '----…[private-key]' : '…[private-key]');
    const shown = (at: number) => (at >= 5 && at < 12_000 ? masked(at) : lines[at]);
    for (const more of [{}, { max_count: 6000 }]) {
      const seen: Message[] = [];
      let cursor: string | undefined;
      do {
        const asked = { pattern: 'hit', line_numbers: true, context: 2, limit: 2345, ...more };
        const page: Message = await project.ask('grep', { ...asked, ...(cursor && { cursor }) });
        seen.push(...page.matches);
        cursor = page.next_cursor;
      } while (cursor !== undefined);
      expect(seen.map(({ line }) => line)).toEqual(expected.slice(0, more.max_count));
      for (const { line, text, before, after } of seen) {
        const around = [-2, -1, 0, 1, 2].map((by) => line - 1 + by).filter((at) => at >= 0 && at < lines.length);
        expect([...before, text, ...after]).toEqual(around.map(shown));
      }
    }
  });

  it('reads each content once, and finds it at every path', async () => {
    const project = await openProject();
    await add(project, { 'one/a.txt': 'same needle\n', 'two/b.txt': 'same needle\n', 'three/c.txt': 'needle\n' });
    const first = await project.ask('grep', { pattern: 'needle', line_numbers: true });
    expect(placesOf(first)).toEqual(['one/a.txt:1', 'three/c.txt:1', 'two/b.txt:1']);
    expect(await project.ask('grep', { pattern: 'needle', line_numbers: true })).toEqual(first);
    await project.ask('add', { name: 'two/b.txt', content: 'another needle\n' });
    const { matches } = await project.ask('grep', { pattern: 'needle' });
    expect(matches.map(({ text }: Message) => text)).toEqual(['same needle', 'needle', 'another needle']);
  });

  it('says how far it is while it takes its time, and can be cancelled', { timeout: 180_000 }, async () => {
    const project = await openProject([], { CAIRN_CALL_TIMEOUT_MS: '600000' });
    const line = `${'some words of a text that takes its time '.repeat(4)}! 7\n`;
    await project.put('slow.txt', line.repeat(200_000));
    await project.ask('add', { path: 'slow.txt' });
    await project.server.initialize();
    // Every line has the end that is certain, and is gone through in many states to find that the rest does not fit.
    const slow = { name: 'grep', arguments: { pattern: '^(\\w+ ?){1,30}( ?\\w+)+7$', count: true } };
    const answered = project.server.ask('tools/call', { ...slow, _meta: { progressToken: 'p' } });
    const progress = () => project.server.unasked.filter(({ method }) => method === 'notifications/progress');
    // An answer before any progress would say why.
    const early = answered.then((answer) => expect(answer).toBe('still under way'));
    const told = expect.poll(() => progress().length, { timeout: 120_000, interval: 20 }).toBeGreaterThan(0);
    await Promise.race([told, early]);
    const { params } = progress()[0] ?? {};
    expect(params).toMatchObject({ progressToken: 'p', message: expect.stringContaining('bytes') });
    project.server.notify('notifications/cancelled', { requestId: 1_000_003 });
    await delay(500);
    const heard = progress().length;
    await delay(3000);
    // It would go on for a minute.
    expect(progress()).toHaveLength(heard);
    expect(await project.ask('grep', { pattern: 'no such words', count: true })).toMatchObject({ total: 0 });
    // What is cancelled is not answered.
    early.catch(() => {});
  });

  it('keeps no copy of a text that is collected', async () => {
    const project = await openProject();
    await add(project, { 'a.txt': 'a needle to forget\n', 'b.txt': 'a needle to keep\n' });
    expect((await project.ask('grep', { pattern: 'needle' })).total).toBe(2);
    const copies = async () => {
      const names = (await readdir(`${project.folder}/.cairn`)).filter((name) => name.startsWith('letters'));
      return (await Promise.all(names.map((name) => readFile(`${project.folder}/.cairn/${name}`, 'latin1')))).join('');
    };
    expect(await copies()).toContain('needle to forget');
    await project.ask('delete', { name: 'a.txt' });
    expect((await project.ask('grep', { pattern: 'needle' })).total).toBe(1);
    age(project);
    expect(await project.ask('gc')).toMatchObject({ contents: 1 });
    expect(await copies()).not.toContain('needle to forget');
    expect(await copies()).toContain('needle to keep');
    expect((await project.ask('grep', { pattern: 'needle' })).total).toBe(1);
  });
});
