import { VoiceAgentsError } from './errors.ts';
import type { WebhookEvent } from './resources/events.ts';

/** A request that was not signed with the secret, or is too old. Respond with 400, and do not process it. */
export class WebhookVerificationError extends VoiceAgentsError {
  override readonly name = 'WebhookVerificationError';
}

/** The headers of a request: those of `fetch`, or an object as in Node.js. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyWebhookOptions {
  /** How far the clocks of sender and receiver may differ, in seconds. Default: 300. */
  readonly toleranceSeconds?: number | undefined;
  /** The time in milliseconds, for tests. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
}

const defaultToleranceSeconds = 300;
const secretPrefix = 'whsec_';
const version = 'v1';

/**
 * Verifies a request to a webhook as in Standard Webhooks 1.0, and returns the event. `body` is the body as it was
 * received: JSON that was parsed and written again has other bytes. With several secrets, any of them may have signed it.
 */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = defaultToleranceSeconds, now = Date.now }: VerifyWebhookOptions = {},
): Promise<WebhookEvent> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  // Compared this way round, a tolerance that is not a number accepts nothing.
  const isRecent = Math.abs(now() / 1000 - Number(timestamp)) <= toleranceSeconds;
  if (!/^\d{1,12}$/.test(timestamp) || !isRecent) {
    throw new WebhookVerificationError('The time of the request is too far from that of this machine.');
  }
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body);
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  const secrets = typeof secret === 'string' ? [secret] : secret;
  if (secrets.length === 0) throw new WebhookVerificationError('No secret was given.');
  if (!(await isSignedWithAny(signed, signatures, secrets))) {
    throw new WebhookVerificationError('The request was not signed with this secret.');
  }
  return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent;
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value =
    typeof headers.get === 'function'
      ? (headers as Headers).get(name)
      : Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
  if (typeof value !== 'string' || value === '') throw new WebhookVerificationError(`The header ${name} is missing.`);
  return value;
}

async function isSignedWithAny(
  signed: Uint8Array<ArrayBuffer>,
  signatures: string,
  secrets: readonly string[],
): Promise<boolean> {
  const given = signatures.split(' ').flatMap((signature) => {
    const [scheme, value = ''] = signature.split(',');
    const bytes = scheme === version ? bytesOf(value) : null;
    return bytes === null ? [] : [bytes];
  });
  for (const secret of secrets) {
    const key = await keyOf(secret);
    // Compares in constant time.
    for (const signature of given) if (await crypto.subtle.verify('HMAC', key, signature, signed)) return true;
  }
  return false;
}

async function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = bytesOf(secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret);
  if (bytes === null || bytes.length === 0) {
    throw new WebhookVerificationError('The secret is not valid: it starts with whsec_.');
  }
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** The bytes of a text in base64, or null. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(one.length + other.length);
  whole.set(one);
  whole.set(other, one.length);
  return whole;
}
