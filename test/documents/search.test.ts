/** Search of documents, as the seeds show it and as callers use it. */
import { describe, expect, it } from 'vitest';
import { docxEntries, paragraph, pdfWithPages, zipOf } from '../../src/documents/extract/samples.ts';
import type { Message } from '../support/cairn.ts';
import { openProject, type Project } from './project.ts';

async function add(project: Project, documents: Record<string, string>, more: object = {}): Promise<void> {
  const operations = Object.entries(documents).map(([name, content]) => ({
    op: 'add',
    params: { name, content, ...more },
  }));
  const { failed } = await project.ask('execute', { operations });
  expect(failed).toBe(0);
}

async function pathsFor(project: Project, query: string, more: object = {}): Promise<string[]> {
  return (await project.ask('search', { query, paths_only: true, limit: 100, ...more })).paths;
}

const guide = {
  'guide/database.md': '# Tuning\n\nOne.\nDatabase optimization begins with an index.\nTwo.\n',
  'guide/cache.md': 'A cache in front of the database.\n',
  'src/authMiddleware.ts': 'export function parseHTMLPage() {}\nconst max_retry_count = 3;\n',
};

describe('search', () => {
  it('answers what the seed prints', async () => {
    const project = await openProject();
    await add(project, guide);
    const answer = await project.ask('query', {
      steps: [{ op: 'search', params: { query: 'database optimization', limit: 5 } }],
    });
    expect(answer).toMatchObject({
      total: 2,
      type: 'full-text',
      indexes: { keyword: 'ready' },
      execution_time_ms: expect.any(Number),
    });
    expect(answer.searched).toContain('all collections');
    expect(answer.results).toMatchObject([
      {
        id: expect.any(Number),
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        title: 'Tuning',
        path: 'guide/database.md',
        score: expect.any(Number),
        snippet: 'Database optimization begins with an index.',
      },
      { path: 'guide/cache.md', title: 'cache.md' },
    ]);
    expect(answer.results[0].score).toBeGreaterThan(answer.results[1].score);
  });

  it('hands what it found to get', async () => {
    const project = await openProject();
    await add(project, guide);
    const { steps } = await project.ask('query', {
      steps: [
        { op: 'search', params: { query: 'authentication middleware', limit: 1 } },
        { op: 'get', params: { hash: '$prev.results[0].hash', include_content: true } },
      ],
    });
    expect(steps[1].result.content).toBe(guide['src/authMiddleware.ts']);
  });

  it('finds by words, stems, parts of names and file names', async () => {
    const project = await openProject();
    await add(project, { ...guide, 'notez.bin': '\0\x01\x02', 'c.txt': 'notes of the meeting' });
    const code = ['src/authMiddleware.ts'];
    for (const query of ['html', 'parseHTMLPage', 'retry', 'max_retry_count', 'middleware', 'authmiddleware']) {
      expect({ query, paths: await pathsFor(project, query) }).toEqual({ query, paths: code });
    }
    expect(await pathsFor(project, 'optimizing')).toEqual(['guide/database.md']);
    // A name that is there is not taken for a misspelled word of a text.
    expect(await pathsFor(project, 'notez')).toEqual(['notez.bin']);
  });

  it('takes misspelled words for what documents say or are called', async () => {
    const project = await openProject();
    await add(project, { ...guide, 'screenshot.bin': '\0\x01' });
    const answer = await project.ask('search', { query: 'databse optimisation' });
    expect(answer.spelling).toEqual({ databse: ['database'], optimisation: ['optimization'] });
    expect(answer.results[0].path).toBe('guide/database.md');
    expect(await pathsFor(project, 'screnshot')).toEqual(['screenshot.bin']);
    expect(await pathsFor(project, 'databse', { fuzzy: false })).toEqual([]);
    expect(await pathsFor(project, 'databse', { similarity: 0.95 })).toEqual([]);
  });

  it('honours hash, line numbers, context, places', async () => {
    const project = await openProject();
    await add(project, guide, { tags: ['kept'] });
    await add(project, { 'other.md': 'Another database.\n' }, { collection: 'other' });
    const [first] = (await project.ask('search', { query: 'optimization', line_numbers: true, context: 1 })).results;
    expect(first).toMatchObject({ line: 4, before: ['One.'], after: ['Two.'] });
    for (const hash of [first.hash, first.hash.slice(0, 8), `sha256-${first.hash}`])
      expect((await project.ask('search', { hash })).results).toMatchObject([{ path: 'guide/database.md' }]);
    expect((await project.ask('search', { hash: '00000000' })).total).toBe(0);
    const sorted = async (more: object) => (await pathsFor(project, 'database', more)).sort();
    expect(await sorted({ collection: 'other' })).toEqual(['other.md']);
    expect(await sorted({ paths: ['guide'] })).toEqual(['guide/cache.md', 'guide/database.md']);
    expect(await sorted({ paths: ['./guide/cache.md'] })).toEqual(['guide/cache.md']);
    expect(await sorted({ paths: ['*che.md'] })).toEqual(['guide/cache.md']);
    expect(await sorted({ extension: 'md', tag: 'kept' })).toEqual(['guide/cache.md', 'guide/database.md']);
    expect(await sorted({ paths: [] })).toEqual([]);
    const narrow = await project.ask('search', { query: 'nothing', collection: 'other', tag: 'kept' });
    expect(narrow).toMatchObject({ total: 0, searched: expect.stringMatching(/collection other.*tagged kept/) });
  });

  it('shows each document once, page by page, and counts all of them on each', async () => {
    const project = await openProject();
    const documents: Record<string, string> = {};
    for (let at = 0; at < 12; at++) documents[`kiwi/${at}.txt`] = at % 2 === 0 ? 'kiwi '.repeat(at + 1) : `plum ${at}`;
    for (let at = 0; at < 8; at++) documents[`other/${at}.txt`] = `${'kiwi '.repeat(20 - at)} of ${at}`;
    await add(project, documents);
    const whole = await project.ask('search', { query: 'kiwi', limit: 100 });
    expect(whole.total).toBe(20);
    for (const limit of [1, 3]) {
      const seen: string[] = [];
      for (let offset = 0; offset < 20; offset += limit) {
        const page = await project.ask('search', { query: 'kiwi', limit, offset });
        expect(page.total).toBe(20);
        seen.push(...page.results.map(({ path }: Message) => path));
      }
      expect(seen).toEqual(whole.results.map(({ path }: Message) => path));
    }
  });

  it('reads what is packed, and letters in other encodings', async () => {
    const project = await openProject();
    await project.put('in/a.pdf', pdfWithPages([['The albatross report']], 'Birds'));
    await project.put('in/b.docx', zipOf(docxEntries(paragraph('A cormorant letter'))));
    await project.put('in/c.html', '<html><title>Page</title><body><p>The dunnock <b>pa</b>ge</p></body></html>');
    const cells = [{ cell_type: 'markdown', metadata: {}, source: ['An egret cell'] }];
    await project.put('in/d.ipynb', JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells }));
    await project.put('in/e.txt', Buffer.from('\ufeffThe fulmar line\n', 'utf16le'));
    await project.put('in/f.txt', Buffer.from('The gannet caf\xe9\n', 'latin1'));
    await project.put('in/g.bin', Buffer.from([0, 1, 2, 3, 0, 255]));
    await project.put('in/broken.pdf', '%PDF-1.4 and nothing');
    expect((await project.ask('add', { path: `${project.folder}/in`, recursive: true })).failed).toBe(0);
    const found = {
      albatross: 'in/a.pdf',
      cormorant: 'in/b.docx',
      dunnock: 'in/c.html',
      egret: 'in/d.ipynb',
      fulmar: 'in/e.txt',
    };
    for (const [word, path] of Object.entries({ ...found, gannet: 'in/f.txt', café: 'in/f.txt' })) {
      expect({ word, paths: await pathsFor(project, word, { fuzzy: false }) }).toEqual({ word, paths: [path] });
      const { matches } = await project.ask('grep', { pattern: word });
      expect(matches).toMatchObject([{ path, text: expect.stringContaining(word) }]);
    }
    expect((await project.ask('search', { query: 'albatross' })).results).toMatchObject([
      { title: 'Birds', snippet: expect.stringContaining('albatross') },
    ]);
    expect(await pathsFor(project, 'g.bin')).toContain('in/g.bin');
    expect(await pathsFor(project, 'broken')).toEqual(['in/broken.pdf']);
    // What has no text that can be read is said, not passed over.
    const { left_out } = await project.ask('grep', { pattern: 'albatross' });
    expect(left_out).toEqual([expect.stringMatching(/^default\/in\/broken\.pdf: ./)]);
  });

  it('takes any question for words', async () => {
    const project = await openProject();
    const empty = await project.ask('search', { query: 'anything' });
    expect(empty).toMatchObject({ total: 0, results: [], searched: expect.any(String), indexes: { keyword: 'ready' } });
    await add(project, { 'a.txt': 'alpha AND beta NEAR gamma "quoted" the' });
    const queries = [
      'alpha AND',
      '"alpha',
      'NEAR(alpha beta)',
      'body:alpha',
      'alpha*',
      '^alpha',
      "alpha'; DROP TABLE",
      'alpha\0beta',
      'ALPHA',
      '(alpha',
      'alpha OR',
      '{alpha}',
    ];
    for (const query of queries)
      expect({ query, paths: await pathsFor(project, query) }).toEqual({ query, paths: ['a.txt'] });
    for (const query of ['', ' ', '!?.,;', '😀', '\ud800', '""', '*', '日本'])
      expect(await pathsFor(project, query)).toEqual([]);
    expect(await pathsFor(project, 'the')).toEqual(['a.txt']);
    expect(await pathsFor(project, 'alpha '.repeat(1666))).toEqual(['a.txt']);
    expect((await project.refusal('search', { query: 'x'.repeat(10_001) })).code).toBe(-32602);
    expect((await project.refusal('search', {})).message).toMatch(/query/);
  });

  it('masks secrets in what it shows', async () => {
    const project = await openProject();
    const token = `ghp_${'Ab1'.repeat(12)}`;
    const key =
      '-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEAzebra\nQ2FpcnRlc3R6ZWJyYQ\n-----END RSA PRIVATE KEY-----\n';
    await add(project, {
      'short.txt': `zebra token ${token} here\n`,
      'long.txt': `${'- '.repeat(200)}${token}${' -'.repeat(20)} zebra ${'- '.repeat(87)}${token}${' -'.repeat(200)}\n`,
      'key.pem': `zebra\n${key}`,
    });
    const answers = [
      await project.ask('search', { query: 'zebra', context: 3 }),
      await project.ask('grep', { pattern: 'zebra|MII|Q2F', context: 3 }),
    ];
    for (const answer of answers) {
      const said = JSON.stringify(answer);
      expect(said).toContain('zebra');
      for (const part of ['Ab1Ab1', 'MIIE', 'Q2Fp']) expect(said).not.toContain(part);
    }
  });
});
