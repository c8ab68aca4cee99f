import { byteOrderMarkOf } from './decoding.ts';
import { ExtractionError } from './failure.ts';

/** The types that can be read, by what their bytes are. `other` is only claimed. */
export const mimeTypes = {
  text: 'text/plain',
  markdown: 'text/markdown',
  html: 'text/html',
  csv: 'text/csv',
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
} as const;

export type DocumentType = keyof typeof mimeTypes;
type Claim = DocumentType | 'other';

export interface Claims {
  readonly name: string;
  readonly contentType: string | null;
  readonly kind: 'text' | 'file' | 'url';
}

const textTypes: readonly Claim[] = ['text', 'markdown', 'html', 'csv'];

/** Extensions that are not here, such as `.php` or `.log`, claim nothing. */
const extensions: Readonly<Record<string, Claim>> = {
  ...{ txt: 'text', text: 'text', md: 'markdown', markdown: 'markdown', csv: 'csv', tsv: 'csv' },
  ...{ html: 'html', htm: 'html', xhtml: 'html', pdf: 'pdf', docx: 'docx' },
  ...Object.fromEntries(
    'doc xls xlsx ppt pptx odt ods odp rtf epub zip gz tar 7z rar exe png jpg jpeg gif webp tif tiff bmp heic svg mp3 wav ogg m4a mp4 mov avi'
      .split(' ')
      .map((extension) => [extension, 'other']),
  ),
};

const contentTypes: Readonly<Record<string, Claim>> = {
  'text/markdown': 'markdown',
  'text/x-markdown': 'markdown',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'text/csv': 'csv',
  'text/tab-separated-values': 'csv',
  'application/pdf': 'pdf',
  'application/x-pdf': 'pdf',
  [mimeTypes.docx]: 'docx',
};
const otherContentTypes = /^(image|audio|video|font)\/|^application\/(zip|gzip|msword|rtf|vnd\.)/;

const zipDirectoryEnd = Buffer.from('PK\x05\x06', 'latin1');

/** Decided by the bytes. What the name and the header claim only tells text types apart. */
export function detectType(bytes: Uint8Array, claims: Claims): DocumentType {
  const claimed = [claimOfName(claims), claimOfContentType(claims.contentType)].filter((claim) => claim !== null);
  const actual = binaryTypeOf(bytes, claimed) ?? textTypeOf(bytes, claimed);
  const contradiction = claimed.find((claim) => !isCompatible(claim, actual));
  if (contradiction !== undefined) throw mismatch(contradiction, actual);
  return actual;
}

/** The charset of the header `Content-Type`, or of the beginning of a page. */
export function statedCharset(bytes: Uint8Array, contentType: string | null): string | null {
  const pattern = /charset\s*=\s*["']?([\w.:-]+)/i;
  const start = Buffer.from(bytes.subarray(0, 2048)).toString('latin1');
  const meta = /<meta[^>]*?charset\s*=[^>]*>|<\?xml[^>]*?encoding\s*=[^>]*>/i
    .exec(start)?.[0]
    .replace('encoding', 'charset');
  return pattern.exec(contentType ?? '')?.[1] ?? pattern.exec(meta ?? '')?.[1] ?? null;
}

function isCompatible(claim: Claim, actual: DocumentType): boolean {
  return claim === actual || (textTypes.includes(claim) && textTypes.includes(actual));
}

function mismatch(claim: Claim, actual: DocumentType): ExtractionError {
  const names = { ...mimeTypes, other: 'another type' };
  return new ExtractionError(
    'type_mismatch',
    `The name or the content type claims ${names[claim]}, but the content is ${names[actual]}.`,
  );
}

function claimOfName({ name, kind }: Claims): Claim | null {
  if (kind === 'text') return 'markdown';
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(extensions, extension) ? (extensions[extension] ?? null) : null;
}

function claimOfContentType(header: string | null): Claim | null {
  const mimeType = header?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (Object.hasOwn(contentTypes, mimeType)) return contentTypes[mimeType] ?? null;
  if (otherContentTypes.test(mimeType)) return 'other';
  return mimeType.startsWith('text/') ? 'text' : null;
}

function binaryTypeOf(bytes: Uint8Array, claimed: readonly Claim[]): DocumentType | null {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1024));
  if (start.includes('%PDF-')) return 'pdf';
  if (start.subarray(0, 4).toString('latin1') === 'PK\x03\x04') return typeOfZip(bytes, claimed);
  if (start.subarray(0, 8).toString('hex') === 'd0cf11e0a1b11ae1') throw compoundFile(bytes);
  return null;
}

/** The names of the files in it are also in the directory at its end. */
function typeOfZip(bytes: Uint8Array, claimed: readonly Claim[]): DocumentType {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (buffer.includes('[Content_Types].xml') && buffer.includes('word/')) return 'docx';
  // If the end of a file is missing, it is unknown what was in it.
  if (claimed.includes('docx') && !buffer.includes(zipDirectoryEnd)) return 'docx';
  throw unsupported();
}

/** A container of old Office files, and of new ones with a password. */
function compoundFile(bytes: Uint8Array): ExtractionError {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (!buffer.includes(Buffer.from('EncryptedPackage', 'utf16le'))) return unsupported();
  return new ExtractionError('encrypted', 'The document has a password.');
}

function textTypeOf(bytes: Uint8Array, claimed: readonly Claim[]): DocumentType {
  if (byteOrderMarkOf(bytes) === null && bytes.includes(0)) throw unsupported();
  const start = Buffer.from(bytes.subarray(0, 4096)).toString('latin1').replaceAll('\0', '');
  const claim = claimed.find((each) => textTypes.includes(each) && each !== 'text') as DocumentType | undefined;
  if (isHtml(start, claim)) return 'html';
  return claim ?? 'text';
}

/** Markdown may begin with elements, but not with a whole page. */
function isHtml(start: string, claim: DocumentType | undefined): boolean {
  const content = start
    .replace(/^(?:\xEF\xBB\xBF|\xFF\xFE|\xFE\xFF)/, '')
    .replace(/^(?:\s|<!--[\s\S]*?-->|<\?xml[^>]*>)+/, '');
  if (/^<(?:!doctype\s+html|html[\s>])/i.test(content)) return true;
  return claim === undefined && /^<(?:head|body|title|div|p|h[1-6]|table|section|article|main)[\s>]/i.test(content);
}

function unsupported(): ExtractionError {
  return new ExtractionError(
    'unsupported_type',
    'The type of the file is not supported: PDF, DOCX, HTML, Markdown, CSV and text are.',
  );
}
