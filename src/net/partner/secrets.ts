/** A secret of a workspace. */
export interface PartnerSecret {
  readonly value: string;
  /** The hosts that it may be sent to. */
  readonly hosts: readonly string[];
}

/** Why a request cannot be sent, in words that users, models and transcripts may have. */
export class RequestProblem extends Error {}

/** Servers accept no more, and a header may name the same secret hundreds of times. */
const maxHeaderLength = 16 * 1024;
const reference = /\{\{secrets\.([A-Z][A-Z0-9_]{0,63})\}\}/g;

/** How a request names a secret of its workspace. */
export function referenceTo(name: string): string {
  return `{{secrets.${name}}}`;
}

/** The secrets that a text names, each as often as it does. */
export function referencesIn(value: string): string[] {
  return Array.from(value.matchAll(reference), ([, name]) => name as string);
}

/** The secrets that a text names, each once. */
export function namesIn(value: string): string[] {
  return [...new Set(referencesIn(value))];
}

/** How long a text is with the values of its secrets. */
function lengthWithSecrets(value: string, secrets: ReadonlyMap<string, PartnerSecret>): number {
  const references = Array.from(value.matchAll(reference));
  return references.reduce(
    (sum, [whole, name]) => sum - whole.length + (secrets.get(name as string)?.value.length ?? 0),
    value.length,
  );
}

/** The secrets that a request names. Throws if one does not exist, or may not be sent to the host. */
export async function secretsFor(
  url: string,
  texts: Iterable<string>,
  lookup: (names: readonly string[]) => Promise<ReadonlyMap<string, PartnerSecret>>,
): Promise<ReadonlyMap<string, PartnerSecret>> {
  const names = [...new Set([...texts].flatMap(namesIn))];
  if (names.length === 0) return new Map();
  const found = await lookup(names);
  const { hostname } = new URL(url);
  for (const name of names) {
    const secret = found.get(name);
    if (secret === undefined) throw new RequestProblem(`the secret ${name} does not exist`);
    if (!secret.hosts.includes(hostname)) throw new RequestProblem(`the secret ${name} must not be sent to this host`);
  }
  return found;
}

/** A text with the values of its secrets, each encoded for its place. */
export function textWithSecrets(
  value: string,
  secrets: ReadonlyMap<string, PartnerSecret>,
  encode: (secret: string) => string = (secret) => secret,
): string {
  return value.replace(reference, (_whole, name: string) => encode(secrets.get(name)?.value ?? ''));
}

/** Headers with the values of their secrets, and with names in lower case. */
export function headersWithSecrets(
  headers: Readonly<Record<string, string>>,
  secrets: ReadonlyMap<string, PartnerSecret>,
): Record<string, string> {
  const length = Object.values(headers).reduce((sum, value) => sum + lengthWithSecrets(value, secrets), 0);
  if (length > maxHeaderLength) throw new RequestProblem('the headers are longer than 16 KiB with their secrets');
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), textWithSecrets(value, secrets)]),
  );
}
