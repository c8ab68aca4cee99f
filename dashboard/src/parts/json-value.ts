export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Drafts may contain anything in place of a text. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
