const rule = /^\s*(?:[-*_]\s*){3,}$/;
const tableRule = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-*:?\s*)+$/;
/** Headings, quotes, bullets and check boxes, also several of them: `> - [ ] text`. A number stays: it is spoken. */
const lineMarks = /^(?:\s*(?:#{1,6}\s+|>\s?|[-*+–—•‣◦●○■□▪▫]\s+|[•‣◦●○■□▪▫・]|\[[ xX]\]\s+))+/;
const htmlTags =
  /<\/?(?:a|b|br|code|div|em|h[1-6]|hr|i|img|li|ol|p|pre|s|small|span|strong|sub|sup|table|td|th|tr|u|ul)(?:\s[^<>]{0,500})?\/?>/gi;
const footnotes = /\[\^[^\]\s]{1,50}\]/g;
const links = /!?\[([^[\]]{0,500})\](?:\([^()\s]{0,2000}(?:\s+"[^"]{0,500}")?\)|\[[^[\]]{0,100}\])/g;
const autolinks = /<(https?:\/\/[^\s<>]{1,2000}|[^\s<>@]{1,64}@[^\s<>]{1,253})>/gi;

/** What a line starts with, and lines that are only drawn. Links become their labels. */
export function withoutLineMarks(line: string): string {
  if (rule.test(line) || tableRule.test(line)) return '';
  return line
    .replace(lineMarks, '')
    .replace(footnotes, '')
    .replace(links, '$1')
    .replace(autolinks, '$1')
    .replace(htmlTags, ' ');
}

/** The cells of a table row, as a list. */
export function plainTable(line: string, usesJapanese: boolean): string {
  const row = /^\s*\|(.*)\|\s*$/.exec(line);
  if (row === null) return line;
  const cells = (row[1] as string)
    .split('|')
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '');
  return usesJapanese ? `${cells.join('、')}。` : `${cells.join(', ')}.`;
}

/** Emphasis, code and strike-through, also if only one end is in this sentence. */
export function withoutMarks(text: string): string {
  return (
    text
      .replace(/\\(?=[\\`*_{}[\]()#+\-.!|~<>])/g, '')
      .replace(/`+|~~+|\*{2,}/g, '')
      // Not between spaces or between digits: 5 * 3.
      .replace(/(?<![\s\d])\*|\*(?![\s\d]|$)|^\*$/g, '')
      // Not inside a word: snake_case.
      .replace(/(?<![\p{L}\p{N}_])_+(?=\S)|(?<=\S)_+(?![\p{L}\p{N}_])/gu, '')
  );
}
