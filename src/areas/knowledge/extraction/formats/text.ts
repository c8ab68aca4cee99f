import {
  type Block,
  type BlockKind,
  blockKinds,
  type HeadingLevel,
  structureOf,
  tooManyCharacters,
} from '../blocks.ts';
import type { DocumentText } from '../extraction.ts';
import { limits } from '../limits.ts';

interface Line {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Expressions below are not applied to longer lines: no heading and no marker is as long. */
const maxMarkupLength = 1000;
const heading = /^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/;
const headingUnderline = /^ {0,3}(?:=+|-+)[ \t]*$/;
const fence = /^ {0,3}(`{3,}|~{3,})/;
const listItem = /^\s*(?:[-*+•●◦○■□][ \t\u3000]|・|\d{1,3}(?:[.)][ \t]|．))/;
const tableRow = /^\s*\|.*\|\s*$/;
const delimiterRow = /^[\s:|-]+$/;

/** The text stays as it is: paragraphs are separated by empty lines, and items of a list are paragraphs. */
export function readPlainText(text: string): DocumentText {
  return read(text, () => false);
}

/** The same, with headings, tables and blocks of code. */
export function readMarkdown(text: string): DocumentText {
  let fenceEnd: string | null = null;
  return read(text, (line, blocks) => {
    const mark = fence.exec(line.text)?.[1] ?? null;
    if (fenceEnd !== null) {
      if (mark?.startsWith(fenceEnd) === true) fenceEnd = null;
      blocks.extend(line);
    } else if (mark !== null) {
      fenceEnd = mark;
      blocks.open(blockKinds.paragraph, line);
    } else return readMarkup(line, blocks);
    return true;
  });
}

function readMarkup(line: Line, blocks: BlockList): boolean {
  if (line.text.length > maxMarkupLength) return false;
  const [, marks = '', title = ''] = heading.exec(line.text) ?? [];
  if (title !== '') {
    const start = line.start + line.text.indexOf(title, line.text.indexOf(marks) + marks.length);
    blocks.open(marks.length as HeadingLevel, { ...line, start, end: start + title.length });
    blocks.close();
  } else if (headingUnderline.test(line.text)) blocks.underline(line.text.includes('=') ? 1 : 2);
  else if (tableRow.test(line.text)) {
    blocks.close();
    if (!delimiterRow.test(line.text)) blocks.open(blockKinds.row, line);
    blocks.close();
  } else return false;
  return true;
}

/** `readSpecial` says whether it has read the line. */
function read(text: string, readSpecial: (line: Line, blocks: BlockList) => boolean): DocumentText {
  if (text.length > limits.characters) throw tooManyCharacters();
  const blocks = new BlockList();
  for (const line of linesOf(text)) {
    if (readSpecial(line, blocks)) continue;
    if (line.text.trim() === '') blocks.close();
    else if (listItem.test(line.text.slice(0, maxMarkupLength))) blocks.open(blockKinds.paragraph, line);
    else blocks.extend(line);
  }
  return { text, structure: structureOf(blocks.list), pageOffsets: null };
}

function* linesOf(text: string): Generator<Line> {
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start);
    const end = found === -1 ? text.length : found;
    yield { text: text.slice(start, end), start, end };
    start = end + 1;
  }
}

/** The blocks so far. Lines are added to the last one while it is open. */
class BlockList {
  readonly list: Block[] = [];
  #isOpen = false;
  #lines = 0;

  open(kind: BlockKind, line: Line): void {
    const indent = line.text.length - line.text.trimStart().length;
    const isWhole = line.end - line.start === line.text.length;
    this.list.push({ kind, start: isWhole ? line.start + indent : line.start, end: line.end });
    this.#isOpen = true;
    this.#lines = 1;
  }

  extend(line: Line): void {
    const last = this.list.at(-1);
    if (!this.#isOpen || last === undefined) this.open(blockKinds.paragraph, line);
    else {
      this.list[this.list.length - 1] = { ...last, end: line.end };
      this.#lines += 1;
    }
  }

  /** A single line above the underline is a heading. Without one, the underline is a horizontal rule. */
  underline(level: HeadingLevel): void {
    const last = this.list.at(-1);
    if (this.#isOpen && this.#lines === 1 && last !== undefined)
      this.list[this.list.length - 1] = { ...last, kind: level };
    this.close();
  }

  close(): void {
    this.#isOpen = false;
  }
}
