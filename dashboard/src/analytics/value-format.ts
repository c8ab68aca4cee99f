import type { Format } from '../language/format.ts';
import type { Unit } from './metric.ts';

const secondMs = 1000;
const minuteMs = 60_000;
const hourMs = 3_600_000;
const microsPerUnit = 1_000_000;
const compactFrom = 10_000;

export interface ValueFormat {
  /** A value as it is read in a sentence. */
  value(value: number | null | undefined, unit: Unit, currency?: string | null): string;
  /** A value on an axis, as short as possible. */
  short(value: number, unit: Unit, currency?: string | null): string;
  /** A change such as +12%. */
  change(fraction: number): string;
}

export function createValueFormat(language: string, format: Format): ValueFormat {
  const number = new Intl.NumberFormat(language, { maximumFractionDigits: 2 });
  const compact = new Intl.NumberFormat(language, { notation: 'compact', maximumSignificantDigits: 3 });
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 });
  const change = new Intl.NumberFormat(language, {
    style: 'percent',
    signDisplay: 'exceptZero',
    maximumFractionDigits: 0,
  });
  const large = new Intl.NumberFormat(language, { notation: 'compact', signDisplay: 'exceptZero', style: 'percent' });
  const unitOf = (name: string) =>
    new Intl.NumberFormat(language, { style: 'unit', unit: name, unitDisplay: 'short', maximumSignificantDigits: 3 });
  const [minutes, hours] = [unitOf('minute'), unitOf('hour')];
  const shortTime = (value: number) => {
    if (value < secondMs) return time(value);
    if (value < minuteMs) return `${format.rounded(value / secondMs)}\u00a0s`;
    return value < hourMs ? minutes.format(value / minuteMs) : hours.format(value / hourMs);
  };
  const time = (value: number) =>
    value < minuteMs ? format.milliseconds(value).replace(' ', '\u00a0') : format.clock(value);
  const short: ValueFormat['short'] = (value, unit, currency = null) => {
    if (unit === 'ratio') return percent.format(value);
    if (unit === 'micros') return money(language, value / microsPerUnit, currency, true);
    if (unit === 'milliseconds') return shortTime(value);
    return Math.abs(value) < compactFrom ? number.format(value) : compact.format(value);
  };
  return {
    short,
    value: (value, unit, currency = null) => {
      if (value === null || value === undefined) return '–';
      if (unit === 'micros') return money(language, value / microsPerUnit, currency, false);
      if (unit === 'ratio' && value > 0 && value < 0.001) return format.share(value);
      if (unit === 'milliseconds') return time(value);
      return unit === 'ratio' ? short(value, unit) : number.format(value);
    },
    change: (fraction) => (Math.abs(fraction) < 10 ? change : large).format(fraction),
  };
}

function money(language: string, amount: number, currency: string | null, isShort: boolean): string {
  const digits =
    Math.abs(amount) < 1 && amount !== 0
      ? { maximumSignificantDigits: 3 }
      : isShort && Math.abs(amount) >= compactFrom
        ? { notation: 'compact' as const, maximumSignificantDigits: 3 }
        : {};
  if (currency === null) return new Intl.NumberFormat(language, digits).format(amount);
  return new Intl.NumberFormat(language, { style: 'currency', currency, ...digits }).format(amount);
}
