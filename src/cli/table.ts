/** Columns for people, padded by what a terminal shows: East Asian characters are two cells wide. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => cells(row[column] ?? ''))));
  const line = (row: readonly string[]): string =>
    row
      .map((text, column) => text + ' '.repeat((widths[column] as number) - cells(text)))
      .join('  ')
      .trimEnd();
  return `${all.map(line).join('\n')}\n`;
}

function cells(text: string): number {
  let width = 0;
  for (const character of text) width += wide.test(character) ? 2 : 1;
  return width;
}

const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]/u;
