import { type Alert, type AlertChanges, alertValue, type NewAlertFields } from '../../../contract/analytics/alert.ts';
import { etagOf } from '../../../core/etag.ts';

/** What the metric of an alert is at a time. */
export interface Measured {
  readonly value: number | null;
  /** The value in the window before. */
  readonly previous: number | null;
  readonly calls: number;
}

/** An alert on the number of calls must fire without any; other metrics mean nothing then, such as in a quiet night. */
function defaultMinCalls(metric: string): number {
  return metric === 'calls' ? 0 : 1;
}

export function newAlert(id: string, { minCalls, ...fields }: NewAlertFields, now: string): Alert {
  const { name, enabled, metric, field, filter, window, op, value, relative } = fields;
  return {
    id,
    name,
    enabled,
    metric,
    field,
    filter: filter as Alert['filter'],
    window,
    op,
    value,
    relative,
    minCalls: minCalls ?? defaultMinCalls(metric),
    state: 'no_data',
    stateSince: now,
    lastValue: null,
    lastEvaluatedAt: null,
    createdAt: now,
    updatedAt: now,
  };
}

/** Without its state: what is measured follows with the next evaluation. */
export function changedAlert(alert: Alert, changes: AlertChanges): Alert {
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  return { ...alert, ...given };
}

/** Nobody watches it any more. */
export function idleAlert(alert: Alert, now: string): Alert {
  return withState({ ...alert, lastValue: null }, 'no_data', now);
}

export function evaluatedAlert(alert: Alert, measured: Measured, now: string): Alert {
  const lastValue = comparedValue(alert, measured);
  const state = lastValue === null ? 'no_data' : holds(lastValue, alert) ? 'firing' : 'ok';
  return withState({ ...alert, lastValue, lastEvaluatedAt: now }, state, now);
}

function withState(alert: Alert, state: Alert['state'], now: string): Alert {
  return state === alert.state ? alert : { ...alert, state, stateSince: now };
}

/** Null: there is not enough to compare. */
function comparedValue({ relative, minCalls }: Alert, { value, previous, calls }: Measured): number | null {
  if (value === null || calls < minCalls) return null;
  if (!relative) return shown(value);
  return previous === null || previous === 0 ? null : shown(((value - previous) / Math.abs(previous)) * 100);
}

const decimals = 1e6;

/** With 6 decimals, like averages, and in the range that can be shown. */
function shown(value: number): number | null {
  const rounded = Math.round(value * decimals) / decimals;
  return alertValue.safeParse(rounded).success ? rounded : null;
}

function holds(compared: number, { op, value }: Alert): boolean {
  switch (op) {
    case 'gt':
      return compared > value;
    case 'gte':
      return compared >= value;
    case 'lt':
      return compared < value;
    case 'lte':
      return compared <= value;
    default:
      return op satisfies never;
  }
}

/** Changes with every field except those that evaluations change: an update with `If-Match` would never succeed. */
export function tagOf(alert: Alert): string {
  const { state: _, stateSince: __, lastValue: ___, lastEvaluatedAt: ____, ...rest } = alert;
  return etagOf(JSON.stringify(rest));
}
