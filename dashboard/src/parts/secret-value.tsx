import { Button, Group } from '@mantine/core';
import { CopyButton } from './copy-button.tsx';
import classes from './secret-value.module.css';

interface SecretValueProps {
  readonly label: string;
  readonly value: string;
  /** The text of the button that closes the dialog. */
  readonly done: string;
  readonly onDone: () => void;
}

/** A secret in a dialog, to be copied. */
export function SecretValue({ label, value, done, onDone }: SecretValueProps) {
  return (
    <>
      <output className={classes.value} aria-label={label}>
        {value}
      </output>
      <Group justify="space-between" gap="sm">
        <CopyButton value={value} data-autofocus />
        <Button onClick={onDone}>{done}</Button>
      </Group>
    </>
  );
}
