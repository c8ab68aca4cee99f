import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { notFound } from '../../core/errors.ts';
import type { PlainRoute } from '../../http/plain-routes.ts';
import { openOperatorConnection } from '../../voice/carriers/connection.ts';

export interface PublicAddressParts {
  /** `PUBLIC_URL`; null if it is not set. */
  readonly publicUrl: string | null;
  /** `TWILIO_BASE_URL`. A carrier on this machine also reaches this service without https. */
  readonly carrierUrl: string;
  /** `http://host:port` of the proxy for outbound connections, or null. */
  readonly proxy: string | null;
  /** The same for every process on the database, so that any of them may get the request. */
  readonly key: Buffer;
  readonly timeoutMs?: number;
}

/** Null: it is fine. */
export type AddressProblem = { readonly message: string; readonly remedy: string } | null;

export type PublicAddress = ReturnType<typeof createPublicAddress>;

const path = '/carrier/v1/reachable/{nonce}';
const setIt = 'Set PUBLIC_URL to the https address at which the internet reaches this service, and restart it.';

/** Whether carriers can reach this service: it sends itself a request by way of its public address. */
export function createPublicAddress(parts: PublicAddressParts) {
  const { publicUrl, carrierUrl, proxy, key, timeoutMs = 10_000 } = parts;
  const proofOf = (nonce: string): string => createHmac('sha256', key).update(nonce).digest('hex');

  const route: PlainRoute = {
    id: 'carrier.reachable',
    method: 'GET',
    path,
    isWrite: false,
    maxBodyBytes: 0,
    serve: async ({ params: { nonce = '' } }) => {
      if (!/^[0-9a-f]{32}$/.test(nonce)) throw notFound('path');
      return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: proofOf(nonce) };
    },
  };

  const problem = async (signal: AbortSignal): Promise<AddressProblem> => {
    if (publicUrl === null)
      return { message: 'PUBLIC_URL is not set, so the carrier cannot reach this service.', remedy: setIt };
    const isPlainAllowed = isLoopback(publicUrl) && isLoopback(carrierUrl);
    if (!publicUrl.startsWith('https://') && !isPlainAllowed) {
      return { message: 'PUBLIC_URL is not an https address, so calls could be overheard.', remedy: setIt };
    }
    const nonce = randomBytes(16).toString('hex');
    const url = new URL(`${publicUrl}${path.replace('{nonce}', nonce)}`);
    const { host } = url;
    try {
      const { status, body } = await request(url, proxy, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
      if (status === 200 && isEqual(body, proofOf(nonce))) return null;
      return {
        message: `A request to ${host} was answered with status ${status}, and not by this service.`,
        remedy:
          'Make PUBLIC_URL, its DNS entry and the proxy in front of this service lead here, including the paths under /carrier.',
      };
    } catch {
      return {
        message: `A request to ${host} got no response.`,
        remedy:
          'Check the DNS entry, the certificate and the firewall of the host in PUBLIC_URL, that its proxy is running, and that OUTBOUND_PROXY, if it is set, may connect to it.',
      };
    }
  };

  return { route, problem };
}

async function request(url: URL, proxy: string | null, signal: AbortSignal): Promise<{ status: number; body: string }> {
  // undici takes 7 MB, so it is loaded with the first request.
  const { exchange } = await import('../../net/exchange.ts');
  const socket = await openOperatorConnection(url, proxy, signal);
  const { status, body } = await exchange(socket, url, { method: 'GET', maxResponseBytes: 1000 }, signal);
  return { status, body: body.toString() };
}

export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

function isEqual(given: string, expected: string): boolean {
  return given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
}
