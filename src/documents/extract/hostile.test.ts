/** Files made to break whoever reads them. Each is read, or refused with its problem, and none takes long. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extract } from './index.ts';
import { docxEntries, paragraph, pdfOf, pdfWithPages, streamOf, zipOf } from './samples.ts';

/** A square of what is read here would take minutes. */
const PATIENCE = 15_000;
const of = (name: string, content: string | Uint8Array) => extract(name, Buffer.from(content));

describe('hostile pages', () => {
  it.each([
    ['nested divs', `${'<div>'.repeat(100_000)}deep${'</div>'.repeat(100_000)}`],
    ['elements that nobody closes', `${'<li><p>'.repeat(100_000)}deep`],
    ['many deep branches', `${'<div>'.repeat(120)}deep${'</div>'.repeat(120)}`.repeat(300)],
    ['more elements than a tree should have', '<p>deep</p>'.repeat(50_000)],
    ['one long stretch of blanks', `<pre>${' '.repeat(1_000_000)}deep</pre>`],
    ['blanks under other names', `<pre>${'&nbsp;&#8195;'.repeat(100_000)}deep</pre>`],
    ['nothing but brackets', `${'<'.repeat(300_000)} deep`],
    ['a title that never ends', `deep${'<title>'.repeat(200_000)}`],
    ['comments that never end', `deep${'<!--'.repeat(300_000)}`],
    ['attributes that never end', `deep${'<a b="'.repeat(300_000)}c`],
    ['attributes without end', `<p>deep<p ${'a '.repeat(300_000)}>`],
  ])('of %s are read', async (_, html) => expect((await of('a.html', html)).text).toContain('deep'), PATIENCE);
});

describe('hostile archives', () => {
  const [types, rels, styles] = docxEntries('').map((entry) => entry);
  const parts = [types, rels, styles].filter((entry) => entry !== undefined);

  it('that say how much they unpack to are refused before', async () => {
    const { kind, text, problem } = await of('a.docx', zipOf(docxEntries('x'.repeat(40_000_000))));
    expect([kind, text]).toEqual(['docx', undefined]);
    expect(problem).toMatch(/unpacks to more than 33554432 bytes/);
  });

  it('that lie about it are refused at the size they said', async () => {
    const bomb = { name: 'word/document.xml', content: Buffer.alloc(50_000_000), declared: 1000 };
    expect((await of('a.docx', zipOf([...parts, bomb]))).problem).toMatch(/more than the 1000 bytes it says/);
  });

  it('with pictures of any size are read, and the pictures are not', async () => {
    const picture = { name: 'word/media/a.png', content: Buffer.alloc(50_000_000) };
    expect((await of('a.docx', zipOf([...docxEntries(paragraph('text')), picture]))).text).toBe('text');
  });

  it('of XML that nests without end are refused', async () => {
    const body = '<w:r>'.repeat(100_000) + '</w:r>'.repeat(100_000);
    expect((await of('a.docx', zipOf(docxEntries(body)))).problem).toMatch(/nests more than 500 levels deep/);
  });

  it('that are damaged anywhere have a problem or a text', async () => {
    const whole = zipOf(docxEntries(paragraph('text')));
    for (let at = 4; at < whole.length; at += 7) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 0xff;
      const cut = await of('a.docx', whole.subarray(0, at));
      for (const { text, problem } of [await of('a.docx', damaged), cut]) expect(text ?? problem).toBeTypeOf('string');
    }
  });
});

describe('hostile PDFs', () => {
  const catalog = '<< /Type /Catalog /Pages 2 0 R >>';
  const pages = '<< /Type /Pages /Kids [3 0 R] /Count 1 >>';

  it('that unpack to too much are refused', async () => {
    const page = '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >>';
    const bomb = streamOf(Buffer.alloc(140_000_000, 32), { packed: true });
    const { text, problem } = await of('a.pdf', pdfOf([catalog, pages, page, bomb]));
    expect([text, problem]).toEqual([undefined, 'the PDF unpacks to more than is read']);
  });

  it.each([
    ['pages among their own pages', [catalog, '<< /Type /Pages /Kids [2 0 R] /Count 1000000 >>']],
    ['a catalog that is its own', ['<< /Type /Catalog /Pages 1 0 R /Kids [1 0 R] /Count 9 >>']],
  ])('with %s are refused', async (_, objects) => {
    expect((await of('a.pdf', pdfOf(objects))).problem).toBeTypeOf('string');
  });

  it(
    'that draw one form a billion times are read up to the limit',
    async () => {
      const levels = Array.from({ length: 30 }, (_, level) => {
        const next = `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X ${6 + level} 0 R >> >>`;
        return streamOf('/X Do /X Do', { entries: next });
      });
      const font = '/Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>';
      const entries = `/Type /XObject /Subtype /Form /BBox [0 0 9 9] ${font}`;
      const last = streamOf('BT /F 9 Tf (laugh) Tj ET', { entries });
      const page =
        '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << /XObject << /X 5 0 R >> >> >>';
      const pdf = pdfOf([catalog, pages, page, streamOf('/X Do'), ...levels, last]);
      const { text, truncated } = await extract('a.pdf', pdf, { maxTextChars: 5000 });
      expect([text?.slice(0, 2), text?.length, truncated]).toEqual(['la', 5000, true]);
    },
    PATIENCE,
  );

  it(
    'that are damaged anywhere have a problem or a text',
    async () => {
      const whole = pdfWithPages([['text']]);
      for (let at = 5; at < whole.length; at += 9) {
        const { text, problem } = await of('a.pdf', whole.subarray(0, at));
        expect(text ?? problem).toBeTypeOf('string');
      }
    },
    PATIENCE,
  );
});

describe('hostile notebooks and texts', () => {
  it(
    'with a million cells are read up to the limit',
    async () => {
      const cells = `{"cell_type":"markdown","source":"words"},`.repeat(1_000_000);
      const notebook = `{"nbformat":4,"cells":[${cells}{}]}`;
      expect(await extract('a.ipynb', Buffer.from(notebook), { maxTextChars: 1000 })).toMatchObject({
        truncated: true,
      });
    },
    PATIENCE,
  );

  it('that nest without end have a problem', async () => {
    expect((await of('a.ipynb', '['.repeat(1_000_000))).problem).toBeTypeOf('string');
  });

  it.each(['a.md', 'a.txt', 'a.ts', 'a.html', 'a.ipynb', 'x'])(
    'are read in one line of megabytes: %s',
    async (name) => {
      for (const unit of ['x', '# ', '`', '&a', '\n', '<b', '{"', '[(', '\r', '---\n']) {
        const { text, problem } = await of(name, unit.repeat(1_000_000 / unit.length));
        expect(text ?? problem).toBeTypeOf('string');
      }
    },
    2 * PATIENCE,
  );
});

describe('any bytes', () => {
  const names = fc.constantFrom('a', 'a.html', 'a.pdf', 'a.docx', 'a.ipynb', 'a.md', 'a.ts', 'a.txt');
  const starts = fc.constantFrom('', '%PDF-1.7\n', 'PK\x03\x04', '<html>', '{"nbformat":4,', '\xff\xfe', '#!', '---\n');

  it(
    'are read or refused, and nothing is thrown',
    async () => {
      const anything = fc.asyncProperty(
        names,
        starts,
        fc.uint8Array({ maxLength: 2000 }),
        async (name, start, rest) => {
          const { kind, text, problem } = await of(name, Buffer.concat([Buffer.from(start, 'latin1'), rest]));
          expect(kind === 'binary' ? 'nothing' : (text ?? problem)).toBeTypeOf('string');
        },
      );
      await fc.assert(anything, { numRuns: 400 });
    },
    PATIENCE,
  );

  it(
    'that spell any markup are read or refused',
    async () => {
      const bits = fc.constantFrom(
        '<p>',
        '</p>',
        '<',
        '>',
        '<table>',
        '<td>',
        '<a href="',
        '"',
        '<!--',
        '-->',
        'text',
        ' ',
        '&',
        '<title>',
        '<pre>',
        '<ul><li>',
        '</ul>',
      );
      const page = fc.asyncProperty(fc.array(bits, { maxLength: 60 }), async (parts) => {
        expect((await of('a.html', parts.join(''))).text).toBeTypeOf('string');
      });
      await fc.assert(page, { numRuns: 300 });
    },
    PATIENCE,
  );
});
