import type { DocumentStructure, DocumentText } from './extraction.ts';
import { ExtractionError } from './failure.ts';
import { limits } from './limits.ts';

/** From 1 to 6: a heading of that level. */
export type HeadingLevel = 1 | 2 | 3 | 4 | 5 | 6;

export const blockKinds = {
  paragraph: 0,
  /** A row of a table, which is kept in one chunk. */
  row: 7,
  /** A row of a CSV file, which is a chunk of its own. */
  record: 8,
} as const;

export type BlockKind = HeadingLevel | (typeof blockKinds)[keyof typeof blockKinds];

/** A part of the text that chunks are made of. What is between blocks is white space or markup. */
export interface Block {
  readonly kind: BlockKind;
  readonly start: number;
  readonly end: number;
}

/** As it is stored: for each block its distance from the previous one, its length and its kind. */
export function structureOf(blocks: readonly Block[]): DocumentStructure {
  if (blocks.length > limits.blocks) throw tooManyBlocks();
  let previous = 0;
  const numbers = blocks.flatMap(({ kind, start, end }) => {
    const distance = start - previous;
    previous = end;
    return [distance, end - start, kind];
  });
  return JSON.stringify(numbers);
}

export function blocksOf(structure: DocumentStructure): Block[] {
  const blocks: Block[] = [];
  const numbers: readonly number[] = JSON.parse(structure);
  let position = 0;
  for (let index = 0; index + 2 < numbers.length; index += 3) {
    const start = position + (numbers[index] ?? 0);
    position = start + (numbers[index + 1] ?? 0);
    blocks.push({ kind: numbers[index + 2] as BlockKind, start, end: position });
  }
  return blocks;
}

export function isHeading(kind: BlockKind): kind is HeadingLevel {
  return kind >= 1 && kind <= 6;
}

/** Puts the text of a document together, block by block, and ends it at its limits. */
export class TextBuilder {
  readonly #parts: string[] = [];
  readonly #blocks: Block[] = [];
  readonly #pageOffsets: number[] = [];
  #length = 0;
  #isAtStart = true;

  get length(): number {
    return this.#length;
  }

  /** `separator` stands between this block and the one before it. Blocks without text are left out. */
  add(kind: BlockKind, blockText: string, separator = '\n\n'): void {
    const text = blockText.trim();
    if (text === '') return;
    if (this.#blocks.length === limits.blocks) throw tooManyBlocks();
    this.#append(this.#isAtStart ? text : separator + text);
    this.#isAtStart = false;
    this.#blocks.push({ kind, start: this.#length - text.length, end: this.#length });
  }

  /** Pages without text have the offset of the next one. */
  startPage(): void {
    if (!this.#isAtStart) this.#append('\n\n');
    this.#isAtStart = true;
    this.#pageOffsets.push(this.#length);
  }

  build(): DocumentText {
    return {
      text: this.#parts.join(''),
      structure: structureOf(this.#blocks),
      pageOffsets: this.#pageOffsets.length === 0 ? null : this.#pageOffsets,
    };
  }

  #append(text: string): void {
    this.#length += text.length;
    if (this.#length > limits.characters) throw tooManyCharacters();
    this.#parts.push(text);
  }
}

export function tooManyCharacters(): ExtractionError {
  return new ExtractionError(
    'too_large',
    `The text is longer than ${limits.characters.toLocaleString('en')} characters.`,
  );
}

function tooManyBlocks(): ExtractionError {
  return new ExtractionError('too_large', `The text has more than ${limits.blocks.toLocaleString('en')} paragraphs.`);
}
