/** A conversation flow that fills a body of 1 MiB has 26,000 members at most, of short steps. */
export const maxMembers = 30_000;
/** Members and items. The same flow has some 45,000. */
export const maxValues = 100_000;

/**
 * Which limit a JSON value exceeds. Validating, merging and comparing a body of 1 MiB takes up to half a second if it
 * consists of nothing but tiny members, each with a name of its own.
 */
export function exceededLimit(root: unknown): string | undefined {
  const pending: unknown[] = [root];
  let members = 0;
  let values = 0;
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value !== 'object' || value === null) continue;
    const inner = Object.values(value);
    values += inner.length;
    if (!Array.isArray(value)) members += inner.length;
    if (members > maxMembers) return `more than ${maxMembers} members`;
    if (values > maxValues) return `more than ${maxValues} values`;
    for (const item of inner) if (typeof item === 'object') pending.push(item);
  }
  return undefined;
}
