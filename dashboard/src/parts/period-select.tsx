import { NativeSelect, type NativeSelectProps } from '@mantine/core';
import { useTexts } from '../language/language.tsx';
import { periodTexts } from './period-texts.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const lengths = { hour: hourMs, day: dayMs, week: 7 * dayMs, month: 30 * dayMs } as const;

/** How far an action goes back. */
export type Period = keyof typeof lengths;

const periods = Object.keys(lengths) as Period[];

export function startOfPeriod(period: Period): number {
  return Date.now() - lengths[period];
}

interface PeriodSelectProps extends Pick<NativeSelectProps, 'label'> {
  readonly period: Period;
  readonly onPeriod: (period: Period) => void;
}

export function PeriodSelect({ period, onPeriod, ...props }: PeriodSelectProps) {
  const texts = useTexts(periodTexts);
  return (
    <NativeSelect
      {...props}
      data={periods.map((value) => ({ value, label: texts[value] }))}
      value={period}
      onChange={({ currentTarget: { value } }) => onPeriod(value as Period)}
    />
  );
}
