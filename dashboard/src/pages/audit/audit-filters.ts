import { dayOf, startOf } from '../../parts/days.ts';
import { routeIds } from '../../parts/route-texts.ts';

/** What the log is filtered by, as in the URL of the page. Empty: everything. */
export interface AuditFilters {
  readonly resourceId: string;
  /** A key, or `none` for the command line. */
  readonly keyId: string;
  readonly routeId: string;
  /** Days, in the time zone of the browser: 2026-11-15. Both are included. */
  readonly from: string;
  readonly to: string;
}

export const commandLine = 'none';
export const maxId = 64;

export function readAuditFilters(parameters: URLSearchParams): AuditFilters {
  const text = (name: string) => (parameters.get(name) ?? '').slice(0, maxId);
  return {
    resourceId: text('resourceId'),
    keyId: text('keyId'),
    routeId: routeIds.find((id) => id === text('routeId')) ?? '',
    from: dayOf(parameters.get('from')),
    to: dayOf(parameters.get('to')),
  };
}

/** As URL parameters, without those that are not set. */
export function writeAuditFilters(filters: AuditFilters): Record<string, string> {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ''));
}

export function countAuditFilters(filters: AuditFilters): number {
  return Object.keys(writeAuditFilters(filters)).length;
}

/** The query for the service. */
export function auditQuery({ resourceId, keyId, routeId, from, to }: AuditFilters) {
  return {
    resourceId: resourceId || undefined,
    keyId: keyId || undefined,
    // Both are labelled the same.
    routeId: routeId === '' ? undefined : routeId === 'apiKeys.revoke' ? [routeId, 'apiKeys.delete'] : [routeId],
    createdAfter: from === '' ? undefined : startOf(from, 0),
    // The end is not included, so it is the start of the next day.
    createdBefore: to === '' ? undefined : startOf(to, 1),
  };
}
