import type { z } from 'zod';
import { type FieldErrors, validationFailed } from './errors.ts';

/** A problem with a request, and where it is. An empty path means the request as a whole. */
export interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** How many issues are reported per request, so that a bad request cannot cause unbounded work. */
export const maxIssues = 100;
/** Names come from callers and may be as long as a body. */
const maxNameLength = 64;
const maxInnerPathLength = 256;

/** Collects all issues of a request, to report them together. */
export class Issues {
  readonly #messages = new Map<string, string[]>();
  #count = 0;

  add({ path, message }: Issue): void {
    if (++this.#count > maxIssues) return;
    const { field, inner } = placeOf(path);
    const text = inner === '' ? message : `${inner}: ${message}`;
    const messages = this.#messages.get(field);
    if (messages === undefined) this.#messages.set(field, [text]);
    else if (!messages.includes(text)) messages.push(text);
  }

  throwIfAny(refuse: typeof validationFailed = validationFailed): void {
    if (this.#count === 0) return;
    const whole = this.#messages.get('') ?? [];
    this.#messages.delete('');
    throw refuse(Object.fromEntries(this.#messages) as FieldErrors, whole);
  }
}

/** Throws all of them together. */
export function throwIssues(issues: readonly Issue[], refuse: typeof validationFailed = validationFailed): void {
  const collected = new Issues();
  for (const issue of issues) collected.add(issue);
  collected.throwIfAny(refuse);
}

/** The field of an issue, and the place inside of it, such as `0.name`; empty if it is about the whole field. */
export function placeOf(path: Issue['path']): { readonly field: string; readonly inner: string } {
  const [field = '', ...inner] = path.map((name) => shortened(String(name)));
  return { field, inner: shortened(inner.join('.'), maxInnerPathLength) };
}

const withMessages = { error: (issue: unknown) => messageFor(issue as z.core.$ZodRawIssue) };

/** The parsed value, or every reason why it is invalid. */
export function check<S extends z.ZodType>(
  schema: S,
  value: unknown,
): { readonly value: z.output<S> } | { readonly issues: readonly Issue[] } {
  const result = schema.safeParse(value, withMessages);
  return result.success ? { value: result.data } : { issues: result.error.issues };
}

/** The text, shortened if it is too long to be echoed. */
export function shortened(text: string, maxLength = maxNameLength): string {
  if (text.length <= maxLength) return text;
  const start = text.slice(0, maxLength);
  // Do not split a surrogate pair.
  return `${/[\uD800-\uDBFF]$/.test(start) ? start.slice(0, -1) : start}…`;
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

function messageFor(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required';
      return `must be ${typeNames[issue.expected] ?? issue.expected}`;
    case 'too_small':
      if (issue.origin === 'array' && issue.minimum === 1) return 'must not be empty';
      return issue.origin === 'array'
        ? `must have at least ${issue.minimum} items`
        : `must be at least ${issue.minimum}`;
    case 'too_big':
      return issue.origin === 'array' ? `must have at most ${issue.maximum} items` : `must be at most ${issue.maximum}`;
    case 'invalid_value':
      return issue.input === undefined ? 'is required' : `must be one of: ${issue.values.join(', ')}`;
    case 'invalid_format':
      return issue.format === 'datetime'
        ? 'must be an ISO 8601 date-time, such as 2026-01-31T09:00:00Z'
        : 'is not valid';
    case 'invalid_key':
      return `its name ${issue.issues[0]?.message ?? 'is not valid'}`;
    default:
      return issue.message ?? 'is not valid';
  }
}
