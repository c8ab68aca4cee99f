import { toolsIn } from '../settings.ts';
import { isObject } from './json-schema.ts';

const reference = /\{\{secrets\.([A-Z][A-Z0-9_]{0,63})\}\}/g;

/** How a header names a secret. */
export function referenceTo(name: string): string {
  return `{{secrets.${name}}}`;
}

export interface SecretUse {
  /** The index of the tool in the list. */
  readonly index: number;
  readonly header: string;
  readonly name: string;
  /** The host of the tool; undefined if its URL is missing or malformed. */
  readonly host: string | undefined;
}

/** Every secret that a header of a tool names, once for each header. */
export function secretUses(settings: unknown): SecretUse[] {
  return toolsIn(settings).flatMap(({ index, tool: { url, headers } }) => {
    const host = typeof url === 'string' ? URL.parse(url)?.hostname : undefined;
    return Object.entries(isObject(headers) ? headers : {}).flatMap(([header, value]) =>
      typeof value === 'string' ? namesIn(value).map((name) => ({ index, header, name, host })) : [],
    );
  });
}

/** The secrets that a header names, each once. */
export function namesIn(value: string): string[] {
  return [...new Set(Array.from(value.matchAll(reference), ([, name]) => name as string))];
}

/** How long a header is with the values of its secrets. */
export function lengthWithSecrets(value: string, secrets: ReadonlyMap<string, { readonly value: string }>): number {
  const references = Array.from(value.matchAll(reference));
  return references.reduce(
    (sum, [whole, name]) => sum - whole.length + (secrets.get(name as string)?.value.length ?? 0),
    value.length,
  );
}

/** A header with the values of its secrets. */
export function withSecrets(value: string, lookup: (name: string) => string): string {
  return value.replace(reference, (_whole, name: string) => lookup(name));
}
