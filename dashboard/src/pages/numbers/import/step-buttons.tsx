import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { useLanguage, useTexts } from '../../../language/language.tsx';
import { BusyButton } from '../../../parts/busy-button.tsx';
import { importTexts } from '../texts.ts';

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
