import type { Issue } from '../../core/issues.ts';

/** Reads `Idempotency-Key`, bare or in quotes: 1 to 255 printable ASCII characters. Null if the header is absent. */
export function readIdempotencyKey(
  header: string | string[] | undefined,
  report: (issue: Issue) => void,
): string | null {
  if (header === undefined) return null;
  const text = String(header);
  const key = text.length >= 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
    report({ path: ['Idempotency-Key'], message: 'must be 1 to 255 printable ASCII characters' });
    return null;
  }
  return key;
}
