import { type Format, paint } from '../context.ts';
import { cells, shortened, visible } from './text.ts';

/** A table cell: plain or colored text. */
export type Cell = string | { readonly text: string; readonly format: Format };

export interface TableOptions {
  /** The output stream. On a terminal, the table is colored and fitted to the width. */
  readonly stream?: NodeJS.WriteStream;
  /** Columns to drop on a narrow terminal, in this order. */
  readonly dispensable?: readonly string[];
  /** The column to truncate if the table is still too wide. */
  readonly elastic?: string;
}

const gap = 2;
/** A narrower column would be unreadable. */
const minWidth = 8;

/** A human-readable table. Control characters in the texts are escaped. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[], options: TableOptions = {}): string {
  const texts = rows.map((row) => row.map((cell) => visible(typeof cell === 'string' ? cell : cell.text)));
  const widths = head.map((name, column) =>
    texts.reduce((most, row) => Math.max(most, cells(row[column] ?? '')), cells(name)),
  );
  const shown = fit(head, widths, options);
  const line = (row: readonly string[], format: (column: number) => Format | undefined): string =>
    shown
      .map((column, place) => {
        const width = widths[column] as number;
        const text = shortened(row[column] ?? '', width);
        // No padding after the last column, so that lines do not wrap.
        const padding = place === shown.length - 1 ? '' : ' '.repeat(width - cells(text) + gap);
        return `${painted(text, format(column), options.stream)}${padding}`;
      })
      .join('')
      .trimEnd();
  const formatOf = (row: readonly Cell[]) => (column: number) => {
    const cell = row[column];
    return typeof cell === 'object' ? cell.format : undefined;
  };
  const lines = texts.map((row, number) => line(row, formatOf(rows[number] as readonly Cell[])));
  return `${[line(head, () => 'bold'), ...lines].join('\n')}\n`;
}

/** The columns to show. Also adjusts the width of the elastic one. */
function fit(head: readonly string[], widths: number[], { stream, dispensable = [], elastic }: TableOptions): number[] {
  let shown = head.map((_, column) => column);
  const room = stream?.isTTY ? stream.columns || Number.POSITIVE_INFINITY : Number.POSITIVE_INFINITY;
  const elasticColumn = elastic === undefined ? -1 : head.indexOf(elastic);
  const excess = (): number => shown.reduce((sum, column) => sum + (widths[column] as number) + gap, -gap) - room;
  const slack = (): number => Math.max(0, (widths[elasticColumn] ?? 0) - minWidth);
  for (const name of dispensable) {
    if (excess() <= slack()) break;
    shown = shown.filter((column) => head[column] !== name);
  }
  if (elasticColumn >= 0 && excess() > 0) {
    widths[elasticColumn] = Math.max(minWidth, (widths[elasticColumn] as number) - excess());
  }
  return shown;
}

function painted(text: string, format: Format | undefined, stream: NodeJS.WriteStream | undefined): string {
  return format === undefined || stream === undefined ? text : paint(format, text, stream);
}
