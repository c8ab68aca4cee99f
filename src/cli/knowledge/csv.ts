/** The rows of a CSV file, as in RFC 4180: values may be quoted, and a quote in them is doubled. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const pattern = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;
  const content = text.replace(/^\uFEFF/, '');
  while (pattern.lastIndex < content.length) {
    const at = pattern.lastIndex;
    const match = pattern.exec(content);
    if (match === null) throw new Error(`line ${content.slice(0, at).split('\n').length}: a quote is not closed`);
    const [, quoted, plain = '', end] = match;
    row.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === ',' && pattern.lastIndex < content.length) continue;
    if (end === ',') row.push('');
    rows.push(row);
    row = [];
  }
  return rows.filter((values) => values.some((value) => value.trim() !== ''));
}

export function csvLine(values: readonly string[]): string {
  return `${values.map((value) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)).join(',')}\n`;
}
