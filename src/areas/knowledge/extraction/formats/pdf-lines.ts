/** Lines and paragraphs from the pieces of text that a PDF places on its pages. */
import { isAnswer, isQuestion } from '../question-answer.ts';

/** As pdf.js reports it. */
export interface PdfTextItem {
  readonly str: string;
  /** `ttb`: vertical. */
  readonly dir: string;
  /** A matrix. Its last two values are the position, from the lower left corner of the page. */
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
  readonly hasEOL: boolean;
}

export interface PdfLine {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly y: number;
  readonly height: number;
  readonly isVertical: boolean;
}

interface PageLayout {
  /** The usual distance between two lines. */
  readonly lineGap: number;
  readonly left: number;
  readonly right: number;
}

/** How many lines at the top and at the bottom of a page may be a page header or footer. */
const edgeLines = 2;
/** In a table of contents, between a heading and its page. */
const dotLeader = /(?:\s?[.．・…]){5,}\s?/g;
const sentenceEnd = /[。．.!?！？]["'」』）)]?$/;
const item = /^\s*(?:[-*+•●◦○■□▪–][ \t\u3000]?|・|[(（]?\d{1,3}[.)）．]\s)/;
const asian = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー、。，．・：；？！「」『』（）【】［］〈〉《》〜～…]/u;

export function linesOf(items: readonly PdfTextItem[]): PdfLine[] {
  const lines: PdfLine[] = [];
  let open: PdfTextItem[] = [];
  const close = () => {
    const line = lineOf(open);
    if (line !== null) lines.push(line);
    open = [];
  };
  for (const each of items) {
    open.push(each);
    if (each.hasEOL) close();
  }
  close();
  return lines;
}

function lineOf(items: readonly PdfTextItem[]): PdfLine | null {
  const text = items.map(({ str }) => str).join('');
  const visible = items.filter(({ str }) => str.trim() !== '');
  const [first] = visible;
  if (first === undefined) return null;
  return {
    text: text.replace(dotLeader, ' … ').trim(),
    left: visible.reduce((least, each) => Math.min(least, leftOf(each)), leftOf(first)),
    right: visible.reduce((most, each) => Math.max(most, leftOf(each) + each.width), 0),
    y: first.transform[5] ?? 0,
    height: visible.reduce((most, { height }) => Math.max(most, height), 0),
    isVertical: first.dir === 'ttb',
  };
}

function leftOf({ transform }: PdfTextItem): number {
  return transform[4] ?? 0;
}

/** Page headers and footers: lines at the edge of more than half of the pages, alike but for the number of the page. */
export function withoutRepeatedLines(pages: readonly (readonly PdfLine[])[]): (readonly PdfLine[])[] {
  const counts = new Map<string, number>();
  const edgeKeys = pages.map((lines, page) =>
    lines.map((line, index) => (isAtEdge(index, lines) ? keysOf(line, page) : [])),
  );
  for (const keys of edgeKeys) {
    for (const key of new Set(keys.flat())) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const isRepeated = (key: string): boolean => {
    const count = counts.get(key) ?? 0;
    return count > 1 && count > pages.length / 2;
  };
  return pages.map((lines, page) => {
    const rest = lines.filter((_, index) => !edgeKeys[page]?.[index]?.some(isRepeated));
    // A page with nothing else has no header.
    return rest.length === 0 ? lines : rest;
  });
}

function isAtEdge(index: number, lines: readonly PdfLine[]): boolean {
  return index < edgeLines || index >= lines.length - edgeLines;
}

/** The line as it is, and with its first or last number counted from that of the page. */
function keysOf({ text }: PdfLine, page: number): string[] {
  const literal = text.replace(/\s+/g, ' ');
  const numbers = [...literal.matchAll(/\d{1,6}/g)];
  const relative = [numbers.at(0), numbers.at(-1)]
    .filter((found) => found !== undefined)
    .map((found) => {
      const end = found.index + found[0].length;
      return `${literal.slice(0, found.index)}{${Number(found[0]) - page}}${literal.slice(end)}`;
    });
  return [literal, ...relative];
}

/** Lines of one page, joined where a paragraph goes on. */
export function paragraphsOf(lines: readonly PdfLine[]): string[] {
  const layout = layoutOf(lines);
  const paragraphs: string[] = [];
  let previous: PdfLine | null = null;
  for (const line of lines) {
    const last = paragraphs.at(-1);
    if (last === undefined || previous === null || beginsParagraph(previous, line, layout)) paragraphs.push(line.text);
    else paragraphs[paragraphs.length - 1] = joined(last, line.text);
    previous = line;
  }
  return paragraphs;
}

function layoutOf(lines: readonly PdfLine[]): PageLayout {
  const gaps = lines
    .flatMap(({ y, height }, index) => {
      const gap = (lines[index - 1]?.y ?? y) - y;
      return gap > height / 2 ? [gap] : [];
    })
    .sort((a, b) => a - b);
  return {
    lineGap: gaps[Math.floor(gaps.length / 2)] ?? 0,
    left: lines.reduce((least, { left }) => Math.min(least, left), Number.POSITIVE_INFINITY),
    right: lines.reduce((most, { right }) => Math.max(most, right), 0),
  };
}

function beginsParagraph(previous: PdfLine, line: PdfLine, layout: PageLayout): boolean {
  if (previous.isVertical || line.isVertical) return sentenceEnd.test(previous.text);
  const { height } = previous;
  const gap = previous.y - line.y;
  const isSameRow = Math.abs(gap) < height / 3;
  if (isSameRow) return false;
  const isFartherApart = gap < 0 || gap > layout.lineGap * 1.4;
  const isOtherSize = Math.abs(line.height - height) > height * 0.15;
  if (isFartherApart || isOtherSize || isItem(line.text)) return true;
  const isIndented = line.left > previous.left + height * 0.8 && !isItem(previous.text);
  const isEndOfSentence = sentenceEnd.test(previous.text) && previous.right < layout.right - height * 3;
  const isShort = previous.right < layout.left + (layout.right - layout.left) * 0.6;
  return isIndented || isEndOfSentence || isShort;
}

function isItem(text: string): boolean {
  return item.test(text) || isQuestion(text) || isAnswer(text);
}

/** Words are put together again that were divided at the end of a line. Japanese is written without spaces. */
function joined(before: string, after: string): string {
  if (/\p{L}[-\u2010]$/u.test(before) && /^\p{Ll}/u.test(after)) return before.slice(0, -1) + after;
  const isAsian = asian.test(before.at(-1) ?? '') && asian.test(after[0] ?? '');
  return isAsian ? before + after : `${before} ${after}`;
}
