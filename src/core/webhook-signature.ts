import { createHmac, randomBytes } from 'node:crypto';

const secretPrefix = 'whsec_';
const secretBytes = 32;

/** The headers of a signed request, as Standard Webhooks 1.0 defines them. */
export interface SignatureHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

export function newWebhookSecret(): string {
  return `${secretPrefix}${randomBytes(secretBytes).toString('base64')}`;
}

/** Whether requests can be signed with it. */
export function isWebhookSecret(text: string): boolean {
  return /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text);
}

/** W3C trace context, new for each request. */
export function newTraceparent(): string {
  return `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`;
}

/**
 * Signs a request with each of the secrets, the newest first: while a secret is being replaced, receivers with either of
 * them accept the request. `body` is what is sent, byte for byte.
 */
export function signatureHeaders(
  id: string,
  timestampSeconds: number,
  body: string | Uint8Array,
  secrets: readonly string[],
): SignatureHeaders {
  const signatures = secrets.map(
    (secret) =>
      `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${timestampSeconds}.`).update(body).digest('base64')}`,
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signatures.join(' '),
  };
}

/** The header of a connection for a call: the time, and one signature for each of the secrets. */
export function callSignature(callId: string, timestampSeconds: number, secrets: readonly string[]): string {
  const signatures = secrets.map(
    (secret) => `v1=${createHmac('sha256', keyOf(secret)).update(`${timestampSeconds}.${callId}`).digest('hex')}`,
  );
  return [`t=${timestampSeconds}`, ...signatures].join(',');
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice(secretPrefix.length), 'base64');
}
