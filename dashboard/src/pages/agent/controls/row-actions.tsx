import { UnstyledButton } from '@mantine/core';
import { ChevronDownIcon, TrashIcon } from '../../../icons.tsx';
import classes from '../../../parts/controls.module.css';
import { useAgentTexts } from '../texts.ts';

interface RowActionsProps {
  readonly name: string;
  readonly index: number;
  readonly count: number;
  readonly isReadOnly: boolean;
  readonly onMove: (from: number, to: number) => void;
  readonly onRemove: (index: number) => void;
}

/** Move up, move down and remove. */
export function RowActions({ name, index, count, isReadOnly, onMove, onRemove }: RowActionsProps) {
  const texts = useAgentTexts();
  return (
    <span className={classes.rowActions}>
      <UnstyledButton
        className={classes.small as string}
        aria-label={texts.moveUp(name)}
        disabled={isReadOnly || index === 0}
        onClick={() => onMove(index, index - 1)}
        style={{ rotate: '180deg' }}
      >
        <ChevronDownIcon size={16} />
      </UnstyledButton>
      <UnstyledButton
        className={classes.small as string}
        aria-label={texts.moveDown(name)}
        disabled={isReadOnly || index === count - 1}
        onClick={() => onMove(index, index + 1)}
      >
        <ChevronDownIcon size={16} />
      </UnstyledButton>
      <UnstyledButton
        className={classes.small as string}
        aria-label={texts.removeItem(name)}
        disabled={isReadOnly}
        onClick={() => onRemove(index)}
      >
        <TrashIcon size={16} />
      </UnstyledButton>
    </span>
  );
}

/** List operations; each returns a new list. */
export function rowsOf<Row>(value: unknown, onChange: (rows: readonly Row[]) => void) {
  const rows: readonly Row[] = Array.isArray(value) ? value : [];
  return {
    rows,
    add: (row: Row) => onChange([...rows, row]),
    change: (index: number, row: Row) => onChange(rows.with(index, row)),
    remove: (index: number) => onChange(rows.filter((_, place) => place !== index)),
    move: (from: number, to: number) => onChange(rows.toSpliced(from, 1).toSpliced(to, 0, rows[from] as Row)),
  };
}
