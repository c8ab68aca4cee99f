import { ActionIcon, Button } from '@mantine/core';
import { type ReactNode, useRef } from 'react';
import { PlusIcon, TrashIcon } from '../icons.tsx';
import classes from './numbered-fields.module.css';

interface NumberedFieldsProps<Item> {
  readonly items: readonly Item[];
  readonly texts: {
    readonly title: (number: number) => string;
    readonly remove: (number: number) => string;
    readonly add: string;
  };
  readonly hint?: ReactNode;
  /** Null: there can be no more. */
  readonly onAdd: (() => void) | null;
  /** Null: none can be removed. */
  readonly onRemove: ((left: readonly Item[]) => void) | null;
  /** The fields of an item. */
  readonly children: (item: Item, index: number) => ReactNode;
}

/** Groups of fields that have no name, so they are called by their number: routes and choices. */
export function NumberedFields<Item>({ items, texts, hint, onAdd, onRemove, children }: NumberedFieldsProps<Item>) {
  const addButton = useRef<HTMLButtonElement>(null);
  const remove = (index: number) => {
    onRemove?.(items.filter((_, other) => other !== index));
    // The button that had the focus may be gone.
    addButton.current?.focus();
  };
  return (
    <div className={classes.list}>
      {hint}
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an item is what is at its position.
        <fieldset key={index} className={classes.item}>
          <legend className={classes.title}>{texts.title(index + 1)}</legend>
          {onRemove !== null && (
            <ActionIcon
              className={classes.remove as string}
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={texts.remove(index + 1)}
              onClick={() => remove(index)}
            >
              <TrashIcon size={14} />
            </ActionIcon>
          )}
          {children(item, index)}
        </fieldset>
      ))}
      {onAdd !== null && (
        <Button
          ref={addButton}
          size="compact-sm"
          variant="default"
          leftSection={<PlusIcon size={14} />}
          onClick={onAdd}
        >
          {texts.add}
        </Button>
      )}
    </div>
  );
}
