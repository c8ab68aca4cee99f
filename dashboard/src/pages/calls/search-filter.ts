import { callFields } from '../../analytics/call-fields.ts';
import type { Filter } from '../../analytics/query.ts';

const maxLength = 8000;

/** The filter of calls.search in the URL of the page; null if there is none. The service checks the rest of it. */
export function readSearch(parameters: URLSearchParams): Filter | null {
  const text = parameters.get('filter');
  if (text === null || text.length > maxLength) return null;
  try {
    const filter: unknown = JSON.parse(text);
    return isFilter(filter) ? filter : null;
  } catch {
    return null;
  }
}

function isFilter(value: unknown): value is Filter {
  if (typeof value !== 'object' || value === null) return false;
  if ('field' in value) return typeof value.field === 'string' && callFields(value.field) && 'op' in value;
  if ('all' in value) return Array.isArray(value.all) && value.all.every(isFilter);
  if ('any' in value) return Array.isArray(value.any) && value.any.every(isFilter);
  return 'not' in value && isFilter(value.not);
}
