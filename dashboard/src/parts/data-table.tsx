import { Table, type TableProps, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './data-table.module.css';

interface Column {
  readonly title: string;
  /** Explains the title. */
  readonly hint?: string;
  /** Only for screen readers. */
  readonly isTitleHidden?: boolean;
  /** In a table with a fixed layout. */
  readonly width?: string;
}

interface DataTableProps extends Pick<TableProps, 'verticalSpacing' | 'horizontalSpacing'> {
  readonly label: string;
  readonly columns: readonly (string | Column)[];
  /** Below this width, each row is a card: its cells below each other, each after its `data-title`. */
  readonly cardsBelow?: 'narrow' | 'medium';
  /** The titles in cards need more room than usual. */
  readonly hasLongTitles?: boolean;
  readonly className?: string | undefined;
  /** The rows. A link or button with `data-opens-row` covers its whole row. */
  readonly children: ReactNode;
}

/** A table with all its rows in the page. For long lists there is `VirtualTable`. */
export function DataTable({
  label,
  columns,
  cardsBelow,
  hasLongTitles = false,
  className = '',
  verticalSpacing = 'sm',
  horizontalSpacing = 'md',
  children,
}: DataTableProps) {
  return (
    <div className={classes.frame} data-cards-below={cardsBelow} data-has-long-titles={hasLongTitles || undefined}>
      <Table
        className={`${classes.table} ${cardsBelow === undefined ? '' : classes.cards} ${className}`}
        verticalSpacing={verticalSpacing}
        horizontalSpacing={horizontalSpacing}
        aria-label={label}
      >
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => {
              const {
                title,
                hint,
                isTitleHidden = false,
                width,
              }: Column = typeof column === 'string' ? { title: column } : column;
              return (
                <Table.Th key={hint ?? title} {...(width === undefined ? {} : { w: width })}>
                  {hint === undefined ? (
                    <span className={isTitleHidden ? 'visually-hidden' : undefined}>{title}</span>
                  ) : (
                    <Tooltip label={hint}>
                      <span>{title}</span>
                    </Tooltip>
                  )}
                </Table.Th>
              );
            })}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </div>
  );
}

/** The last cell of a row, with its buttons. */
export function ActionsCell({ children }: { readonly children: ReactNode }) {
  return (
    <Table.Td className={classes.actions as string}>
      <span className={classes.buttons}>{children}</span>
    </Table.Td>
  );
}
