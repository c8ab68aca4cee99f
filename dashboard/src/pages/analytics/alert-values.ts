import type { Alert, CreateAlert } from '../../../../sdk/src/index.ts';
import { type Unit, unitOf } from '../../analytics/metric.ts';
import type { Filter } from '../../analytics/query.ts';

export interface AlertFields {
  readonly name: string;
  readonly enabled: boolean;
  readonly metric: CreateAlert['metric'];
  readonly field: string;
  readonly agentId: string;
  /** A filter that the form cannot show. */
  readonly otherFilter: unknown;
  readonly window: Alert['window'];
  readonly op: Alert['op'];
  /** In the unit that people use. */
  readonly value: string;
  readonly relative: boolean;
  readonly minCalls: string;
}

export const windows: readonly Alert['window'][] = ['15m', '1h', '6h', '24h'];
export const ops: readonly Alert['op'][] = ['gt', 'gte', 'lt', 'lte'];

/** By how much a value in the form is multiplied: shares are in percent, costs in whole units of the currency. */
export function scaleOf(unit: Unit, isRelative: boolean): number {
  if (isRelative) return 1;
  return unit === 'ratio' ? 0.01 : unit === 'micros' ? 1_000_000 : 1;
}

export function fieldsOf(alert: Alert | null): AlertFields {
  if (alert === null) {
    return {
      ...{ name: '', enabled: true, metric: 'latency.e2eMs.p95', field: '', agentId: '', otherFilter: null },
      ...{ window: '1h', op: 'gt', value: '1500', relative: false, minCalls: '' },
    };
  }
  const agentId = agentOf(alert.filter);
  return {
    name: alert.name,
    enabled: alert.enabled,
    metric: alert.metric as CreateAlert['metric'],
    field: alert.field ?? '',
    agentId: agentId ?? '',
    otherFilter: agentId === null ? alert.filter : null,
    window: alert.window,
    op: alert.op,
    value: String(rounded(alert.value / scaleOf(unitOf(alert.metric), alert.relative))),
    relative: alert.relative,
    minCalls: String(alert.minCalls),
  };
}

/** The body of the request; null if a field is missing. */
export function bodyOf(fields: AlertFields): CreateAlert | null {
  const { name, enabled, metric, field, agentId, otherFilter, window, op, relative, minCalls } = fields;
  const value = Number(fields.value);
  const needsField = metric.startsWith('field.');
  if (name.trim() === '' || !isNumber(fields.value) || (needsField && field.trim() === '')) return null;
  const filter: Filter | null = agentId === '' ? null : { field: 'agentId', op: 'eq', value: agentId };
  return {
    name: name.trim(),
    enabled,
    metric,
    field: needsField ? field.trim() : null,
    filter: otherFilter ?? filter,
    window,
    op,
    value: rounded(value * scaleOf(unitOf(metric), relative)),
    relative,
    ...(/^\d+$/.test(minCalls) && { minCalls: Number(minCalls) }),
  };
}

export function isNumber(text: string): boolean {
  return text.trim() !== '' && Number.isFinite(Number(text));
}

/** The agent of a filter that says nothing else; null if it says something else. */
export function agentOf(filter: unknown): string | null {
  if (filter === null) return '';
  const { field, op, value } = filter as { field?: unknown; op?: unknown; value?: unknown };
  return field === 'agentId' && op === 'eq' && typeof value === 'string' ? value : null;
}

/** Without what binary fractions add. */
function rounded(value: number): number {
  return Number(value.toPrecision(12));
}
