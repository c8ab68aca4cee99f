import { isIP } from 'node:net';
import { type AllowedNetworks, isLoopbackName } from './networks.ts';

export type Scheme = 'https' | 'wss';

export interface AddressRules {
  /** The encrypted schemes that are accepted. `http` goes with `https`, and `ws` with `wss`, where they are allowed. */
  readonly schemes: readonly Scheme[];
  readonly allowedNetworks: AllowedNetworks;
}

const maxLength = 2048;
const unencrypted: Readonly<Record<string, Scheme>> = { http: 'https', ws: 'wss' };

/**
 * What is wrong with the address of another server as it is written, or undefined. No name is looked up: what a name
 * resolves to is checked at every connection, because it can change in between. The URL parser turns every notation of
 * an IPv4 address (decimal, octal, hexadecimal, shortened, with a final dot) into the usual one.
 */
export function addressIssue(address: string, { schemes, allowedNetworks }: AddressRules): string | undefined {
  const url = URL.parse(address);
  const expected = schemes.map((scheme) => `${scheme}://`).join(' or ');
  if (url === null) return `must be a URL that starts with ${expected}`;
  // Counted in code points, like every text.
  if (address.length > maxLength && [...address].length > maxLength) {
    return `must be at most ${maxLength} characters long`;
  }
  const scheme = url.protocol.slice(0, -1);
  const plainOf = unencrypted[scheme];
  const isEncrypted = schemes.includes(scheme as Scheme);
  if (!isEncrypted && (plainOf === undefined || !schemes.includes(plainOf))) return `must start with ${expected}`;
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (address.includes('#')) return 'must not contain a fragment (#)';
  if (!isAllowedPort(url.port)) return 'must use port 443 or a port from 1024 to 65535';
  const host = hostOf(url);
  const isLiteral = isIP(host) !== 0;
  const isLoopback = isLoopbackName(host);
  // For a name, the networks of its addresses are checked at the connection.
  const mayBePlain = isLoopback || (isLiteral ? allowedNetworks.has(host) : allowedNetworks.isBeyondLoopback);
  if (!isEncrypted && !mayBePlain) {
    return `must start with ${expected} (${scheme}:// is only for this machine and networks that the operator allows)`;
  }
  const isAllowed = isLiteral
    ? allowedNetworks.isAllowedAddress(host)
    : !isLoopback || allowedNetworks.has('127.0.0.1') || allowedNetworks.has('::1');
  return isAllowed ? undefined : 'must not be an address in a local, private or reserved network';
}

/** The host of a URL as `isIP` and a resolver expect it: without the brackets of IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/** The default port of a scheme is absent from a parsed URL. */
function isAllowedPort(port: string): boolean {
  return port === '' || port === '443' || Number(port) >= 1024;
}
