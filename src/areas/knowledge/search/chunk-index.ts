import { fold } from '../../../core/folding.ts';
import { type LengthFactors, lengthFactors } from './length-factors.ts';
import { TermNumbers } from './term-numbers.ts';
import { type TermVisitor, visitTerms } from './terms.ts';

/**
 * Which chunks contain a term, and how often. Chunks are numbered from 0. An index is never changed: a change makes
 * another one, so that a search that is interrupted goes on with what it started with.
 */
export interface ChunkIndex {
  /** May have terms of newer indexes, too: those from `termCount` on. */
  readonly terms: TermNumbers;
  readonly termCount: number;
  readonly chunkIds: readonly string[];
  /** How many terms each chunk has. */
  readonly lengths: Uint32Array;
  readonly lengthFactors: LengthFactors;
  /**
   * The postings of term t are `postings` from `starts[t]` to `starts[t + 1]`: first the `singles[t]` chunks in which it
   * occurs once, which are most, then pairs of a chunk and a frequency.
   */
  readonly starts: Uint32Array;
  readonly singles: Uint32Array;
  readonly postings: Uint16Array;
}

/** Lets other work of the thread go on. */
export type Turn = () => Promise<void>;

/** Postings have 16 bits for each. A base may have 20,000 chunks of 2,000 characters. */
export const maxChunks = 65_536;
const maxFrequency = 65_535;

/** How many postings, or terms, are copied before others get a turn: about a millisecond. */
const workPerTurn = 250_000;

export function emptyIndex(): ChunkIndex {
  return {
    terms: new TermNumbers(),
    termCount: 0,
    chunkIds: [],
    lengths: new Uint32Array(0),
    lengthFactors: lengthFactors(new Uint32Array(0), 0),
    starts: new Uint32Array(1),
    singles: new Uint32Array(0),
    postings: new Uint16Array(0),
  };
}

export function bytesOfIndex({ terms, chunkIds, lengths, starts, singles, postings }: ChunkIndex): number {
  const arrays = lengths.byteLength + starts.byteLength + singles.byteLength + postings.byteLength;
  const bytesPerChunk = 64 + 2 * Float64Array.BYTES_PER_ELEMENT;
  return terms.bytes + arrays + bytesPerChunk * chunkIds.length;
}

/** In how many chunks the term occurs. */
export function chunkCountOf({ starts, singles }: ChunkIndex, term: number): number {
  const count = singles[term] as number;
  return count + ((starts[term + 1] as number) - (starts[term] as number) - count) / 2;
}

/** Chunks that are about to be added to an index: their postings, in the order of the chunks. */
export class AddedChunks {
  readonly #terms: TermNumbers;
  readonly #visitor: TermVisitor;
  readonly #language: string;
  readonly chunkIds: string[] = [];
  readonly lengths: number[] = [];
  postingTerms = new Uint32Array(1024);
  postingChunks = new Uint16Array(1024);
  postingFrequencies = new Uint16Array(1024);
  postingCount = 0;
  /** For each term, one more than the place of its last posting. */
  #lastPosting = new Uint32Array(1024);
  #firstOfChunk = 0;
  #length = 0;

  constructor(terms: TermNumbers, language: string) {
    this.#terms = terms;
    this.#language = language;
    this.#visitor = {
      characters: (first, second) => this.#count(terms.addCharacters(first, second)),
      word: (word) => this.#count(terms.addWord(word)),
    };
  }

  /** `texts`: everything that it is found by. No term goes from one into the next. */
  add(chunkId: string, texts: readonly string[]): void {
    this.#firstOfChunk = this.postingCount;
    this.#length = 0;
    for (const text of texts) visitTerms(fold(text), this.#language, this.#visitor);
    this.chunkIds.push(chunkId);
    this.lengths.push(this.#length);
  }

  #count(term: number): void {
    this.#length += 1;
    if (term >= this.#lastPosting.length) {
      const grown = new Uint32Array(Math.max(2 * this.#lastPosting.length, this.#terms.size));
      grown.set(this.#lastPosting);
      this.#lastPosting = grown;
    }
    const last = (this.#lastPosting[term] as number) - 1;
    if (last >= this.#firstOfChunk) {
      const frequency = this.postingFrequencies[last] as number;
      if (frequency < maxFrequency) this.postingFrequencies[last] = frequency + 1;
      return;
    }
    if (this.postingCount === this.postingTerms.length) this.#grow();
    this.postingTerms[this.postingCount] = term;
    this.postingChunks[this.postingCount] = this.chunkIds.length;
    this.postingFrequencies[this.postingCount] = 1;
    this.postingCount += 1;
    this.#lastPosting[term] = this.postingCount;
  }

  #grow(): void {
    const { postingTerms, postingChunks, postingFrequencies } = this;
    this.postingTerms = new Uint32Array(2 * postingTerms.length);
    this.postingTerms.set(postingTerms);
    this.postingChunks = new Uint16Array(2 * postingChunks.length);
    this.postingChunks.set(postingChunks);
    this.postingFrequencies = new Uint16Array(2 * postingFrequencies.length);
    this.postingFrequencies.set(postingFrequencies);
  }
}

/** An index without the chunks that `removed` names by their numbers, and with those that are added, numbered last. */
export async function replaceChunks(
  index: ChunkIndex,
  removed: ReadonlySet<number>,
  added: AddedChunks,
  turn: Turn,
): Promise<ChunkIndex> {
  const kept = index.chunkIds.length - removed.size;
  const chunkIds = [...index.chunkIds.filter((_, chunk) => !removed.has(chunk)), ...added.chunkIds];
  if (chunkIds.length > maxChunks) throw new RangeError('The knowledge base has too many chunks to search.');
  const lengths = new Uint32Array(chunkIds.length);
  lengths.set(index.lengths.filter((_, chunk) => !removed.has(chunk)));
  lengths.set(added.lengths, kept);
  const numbers = newNumbers(index.chunkIds.length, removed);
  const termCount = index.terms.size;
  const places = await placesOf(index, numbers, added, termCount, turn);
  await copyPostings(index, numbers, places, turn);
  await addPostings(added, kept, places, turn);
  return {
    terms: index.terms,
    termCount,
    chunkIds,
    lengths,
    lengthFactors: lengthFactors(
      lengths,
      lengths.reduce((sum, length) => sum + length, 0),
    ),
    starts: places.starts,
    singles: places.singles,
    postings: places.postings,
  };
}

/** The new number of each chunk; −1 for those that are removed. */
function newNumbers(count: number, removed: ReadonlySet<number>): Int32Array {
  const numbers = new Int32Array(count);
  let next = 0;
  for (let chunk = 0; chunk < count; chunk += 1) numbers[chunk] = removed.has(chunk) ? -1 : next++;
  return numbers;
}

interface Places {
  readonly starts: Uint32Array;
  readonly singles: Uint32Array;
  readonly postings: Uint16Array;
  /** Where the next posting of each term goes: one that occurs once, and one that occurs more often. */
  readonly nextSingle: Uint32Array;
  readonly nextPair: Uint32Array;
}

async function placesOf(
  index: ChunkIndex,
  numbers: Int32Array,
  added: AddedChunks,
  termCount: number,
  turn: Turn,
): Promise<Places> {
  const singles = new Uint32Array(termCount);
  const pairs = new Uint32Array(termCount);
  const { postings } = index;
  let work = 0;
  for (let term = 0; term < index.termCount; term += 1) {
    const start = index.starts[term] as number;
    const end = index.starts[term + 1] as number;
    const middle = start + (index.singles[term] as number);
    let count = 0;
    for (let at = start; at < middle; at += 1) if ((numbers[postings[at] as number] as number) >= 0) count += 1;
    singles[term] = count;
    count = 0;
    for (let at = middle; at < end; at += 2) if ((numbers[postings[at] as number] as number) >= 0) count += 1;
    pairs[term] = count;
    work += 2 + end - start;
    if (work > workPerTurn) {
      work = 0;
      await turn();
    }
  }
  for (let posting = 0; posting < added.postingCount; posting += 1) {
    const counts = added.postingFrequencies[posting] === 1 ? singles : pairs;
    const term = added.postingTerms[posting] as number;
    counts[term] = (counts[term] as number) + 1;
  }
  await turn();
  const starts = new Uint32Array(termCount + 1);
  const nextPair = new Uint32Array(termCount);
  for (let term = 0; term < termCount; term += 1) {
    nextPair[term] = (starts[term] as number) + (singles[term] as number);
    starts[term + 1] = (nextPair[term] as number) + 2 * (pairs[term] as number);
  }
  const nextSingle = starts.slice(0, termCount);
  return { starts, singles, postings: new Uint16Array(starts[termCount] as number), nextSingle, nextPair };
}

async function copyPostings(index: ChunkIndex, numbers: Int32Array, places: Places, turn: Turn): Promise<void> {
  const { postings, nextSingle, nextPair } = places;
  const old = index.postings;
  let work = 0;
  for (let term = 0; term < index.termCount; term += 1) {
    const start = index.starts[term] as number;
    const end = index.starts[term + 1] as number;
    const middle = start + (index.singles[term] as number);
    let to = nextSingle[term] as number;
    for (let at = start; at < middle; at += 1) {
      const chunk = numbers[old[at] as number] as number;
      if (chunk >= 0) postings[to++] = chunk;
    }
    nextSingle[term] = to;
    to = nextPair[term] as number;
    for (let at = middle; at < end; at += 2) {
      const chunk = numbers[old[at] as number] as number;
      if (chunk < 0) continue;
      postings[to++] = chunk;
      postings[to++] = old[at + 1] as number;
    }
    nextPair[term] = to;
    work += 2 + end - start;
    if (work > workPerTurn) {
      work = 0;
      await turn();
    }
  }
}

async function addPostings(added: AddedChunks, firstChunk: number, places: Places, turn: Turn): Promise<void> {
  const { postings, nextSingle, nextPair } = places;
  for (let posting = 0; posting < added.postingCount; posting += 1) {
    const term = added.postingTerms[posting] as number;
    const chunk = firstChunk + (added.postingChunks[posting] as number);
    const frequency = added.postingFrequencies[posting] as number;
    if (frequency === 1) {
      const at = nextSingle[term] as number;
      postings[at] = chunk;
      nextSingle[term] = at + 1;
    } else {
      const at = nextPair[term] as number;
      postings[at] = chunk;
      postings[at + 1] = frequency;
      nextPair[term] = at + 2;
    }
    if (posting % workPerTurn === workPerTurn - 1) await turn();
  }
}
