/** Files for the tests, made by hand: a PDF with its table of places, and a zip with a directory that may lie. */
import { crc32, deflateRawSync, deflateSync } from 'node:zlib';

/** One object a string, numbered from 1; the first is the catalog. */
export function pdfOf(objects: readonly (string | Buffer)[], trailer = ''): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')];
  const places: number[] = [];
  let at = parts[0]?.length ?? 0;
  const add = (part: string | Buffer) => {
    const bytes = Buffer.isBuffer(part) ? part : Buffer.from(part, 'latin1');
    parts.push(bytes);
    at += bytes.length;
  };
  objects.forEach((object, index) => {
    places.push(at);
    add(`${index + 1} 0 obj\n`);
    add(object);
    add('\nendobj\n');
  });
  const table = at;
  add(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`);
  for (const place of places) add(`${String(place).padStart(10, '0')} 00000 n \n`);
  add(`trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${table}\n%%EOF\n`);
  return Buffer.concat(parts);
}

export function streamOf(content: string | Buffer, { packed = false, entries = '' } = {}): Buffer {
  const bytes = packed ? deflateSync(content) : Buffer.from(content);
  const filter = packed ? '/Filter /FlateDecode ' : '';
  return Buffer.concat([
    Buffer.from(`<< ${filter}${entries} /Length ${bytes.length} >>\nstream\n`),
    bytes,
    Buffer.from('\nendstream'),
  ]);
}

/** A PDF with these lines on each of its pages. */
export function pdfWithPages(pages: readonly (readonly string[])[], title?: string): Buffer {
  const kids = pages.map((_, index) => `${4 + 2 * index} 0 R`).join(' ');
  const objects: (string | Buffer)[] = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  ];
  pages.forEach((lines, index) => {
    const drawn = lines.map((line) => `(${line.replace(/[()\\]/g, '\\$&')}) Tj 0 -14 Td`).join('\n');
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + 2 * index} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      streamOf(`BT /F1 12 Tf 72 720 Td\n${drawn}\nET`, { packed: index % 2 === 1 }),
    );
  });
  if (title === undefined) return pdfOf(objects);
  return pdfOf([...objects, `<< /Title (${title}) >>`], `/Info ${objects.length + 1} 0 R`);
}

export interface ZipEntry {
  readonly name: string;
  readonly content: string | Buffer;
  /** What the directory says, where that is not the truth. */
  readonly declared?: number;
  readonly stored?: boolean;
}

export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, content, declared, stored = false } of entries) {
    const bytes = Buffer.from(content);
    const packed = stored ? bytes : deflateRawSync(bytes);
    const label = Buffer.from(name);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(stored ? 0 : 8, 4);
    fields.writeUInt32LE(crc32(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(declared ?? bytes.length, 18);
    fields.writeUInt16LE(label.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\0', 'latin1'), fields, place.subarray(0, 14), label);
    locals.push(Buffer.from('PK\x03\x04', 'latin1'), fields, label, packed);
    at += 30 + label.length + packed.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, listed, end]);
}

const W = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';

export function docxEntries(body: string): ZipEntry[] {
  return [
    {
      name: '[Content_Types].xml',
      content:
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>',
    },
    {
      name: '_rels/.rels',
      content:
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
    },
    {
      name: 'word/styles.xml',
      content: `<w:styles xmlns:w="${W}"><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>`,
    },
    { name: 'word/document.xml', content: `<w:document xmlns:w="${W}"><w:body>${body}</w:body></w:document>` },
  ];
}

export function paragraph(text: string, style?: string): string {
  const look = style === undefined ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`;
  return `<w:p>${look}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
}
