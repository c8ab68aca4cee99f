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
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestampSeconds}.`).update(body).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signatures.join(' '),
  };
}
