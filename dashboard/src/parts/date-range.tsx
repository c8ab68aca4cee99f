import { TextInput } from '@mantine/core';
import { useLanguage } from '../language/language.tsx';

interface DateRangeProps {
  /** As in the URL: `2026-11-17`, or empty. */
  readonly from: string;
  readonly to: string;
  readonly onChange: (change: { readonly from: string } | { readonly to: string }) => void;
}

/** The first and the last day of a list, both optional. */
export function DateRange({ from, to, onChange }: DateRangeProps) {
  const { texts } = useLanguage();
  return (
    <>
      <TextInput
        size="xs"
        type="date"
        label={texts.from}
        value={from}
        max={to || undefined}
        onChange={(event) => onChange({ from: event.currentTarget.value })}
      />
      <TextInput
        size="xs"
        type="date"
        label={texts.to}
        value={to}
        min={from || undefined}
        onChange={(event) => onChange({ to: event.currentTarget.value })}
      />
    </>
  );
}
