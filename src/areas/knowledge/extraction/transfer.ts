/** How results go from the child process to the service, in a form that is read quickly: it has calls to serve. */
import type {
  ExtractedChunk,
  ExtractedDocument,
  ExtractionResult,
  FailedExtraction,
  SplitResult,
} from './extraction.ts';

/** For each chunk the number of its heading path, its page or 0, its start and its end. */
interface PackedChunks {
  readonly headingPaths: readonly (readonly string[])[];
  readonly chunks: readonly number[];
}

type Header =
  | FailedExtraction
  | (Omit<ExtractedDocument, 'text' | 'chunks'> & PackedChunks)
  | ({ readonly ok: true } & PackedChunks);

const lengthBytes = 4;

/** A length, as many bytes of JSON, and the text. Chunks are parts of the text. */
export function encodeResult(result: ExtractionResult | SplitResult): Uint8Array {
  if (!result.ok) return encode(result, '');
  if (!('text' in result)) return encode({ ok: true, ...packed(result.chunks) }, '');
  const { text, chunks, ...rest } = result;
  return encode({ ...rest, ...packed(chunks) }, text);
}

export function decodeExtraction(bytes: Uint8Array): ExtractionResult {
  const { header, text } = decode(bytes);
  if (!header.ok) return header;
  const { headingPaths, chunks, ...rest } = header as Omit<ExtractedDocument, 'text' | 'chunks'> & PackedChunks;
  return { ...rest, text, chunks: unpacked({ headingPaths, chunks }, text) };
}

export function decodeSplit(bytes: Uint8Array, text: string): SplitResult {
  const { header } = decode(bytes);
  return header.ok ? { ok: true, chunks: unpacked(header, text) } : header;
}

function encode(header: Header, text: string): Uint8Array {
  const json = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(json.length);
  return Buffer.concat([length, json, Buffer.from(text, 'utf16le')]);
}

function decode(bytes: Uint8Array): { readonly header: Header; readonly text: string } {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const textStart = lengthBytes + buffer.readUInt32BE();
  return {
    header: JSON.parse(buffer.toString('utf8', lengthBytes, textStart)),
    text: buffer.toString('utf16le', textStart),
  };
}

function packed(chunks: readonly ExtractedChunk[]): PackedChunks {
  const numbers = new Map<readonly string[], number>();
  const flat = chunks.flatMap(({ headingPath, page, start, end }) => {
    const number = numbers.get(headingPath) ?? numbers.size;
    numbers.set(headingPath, number);
    return [number, page ?? 0, start, end];
  });
  return { headingPaths: [...numbers.keys()], chunks: flat };
}

function unpacked({ headingPaths, chunks }: PackedChunks, text: string): ExtractedChunk[] {
  return Array.from({ length: chunks.length / 4 }, (_, index) => {
    const [path = 0, page = 0, start = 0, end = 0] = chunks.slice(index * 4, index * 4 + 4);
    const headingPath = headingPaths[path] ?? [];
    return { index, headingPath, page: page === 0 ? null : page, start, end, text: text.slice(start, end) };
  });
}
