import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { derive } from '../derive.ts';
import { isId } from '../entry.ts';
import { readForeign } from './read.ts';

const read = (path: string, text: string) => readForeign([{ path, text }]);
const entry = (fields: Record<string, unknown>) => JSON.stringify({ id: 'a', body: 'b', ...fields });
const codesOf = (path: string, text: string) => read(path, text).problems.map(({ code }) => code);

describe('a catalog of the index server', () => {
  it('gives an entry for a file, with every change told by file, id and field', () => {
    const catalog = read('cat/My File.json', entry({ id: 'My File', audience: 'devs', extra: { deep: [1] } }));
    expect(catalog.entries).toMatchObject([{ from: 'cat/My File.json', facts: { id: 'my-file', audience: 'group' } }]);
    expect(catalog.mappings.map(({ why: _, ...mapping }) => mapping)).toEqual([
      { path: 'cat/My File.json', id: 'my-file', field: 'id', from: 'My File', to: 'my-file' },
      { path: 'cat/My File.json', id: 'my-file', field: 'audience', from: 'devs', to: 'group' },
      { path: 'cat/My File.json', id: 'my-file', field: 'extra', from: '{"deep":[1]}', to: null },
    ]);
  });

  it.each([
    ['an array', (items: unknown[]) => items],
    ['a backup', (entries: unknown[]) => ({ version: 1, entries })],
    ['an export', (items: unknown[]) => ({ hash: 'x', count: items.length, items })],
  ])('may be %s', (_, wrap) => {
    const items = [{ id: 'a', body: 'one' }, { id: 'b' }, 7, { title: 'No Id', body: 'two' }];
    const { entries, problems } = read('all.json', JSON.stringify(wrap(items)));
    expect(entries.map(({ facts, from }) => [facts.id, from])).toEqual([
      ['a', 'all.json[0]'],
      ['no-id', 'all.json[3]'],
    ]);
    expect(problems.map(({ code, error }) => [code, error])).toEqual([
      ['empty_body', 'all.json[1] (id b) has no body'],
      ['not_an_entry', 'all.json[2] is not a JSON object'],
    ]);
  });

  it('has side files, which are ignored with a reason', () => {
    const names = [
      '_manifest.json',
      '_templates/a.json',
      'gates.json',
      'owners.json',
      'LICENSE',
      'boot.json',
      'no.json',
    ];
    const texts = new Map([
      ['boot.json', '{"issuedAt":1}'],
      ['no.json', '[]'],
    ]);
    const catalog = readForeign(names.map((path) => ({ path, text: texts.get(path) ?? entry({}) })));
    expect(catalog.entries).toEqual([]);
    expect(catalog.ignored.map(({ path }) => path)).toEqual(names);
    expect(catalog.ignored.every(({ why }) => why.length > 10)).toBe(true);
  });

  it('has a problem where a file is no JSON or has no text as body, and the file is named', () => {
    const { problems } = read('x/bad.json', '{"id":');
    expect(problems).toEqual([
      { path: 'x/bad.json', code: 'invalid_json', error: expect.stringMatching('x/bad.json') },
    ]);
    expect(codesOf('a.json', entry({ body: 5 }))).toEqual(['empty_body']);
    expect(codesOf('a.json', entry({ body: ' \n' }))).toEqual(['empty_body']);
  });

  it('names the first hundred wrong items of a list and counts the others', () => {
    const { problems } = read('a.json', JSON.stringify(Array(150).fill(0)));
    expect(problems).toHaveLength(101);
    expect(problems.at(-1)?.error).toBe('a.json has 50 more items that are no entries');
  });
});

describe('Markdown with front matter', () => {
  const text =
    "---\r\napplyTo: '**/*.{ts,tsx}, *.md'\r\ndescription: How we test.\r\nmodel: x\r\n---\r\n\r\n# Tests\r\nRun.\r\n";

  it('is one entry a file', () => {
    const { entries, mappings, problems } = read('docs\\tests.instructions.md', `\uFEFF${text}`);
    expect(entries[0]?.facts).toMatchObject({
      id: 'tests',
      title: 'Tests',
      description: 'How we test.',
      appliesTo: ['**/*.{ts,tsx}', '*.md'],
      source: 'docs/tests.instructions.md',
      body: '\n# Tests\nRun.\n',
    });
    expect(mappings.map(({ field, to }) => [field, to])).toEqual([['model', null]]);
    expect(problems).toEqual([]);
  });

  it('takes its title from the front matter, then the first heading, then the file name', () => {
    const titleOf = (content: string) => read('my-rule.instructions.md', content).entries[0]?.facts.title;
    expect(titleOf('---\ntitle: T\nname: N\n---\n# H')).toBe('T');
    expect(titleOf('---\nname: N\n---\n# H')).toBe('N');
    expect(titleOf('```\n# no\n```\n### H\n# I')).toBe('H');
    expect(titleOf('text')).toBe('my-rule');
  });

  it('is imported without its fields where they cannot be read, and that is told', () => {
    const { entries, problems } = read('a.instructions.md', '---\ntitle: "x\n---\nBody.');
    expect(entries[0]?.facts).toMatchObject({ id: 'a', title: 'a', body: 'Body.' });
    expect(problems).toMatchObject([{ path: 'a.instructions.md', code: 'invalid_front_matter' }]);
  });

  it('is recognised under any name, but Markdown without front matter is not', () => {
    expect(read('notes.md', '---\ntitle: N\n---\ntext').entries).toHaveLength(1);
    const plain = { path: 'notes.md', text: '---\nonly a rule\n---\ntext' };
    expect(readForeign([plain]).ignored).toHaveLength(1);
    expect(readForeign([plain], { kind: 'agent-file' }).entries).toHaveLength(1);
    expect(readForeign([plain], { kind: 'index-server' }).ignored[0]?.why).toBe('it cannot be read as index-server');
  });

  it('with nothing under it is a problem', () => {
    expect(codesOf('a.instructions.md', '---\ntitle: x\n---\n\n')).toEqual(['empty_body']);
    expect(codesOf('.cursor/rules/a.mdc', '---\nglobs: *.ts\n---\n\n')).toEqual(['empty_body']);
  });
});

describe('a file that an agent reads whole', () => {
  it.each([
    ['AGENTS.md', 'agents', 'agents'],
    ['CLAUDE.md', 'claude', 'claude'],
    ['GEMINI.md', 'gemini', 'gemini'],
    ['.cursorrules', 'cursorrules', 'cursor'],
    ['.cursor/rules/style.mdc', 'style', 'cursor'],
    ['.github/copilot-instructions.md', 'copilot-instructions', 'copilot'],
  ])('%s is taken apart at its headings', (path, place, category) => {
    const { entries, mappings, problems } = read(path, 'First.\n\n# Build & test\nnpm test\n');
    expect(entries.map(({ facts, from }) => ({ ...pick(facts), from }))).toEqual([
      { id: place, title: place, body: 'First.', categories: [category], source: path, from: path },
      {
        id: `${place}-build-test`,
        title: 'Build & test',
        body: '# Build & test\nnpm test',
        categories: [category],
        source: `${path}#Build & test`,
        from: `${path}#Build & test`,
      },
    ]);
    expect([...mappings, ...problems]).toEqual([]);
  });

  it('in a folder speaks for that folder', () => {
    const { entries } = read('packages/api/AGENTS.md', '# Style\nTabs.');
    expect(entries[0]?.facts).toMatchObject({ id: 'packages-api-agents-style', appliesTo: ['packages/api/**'] });
    expect(read('.github/copilot-instructions.md', 'Tabs.').entries[0]?.facts.appliesTo).toBeUndefined();
  });

  it('numbers headings that repeat', () => {
    const { entries, mappings } = read('AGENTS.md', '# Style\nTabs.\n# Style\nLF.');
    expect(entries.map(({ facts }) => facts.id)).toEqual(['agents-style', 'agents-style-2']);
    expect(mappings).toMatchObject([{ field: 'id', id: 'agents-style-2' }]);
  });

  it('gives every entry what the front matter of a Cursor rule says, and tells the rest once', () => {
    const text = '---\ndescription: D\nglobs: **/*.ts\nalwaysApply: false\n---\n# A\na\n# B\nb';
    const { entries, mappings } = read('.cursor/rules/x.mdc', text);
    expect(entries.map(({ facts }) => [facts.description, facts.appliesTo])).toEqual([
      ['D', ['**/*.ts']],
      ['D', ['**/*.ts']],
    ]);
    expect(mappings).toMatchObject([{ id: 'x-a', field: 'alwaysApply', from: false, to: null }]);
    const always = read('.cursor/rules/x.mdc', '---\nglobs:\nalwaysApply: true\n---\n# A\na');
    expect(always.entries[0]?.facts.appliesTo).toEqual(['**']);
  });

  it('loses none of its lines, whatever they are', () => {
    const linesOf = (text: string) => text.split(/\r\n?|\n/).filter((line) => line.trim() !== '');
    const line = fc.oneof(fc.constantFrom('# A', '## B', '---', '```', 'k: v', '', '<!--', 'Título\n==='), fc.string());
    fc.assert(
      fc.property(fc.array(line, { maxLength: 25 }), fc.constantFrom('\n', '\r\n'), (lines, end) => {
        const text = lines.join(end);
        const { entries } = read('AGENTS.md', text);
        expect(entries.flatMap(({ facts }) => linesOf(facts.body))).toEqual(linesOf(text));
      }),
    );
  });
});

describe('any foreign file', () => {
  it('is refused where it is too large, and so is a body', () => {
    const large = 'é'.repeat(2_700_000);
    expect(codesOf('AGENTS.md', large)).toEqual(['file_too_large']);
    const body = 'x'.repeat(1_000_001);
    const tooLong = [
      codesOf('a.json', entry({ body })),
      codesOf('AGENTS.md', body),
      codesOf('a.instructions.md', body),
    ];
    expect(tooLong).toEqual([['body_too_large'], ['body_too_large'], ['body_too_large']]);
    expect(codesOf('AGENTS.md', 'x'.repeat(1_000_000))).toEqual([]);
  });

  it('is an entry, a problem or ignored, and what is read can always be derived and stored', () => {
    const options = { now: '2025-01-01T00:00:00.000Z', canonical: true, owner: 'unowned', status: 'approved' } as const;
    const path = fc.constantFrom(
      'a.json',
      'b.md',
      'c.instructions.md',
      'AGENTS.md',
      'd.mdc',
      'x/_y.json',
      'z',
      'gates.json',
    );
    const record = fc.dictionary(
      fc.constantFrom('id', 'body', 'version', 'categories', 'createdAt', 'changeLog'),
      fc.jsonValue(),
    );
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      record.map((fields) => JSON.stringify(fields)),
    );
    fc.assert(
      fc.property(fc.array(fc.record({ path, text }), { maxLength: 5 }), (files) => {
        const catalog = readForeign(files);
        const told = [...catalog.problems, ...catalog.ignored].map((item) => item.path);
        const taken = catalog.entries.map(({ from }) => from);
        for (const file of files) {
          expect([...told, ...taken].some((name) => name.startsWith(file.path))).toBe(true);
        }
        for (const { facts } of catalog.entries) expect(isId(derive(facts, options).id)).toBe(true);
      }),
    );
  });
});

function pick({ id, title, body, categories, source }: { [key: string]: unknown }) {
  return { id, title, body, categories, source };
}
