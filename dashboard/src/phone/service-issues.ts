import { UnprocessableError, ValidationError } from '../../../sdk/src/index.ts';
import { findingsOf } from '../parts/field-errors.ts';

/** What the service found wrong, by the path of the field: `inbound.agentId`. */
export type ServiceIssues = Readonly<Record<string, string>>;

export function serviceIssues(error: Error | null): ServiceIssues {
  if (!(error instanceof ValidationError) && !(error instanceof UnprocessableError)) return {};
  const issues: Record<string, string> = {};
  for (const { field, path, message } of findingsOf(error.fieldErrors)) {
    const place = path === '' ? field : `${field}.${path}`;
    issues[place] = place in issues ? `${issues[place]} ${message}` : message;
  }
  return issues;
}

/** The issues of a list, whose entries have paths of their own: `inbound.blockedNumbers.0`. */
export function issueIn(issues: ServiceIssues, path: string): string | undefined {
  const found = Object.entries(issues).filter(([place]) => place === path || place.startsWith(`${path}.`));
  return found.length === 0 ? undefined : found.map(([, message]) => message).join(' ');
}

/** Whether every issue has a field in the form, so that no alert is needed. */
export function hasOnlyIssuesOf(error: Error | null, paths: readonly string[]): boolean {
  const places = Object.keys(serviceIssues(error));
  return (
    places.length > 0 && places.every((place) => paths.some((path) => place === path || place.startsWith(`${path}.`)))
  );
}
