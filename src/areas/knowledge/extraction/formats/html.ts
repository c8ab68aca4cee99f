import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse } from 'parse5';
import { blockKinds, type HeadingLevel, TextBuilder } from '../blocks.ts';
import { cleanText, collapseSpaces } from '../cleaning.ts';
import type { DocumentText } from '../extraction.ts';
import { ExtractionError } from '../failure.ts';
import { limits } from '../limits.ts';
import { labelled } from './csv.ts';

type Element = DefaultTreeAdapterTypes.Element;
type Node = DefaultTreeAdapterTypes.ChildNode;

export interface HtmlDocument extends DocumentText {
  readonly title: string | null;
  readonly hadHiddenText: boolean;
  readonly isTruncated: boolean;
}

/** Deeper than any page. A browser cuts off at 512. */
const maxDepth = 512;
/** Memory for more is not available. */
const maxNodes = 1_000_000;
const maxNameLength = 100;

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));
const skipped = words(
  'script style nav header footer aside form template noscript title select textarea svg iframe object canvas audio video noembed noframes rt rp',
);
const blockTags = words(
  'html body address article blockquote button center dd details dialog div dl dt fieldset figcaption figure form hgroup hr legend li main menu ol p section summary table caption tbody thead tfoot tr td th ul',
);
const listTags = words('li dt dd');
const letters = /[\p{L}\p{N}]/u;
const hiddenStyle =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*[+-]?0*\.?0*(?:[a-z%]*)\s*(?:!important\s*)?(?:;|$))/i;

/** The text that a reader of the page sees, without what surrounds it on every page. */
export function readHtml(html: string): HtmlDocument {
  const document = parseWithin(html);
  const hadHiddenText = cleanNodes(document);
  const reader = new HtmlReader(document, skipped);
  // Some servers put the whole page into one form.
  const isRead = reader.text.length > 0;
  const result = (isRead ? reader : new HtmlReader(document, skipped.difference(words('form')))).result();
  return { ...result, hadHiddenText: hadHiddenText || result.hadHiddenText };
}

/** Character references are decoded by the parser: only then is it known what they hide. */
function cleanNodes(document: DefaultTreeAdapterTypes.Document): boolean {
  let hadHiddenText = false;
  const visit = (node: Node): void => {
    if (isText(node)) {
      const clean = cleanText(node.value);
      hadHiddenText ||= clean.hadHiddenText;
      node.value = clean.text;
    } else if (isElement(node)) node.childNodes.forEach(visit);
  };
  document.childNodes.forEach(visit);
  return hadHiddenText;
}

/** Ends a parser that a page makes work or allocate without limit. */
function parseWithin(html: string): DefaultTreeAdapterTypes.Document {
  let depth = 0;
  let nodes = 0;
  const count = () => {
    nodes += 1;
    if (nodes > maxNodes) throw new ExtractionError('too_large', 'The page has more than a million elements.');
  };
  return parse(html, {
    treeAdapter: {
      ...defaultTreeAdapter,
      createElement(...values: Parameters<typeof defaultTreeAdapter.createElement>) {
        count();
        return defaultTreeAdapter.createElement(...values);
      },
      createCommentNode(data: string) {
        count();
        return defaultTreeAdapter.createCommentNode(data);
      },
      onItemPush() {
        depth += 1;
        if (depth > maxDepth) throw new ExtractionError('corrupt', `Elements are nested more than ${maxDepth} deep.`);
      },
      onItemPop() {
        depth -= 1;
      },
    },
  });
}

class HtmlReader {
  readonly text = new TextBuilder();
  readonly #skipped: ReadonlySet<string>;
  readonly #layoutTables: ReadonlySet<Element>;
  #line = '';
  #title: string | null = null;
  #hadHiddenText = false;
  #isTruncated = false;

  constructor(document: DefaultTreeAdapterTypes.Document, skippedTags: ReadonlySet<string>) {
    this.#skipped = skippedTags;
    this.#layoutTables = layoutTablesOf(document);
    for (const node of document.childNodes) this.#visit(node);
    this.#flush();
  }

  result(): HtmlDocument {
    const [title, hadHiddenText, isTruncated] = [this.#title, this.#hadHiddenText, this.#isTruncated];
    return { ...this.text.build(), title, hadHiddenText, isTruncated };
  }

  #visit(node: Node): void {
    if (isText(node)) this.#line += node.value.replace(/\s+/g, ' ');
    if (!isElement(node)) return;
    if (node.tagName === 'title') this.#title ??= collapseSpaces(textOf(node)) || null;
    if (!this.#isVisible(node)) return;
    const level = headingLevel(node.tagName);
    if (node.tagName === 'br') this.#line += '\n';
    else if (level !== null) this.#addHeading(level, node);
    else if (node.tagName === 'pre') this.#addLines(node);
    else if (node.tagName === 'table' && !this.#layoutTables.has(node)) this.#addTable(node);
    else if (blockTags.has(node.tagName)) this.#visitBlock(node);
    else for (const child of node.childNodes) this.#visit(child);
  }

  #visitBlock(element: Element): void {
    const separator = listTags.has(element.tagName) ? '\n' : '\n\n';
    this.#flush();
    for (const child of element.childNodes) this.#visit(child);
    this.#flush(separator);
  }

  #flush(separator = '\n\n'): void {
    this.text.add(blockKinds.paragraph, this.#line.replace(/ *\n */g, '\n').replace(/ +/g, ' '), separator);
    this.#line = '';
  }

  #addHeading(level: HeadingLevel, element: Element): void {
    this.#flush();
    this.text.add(level, this.#textOf(element));
  }

  #addLines(element: Element): void {
    this.#flush();
    this.text.add(blockKinds.paragraph, textOf(element));
  }

  #addTable(table: Element): void {
    this.#flush();
    const rows: Element[] = [];
    for (const child of table.childNodes) {
      if (!isElement(child) || !this.#isVisible(child)) continue;
      if (child.tagName === 'caption') this.text.add(blockKinds.paragraph, this.#textOf(child));
      else rows.push(...child.childNodes.filter(isElement).filter((row) => this.#isVisible(row)));
    }
    let names: readonly string[] | null = null;
    for (const [index, row] of rows.entries()) {
      const cells = this.#cellsOf(row);
      if (index === 0 && rows.length > 1 && isHeaderRow(cells))
        names = cells.map(({ text }) => text.slice(0, maxNameLength));
      else this.text.add(blockKinds.row, rowText(names, cells), '\n');
    }
  }

  #cellsOf(row: Element): Cell[] {
    const cells = row.childNodes.filter(isElement).filter((cell) => this.#isVisible(cell));
    this.#isTruncated ||= cells.length > limits.columns;
    return cells.slice(0, limits.columns).map((cell) => ({
      text: this.#textOf(cell),
      isHeader: cell.tagName === 'th',
      isMerged: ['colspan', 'rowspan'].some((name) => Number(attribute(cell, name) ?? 1) > 1),
    }));
  }

  /** In one line. */
  #textOf(element: Element): string {
    const parts: string[] = [];
    const visit = (node: Node): void => {
      if (isText(node)) parts.push(node.value);
      if (!isElement(node) || !this.#isVisible(node)) return;
      const isApart = blockTags.has(node.tagName) || node.tagName === 'br';
      if (isApart) parts.push(' ');
      for (const child of node.childNodes) visit(child);
      if (isApart) parts.push(' ');
    };
    for (const child of element.childNodes) visit(child);
    return collapseSpaces(parts.join(''));
  }

  #isVisible(element: Element): boolean {
    if (this.#skipped.has(element.tagName)) return false;
    if (!isHidden(element)) return true;
    this.#hadHiddenText ||= letters.test(textOf(element));
    return false;
  }
}

interface Cell {
  readonly text: string;
  readonly isHeader: boolean;
  readonly isMerged: boolean;
}

function isHeaderRow(cells: readonly Cell[]): boolean {
  return cells.length > 1 && cells.every(({ isHeader, isMerged }) => isHeader && !isMerged);
}

/** `name: value` for each cell below a header. A row that begins with a header of its own is named by it. */
function rowText(names: readonly string[] | null, cells: readonly Cell[]): string {
  const [first, ...rest] = cells;
  if (first?.isHeader === true && rest.length > 0 && names === null) {
    return (
      labelled(
        first.text,
        rest
          .map(({ text }) => text)
          .filter(Boolean)
          .join(' | '),
      ) || first.text
    );
  }
  const isNamed = names !== null && !cells.some(({ isMerged }) => isMerged);
  return cells
    .map(({ text, isHeader }, column) => (isNamed && !isHeader ? labelled(names[column] ?? '', text) : text))
    .filter(Boolean)
    .join(' | ');
}

/** Tables that only place things on the page: those with tables or headings inside. */
function layoutTablesOf(document: DefaultTreeAdapterTypes.Document): ReadonlySet<Element> {
  const found = new Set<Element>();
  const visit = (node: Node, table: Element | null): void => {
    if (!isElement(node)) return;
    const isTable = node.tagName === 'table';
    if (table !== null && (isTable || headingLevel(node.tagName) !== null)) found.add(table);
    if (isTable && /^(?:presentation|none)$/.test(attribute(node, 'role') ?? '')) found.add(node);
    for (const child of node.childNodes) visit(child, isTable ? node : table);
  };
  for (const node of document.childNodes) visit(node, null);
  return found;
}

function isHidden(element: Element): boolean {
  if (attribute(element, 'hidden') !== null || attribute(element, 'aria-hidden')?.toLowerCase() === 'true') return true;
  // Browsers show a dialog only once it is opened.
  if (element.tagName === 'dialog' && attribute(element, 'open') === null) return true;
  const style = attribute(element, 'style');
  return style !== null && hiddenStyle.test(style.replace(/\/\*.*?\*\//gs, ''));
}

function attribute(element: Element, name: string): string | null {
  return element.attrs.find((each) => each.name === name)?.value ?? null;
}

function headingLevel(tagName: string): HeadingLevel | null {
  return /^h[1-6]$/.test(tagName) ? (Number(tagName[1]) as HeadingLevel) : null;
}

/** Everything in it, hidden or not. */
function textOf(element: Element): string {
  const parts: string[] = [];
  const visit = (node: Node): void => {
    if (isText(node)) parts.push(node.value);
    else if (isElement(node)) node.childNodes.forEach(visit);
  };
  element.childNodes.forEach(visit);
  return parts.join('');
}

function isElement(node: Node): node is Element {
  return 'tagName' in node;
}

function isText(node: Node): node is DefaultTreeAdapterTypes.TextNode {
  return node.nodeName === '#text';
}
