/** Small files of every type, and what can be wrong with them. */
import { crc32, deflateRawSync, deflateSync } from 'node:zlib';

/** A zip archive. `unpackedBytes` is what its directory says, if it lies. */
export function zipFile(
  files: Readonly<Record<string, string | Uint8Array>>,
  { unpackedBytes = null as number | null, flags = 0 } = {},
): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const sizes = Buffer.alloc(12);
    sizes.writeUInt32LE(crc32(bytes));
    sizes.writeUInt32LE(packed.length, 4);
    sizes.writeUInt32LE(unpackedBytes ?? bytes.length, 8);
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50);
    header.writeUInt16LE(8, 8);
    sizes.copy(header, 14);
    header.writeUInt16LE(Buffer.byteLength(name), 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50);
    entry.writeUInt16LE(flags, 8);
    entry.writeUInt16LE(8, 10);
    sizes.copy(entry, 16);
    entry.writeUInt16LE(Buffer.byteLength(name), 28);
    entry.writeUInt32LE(offset, 42);
    parts.push(header, Buffer.from(name), packed);
    directory.push(entry, Buffer.from(name));
    offset += header.length + Buffer.byteLength(name) + packed.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt16LE(Object.keys(files).length, 8);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, ...directory, end]);
}

const wordNamespace = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';

/** The files in a DOCX whose body has this XML. */
export function docxParts(body: string): Record<string, string> {
  return {
    '[Content_Types].xml':
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    '_rels/.rels':
      '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
    'word/_rels/document.xml.rels':
      '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>',
    'word/styles.xml': `<w:styles ${wordNamespace}><w:style w:type="paragraph" w:styleId="1"><w:name w:val="heading 1"/></w:style></w:styles>`,
    'word/document.xml': `<?xml version="1.0" encoding="UTF-8"?><w:document ${wordNamespace}><w:body>${body}</w:body></w:document>`,
  };
}

export function docxFile(body: string): Buffer {
  return zipFile(docxParts(body));
}

export function wordParagraph(text: string, { style = '', properties = '' } = {}): string {
  const paragraphStyle = style === '' ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`;
  return `<w:p>${paragraphStyle}<w:r><w:rPr>${properties}</w:rPr><w:t>${text}</w:t></w:r></w:p>`;
}

export interface PdfOptions {
  /** With a password that nobody knows. */
  readonly isEncrypted?: boolean;
  readonly title?: string;
}

/** A page per content stream. Fonts: `/F1` Helvetica, `/F2` Japanese, not embedded, in Shift_JIS as many files have it. */
export function pdfFile(
  pages: readonly (string | Buffer)[],
  { isEncrypted = false, title = '' }: PdfOptions = {},
): Buffer {
  const kids = pages.map((_, index) => `${10 + index * 2} 0 R`).join(' ');
  const objects = new Map<number, string | Buffer>([
    [1, '<< /Type /Catalog /Pages 2 0 R >>'],
    [2, `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`],
    [3, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>'],
    [4, '<< /Type /Font /Subtype /Type0 /BaseFont /Ryumin-Light /Encoding /90ms-RKSJ-H /DescendantFonts [5 0 R] >>'],
    [
      5,
      '<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Ryumin-Light /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> /DW 1000 /FontDescriptor 6 0 R >>',
    ],
    [
      6,
      '<< /Type /FontDescriptor /FontName /Ryumin-Light /Flags 6 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>',
    ],
    [7, `<< /Title (${title}) >>`],
    [8, `<< /Filter /Standard /V 1 /R 2 /P -4 /O <${'1f'.repeat(32)}> /U <${'2e'.repeat(32)}> >>`],
  ]);
  for (const [index, content] of pages.entries()) {
    const packed = deflateSync(content);
    const head = `<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n`;
    objects.set(
      10 + index * 2,
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> /Contents ${11 + index * 2} 0 R >>`,
    );
    objects.set(11 + index * 2, Buffer.concat([Buffer.from(head), packed, Buffer.from('\nendstream')]));
  }
  return pdfOf(objects, isEncrypted ? '/Encrypt 8 0 R /ID [<00> <00>]' : '');
}

function pdfOf(objects: ReadonlyMap<number, string | Buffer>, trailer: string): Buffer {
  const parts = [Buffer.from('%PDF-1.4\n%\xE2\xE3\xCF\xD3\n', 'latin1')];
  const offsets = new Map<number, number>();
  let length = parts[0]?.length ?? 0;
  for (const [number, content] of objects) {
    const part = Buffer.concat([Buffer.from(`${number} 0 obj\n`), Buffer.from(content), Buffer.from('\nendobj\n')]);
    offsets.set(number, length);
    parts.push(part);
    length += part.length;
  }
  const size = Math.max(...objects.keys()) + 1;
  const rows = Array.from({ length: size }, (_, number) => {
    const offset = offsets.get(number);
    return offset === undefined ? '0000000000 65535 f \n' : `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${size}\n${rows.join('')}trailer\n<< /Size ${size} /Root 1 0 R /Info 7 0 R ${trailer} >>\n`;
  return Buffer.concat([...parts, Buffer.from(`${table}startxref\n${length}\n%%EOF\n`)]);
}

/** Lines of a page from its top, in Helvetica. */
export function pdfLines(lines: readonly string[], { top = 780, size = 12, gap = 16 } = {}): string {
  return lines
    .map((line, index) => `BT /F1 ${size} Tf 72 ${top - index * gap} Td (${line.replace(/[()\\]/g, '\\$&')}) Tj ET`)
    .join('\n');
}

/** Lines of a page in Japanese: each a string of Shift_JIS in hexadecimal. */
export function japanesePdfLines(lines: readonly string[]): string {
  return lines.map((hex, index) => `BT /F2 12 Tf 72 ${780 - index * 20} Td <${hex}> Tj ET`).join('\n');
}

/** An image that fills the page, as scanners make it. */
export const scannedPage = 'q 595 0 0 842 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x80 EI Q';
