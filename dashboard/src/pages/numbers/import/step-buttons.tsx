import { Button, Group, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useEffect, useRef } from 'react';
import { useLanguage, useTexts } from '../../../language/language.tsx';
import { BusyButton } from '../../../parts/busy-button.tsx';
import { importTexts } from '../texts.ts';

interface StepFormProps {
  readonly onSubmit: () => void;
  readonly children: ReactNode;
}

/** A step. Its first field gets the focus, which the button of the step before had. */
export function StepForm({ onSubmit, children }: StepFormProps) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const first = form.current?.querySelector<HTMLElement>('input:checked, input:not([disabled], [type=radio])');
    first?.focus();
  }, []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form ref={form} onSubmit={submit} noValidate autoComplete="off">
      <Stack gap="md">{children}</Stack>
    </form>
  );
}

interface StepButtonsProps {
  readonly next: string;
  readonly isBusy?: boolean;
  /** Null on the first step, which is left by canceling. */
  readonly onBack: (() => void) | null;
  readonly onCancel?: () => void;
  /** Between the two. */
  readonly children?: ReactNode;
}

/** The buttons below a step. The last one submits its form. */
export function StepButtons({ next, isBusy = false, onBack, onCancel, children }: StepButtonsProps) {
  const { texts: general } = useLanguage();
  const texts = useTexts(importTexts);
  return (
    <Group justify="flex-end" gap="sm">
      <Button variant="default" onClick={onBack ?? onCancel}>
        {onBack === null ? general.cancel : texts.back}
      </Button>
      {children}
      <BusyButton type="submit" isBusy={isBusy}>
        {next}
      </BusyButton>
    </Group>
  );
}
