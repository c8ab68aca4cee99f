import { readFile, stat } from 'node:fs/promises';
import { splitDocument } from './chunks.ts';
import { cleanText } from './cleaning.ts';
import { decodeText } from './decoding.ts';
import { type DocumentType, detectType, mimeTypes, statedCharset } from './detection.ts';
import type {
  DocumentText,
  DocumentWarning,
  ExtractedDocument,
  ExtractionInput,
  ExtractionResult,
  SplitInput,
  SplitResult,
} from './extraction.ts';
import { ExtractionError, failure } from './failure.ts';
import { readCsv } from './formats/csv.ts';
import { readMarkdown, readPlainText } from './formats/text.ts';
import { limits } from './limits.ts';
import { encodeResult } from './transfer.ts';

/** What a child process is given to do. */
export type ExtractionJob =
  | { readonly do: 'extract'; readonly input: ExtractionInput }
  | { readonly do: 'split'; readonly input: SplitInput };

export async function performJob(job: ExtractionJob): Promise<Uint8Array> {
  return encodeResult(job.do === 'extract' ? await extract(job.input) : split(job.input));
}

/** What a parser throws, it throws at a broken file. Rejects if there is no file, which is no fault of the document. */
export async function extract(input: ExtractionInput): Promise<ExtractionResult> {
  const { size } = await stat(input.file);
  if (size > limits.fileBytes) {
    return failure('too_large', `The file is larger than ${limits.fileBytes / 1024 / 1024} MiB.`);
  }
  const bytes = await readFile(input.file);
  try {
    return await extractBytes(bytes, input);
  } catch (error) {
    if (isOutOfMemory(error)) throw error;
    return error instanceof ExtractionError
      ? failure(error.code, error.message)
      : failure('corrupt', 'The document cannot be read. It is damaged.');
  }
}

export function split(input: SplitInput): SplitResult {
  try {
    return { ok: true, chunks: splitDocument(input) };
  } catch (error) {
    if (error instanceof ExtractionError) return failure(error.code, error.message);
    throw error;
  }
}

/** The text of a document, and what else its type says about it. */
interface ReadDocument extends DocumentText {
  readonly title?: string | null;
  readonly pageCount?: number;
  readonly pagesWithoutText?: readonly number[];
  readonly hadHiddenText?: boolean;
  readonly isTruncated?: boolean;
  readonly isGuessed?: boolean;
}

async function extractBytes(bytes: Buffer, input: ExtractionInput): Promise<ExtractedDocument> {
  if (bytes.length === 0) throw noText();
  const type = detectType(bytes, input);
  const document = await read(type, bytes, input.contentType);
  if (!/[\p{L}\p{N}]/u.test(document.text)) throw noText();
  const { text, structure, pageOffsets, title = null, pageCount = null } = document;
  const { language, chunkSize } = input;
  return {
    ok: true,
    mimeType: mimeTypes[type],
    title: title?.slice(0, maxTitleLength) ?? null,
    text,
    structure,
    pageOffsets,
    pageCount,
    characterCount: charactersIn(text),
    textBytes: Buffer.byteLength(text),
    warnings: warningsOf(document),
    chunks: splitDocument({ text, structure, pageOffsets, language, chunkSize }),
  };
}

const maxTitleLength = 255;
const readers = { text: readPlainText, markdown: readMarkdown, csv: readCsv };

/** In code points, like all lengths. */
function charactersIn(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}

/** The libraries of a format are loaded with its first document: most processes read texts only. */
async function read(type: DocumentType, bytes: Buffer, contentType: string | null): Promise<ReadDocument> {
  if (type === 'pdf') return await (await import('./formats/pdf.ts')).readPdf(bytes);
  if (type === 'docx') return await (await import('./formats/docx.ts')).readDocx(bytes);
  const { text: decoded, isGuessed } = decodeText(bytes, statedCharset(bytes, contentType));
  const { text, hadHiddenText } = cleanText(decoded);
  const document: ReadDocument =
    type === 'html' ? (await import('./formats/html.ts')).readHtml(text) : readers[type](text);
  return { ...document, isGuessed, hadHiddenText: hadHiddenText || document.hadHiddenText === true };
}

function warningsOf({ pagesWithoutText = [], hadHiddenText, isTruncated, isGuessed }: ReadDocument): DocumentWarning[] {
  const warnings: DocumentWarning[] = [];
  if (pagesWithoutText.length > 0) {
    const pages = `${pagesWithoutText.slice(0, 20).join(', ')}${pagesWithoutText.length > 20 ? ', …' : ''}`;
    warnings.push({
      code: 'pages_without_text',
      message: `Pages without text, such as scans, were left out: ${pages}.`,
    });
  }
  if (hadHiddenText === true) {
    warnings.push({ code: 'hidden_text_removed', message: 'Text that readers do not see was removed.' });
  }
  if (isTruncated === true) {
    warnings.push({ code: 'truncated_table', message: `Columns after the first ${limits.columns} were left out.` });
  }
  if (isGuessed === true) {
    warnings.push({ code: 'encoding_guessed', message: 'The character encoding was guessed. UTF-8 is read as it is.' });
  }
  return warnings;
}

function noText(): ExtractionError {
  return new ExtractionError(
    'no_text_found',
    'The document has no text: it is empty, a scan, or a page that only a script fills.',
  );
}

/** The process reports it, and is replaced. */
function isOutOfMemory(error: unknown): boolean {
  return (
    error instanceof RangeError && /Invalid (string|array|typed array) length|allocation failed/.test(error.message)
  );
}
