import type { Piece } from '../pieces.ts';

const slabBytes = 1024 * 1024;
const longestDocument = 64 * 1024;
const mostBytesOfCharacter = 3;

/** A document as it was last read. */
export class CachedDocument implements Piece {
  readonly owner: string;
  readonly length: number;
  /** Looked up, or made of the bytes, when it is first asked for. */
  etag: string | null;
  readonly #slab: Buffer;
  readonly #start: number;

  constructor(owner: string, etag: string | null, slab: Buffer, start: number, end: number) {
    this.owner = owner;
    this.etag = etag;
    this.length = end - start;
    this.#slab = slab;
    this.#start = start;
  }

  copy(target: Buffer, start: number): void {
    this.#slab.copy(target, start, this.#start, this.#start + this.length);
  }

  bytes(): Buffer {
    return this.#slab.subarray(this.#start, this.#start + this.length);
  }
}

interface Slab {
  readonly bytes: Buffer;
  /** Whose documents are in it; some may have been taken out since. */
  readonly ids: string[];
}

/**
 * The documents that were read last, up to so many bytes, those read first being the first to go. Not one by one: they
 * stand side by side in slabs of a mebibyte, because a hundred thousand small pieces of memory would cost the garbage
 * collector more than the database takes to read them. A slab that is given up stays whole for whoever still reads it.
 *
 * It knows nothing of who writes: whoever uses it takes out what has changed.
 */
export class DocumentCache {
  readonly #documents = new Map<string, CachedDocument>();
  readonly #slabs: Slab[] = [];
  readonly #mostSlabs: number;
  #used = slabBytes;

  constructor(mostBytes: number) {
    this.#mostSlabs = Math.floor(mostBytes / slabBytes);
  }

  get(owner: string, id: string): CachedDocument | undefined {
    const document = this.#documents.get(id);
    return document?.owner === owner ? document : undefined;
  }

  addText(owner: string, id: string, text: string, etag: string): void {
    if (text.length * mostBytesOfCharacter > longestDocument) return;
    const slab = this.#slabWith(text.length * mostBytesOfCharacter);
    this.#add(owner, id, etag, slab, slab.bytes.write(text, this.#used, 'utf8'));
  }

  addBytes(owner: string, id: string, bytes: Buffer): void {
    if (bytes.length > longestDocument) return;
    const slab = this.#slabWith(bytes.length);
    this.#add(owner, id, null, slab, bytes.copy(slab.bytes, this.#used));
  }

  remove(id: string): void {
    this.#documents.delete(id);
  }

  clear(): void {
    this.#documents.clear();
    this.#slabs.length = 0;
    this.#used = slabBytes;
  }

  #slabWith(room: number): Slab {
    let slab = this.#slabs.at(-1);
    if (slab === undefined || this.#used + room > slabBytes) {
      if (this.#slabs.length === this.#mostSlabs) this.#giveUp(this.#slabs.shift() as Slab);
      slab = { bytes: Buffer.allocUnsafeSlow(slabBytes), ids: [] };
      this.#slabs.push(slab);
      this.#used = 0;
    }
    return slab;
  }

  #add(owner: string, id: string, etag: string | null, { bytes, ids }: Slab, length: number): void {
    this.#documents.set(id, new CachedDocument(owner, etag, bytes, this.#used, this.#used + length));
    ids.push(id);
    this.#used += length;
  }

  #giveUp({ bytes, ids }: Slab): void {
    for (const id of ids) {
      // It may have been read again since, into another slab.
      if (this.#documents.get(id)?.bytes().buffer === bytes.buffer) this.#documents.delete(id);
    }
  }
}
