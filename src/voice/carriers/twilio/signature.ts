import { createHmac, timingSafeEqual } from 'node:crypto';

/** The fields of a form, such as URLSearchParams. Empty for requests without one. */
export type FormFields = Iterable<readonly [name: string, value: string]>;

/** The header `X-Twilio-Signature` of a request to an address. */
export function twilioSignature(authToken: string, url: string, fields: FormFields): string {
  return signature(authToken, url, fieldsText(fields));
}

/**
 * Whether the header is the signature of a request. `url` is built from `PUBLIC_URL`: headers of the request, which a
 * proxy changes, say nothing about the address that the carrier called. On an upgrade it is `upgradeUrl`.
 */
export function isSignedBy(authToken: string, url: string, fields: FormFields, header: string | undefined): boolean {
  // Anybody can sign with an empty key.
  if (authToken === '' || header === undefined) return false;
  const given = Buffer.from(header);
  const text = fieldsText(fields);
  return signedAddresses(url)
    .map((address) => Buffer.from(signature(authToken, address, text)))
    .some((expected) => expected.length === given.length && timingSafeEqual(expected, given));
}

/** The address of a WebSocket, as it is signed and as a document names it: `wss://…` of `https://…`. */
export function upgradeUrl(url: string): string {
  return url.replace(/^http/, 'ws');
}

/** The carrier signs some addresses with the default port, and some without their own. */
function signedAddresses(url: string): string[] {
  const [, scheme = '', host = '', port = '', rest = ''] =
    /^(\w+:\/\/)(\[[^\]]*\]|[^:/?#]*)(:\d+)?(.*)$/s.exec(url) ?? [];
  const defaultPort = scheme === 'https://' || scheme === 'wss://' ? ':443' : ':80';
  return [...new Set(['', port === '' ? defaultPort : port])].map((each) => scheme + host + each + rest);
}

function fieldsText(fields: FormFields): string {
  const lines = new Set<string>();
  const sorted = [...fields].sort(([name, value], [otherName, otherValue]) =>
    name === otherName ? compared(value, otherValue) : compared(name, otherName),
  );
  // A name may be repeated, but the same value counts once.
  for (const [name, value] of sorted) lines.add(name + value);
  return [...lines].join('');
}

function compared(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function signature(authToken: string, url: string, fields: string): string {
  return createHmac('sha1', authToken).update(url).update(fields).digest('base64');
}
