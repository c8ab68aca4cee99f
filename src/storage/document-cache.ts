import type { Piece } from '../pieces.ts';

const slabBytes = 1024 * 1024;
const longestDocument = 64 * 1024;
const mostBytesOfCharacter = 3;
/** Once there is no room left, only every so many that are read come in: who reads all there is, evicts little. */
const admittedOneOf = 4;

/**
 * A document as it was last read. To be used at once: when its slab is needed for others, its bytes are gone, and asking
 * for them is a fault.
 */
export class CachedDocument implements Piece {
  readonly owner: string;
  readonly length: number;
  /** Looked up, or made of the bytes, when it is first asked for. */
  etag: string | null;
  readonly #slab: Slab;
  readonly #use: number;
  readonly #start: number;

  constructor(owner: string, etag: string | null, slab: Slab, start: number, length: number) {
    this.owner = owner;
    this.etag = etag;
    this.length = length;
    this.#slab = slab;
    this.#use = slab.use;
    this.#start = start;
  }

  isIn(slab: Slab): boolean {
    return this.#slab === slab && this.isHeld();
  }

  isHeld(): boolean {
    return this.#use === this.#slab.use;
  }

  copy(target: Buffer, start: number): void {
    this.#check();
    this.#slab.bytes.copy(target, start, this.#start, this.#start + this.length);
  }

  bytes(): Buffer {
    this.#check();
    return this.#slab.bytes.subarray(this.#start, this.#start + this.length);
  }

  #check(): void {
    if (!this.isHeld()) throw new Error('the bytes of a cached document were asked for too late');
  }
}

interface Slab {
  readonly bytes: Buffer;
  /** Whose documents are in it; some may have been taken out since. */
  ids: string[];
  /** How many times it has been used for others. */
  use: number;
}

/**
 * The documents that were read last, up to so many bytes, those read first being the first to go. Not one by one: they
 * stand side by side in slabs of a mebibyte, which are used again, because a hundred thousand small pieces of memory
 * would cost the garbage collector more than the database takes to read them.
 *
 * It knows nothing of who writes: whoever uses it takes out what has changed.
 */
export class DocumentCache {
  readonly #documents = new Map<string, CachedDocument>();
  /** In the order of their use, the one that is being filled last. */
  readonly #slabs: Slab[] = [];
  readonly #mostSlabs: number;
  #used = slabBytes;
  #asked = 0;

  constructor(mostBytes: number) {
    this.#mostSlabs = Math.floor(mostBytes / slabBytes);
  }

  get(owner: string, id: string): CachedDocument | undefined {
    const document = this.#documents.get(id);
    return document?.owner === owner ? document : undefined;
  }

  /** Whether what was just read should come in. */
  admits(): boolean {
    if (this.#slabs.length < this.#mostSlabs) return true;
    this.#asked = (this.#asked + 1) % admittedOneOf;
    return this.#asked === 0;
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
      slab =
        this.#slabs.length < this.#mostSlabs
          ? { bytes: Buffer.allocUnsafeSlow(slabBytes), ids: [], use: 0 }
          : this.#emptied(this.#slabs.shift() as Slab);
      this.#slabs.push(slab);
      this.#used = 0;
    }
    return slab;
  }

  #add(owner: string, id: string, etag: string | null, slab: Slab, length: number): void {
    this.#documents.set(id, new CachedDocument(owner, etag, slab, this.#used, length));
    slab.ids.push(id);
    this.#used += length;
  }

  #emptied(slab: Slab): Slab {
    // One that has been read again since is in another slab.
    for (const id of slab.ids) if (this.#documents.get(id)?.isIn(slab)) this.#documents.delete(id);
    slab.ids = [];
    slab.use += 1;
    return slab;
  }
}
