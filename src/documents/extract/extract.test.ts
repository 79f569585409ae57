/** What each kind of file says, read from real files that are made here. */
import { describe, expect, it } from 'vitest';
import { extract } from './index.ts';
import { docxEntries, paragraph, pdfWithPages, zipOf } from './samples.ts';

const of = (name: string, content: string | Uint8Array) => extract(name, Buffer.from(content));

describe('texts and their letters', () => {
  it.each([
    ['UTF-8', Buffer.from('naïve €'), 'utf-8'],
    ['UTF-8 with its mark', Buffer.from('\ufeffnaïve €'), 'utf-8'],
    ['little-endian UTF-16', Buffer.from('\ufeffnaïve €', 'utf16le'), 'utf-16le'],
    ['big-endian UTF-16', Buffer.from('\ufeffnaïve €', 'utf16le').swap16(), 'utf-16be'],
    ['UTF-16 without its mark', Buffer.from('naïve €', 'utf16le'), 'utf-16le'],
    ['the other UTF-16 without its mark', Buffer.from('naïve €', 'utf16le').swap16(), 'utf-16be'],
    ['Windows-1252', Buffer.from('na\xefve \x80', 'latin1'), 'windows-1252'],
  ])('are read as %s', async (_, bytes, encoding) => {
    expect(await of('note.txt', bytes)).toEqual({ kind: 'text', mime: 'text/plain', encoding, text: 'naïve €' });
  });

  it('stay UTF-8 when a few bytes of many are broken', async () => {
    const bytes = Buffer.concat([Buffer.from('größe '.repeat(50)), Buffer.from([0xff]), Buffer.from(' straße')]);
    const { encoding, text } = await of('note.txt', bytes);
    expect(encoding).toBe('utf-8');
    expect(text).toBe(`${'größe '.repeat(50)}\ufffd straße`);
  });

  it('follow what a page says of itself', async () => {
    const page = Buffer.concat([
      Buffer.from('<html><head><meta charset="windows-1251"></head><body><p>'),
      Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]),
      Buffer.from('</p></body></html>'),
    ]);
    expect(await of('page.html', page)).toMatchObject({ encoding: 'windows-1251', text: 'Привет' });
  });

  it('have one kind of line end, and nothing that a database cannot keep', async () => {
    expect((await of('a.txt', 'one\r\ntwo\rthree\n')).text).toBe('one\ntwo\nthree\n');
    const late = `${'x'.repeat(60_000)}${'y'.repeat(60_000)}`.split('');
    late[40_000] = '\0';
    expect((await of('a.txt', late.join(''))).text).toContain('\ufffd');
  });

  it('are cut at the limit, never within a letter', async () => {
    const limits = { maxTextChars: 4 };
    expect(await extract('a.txt', Buffer.from('abc😀d'), limits)).toMatchObject({ text: 'abc', truncated: true });
    expect(await extract('a.txt', Buffer.from('abcd'), limits)).not.toHaveProperty('truncated');
  });

  it('may be empty', async () => {
    expect(await of('a.md', '')).toEqual({ kind: 'markdown', mime: 'text/markdown', encoding: 'utf-8', text: '' });
  });
});

describe('binary content', () => {
  it.each([
    ['photo.txt', Buffer.from('\x89PNG\r\n\x1a\n\0\0', 'latin1'), 'image/png'],
    ['a.tar.gz', Buffer.from([0x1f, 0x8b, 8, 0, 0]), 'application/gzip'],
    ['data.bin', Buffer.from([1, 2, 3, 0, 5, 6, 7]), 'application/octet-stream'],
    ['message', Buffer.from([8, 1, 18, 5, 104, 101, 108, 108, 111]), 'application/octet-stream'],
    [
      'noise.txt',
      Buffer.from(Array.from({ length: 4000 }, (_, at) => 1 + ((at * 7919) % 255))),
      'application/octet-stream',
    ],
    [
      'book.xlsx',
      zipOf([{ name: 'xl/workbook.xml', content: '<x/>' }]),
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    ],
    ['old.doc', Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0', 'latin1'), 'application/msword'],
  ])('of %s has a type and no text', async (name, bytes, mime) => {
    expect(await of(name, bytes)).toEqual({ kind: 'binary', mime });
  });
});

describe('code', () => {
  it.each([
    ['src/a.ts', 'let a', 'typescript'],
    ['Dockerfile', 'FROM x', 'dockerfile'],
    ['C:\\x\\Main.JAVA', 'class A {}', 'java'],
    ['tool', '#!/usr/bin/env -S FOO=1 python3.12 -u\nprint()', 'python'],
    ['run', '#!/bin/bash\nls', 'shell'],
    ['a.json', '{"nbformat": "no"}', 'json'],
    ['page.php', '<!doctype html><?php ?>', 'php'],
    ['feed', '<?xml version="1.0"?><rss/>', 'xml'],
  ])('in %s is known', async (name, text, language) => {
    expect(await of(name, text)).toMatchObject({ kind: 'code', language, text });
  });
});

describe('Markdown', () => {
  it.each([
    ['its front matter', '---\ntitle: Named\n---\n# Heading\n', 'Named'],
    ['its first heading', 'text\n```\n# no\n```\n## A [link](x) and `code` ##\n', 'A link and code'],
    ['an underlined line', 'First line\n===\ntext', 'First line'],
  ])('has its title from %s, and stays as it is', async (_, text, title) => {
    expect(await of('a.md', text)).toMatchObject({ kind: 'markdown', title, text });
  });
});

describe('pages', () => {
  const words = 'Some words of the article, which are many, and go on for a while. '.repeat(8);
  const page = `<!doctype html><html><head><title>The page</title><style>p{}</style><script>var a = "<p>script</p>"</script></head>
    <body><nav><a href="/menu">Menu</a></nav><article><h2>Two &amp; three</h2><p>${words}</p>
    <ul><li>one</li><li>two</li></ul><p>See <a href="https://example.org/a_b">a link</a>, <code>max_chars</code>.</p>
    <pre><code class="language-js">let a;</code></pre><table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>
    <p>${words}</p></article><footer>Imprint</footer></body></html>`;

  it('become Markdown of the part that is to be read', async () => {
    const { kind, title, text } = await of('saved', page);
    expect([kind, title]).toEqual(['html', 'The page']);
    for (const part of [
      '## Two & three',
      '-   one\n-   two',
      '[a link](https://example.org/a_b), `max_chars`',
      '```js\nlet a;\n```',
      '| A | B |\n| --- | --- |\n| 1 | 2 |',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).not.toMatch(/script|Menu|Imprint|p\{\}/);
  });

  it('show everything when no part of them stands out', async () => {
    const { text } = await of(
      'a.html',
      '<h1>Short</h1><p>Hello &euro;&nbsp;5 <b>there</b><p>again<img alt="a map">here',
    );
    expect(text).toBe('# Short\n\nHello € 5 **there**\n\nagain a map here');
  });
});

describe('PDF', () => {
  it('gives the text of its pages in order, and its title', async () => {
    const pdf = pdfWithPages([['Hello (world)', 'second line'], ['page two']], 'A title');
    const text = 'Hello (world)\nsecond line\n\f\npage two';
    expect(await of('a.bin', pdf)).toEqual({ kind: 'pdf', mime: 'application/pdf', title: 'A title', text });
  });

  it('leaves the bytes to their owner', async () => {
    const pdf = new Uint8Array(pdfWithPages([['Hello']]));
    await extract('a.pdf', pdf);
    expect((await extract('a.pdf', pdf)).text).toBe('Hello');
  });

  it('without a text says so', async () => {
    const { text, problem } = await of('scan.pdf', pdfWithPages([[]]));
    expect([text, problem]).toEqual([undefined, 'there is no text on its 1 page: they may be pictures']);
  });
});

describe('Word documents', () => {
  const body = `${paragraph('The heading', 'Heading1')}${paragraph('Text with snake_case &amp; more')}`;

  it('become Markdown, whatever their name', async () => {
    const docx = await of('upload.tmp', zipOf(docxEntries(body)));
    expect(docx).toMatchObject({ kind: 'docx', title: 'The heading' });
    expect(docx.text).toBe('# The heading\n\nText with snake_case & more');
  });

  it('have the title of their properties', async () => {
    const core = { name: 'docProps/core.xml', content: '<c><dc:title>Q&amp;A</dc:title></c>' };
    expect((await of('a.docx', zipOf([...docxEntries(body), core]))).title).toBe('Q&A');
  });
});

describe('notebooks', () => {
  const notebook = {
    nbformat: 4,
    metadata: { language_info: { name: 'python' } },
    cells: [
      { cell_type: 'markdown', source: ['# Study\n', 'of things'] },
      {
        cell_type: 'code',
        source: 'print("```")',
        outputs: [
          { output_type: 'stream', text: ['out\n'] },
          { output_type: 'display_data', data: { 'image/png': 'iVBORw0KGgo=' } },
          { output_type: 'error', traceback: ['\x1b[31mError\x1b[0m', 'line 2'] },
        ],
      },
    ],
  };
  const text = [
    '# Study\nof things',
    '````python\nprint("```")\n````',
    '```text\nout\n```',
    '```text\nError\nline 2\n```',
  ].join('\n\n');

  it.each(['a.ipynb', 'a.json', 'notebook'])('named %s give their cells in order', async (name) => {
    expect(await of(name, JSON.stringify(notebook))).toMatchObject({ kind: 'notebook', title: 'Study', text });
  });

  it('that are damaged say so', async () => {
    expect(await of('a.ipynb', '{"cells": [')).toMatchObject({
      kind: 'notebook',
      problem: 'the notebook is not sound JSON',
    });
  });
});
