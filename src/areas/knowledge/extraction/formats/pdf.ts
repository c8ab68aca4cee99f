import { fileURLToPath } from 'node:url';
import { getDocumentProxy } from 'unpdf';
import { blockKinds, TextBuilder, tooManyCharacters } from '../blocks.ts';
import { cleanText, collapseSpaces } from '../cleaning.ts';
import type { DocumentText } from '../extraction.ts';
import { ExtractionError } from '../failure.ts';
import { limits } from '../limits.ts';
import { linesOf, type PdfLine, type PdfTextItem, paragraphsOf, withoutRepeatedLines } from './pdf-lines.ts';

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

export interface PdfDocument extends DocumentText {
  readonly title: string | null;
  readonly pageCount: number;
  /** From 1. */
  readonly pagesWithoutText: readonly number[];
  readonly hadHiddenText: boolean;
}

/** Readers require the end marker this close to the end of the file. Without it, the rest of the file is missing. */
const endMarkerBytes = 1024;

export async function readPdf(bytes: Buffer): Promise<PdfDocument> {
  if (!hasEnd(bytes)) throw corrupt('Its end is missing.');
  const pdf = await open(bytes);
  try {
    if (pdf.numPages > limits.pages) {
      throw new ExtractionError('too_large', `The document has more than ${limits.pages.toLocaleString('en')} pages.`);
    }
    const pages: PdfLine[][] = [];
    let characters = 0;
    for (let number = 1; number <= pdf.numPages; number += 1) {
      const items = await itemsOf(pdf, number, limits.characters - characters);
      characters += charactersIn(items);
      pages.push(linesOf(items));
    }
    const { info } = (await pdf.getMetadata().catch(() => ({ info: {} }))) as { info: { Title?: unknown } };
    return documentOf(pages, typeof info.Title === 'string' ? info.Title : '');
  } finally {
    await pdf.loadingTask.destroy();
  }
}

function hasEnd(bytes: Buffer): boolean {
  let end = bytes.length;
  while (end > 0 && [0, 9, 10, 13, 32].includes(bytes[end - 1] as number)) end -= 1;
  return bytes.subarray(Math.max(0, end - endMarkerBytes), end).includes('%%EOF');
}

/** Everything that the parser needs besides the file comes with the package, as a path: it opens no connection. */
async function open(bytes: Buffer): Promise<Pdf> {
  const folder = (name: string) => fileURLToPath(new URL(`./${name}/`, import.meta.resolve('pdfjs-dist/package.json')));
  try {
    return await getDocumentProxy(new Uint8Array(bytes), {
      cMapUrl: folder('cmaps'),
      cMapPacked: true,
      standardFontDataUrl: folder('standard_fonts'),
      useSystemFonts: false,
      useWorkerFetch: false,
      disableFontFace: true,
      verbosity: 0,
    });
  } catch (error) {
    if ((error as Error).name === 'PasswordException') {
      throw new ExtractionError('encrypted', 'The document has a password.');
    }
    throw corrupt('It is damaged.');
  }
}

async function itemsOf(pdf: Pdf, number: number, maxCharacters: number): Promise<PdfTextItem[]> {
  const items: PdfTextItem[] = [];
  let left = maxCharacters;
  try {
    const page = await pdf.getPage(number);
    const reader = page.streamTextContent().getReader();
    // To the end even if there is too much text: a page that is still being read cannot be closed.
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const found = read.value.items as PdfTextItem[];
      left -= charactersIn(found);
      if (left >= 0) items.push(...found);
    }
    page.cleanup();
  } catch {
    throw corrupt(`Page ${number} is damaged.`);
  }
  if (left < 0) throw tooManyCharacters();
  return items;
}

function charactersIn(items: readonly PdfTextItem[]): number {
  return items.reduce((sum, { str }) => sum + str.length, 0);
}

function documentOf(pages: readonly (readonly PdfLine[])[], title: string): PdfDocument {
  const builder = new TextBuilder();
  const pagesWithoutText: number[] = [];
  let hadHiddenText = false;
  for (const [index, lines] of withoutRepeatedLines(pages).entries()) {
    builder.startPage();
    if (lines.length === 0) pagesWithoutText.push(index + 1);
    for (const paragraph of paragraphsOf(lines)) {
      const clean = cleanText(paragraph);
      hadHiddenText ||= clean.hadHiddenText;
      builder.add(blockKinds.paragraph, clean.text);
    }
  }
  return {
    ...builder.build(),
    title: collapseSpaces(cleanText(title).text) || null,
    pageCount: pages.length,
    pagesWithoutText,
    hadHiddenText,
  };
}

function corrupt(reason: string): ExtractionError {
  return new ExtractionError('corrupt', `The document cannot be read. ${reason}`);
}
