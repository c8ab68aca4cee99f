import type { Language } from '../../language/language.tsx';

const units = [
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;

/** 5400000 is "1 hr 30 min". */
export function duration(milliseconds: number, language: Language): string {
  const parts: string[] = [];
  let rest = milliseconds;
  for (const [unit, size] of units) {
    // Fractions belong to the seconds: 1.5 sec.
    const count = unit === 'second' ? Math.round((rest / size) * 1000) / 1000 : Math.floor(rest / size);
    rest -= Math.floor(count) * size;
    if (count > 0)
      parts.push(new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'short' }).format(count));
  }
  if (parts.length > 0) return parts.join(' ');
  return new Intl.NumberFormat(language, { style: 'unit', unit: 'second', unitDisplay: 'short' }).format(0);
}
