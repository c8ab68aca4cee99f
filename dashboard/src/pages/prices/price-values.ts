import type { PriceItem, Prices, PutPrices } from '../../../../sdk/src/index.ts';

export type Capability = PriceItem['capability'];
export type PriceUnit = PriceItem['unit'];

export const capabilities: readonly Capability[] = ['llm', 'stt', 'tts', 'carrier'];
export const unitsOf: Readonly<Record<Capability, readonly PriceUnit[]>> = {
  llm: ['million_prompt_tokens', 'million_cached_tokens', 'million_completion_tokens'],
  stt: ['minute'],
  tts: ['million_characters'],
  carrier: ['minute'],
};

export interface PriceRow extends PriceItem {
  /** Stays the same while the rows around it are removed. */
  readonly id: number;
}

export interface PriceFields {
  /** As in a field for a local time. */
  readonly validFrom: string;
  readonly currency: string;
  readonly rows: readonly PriceRow[];
}

/** A new list begins as the newest one, because most prices stay. */
export function fieldsOf(prices: Prices | null, newest: Prices | undefined, now: Date): PriceFields {
  const from = prices ?? newest;
  return {
    validFrom: localTime(prices === null ? startOfDay(now) : new Date(prices.validFrom)),
    currency: from?.currency ?? 'USD',
    rows: (from?.items ?? [emptyItem]).map((item, id) => ({ ...item, id })),
  };
}

export const emptyItem: PriceItem = {
  capability: 'llm',
  provider: '*',
  model: '*',
  unit: 'million_prompt_tokens',
  price: '',
};

export type RowIssue = 'provider' | 'model' | 'price' | 'twice';

/** What is wrong with a row. */
export function issuesOf(row: PriceRow, rows: readonly PriceRow[]): readonly RowIssue[] {
  const key = keyOf(row);
  const isTwice = rows.some((other) => other.id < row.id && keyOf(other) === key);
  return [
    ...(row.provider.trim() === '' ? ['provider' as const] : []),
    ...(row.model.trim() === '' ? ['model' as const] : []),
    ...(/^\d{1,9}(\.\d{1,9})?$/.test(row.price) ? [] : ['price' as const]),
    ...(isTwice ? ['twice' as const] : []),
  ];
}

function keyOf({ capability, provider, model, unit }: PriceItem): string {
  return JSON.stringify([capability, provider.trim(), model.trim(), unit]);
}

export function isCurrency(text: string): boolean {
  return /^[A-Z]{3}$/.test(text);
}

/** The time and the body of the request; null if something is missing or wrong. */
export function bodyOf({ validFrom, currency, rows }: PriceFields): { validFrom: string; body: PutPrices } | null {
  const time = Date.parse(validFrom);
  if (Number.isNaN(time) || !isCurrency(currency)) return null;
  if (rows.some((row) => issuesOf(row, rows).length > 0)) return null;
  const items = rows.map(({ id: _, ...item }) => ({
    ...item,
    provider: item.provider.trim(),
    model: item.model.trim(),
  }));
  return { validFrom: new Date(time).toISOString(), body: { currency, items } };
}

function startOfDay(now: Date): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate());
}

function localTime(at: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const seconds = at.getSeconds() === 0 ? '' : `:${two(at.getSeconds())}`;
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}${seconds}`;
}
