import type { Socket } from 'node:net';
import { openConnection, systemLookup } from '../../net/connection.ts';

/** The operator's own addresses may be in any network. */
const everywhere = { has: () => true, isAllowedAddress: () => true, isBeyondLoopback: true };

/**
 * A connection to an address that the operator has configured, never to one of a request. `proxy` is `http://host:port`
 * of the proxy for outbound connections, or null; it is for `https://` addresses.
 */
export function openOperatorConnection(url: URL, proxy: string | null, signal: AbortSignal): Promise<Socket> {
  const usedProxy = url.protocol === 'https:' ? proxy : null;
  return openConnection(url, { allowedNetworks: everywhere, proxy: usedProxy, lookup: systemLookup }, signal);
}
