import { transcriptField } from '../contract/calls/fields.ts';
import type { Filter } from '../contract/filter.ts';
import type { Issue } from './issues.ts';

/** Where a filter names the transcript, which has no value that can be compared: only calls.search can look for text in it. */
export function transcriptIssues(filter: Filter | null | undefined, path: Issue['path']): Issue[] {
  if (filter === null || filter === undefined) return [];
  const inList = (name: 'all' | 'any', parts: readonly Filter[]) =>
    parts.flatMap((part, index) => transcriptIssues(part, [...path, name, index]));
  if ('all' in filter) return inList('all', filter.all);
  if ('any' in filter) return inList('any', filter.any);
  if ('not' in filter) return transcriptIssues(filter.not, [...path, 'not']);
  return filter.field === transcriptField
    ? [{ path: [...path, 'field'], message: 'can only be searched with calls.search' }]
    : [];
}
