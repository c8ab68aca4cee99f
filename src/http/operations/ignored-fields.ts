import { maxIssues, shortened } from '../../core/issues.ts';

export const ignoredFieldsHeader = 'ignored-fields';
/** Names come from callers, and proxies limit the size of all headers of a response together. */
const maxLength = 1000;
const more = '...';

/**
 * The value of `Ignored-Fields`: the paths of what was sent and not read, such as `colour, tools.0.hue`; null if there
 * are none. A header has ASCII only, so all other characters, and those that separate, are percent-encoded.
 */
export function ignoredFieldsValue(paths: readonly (readonly PropertyKey[])[]): string | null {
  if (paths.length === 0) return null;
  let value = '';
  for (const path of paths) {
    const text = path.map((name) => encoded(String(name))).join('.');
    const next = value === '' ? text : `${value}, ${text}`;
    if (next.length > maxLength - more.length - 2) return value === '' ? more : `${value}, ${more}`;
    value = next;
  }
  // No more than this are looked for.
  return paths.length < maxIssues ? value : `${value}, ${more}`;
}

function encoded(name: string): string {
  // A name may hold half of a surrogate pair, which cannot be encoded.
  return encodeURIComponent(shortened(name).toWellFormed()).replace(/[.!~*'()]/g, percentEncoded);
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
