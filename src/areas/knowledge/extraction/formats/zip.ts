import { inflateRawSync } from 'node:zlib';
import { ExtractionError } from '../failure.ts';
import { limits } from '../limits.ts';

interface Entry {
  readonly headerOffset: number;
  readonly isCompressed: boolean;
  readonly packedBytes: number;
  readonly unpackedBytes: number;
}

const directoryEndSignature = 0x06054b50;
const directoryEndBytes = 22;
const maxCommentBytes = 65_535;
const entrySignature = 0x02014b50;
const entryBytes = 46;
const headerBytes = 30;
/** The minimum that the ratio counts from: an empty document is mostly the same few lines. */
const freeBytes = 1024 * 1024;

/** The files in a zip archive. Its directory is checked first, and no file is unpacked to more than it says. */
export class ZipFile {
  readonly #bytes: Buffer;
  readonly #entries = new Map<string, Entry>();

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    for (const [name, entry] of entriesOf(bytes)) this.#entries.set(name, entry);
    let unpacked = 0;
    for (const { packedBytes, unpackedBytes } of this.#entries.values()) {
      unpacked += unpackedBytes;
      if (unpackedBytes > Math.max(freeBytes, packedBytes * limits.unpackedRatio)) throw tooLarge();
    }
    if (unpacked > limits.unpackedBytes) throw tooLarge();
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  sizeOf(name: string): number {
    return this.#entries.get(name)?.unpackedBytes ?? 0;
  }

  read(name: string): Buffer {
    const entry = this.#entries.get(name);
    if (entry === undefined) throw corrupt(`It has no file ${name}.`);
    const { headerOffset, isCompressed, packedBytes, unpackedBytes } = entry;
    const start =
      headerOffset +
      headerBytes +
      this.#bytes.readUInt16LE(headerOffset + 26) +
      this.#bytes.readUInt16LE(headerOffset + 28);
    const packed = this.#bytes.subarray(start, start + packedBytes);
    if (!isCompressed) return packed;
    try {
      return inflateRawSync(packed, { maxOutputLength: Math.max(1, unpackedBytes) });
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge() : corrupt('It is damaged.');
    }
  }
}

function* entriesOf(bytes: Buffer): Generator<[string, Entry]> {
  const end = directoryEndOf(bytes);
  let position = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (position + entryBytes > bytes.length || bytes.readUInt32LE(position) !== entrySignature)
      throw corrupt('It is damaged.');
    const method = bytes.readUInt16LE(position + 10);
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((offset) => bytes.readUInt16LE(position + offset));
    if ((bytes.readUInt16LE(position + 8) & 1) === 1)
      throw new ExtractionError('encrypted', 'The document has a password.');
    if (method !== 0 && method !== 8) throw corrupt('It is compressed in an unknown way.');
    const name = bytes.toString('utf8', position + entryBytes, position + entryBytes + (nameBytes ?? 0));
    const headerOffset = bytes.readUInt32LE(position + 42);
    if (headerOffset + headerBytes > bytes.length) throw corrupt('It is damaged.');
    const packedBytes = bytes.readUInt32LE(position + 20);
    const unpackedBytes = bytes.readUInt32LE(position + 24);
    yield [name, { headerOffset, isCompressed: method === 8, packedBytes, unpackedBytes }];
    position += entryBytes + (nameBytes ?? 0) + (extraBytes ?? 0) + (commentBytes ?? 0);
  }
}

function directoryEndOf(bytes: Buffer): number {
  const first = Math.max(0, bytes.length - directoryEndBytes - maxCommentBytes);
  for (let at = bytes.length - directoryEndBytes; at >= first; at -= 1) {
    if (bytes.readUInt32LE(at) === directoryEndSignature) return at;
  }
  throw corrupt('Its end is missing.');
}

function tooLarge(): ExtractionError {
  const megabytes = limits.unpackedBytes / 1024 / 1024;
  return new ExtractionError(
    'too_large',
    `The file unpacks to more than ${megabytes} MB, or to more than ${limits.unpackedRatio} times its size.`,
  );
}

function corrupt(reason: string): ExtractionError {
  return new ExtractionError('corrupt', `The document cannot be read. ${reason}`);
}
