/** Search as people type it, through the real program: signs, filters, passages, meanings, and every kind of knowledge. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openProject, type Project } from '../documents/project.ts';

const MODEL = { CAIRN_EMBEDDINGS: 'bundled' };
const MOST_STEPS = 100;

async function add(project: Project, documents: Record<string, string>, more: object = {}): Promise<void> {
  const operations = Object.entries(documents).map(([name, content]) => ({
    op: 'add',
    params: { name, content, ...more },
  }));
  for (let at = 0; at < operations.length; at += MOST_STEPS) {
    const some = operations.slice(at, at + MOST_STEPS);
    expect((await project.ask('execute', { operations: some })).failed).toBe(0);
  }
}

async function pathsFor(project: Project, query: string, more: object = {}): Promise<string[]> {
  return (await project.ask('search', { query, paths_only: true, limit: 100, ...more })).paths;
}

describe('a question with signs', () => {
  const texts = {
    'a.md': '# Session store\n\nThe session store keeps each session for an hour.\n',
    'b.md': '# Cache\n\nA store for one session. Redis expires it.\n',
    'c/c.md': '# Session design\n\nHow the store was designed; its expiry is a setting.\n',
    'd.ts': 'export function sha256sum(input: string) {}\nexport const MAX_RETRY_COUNT = 3;\n',
  };

  it('requires phrases and prefixes, leaves out, and looks into one field', async () => {
    const project = await openProject();
    await add(project, texts);
    expect(await pathsFor(project, '"session store"')).toEqual(['a.md']);
    expect((await pathsFor(project, 'session')).sort()).toEqual(['a.md', 'b.md', 'c/c.md']);
    expect((await pathsFor(project, 'session -redis')).sort()).toEqual(['a.md', 'c/c.md']);
    expect((await pathsFor(project, 'session expir*')).sort()).toEqual(['b.md', 'c/c.md']);
    expect((await pathsFor(project, 'title:session')).sort()).toEqual(['a.md', 'c/c.md']);
    expect(await pathsFor(project, 'store title:design')).toEqual(['c/c.md']);
    expect(await pathsFor(project, 'session path:c')).toEqual(['c/c.md']);
    expect(await pathsFor(project, 'session path:**/c.*')).toEqual(['c/c.md']);
    expect(await pathsFor(project, 'count ext:ts')).toEqual(['d.ts']);
    expect((await project.refusal('search', { query: '-redis' })).message).toContain('what to look for');
    expect((await project.refusal('search', { query: 'path:c' })).message).toContain('what to look for');
  });

  it('finds the parts of names, and the names', async () => {
    const project = await openProject();
    await add(project, texts);
    for (const query of ['sha', 'sum', 'sha256sum', 'retry count', 'MAX_RETRY_COUNT'])
      expect(await pathsFor(project, query), query).toEqual(['d.ts']);
  });

  it('requires what a long document holds in different places', async () => {
    const project = await openProject();
    const filler = 'Nothing of interest is said on this line of it.\n'.repeat(200);
    await add(project, {
      'long.md': `# Long\n\nThe walrus.\n\n${filler}\n## Later\n\n${filler}\nThe carpenter.\n`,
      'short.md': 'The walrus alone.\n',
    });
    expect(await pathsFor(project, '"the walrus" "the carpenter"')).toEqual(['long.md']);
    expect(await pathsFor(project, 'walrus -carpenter')).toEqual(['short.md']);
  });
});

describe('filters', () => {
  it('hold before the ranking: what fits is found, however much else fits the words better', async () => {
    const project = await openProject();
    const loud = Object.fromEntries(
      Array.from({ length: 450 }, (_, at) => [`loud/${at}.md`, `# Walrus\n\nwalrus walrus walrus ${at}\n`]),
    );
    await add(project, loud);
    const whisper = `A walrus is named here once, among ${'many other words '.repeat(40)}\n`;
    await add(project, { 'quiet/deep/one.md': whisper }, { tags: ['rare'], collection: 'side' });
    await add(project, { 'quiet/deep/two.txt': whisper });
    const one = ['quiet/deep/one.md'];
    expect(await pathsFor(project, 'walrus', { collection: 'side' })).toEqual(one);
    expect(await pathsFor(project, 'walrus', { tag: 'rare' })).toEqual(one);
    expect((await pathsFor(project, 'walrus', { paths: ['quiet/**/*.md'] })).sort()).toEqual(one);
    expect(await pathsFor(project, 'walrus', { extension: 'txt' })).toEqual(['quiet/deep/two.txt']);
    const later = new Date(Date.now() + 3_600_000).toISOString();
    expect(await pathsFor(project, 'walrus', { modified_after: later })).toEqual([]);
    expect((await project.ask('search', { query: 'walrus', modified_before: later })).total).toBeGreaterThan(400);
  });

  it('page without repeating or leaving out', async () => {
    const project = await openProject();
    const texts = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [`${at}.md`, `walrus ${'and '.repeat(at)} more\n`]),
    );
    await add(project, texts);
    const whole = await pathsFor(project, 'walrus', { limit: 60 });
    const pages: string[] = [];
    for (let offset = 0; offset < 60; offset += 7)
      pages.push(...(await pathsFor(project, 'walrus', { limit: 7, offset })));
    expect(pages).toEqual(whole);
    expect(new Set(pages).size).toBe(60);
    // Called what is asked for, and yet the weakest: it is lifted on every page or on none.
    await add(project, { 'deep/walrus.md': `${'plain words '.repeat(400)} walrus\n` });
    const again: string[] = [];
    for (let offset = 0; offset < 61; offset += 7)
      again.push(...(await pathsFor(project, 'walrus', { limit: 7, offset })));
    expect(new Set(again).size).toBe(61);
    expect(again).toEqual(await pathsFor(project, 'walrus', { limit: 61 }));
  });
});

describe('a long document', () => {
  it('is one answer, with the places that answer', async () => {
    const project = await openProject();
    const chapter = (name: string, sentence: string) =>
      `## ${name}\n\n${sentence}\n\n${'Plain words that say nothing in particular.\n'.repeat(60)}\n`;
    const text = [
      '# Manual\n',
      chapter('Start', 'Press the button.'),
      chapter('Brewing', 'The espresso machine needs nine bars of pressure.'),
      chapter('Cleaning', 'Descale the machine with vinegar; pressure must be off.'),
      chapter('Storage', 'Keep it dry.'),
    ].join('\n');
    await add(project, { 'manual.md': text });
    const { total, results } = await project.ask('search', {
      query: 'espresso pressure machine',
      line_numbers: true,
      highlight: true,
      context: 1,
    });
    expect(total).toBe(1);
    const [hit] = results;
    expect(hit.snippet).toBe('The espresso machine needs nine bars of pressure.');
    expect(hit.line).toBe(text.split('\n').indexOf(hit.snippet) + 1);
    expect(hit.before).toEqual(['']);
    expect(
      hit.highlights.map(({ start, end }: { start: number; end: number }) => hit.snippet.slice(start, end)),
    ).toEqual(['espresso', 'machine', 'pressure']);
    const [other] = hit.passages;
    expect(other.snippet).toContain('Descale');
    expect(text.split('\n')[other.line - 1]).toBe(other.snippet);
  });
});

const knowledge = {
  'money.md': '# Invoices\n\nCustomers are billed at the end of every month.\n',
  'login.md': '# Sign-in\n\nA session ends after thirty minutes without activity.\n',
  'birds.md': '# Penguins\n\nThey cannot fly, but swim very well.\n',
};

describe('meanings', () => {
  it('find what shares no word with the question, and say how far they are', async () => {
    const project = await openProject([], MODEL);
    await add(project, knowledge);
    const question = { query: 'how long does an authenticated user stay connected', limit: 3 };
    expect((await project.ask('search', { ...question, type: 'keyword' })).results).toEqual([]);
    expect((await project.ask('embed')).documents).toEqual({ done: 3, of: 3 });
    for (const type of ['hybrid', 'semantic']) {
      const answer = await project.ask('search', { ...question, type, explain: true });
      expect(answer).toMatchObject({ type, indexes: { keyword: 'ready', vector: 'ready' } });
      expect(answer.results[0]).toMatchObject({ path: 'login.md', explain: { keyword: 0 } });
      expect(answer.results[0].explain.vector).toBeGreaterThan(0.25);
    }
    expect(await pathsFor(project, 'birds of the south', { paths: ['money.md'], type: 'semantic' })).toEqual([]);
    expect(await pathsFor(project, 'zzyzx')).toEqual([]);
  });

  it('are made beside the answers, go on after a crash, and are gone with their documents', async () => {
    const project = await openProject([], MODEL);
    await add(project, knowledge);
    await project.ask('search', { query: 'anything' });
    await delay(300);
    project.server.kill('SIGKILL');
    project.server = project.start([], MODEL);
    await project.ask('search', { query: 'anything' });
    await expect
      .poll(async () => (await project.ask('search', { query: 'waterfowl' })).indexes.vector, {
        timeout: 60_000,
        interval: 200,
      })
      .toBe('ready');
    expect(await pathsFor(project, 'waterfowl that dive', { type: 'semantic' })).toContain('birds.md');
    await project.ask('delete', { name: 'birds.md' });
    expect(await pathsFor(project, 'waterfowl that dive', { type: 'semantic' })).not.toContain('birds.md');
  });

  it('are left out with a reason where there is no model', async () => {
    const project = await openProject([], MODEL);
    await add(project, knowledge);
    await project.ask('embed');
    project.server.endInput();
    await project.server.exited;
    project.server = project.start([], { CAIRN_EMBEDDINGS: 'none' });
    const answer = await project.ask('search', { query: 'penguins', type: 'semantic' });
    expect(answer).toMatchObject({ type: 'full-text', results: [{ path: 'birds.md' }] });
  });
});

describe('every kind of knowledge', () => {
  it('is found by one question, in one order, and told apart', async () => {
    const project = await openProject(['--mutation', '--role', 'admin']);
    await add(project, { 'queue.md': '# Queue\n\nJobs wait in the marmoset queue.\n' });
    await project.ask('instructions_add', {
      entry: {
        id: 'marmoset-rule',
        title: 'Marmoset rule',
        body: 'Never block the marmoset.',
        priority: 10,
        audience: 'all',
      },
      lax: true,
    });
    await project.ask('record_decision', {
      title: 'Marmoset is our broker',
      target: 'broker',
      rationale: 'The marmoset broker is small.',
      consequences: ['One more process.'],
    });
    await project.ask('record_interaction', { prompt: 'Why marmoset?', response: 'Because the marmoset is small.' });
    const kinds = async (kind: string) =>
      (await project.ask('search', { query: 'marmoset', kind, explain: true })).results.map(
        (hit: { kind: string }) => hit.kind,
      );
    expect([...new Set(await kinds('all'))].sort()).toEqual(['decision', 'document', 'event', 'instruction']);
    expect(await kinds('document')).toEqual(['document']);
    expect(await kinds('instruction')).toEqual(['instruction']);
    expect(await kinds('decision')).toEqual(['decision']);
    // The decision was an event too.
    expect(await kinds('event')).toEqual(['event', 'event']);
    // What a kind does not have, none of it fits.
    const narrowed = async (filter: object) =>
      (await project.ask('search', { query: 'marmoset', kind: 'all', ...filter })).results.map(
        (hit: { kind: string }) => hit.kind,
      );
    expect(await narrowed({ status: 'active' })).toEqual(['decision']);
    expect(await narrowed({ status: 'superseded' })).toEqual([]);
    expect(await narrowed({ owner: 'nobody at all' })).toEqual([]);
    expect(await narrowed({ collection: 'default' })).toEqual(['document']);
    expect([...new Set(await narrowed({ namespace: 'default' }))].sort()).toEqual(['decision', 'event']);
    const { results } = await project.ask('search', { query: 'marmoset', kind: 'all', explain: true });
    for (const { key, title, score, explain } of results) {
      expect(key).toMatch(/^(?:document|instruction|decision|event):./);
      expect(key).not.toContain('undefined');
      expect(title).not.toBe('');
      expect(score).toBeGreaterThan(0);
      expect(explain.keyword).toBeGreaterThan(0);
    }
    const scores = results.map(({ score }: { score: number }) => score);
    expect(scores).toEqual([...scores].sort((a: number, b: number) => b - a));
  });
});

it('keeps its scale in a store of a few documents, whose words are in all of them', async () => {
  const project = await openProject();
  await add(project, {
    'store.ts': 'export class Store {}\n',
    'main.ts': "import { Store } from './store.ts';\n",
    'notes/store-design.md': '# Store\n\nOne store design for every store.\n',
  });
  for (const query of ['store', 'store design', 'one store']) {
    const { results } = await project.ask('search', { query, explain: true });
    expect(results.length).toBeGreaterThan(0);
    for (const { explain } of results) expect(explain.keyword, query).toBeLessThan(10);
  }
});
