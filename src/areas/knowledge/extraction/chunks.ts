import { type Block, blockKinds, blocksOf, isHeading } from './blocks.ts';
import type { ExtractedChunk, SplitInput } from './extraction.ts';
import { ExtractionError } from './failure.ts';
import { limits } from './limits.ts';
import { isAnswer, isQuestion } from './question-answer.ts';
import { type Span, sentenceSegmenter, sentencesIn } from './sentences.ts';

/** A longer heading is a paragraph: it would be repeated in every chunk below it. */
const maxHeadingLength = 200;
/** Table rows and answers stay whole up to the largest chunk size, even if they are longer than that of the base. */
const maxWholeLength = 2000;
/** Between a question and its answer. */
const maxQuestionBlocks = 3;

interface PlacedBlock extends Block {
  readonly page: number | null;
}

/** Along headings, then paragraphs, then sentences. Never across a page. */
export function splitDocument({ text, structure, pageOffsets, language, chunkSize }: SplitInput): ExtractedChunk[] {
  const blocks = placedBlocks(text, blocksOf(structure), pageOffsets);
  const segmenter = sentenceSegmenter(language);
  const writer = new ChunkWriter(text, chunkSize);
  const sentences = (span: Span) => sentencesIn(text, span, chunkSize, segmenter);
  const whole = (span: Span) =>
    span.end - span.start <= Math.max(chunkSize, maxWholeLength) ? [span] : sentences(span);
  for (let index = 0; index < blocks.length; index += 1) {
    const block = blocks[index] as PlacedBlock;
    writer.setPage(block.page);
    const pairEnd = endOfPair(text, blocks, index, chunkSize);
    if (pairEnd !== null) {
      if (isHeading(block.kind)) writer.leaveHeadings(block.kind);
      writer.addAlone(whole({ start: block.start, end: blocks[pairEnd]?.end ?? block.end }));
      index = pairEnd;
    } else if (isHeading(block.kind) && block.end - block.start <= maxHeadingLength) writer.enterHeading(block);
    else if (block.kind === blockKinds.record) writer.addAlone(whole(block));
    else if (block.kind === blockKinds.row) writer.add(whole(block));
    else writer.add(block.end - block.start <= chunkSize ? [block] : sentences(block));
  }
  return writer.end();
}

/** With their pages. A line that begins a question or an answer begins a block. */
function placedBlocks(text: string, blocks: readonly Block[], pageOffsets: readonly number[] | null): PlacedBlock[] {
  let page = 0;
  return blocks.flatMap((block) => {
    while (pageOffsets !== null && (pageOffsets[page] ?? Number.POSITIVE_INFINITY) <= block.start) page += 1;
    const parts = block.kind === blockKinds.paragraph ? splitAtMarkers(text, block) : [block];
    return parts.map((part) => ({ ...part, page: pageOffsets === null ? null : page }));
  });
}

function splitAtMarkers(text: string, block: Block): Block[] {
  const content = text.slice(block.start, block.end);
  const parts: Block[] = [];
  let start = block.start;
  for (const line of content.matchAll(/\n[^\n]+/g)) {
    const lineText = line[0].slice(1);
    if (!isQuestion(lineText) && !isAnswer(lineText)) continue;
    parts.push({ ...block, start, end: block.start + line.index });
    start = block.start + line.index + 1;
  }
  return [...parts, { ...block, start }];
}

/** The last block of the pair that the block begins, or null if it begins none. */
function endOfPair(text: string, blocks: readonly PlacedBlock[], first: number, chunkSize: number): number | null {
  const textAt = (index: number) => text.slice(blocks[index]?.start, blocks[index]?.end);
  const { kind, start, page } = blocks[first] as PlacedBlock;
  if (kind === blockKinds.record || !isQuestion(textAt(first))) return null;
  const belongs = (index: number): boolean => {
    const block = blocks[index];
    if (block === undefined || block.page !== page || block.kind === blockKinds.record) return false;
    return !isHeading(block.kind) && !isQuestion(textAt(index));
  };
  let last = first + 1;
  while (belongs(last) && !isAnswer(textAt(last)) && last - first <= maxQuestionBlocks) last += 1;
  if (!belongs(last) || !isAnswer(textAt(last))) return null;
  // An answer may have several paragraphs.
  while (belongs(last + 1) && (blocks[last + 1]?.end ?? 0) - start <= chunkSize) last += 1;
  return last;
}

interface OpenHeading {
  readonly level: number;
  readonly text: string;
  readonly span: Span;
  readonly page: number | null;
}

/** Joins neighboring parts of the text into chunks, in order. */
class ChunkWriter {
  readonly #text: string;
  readonly #chunkSize: number;
  readonly #chunks: ExtractedChunk[] = [];
  #headings: OpenHeading[] = [];
  #headingPath: readonly string[] = [];
  /** Whether nothing has followed the last heading yet. */
  #isHeadingEmpty = false;
  #page: number | null = null;
  #open: Span | null = null;

  constructor(text: string, chunkSize: number) {
    this.#text = text;
    this.#chunkSize = chunkSize;
  }

  setPage(page: number | null): void {
    if (page === this.#page) return;
    this.#flush();
    this.#page = page;
  }

  enterHeading({ kind: level, start, end }: Block): void {
    this.leaveHeadings(level);
    const text = this.#text.slice(start, end).replace(/\s+/g, ' ');
    this.#setHeadings([...this.#headings, { level, text, span: { start, end }, page: this.#page }]);
    this.#isHeadingEmpty = true;
  }

  /** Leaves headings of this level and below. A heading with nothing under it becomes a chunk, so that it is not lost. */
  leaveHeadings(level: number): void {
    this.#flush();
    const last = this.#headings.at(-1);
    if (this.#isHeadingEmpty && last !== undefined && last.level >= level) {
      this.#setHeadings(this.#headings.slice(0, -1));
      this.#push(last.span, last.page);
    }
    this.#setHeadings(this.#headings.filter((heading) => heading.level < level));
    this.#isHeadingEmpty = false;
  }

  /** Spans that may share chunks with their neighbors. */
  add(spans: readonly Span[]): void {
    for (const { start, end } of spans) {
      this.#isHeadingEmpty = false;
      const isFitting = this.#open !== null && end - this.#open.start <= this.#chunkSize;
      if (!isFitting) this.#flush();
      this.#open = { start: this.#open?.start ?? start, end };
    }
  }

  /** Spans that share chunks only with each other. */
  addAlone(spans: readonly Span[]): void {
    this.#flush();
    this.add(spans);
    this.#flush();
  }

  end(): ExtractedChunk[] {
    this.leaveHeadings(0);
    return this.#chunks;
  }

  #setHeadings(headings: OpenHeading[]): void {
    this.#headings = headings;
    this.#headingPath = headings.map(({ text }) => text);
  }

  #flush(): void {
    if (this.#open !== null) this.#push(this.#open, this.#page);
    this.#open = null;
  }

  #push({ start, end }: Span, page: number | null): void {
    if (this.#chunks.length === limits.chunks) throw tooManyChunks();
    const text = this.#text.slice(start, end);
    this.#chunks.push({ index: this.#chunks.length, headingPath: this.#headingPath, page, start, end, text });
  }
}

function tooManyChunks(): ExtractionError {
  const count = limits.chunks.toLocaleString('en');
  return new ExtractionError(
    'too_large',
    `The document has more than ${count} chunks, as many as a knowledge base can have.`,
  );
}
