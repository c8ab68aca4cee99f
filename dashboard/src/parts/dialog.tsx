import { Alert, Button, Group, Modal, type ModalProps, Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { useLanguage } from '../language/language.tsx';
import { BusyButton } from './busy-button.tsx';
import { describeError } from './error-state.tsx';
import { useFocusReturn } from './focus-return.ts';

/** A dialog that is open while it is rendered, with a labelled close button. */
export function Dialog(props: Omit<ModalProps, 'opened'>) {
  const { texts } = useLanguage();
  useFocusReturn(true);
  return <Modal opened closeButtonProps={{ 'aria-label': texts.close }} {...props} />;
}

interface ActionDialogProps extends Pick<ModalProps, 'size'> {
  readonly title: string;
  readonly confirm: string;
  /** The request that the dialog sends. */
  readonly action?: { readonly isPending: boolean; readonly error: Error | null };
  readonly isBarred?: boolean;
  /** It cannot be undone. */
  readonly isDangerous?: boolean;
  /** Has fields, in which Enter confirms. */
  readonly isForm?: boolean;
  /** In place of the general description of the error. */
  readonly explanation?: string | undefined;
  /** In place of the alert with the error. */
  readonly failure?: ReactNode;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A dialog with one action. It stays open while the action runs, and shows its error. */
export function ActionDialog(props: ActionDialogProps) {
  const { action, isForm = false, isDangerous = false, explanation, onConfirm, onClose } = props;
  const { texts } = useLanguage();
  const error = action?.error ?? null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!props.isBarred) onConfirm();
  };
  const content = (
    <Stack gap="md">
      {props.children}
      {props.failure === undefined
        ? error !== null && <Failure error={error} explanation={explanation} />
        : props.failure}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onClose} data-autofocus={(isDangerous && !isForm) || undefined}>
          {texts.cancel}
        </Button>
        <BusyButton
          {...(isDangerous ? { color: 'red.8' } : {})}
          isBusy={action?.isPending ?? false}
          isBarred={props.isBarred ?? false}
          data-autofocus={!(isDangerous || isForm) || undefined}
          {...(isForm ? { type: 'submit' } : { onClick: onConfirm })}
        >
          {props.confirm}
        </BusyButton>
      </Group>
    </Stack>
  );
  return (
    <Dialog onClose={onClose} title={props.title} {...(props.size === undefined ? {} : { size: props.size })}>
      {isForm ? (
        <form onSubmit={submit} noValidate autoComplete="off">
          {content}
        </form>
      ) : (
        content
      )}
    </Dialog>
  );
}

interface FailureProps {
  readonly error: Error;
  readonly explanation?: string | undefined;
}

/** An error, shown inside the dialog that caused it. */
export function Failure({ error, explanation }: FailureProps) {
  const { title, advice } = describeError(error, useLanguage().texts);
  return (
    <Alert color="red" role="alert" title={explanation === undefined ? title : null}>
      {explanation ?? advice}
    </Alert>
  );
}
